#include "control/nonlinear_box.hpp"

#include <algorithm>
#include <utility>

#include "control/differences.hpp"
#include "control/slope_search.hpp"

namespace flexloop::control {

NonlinearBox::NonlinearBox(BoxRunner runner, bool hasFeedthrough)
    : runner_(std::move(runner)),
      states_(runner_.settings().states),
      inputs_(runner_.settings().inputs),
      outputs_(runner_.settings().outputs),
      hasFeedthrough_(hasFeedthrough) {}

BlockSize NonlinearBox::size() const {
  return {.inputs = inputs_, .states = states_, .outputs = outputs_};
}

bool NonlinearBox::uses(int row, int column) const {
  return hasFeedthrough_ || row < states_ || column < states_;
}

void NonlinearBox::evaluate(double t, std::span<const double> x, std::span<const double> u,
                            std::span<double> results) const {
  if (states_ > 0) runner_.derivative(t, x, u, results.first(states_));
  runner_.nonlinearOutput(t, x, u, results.subspan(states_));
}

void NonlinearBox::calc(const BlockPorts<double>& p) const {
  if (states_ > 0) runner_.derivative(p.t, p.x, p.u, p.dx);
  runner_.nonlinearOutput(p.t, p.x, p.u, p.y);
}

void NonlinearBox::calcPartials(const BlockPorts<double>& p, Eigen::MatrixXd& J) const {
  if (runner_.hasJacobian()) {
    readJacobian(p, J);
  } else {
    calcDifferences(p, J);
  }
  if (hasFeedthrough_) return;
  auto feedthrough = J.bottomRightCorner(outputs_, inputs_);
  if (feedthrough.isZero(0.0)) return;
  feedthrough.setZero();
  static_cast<void>(
      runner_.fail("has outputs that depend on its inputs without delay, but the "
                   "model says 'feedthrough: false'",
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
  const std::span<const double> all(in);
  for (std::size_t c = 0; c < in.size(); ++c) {
    const double middle = in[c];
    const Slopes slopes =
        calcSlopes(middle, states_ + outputs_, [&](double value, std::span<double> at) {
          in[c] = value;
          evaluate(p.t, all.first(states_), all.subspan(states_), at);
        });
    in[c] = middle;
    std::copy(slopes.values.begin(), slopes.values.end(),
              J.col(static_cast<Eigen::Index>(c)).begin());
  }
}

void NonlinearBox::calcAlong(const BlockPorts<math::Taylor2>& p) const {
  std::vector<double> x(p.x.size()), u(p.u.size());
  std::vector<math::Taylor2> results(p.dx.size() + p.y.size());
  const double step = std::min(timeStepAlong(p.x), timeStepAlong(p.u));
  calcAlongPath(step, results, [&](double time, std::span<double> at) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = valueAfter(p.x[i], time);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = valueAfter(p.u[i], time);
    evaluate(p.t.value + time, x, u, at);
  });
  std::copy_n(results.begin(), p.dx.size(), p.dx.begin());
  std::copy_n(results.begin() + states_, p.y.size(), p.y.begin());
}

}  // namespace flexloop::control
