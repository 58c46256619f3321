#include "analysis/ode/state_equations.hpp"

#include <cmath>

#include "control/blocks/block_set.hpp"
#include "solve/consistent_accelerations.hpp"
#include "system/switching.hpp"

namespace flexloop::analysis {
namespace {

using system::Kind;
using system::UnknownIndex;

constexpr int kCorrections = 4;  // of soft constraints
constexpr const char* kHint = "export it for co-simulation, with '--kind cs'";

std::vector<int> listStates(const system::System& system) {
  std::vector<int> states;
  for (int u = 0; u < system.unknowns(); ++u) {
    if (system.kind(UnknownIndex{u}) == Kind::kState) states.push_back(u);
  }
  return states;
}

base::Failure refuse(const std::string& why) {
  return {"the model has no ordinary differential equations: " + why, kHint};
}

}  // namespace

std::optional<base::Failure> describeNoOde(const model::Model& model, const system::State& state) {
  const system::System& system = model.system();
  if (const auto switches = system::findSwitches(system); !switches.empty()) {
    return refuse("'" + switches.front().name() + "' changes the number of its freedoms");
  }
  if (const control::BlockSet* blocks = control::findBlocks(system)) {
    if (const auto delays = blocks->delays(); !delays.empty()) {
      return refuse("'" + system.equationName(delays.front().output) +
                    "' is delayed, and would need the past as a state");
    }
    for (int e = 0; e < blocks->size(); ++e) {
      if (blocks->block(e).isBox()) return refuse("'" + blocks->name(e) + "' is a black box");
      if (blocks->block(e).clock() >= 0) {
        return refuse("'" + blocks->name(e) +
                      "' is sampled, and its memory is no continuous state");
      }
    }
  }
  const solve::MachineLoan machine = model.borrowMachine();
  machine->begin(state);
  const solve::SignalSystem& signals = machine->massSystem().signals();
  if (signals.hasDrives() && !signals.areDrivesGivenByTime()) {
    return refuse("'" + system.equationName(UnknownIndex{signals.drives().front().constraint}) +
                  "' is driven by a signal that depends on motions or states");
  }
  MotionChart chart(*machine);
  chart.setBase(state);
  const int massless = chart.findMassless(state);
  if (massless >= 0) {
    return refuse("no mass resists the " + system.unknownName(UnknownIndex{massless}));
  }
  return std::nullopt;
}

StateEquations::StateEquations(const model::Model& model, const system::State& state)
    : model_(model),
      machine_(model.borrowMachine()),
      chart_(*machine_),
      states_(listStates(model.system())) {
  machine_->begin(state);
  chart_.setBase(state);
  setState(state);
}

StateEquations::StateEquations(const model::Model& model, const system::State& state,
                               const system::State& base, const std::vector<int>& independent)
    : model_(model),
      machine_(model.borrowMachine()),
      chart_(*machine_),
      states_(listStates(model.system())),
      state_(state) {
  machine_->begin(state);
  chart_.setBase(base, independent);
}

void StateEquations::setState(const system::State& state) {
  state_ = state;
}

Eigen::VectorXd StateEquations::coordinatesOf() const {
  const int n = chart_.size();
  Eigen::VectorXd z(size());
  z.head(n) = chart_.coordinates();
  z.segment(n, n) = chart_.readRates(state_);
  for (std::size_t k = 0; k < states_.size(); ++k) {
    z[2 * n + static_cast<int>(k)] = state_.value[states_[k]];
  }
  return z;
}

std::optional<base::Failure> StateEquations::evaluate(double time, const Eigen::VectorXd& z) {
  const int n = chart_.size();
  state_.time = time;
  for (std::size_t k = 0; k < states_.size(); ++k) {
    state_.value[states_[k]] = z[2 * n + static_cast<int>(k)];
  }
  solve::SignalSystem& signals = machine_->massSystem().signals();
  if (signals.hasDrives()) {
    if (auto failure = signals.solve(state_)) return failure;
    signals.calcRates(state_);
  }
  if (auto failure = chart_.place(z.head(n), state_)) return failure;
  chart_.move(z.segment(n, n), state_);
  if (auto failure = signals.solve(state_)) return failure;
  if (!solve::calcAccelerations(*machine_, state_)) {
    if (auto fault = machine_->assembler().fault()) return fault;
    return base::numericalFailure("no consistent accelerations could be found");
  }
  return std::nullopt;
}

Eigen::VectorXd StateEquations::nominals() const {
  Eigen::VectorXd all = Eigen::VectorXd::Ones(size());
  all.head(coordinates()) = chart_.nominals();
  all.segment(coordinates(), coordinates()) = chart_.nominals();
  return all;
}

Eigen::VectorXd StateEquations::derivatives() const {
  const int n = chart_.size();
  Eigen::VectorXd rates(size());
  rates.head(n) = chart_.calcRates(state_);
  for (int k = 0; k < n; ++k) rates[n + k] = state_.acceleration[chart_.independent()[k]];
  for (std::size_t k = 0; k < states_.size(); ++k) {
    rates[2 * n + static_cast<int>(k)] = state_.rate[states_[k]];
  }
  return rates;
}

Eigen::VectorXd StateEquations::calcConstraintAccelerations(const system::State& state) {
  system::TimeDerivatives derivatives;
  Eigen::VectorXd residual;
  machine_->assembler().calcResidual(state, residual);
  machine_->assembler().calcTimeDerivatives(state, derivatives);
  return derivatives.second;
}

// S X = −(K dq + C dv + K_x dx − dw), with the second derivatives of constraints by differences along the change, since they are no
// residual that elements differentiate.
base::Result<StateEquations::Slopes> StateEquations::calcSlopes(
    const Eigen::VectorXd& dz, const std::vector<std::pair<UnknownIndex, double>>& dw,
    const std::vector<UnknownIndex>& signals) {
  const system::System& system = model_.system();
  const int n = chart_.size();
  const MotionChart::Change change = chart_.calcChange(state_, dz.head(n), dz.segment(n, n));
  solve::MassSystem& masses = machine_->massSystem();
  if (!masses.update(state_, solve::MassSystem::Use::kAccelerations).ok) {
    return base::numericalFailure("accelerations are not determined at this instant");
  }
  linalg::SparseMatrix K, C, M;
  Eigen::VectorXd residual;
  machine_->assembler().calcResidual(state_, residual);
  machine_->assembler().calcTangents(state_, K, C, M);
  Eigen::VectorXd values = Eigen::VectorXd::Zero(system.unknowns()), rates = values;
  for (int u = 0; u < system.unknowns(); ++u) {
    if (system.kind(UnknownIndex{u}) != Kind::kMotion) continue;
    values[u] = change.increments[u];
    rates[u] = change.rates[u];
  }
  for (std::size_t k = 0; k < states_.size(); ++k) {
    values[states_[k]] = dz[2 * n + static_cast<int>(k)];
  }
  Eigen::VectorXd right = -(K * values + C * rates);
  const bool moves =
      change.increments.cwiseAbs().maxCoeff() > 0.0 || change.rates.cwiseAbs().maxCoeff() > 0.0;
  Eigen::VectorXd bend = Eigen::VectorXd::Zero(system.unknowns());
  if (moves) {
    const double h = chart_.findDifferenceStep(change.increments, change.rates, state_);
    system::State ahead = state_, behind = state_;
    Eigen::VectorXd motion = Eigen::VectorXd::Zero(system.unknowns());
    for (int u = 0; u < system.unknowns(); ++u) {
      if (system.kind(UnknownIndex{u}) == Kind::kMotion) motion[u] = change.increments[u];
    }
    system.retract(state_, h * motion, ahead);
    system.retract(state_, -h * motion, behind);
    ahead.rate += h * rates;
    behind.rate -= h * rates;
    bend = (calcConstraintAccelerations(ahead) - calcConstraintAccelerations(behind)) / (2.0 * h);
  }
  for (int u = 0; u < system.unknowns(); ++u) {
    if (system.kind(UnknownIndex{u}) == Kind::kMultiplier) right[u] = -bend[u];
  }
  for (const auto& [signal, amount] : dw) right[signal.value] += amount;
  Eigen::VectorXd answer = Eigen::VectorXd::Zero(system.unknowns());
  for (int k = 0; k < (masses.isSoft() ? kCorrections : 1); ++k) {
    Eigen::VectorXd rest = masses.matrix() * answer;
    masses.addPull(-answer, rest);
    Eigen::VectorXd correction = right - rest;
    masses.solve(correction);
    answer += correction;
  }
  Slopes slopes{Eigen::VectorXd(size()),
                Eigen::VectorXd(static_cast<Eigen::Index>(signals.size()))};
  slopes.derivatives.head(n) = change.coordinateRates;
  for (int k = 0; k < n; ++k) slopes.derivatives[n + k] = answer[chart_.independent()[k]];
  for (std::size_t k = 0; k < states_.size(); ++k) {
    slopes.derivatives[2 * n + static_cast<int>(k)] = answer[states_[k]];
  }
  for (std::size_t k = 0; k < signals.size(); ++k) {
    slopes.signals[static_cast<Eigen::Index>(k)] = answer[signals[k].value];
  }
  if (!slopes.derivatives.allFinite() || !slopes.signals.allFinite()) {
    return base::numericalFailure("the slopes of the equations are not finite at this instant");
  }
  return slopes;
}

bool StateEquations::renewBase() {
  if (!chart_.isWorn()) return false;
  chart_.setBase(state_);
  return true;
}

void StateEquations::remember() {
  machine_->assembler().updateHistory(state_);
}

}  // namespace flexloop::analysis
