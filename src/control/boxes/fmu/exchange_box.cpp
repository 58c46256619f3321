#include "control/boxes/fmu/exchange_box.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "control/boxes/box_memory.hpp"
#include "control/boxes/box_slopes.hpp"
#include "control/boxes/differences.hpp"

namespace flexloop::control {

ExchangeBox::ExchangeBox(BoxRunner runner, Settings settings)
    : runner_(std::move(runner)),
      settings_(std::move(settings)),
      states_(runner_.settings().states),
      inputs_(runner_.settings().inputs),
      outputs_(runner_.settings().outputs),
      indicators_(runner_.settings().indicators),
      inner_(states_),
      results_(states_ + outputs_),
      z_(indicators_),
      info_(2) {
  constexpr std::size_t kUsualMemory = 1024;  // numbers for which there is room from the start
  for (BoxPoint* point : {&lastPoint_, &lastPartialsPoint_, &lastIndicatorsPoint_}) {
    point->reserve(2 * states_ + inputs_ + indicators_ + kLists + kUsualMemory);
  }
}

BlockSize ExchangeBox::size() const {
  return {.inputs = inputs_,
          .states = states_,
          .outputs = outputs_,
          .memory = kLists + indicators_ + states_,
          .hasRecord = runner_.canRestore()};
}

bool ExchangeBox::uses(int row, int column) const {
  return settings_.uses[static_cast<std::size_t>(row) * (states_ + inputs_) + column];
}

bool ExchangeBox::isRecord(const std::vector<double>& record) const {
  return arePacked(record);
}

// An FMU that cannot be restored must be what it was after the last event of this State.
bool ExchangeBox::isReady(const BlockPorts<double>& p) const {
  const double events = p.memory[kEvents];
  if (runner_.canRestore() || runner_.calls() == events) return true;
  if (events == 0.0) return runner_.reopen();
  return runner_.fail("cannot return to before its last event: it has no functions for its state",
                      "export it with canGetAndSetFMUState");
}

void ExchangeBox::calcInnerStates(Numbers x, const double* memory) const {
  const Numbers jumps = jumpsOf(memory);
  for (int k = 0; k < states_; ++k) inner_[k] = x[k] + jumps[k];
}

void ExchangeBox::calc(const BlockPorts<double>& p) const {
  const Numbers record = recordOf(p.record);
  if (lastPoint_.is(p.t, {p.x, p.u, memoryOf(p), record})) {
    runner_.forgetOutside();
  } else {
    lastPoint_.forget();
    calcInnerStates(p.x, p.memory);
    const BoxTrial trial{p.t, inner_, p.u, results_};
    if (!isReady(p)) {
      std::fill(results_.begin(), results_.end(), std::numeric_limits<double>::quiet_NaN());
    } else if (runner_.evaluate({&trial, 1}, record)) {
      lastPoint_.set(p.t, {p.x, p.u, memoryOf(p), record});
    }
  }
  std::copy_n(results_.begin(), states_, p.dx.begin());
  std::copy_n(results_.begin() + states_, outputs_, p.y.begin());
}

void ExchangeBox::calcPartials(const BlockPorts<double>& p, Eigen::MatrixXd& J) const {
  const Numbers record = recordOf(p.record);
  if (lastPartialsPoint_.is(p.t, {p.x, p.u, memoryOf(p), record})) {
    runner_.forgetOutside();
    J = lastPartials_;
    return;
  }
  lastPartialsPoint_.forget();
  if (!isReady(p)) return;
  if (runner_.hasJacobian()) {
    readJacobian(p, J);
  } else {
    calcDifferences(p, J);
  }
  checkUses(J);
  if (runner_.firstFault()) return;
  lastPartialsPoint_.set(p.t, {p.x, p.u, memoryOf(p), record});
  lastPartials_ = J;
}

// The machine has no entry for what the FMU says it does not use.
void ExchangeBox::checkUses(Eigen::MatrixXd& J) const {
  for (int r = 0; r < J.rows(); ++r) {
    for (int c = 0; c < J.cols(); ++c) {
      if (uses(r, c) || J(r, c) == 0.0) continue;
      J(r, c) = 0.0;
      static_cast<void>(
          runner_.fail("depends on more than the ModelStructure of its modelDescription.xml says",
                       "the tool that made the FMU has made a mistake"));
      return;
    }
  }
}

void ExchangeBox::readJacobian(const BlockPorts<double>& p, Eigen::MatrixXd& J) const {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Rows fx(states_, states_), fu(states_, inputs_), hx(outputs_, states_), hu(outputs_, inputs_);
  calcInnerStates(p.x, p.memory);
  if (!runner_.jacobian(p.t, inner_, p.u, {fx.data(), fu.data(), hx.data(), hu.data()},
                        recordOf(p.record))) {
    return;
  }
  J.topLeftCorner(states_, states_) = fx;
  J.topRightCorner(states_, inputs_) = fu;
  J.bottomLeftCorner(outputs_, states_) = hx;
  J.bottomRightCorner(outputs_, inputs_) = hu;
}

void ExchangeBox::calcDifferences(const BlockPorts<double>& p, Eigen::MatrixXd& J) const {
  calcInnerStates(p.x, p.memory);
  std::vector<double> in = inner_;
  in.insert(in.end(), p.u.begin(), p.u.end());
  calcColumns({in, results_.size()}, J, [&](const Variations& all) {
    trials_.clear();
    for (std::size_t k = 0; k < all.count(); ++k) {
      const Numbers arguments = all.arguments(k);
      trials_.push_back(
          {p.t, arguments.first(states_), arguments.subspan(states_), all.results(k)});
    }
    static_cast<void>(runner_.evaluate(trials_, recordOf(p.record)));
  });
}

void ExchangeBox::calcAlong(const BlockPorts<math::Taylor2>& p) const {
  std::vector<math::Taylor2> along(results_.size());
  const Numbers jumps = jumpsOf(p.memory);
  const double step = std::min(timeStepAlong(p.x), timeStepAlong(p.u));
  calcAlongPath(step, along, [&](Numbers times, std::span<double> values) {
    const std::size_t size = p.x.size() + p.u.size();
    std::vector<double> in;
    for (const double time : times) {
      for (int k = 0; k < states_; ++k) in.push_back(valueAfter(p.x[k], time) + jumps[k]);
      for (const math::Taylor2& q : p.u) in.push_back(valueAfter(q, time));
    }
    trials_.clear();
    for (std::size_t k = 0; k < times.size(); ++k) {
      const Numbers one = Numbers(in).subspan(k * size, size);
      trials_.push_back({p.t.value + times[k], one.first(p.x.size()), one.subspan(p.x.size()),
                         values.subspan(k * results_.size(), results_.size())});
    }
    static_cast<void>(runner_.evaluate(trials_, recordOf(p.record)));
  });
  std::copy_n(along.begin(), states_, p.dx.begin());
  std::copy_n(along.begin() + states_, outputs_, p.y.begin());
}

// (37.7)
void ExchangeBox::calcIndicators(const BlockPorts<double>& p, double* values) const {
  const double* m = p.memory;
  std::fill_n(values, indicators(), 1.0);
  if (m[kHasStarted] == 0.0) {
    values[0] = -1.0;
    return;
  }
  if (m[kHasNextTime] != 0.0) {
    const double rest = m[kNextTime] - p.t;
    // Not zero, where the event is due.
    values[1] = rest > 0.0 ? rest : std::min(rest, -std::numeric_limits<double>::min());
  }
  if (indicators_ == 0 || !isReady(p)) return;
  const Numbers record = recordOf(p.record);
  if (!lastIndicatorsPoint_.is(p.t, {p.x, p.u, memoryOf(p), record})) {
    lastIndicatorsPoint_.forget();
    calcInnerStates(p.x, m);
    if (!runner_.ask(BoxFunction::kIndicators, {p.t, inner_, p.u, z_}, record)) return;
    lastIndicatorsPoint_.set(p.t, {p.x, p.u, memoryOf(p), record});
  }
  const Numbers signs = signsOf(m);
  for (int k = 0; k < indicators_; ++k) values[kOwnIndicators + k] = signs[k] * z_[k];
}

void ExchangeBox::switchBranches(const BlockPorts<double>& p, BlockMemory m) const {
  std::vector<double> values(indicators());
  calcIndicators(p, values.data());
  if (std::any_of(values.begin(), values.end(), [](double g) { return g < 0.0; })) makeEvent(p, m);
}

// (37.6)
void ExchangeBox::makeEvent(const BlockPorts<double>& p, BlockMemory m) const {
  if (!isReady(p)) return;
  lastIndicatorsPoint_.forget();
  calcInnerStates(p.x, m.memory);
  std::vector<double> after(states_);
  if (!runner_.advance(BoxFunction::kEvent, {p.t, inner_, p.u, after}, info_, recordOf(m.record),
                       m.record)) {
    return;
  }
  m.memory[kHasStarted] = 1.0;
  m.memory[kEvents] += 1.0;
  m.memory[kHasNextTime] = info_[0];
  m.memory[kNextTime] = info_[1];
  double* const signs = m.memory + kLists;
  double* const jumps = signs + indicators_;
  for (int k = 0; k < states_; ++k) jumps[k] = after[k] == inner_[k] ? jumps[k] : after[k] - p.x[k];
  if (indicators_ == 0) return;
  calcInnerStates(p.x, m.memory);
  if (!runner_.ask(BoxFunction::kIndicators, {p.t, inner_, p.u, z_}, recordOf(m.record))) return;
  for (int k = 0; k < indicators_; ++k) signs[k] = z_[k] > 0.0 ? 1.0 : -1.0;
}

void ExchangeBox::remember(const BlockPorts<double>& p, BlockMemory m) const {
  if (!settings_.needsStepDone || m.memory[kHasStarted] == 0.0 || !isReady(p)) return;
  calcInnerStates(p.x, m.memory);
  double wantsEvent = 0.0;
  if (!runner_.advance(BoxFunction::kStepDone, {p.t, inner_, p.u, {&wantsEvent, 1}}, {},
                       recordOf(m.record), m.record)) {
    return;
  }
  if (wantsEvent != 0.0) makeEvent(p, m);
}

}  // namespace flexloop::control
