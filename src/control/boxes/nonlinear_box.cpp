#include "control/boxes/nonlinear_box.hpp"

#include <algorithm>
#include <utility>

#include "control/boxes/box_slopes.hpp"
#include "control/boxes/differences.hpp"

namespace flexloop::control {

NonlinearBox::NonlinearBox(BoxRunner runner, bool hasFeedthrough)
    : runner_(std::move(runner)),
      states_(runner_.settings().states),
      inputs_(runner_.settings().inputs),
      outputs_(runner_.settings().outputs),
      hasFeedthrough_(hasFeedthrough),
      results_(states_ + outputs_) {
  lastPoint_.reserve(states_ + inputs_);
}

BlockSize NonlinearBox::size() const {
  return {.inputs = inputs_, .states = states_, .outputs = outputs_};
}

bool NonlinearBox::uses(int row, int column) const {
  return hasFeedthrough_ || row < states_ || column < states_;
}

void NonlinearBox::calc(const BlockPorts<double>& p) const {
  if (lastPoint_.is(p.t, {p.x, p.u})) {
    runner_.forgetOutside();
  } else {
    lastPoint_.forget();
    const BoxTrial trial{p.t, p.x, p.u, results_};
    if (runner_.evaluate({&trial, 1})) lastPoint_.set(p.t, {p.x, p.u});
  }
  std::copy_n(results_.begin(), states_, p.dx.begin());
  std::copy_n(results_.begin() + states_, outputs_, p.y.begin());
}

void NonlinearBox::calcPartials(const BlockPorts<double>& p, Eigen::MatrixXd& J) const {
  if (lastPartialsPoint_.is(p.t, {p.x, p.u})) {
    runner_.forgetOutside();
    J = lastPartials_;
    return;
  }
  lastPartialsPoint_.forget();
  if (runner_.hasJacobian()) {
    readJacobian(p, J);
  } else {
    calcDifferences(p, J);
  }
  if (!hasFeedthrough_) checkFeedthrough(J);
  if (runner_.firstFault()) return;
  lastPartialsPoint_.set(p.t, {p.x, p.u});
  lastPartials_ = J;
}

void NonlinearBox::checkFeedthrough(Eigen::MatrixXd& J) const {
  auto feedthrough = J.bottomRightCorner(outputs_, inputs_);
  if (feedthrough.isZero(0.0)) return;
  feedthrough.setZero();
  static_cast<void>(runner_.fail(
      "has outputs that depend directly on its inputs, but the model sets 'feedthrough: false'",
      "remove that line"));
}

void NonlinearBox::readJacobian(const BlockPorts<double>& p, Eigen::MatrixXd& J) const {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Rows fx(states_, states_), fu(states_, inputs_), hx(outputs_, states_), hu(outputs_, inputs_);
  if (!runner_.jacobian(p.t, p.x, p.u, {fx.data(), fu.data(), hx.data(), hu.data()})) return;
  J.topLeftCorner(states_, states_) = fx;
  J.topRightCorner(states_, inputs_) = fu;
  J.bottomLeftCorner(outputs_, states_) = hx;
  J.bottomRightCorner(outputs_, inputs_) = hu;
}

void NonlinearBox::calcDifferences(const BlockPorts<double>& p, Eigen::MatrixXd& J) const {
  std::vector<double> in(p.x.begin(), p.x.end());
  in.insert(in.end(), p.u.begin(), p.u.end());
  calcColumns({in, results_.size()}, J, [&](const Variations& all) {
    trials_.clear();
    for (std::size_t k = 0; k < all.count(); ++k) {
      const std::span<const double> arguments = all.arguments(k);
      trials_.push_back(
          {p.t, arguments.first(states_), arguments.subspan(states_), all.results(k)});
    }
    static_cast<void>(runner_.evaluate(trials_));
  });
}

void NonlinearBox::calcAlong(const BlockPorts<math::Taylor2>& p) const {
  flatten(p.x, flatStates_);
  flatten(p.u, flatInputs_);
  if (lastAlongPoint_.is(p.t.value, {flatStates_, flatInputs_})) {
    runner_.forgetOutside();
  } else {
    lastAlongPoint_.forget();
    evaluateAlong(p);
    if (!runner_.firstFault()) lastAlongPoint_.set(p.t.value, {flatStates_, flatInputs_});
  }
  std::copy_n(lastAlong_.begin(), p.dx.size(), p.dx.begin());
  std::copy_n(lastAlong_.begin() + states_, p.y.size(), p.y.begin());
}

void NonlinearBox::evaluateAlong(const BlockPorts<math::Taylor2>& p) const {
  lastAlong_.resize(results_.size());
  const double step = std::min(timeStepAlong(p.x), timeStepAlong(p.u));
  calcAlongPath(step, lastAlong_, [&](std::span<const double> times, std::span<double> values) {
    const std::size_t size = p.x.size() + p.u.size();
    std::vector<double> in;
    for (const double time : times) {
      for (const math::Taylor2& q : p.x) in.push_back(valueAfter(q, time));
      for (const math::Taylor2& q : p.u) in.push_back(valueAfter(q, time));
    }
    trials_.clear();
    for (std::size_t k = 0; k < times.size(); ++k) {
      const std::span<const double> one = std::span(in).subspan(k * size, size);
      trials_.push_back({p.t.value + times[k], one.first(p.x.size()), one.subspan(p.x.size()),
                         values.subspan(k * results_.size(), results_.size())});
    }
    static_cast<void>(runner_.evaluate(trials_));
  });
}

}  // namespace flexloop::control
