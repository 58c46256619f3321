#include "solve/initial_conditions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "solve/machine_size.hpp"
#include "solve/term_sizes.hpp"
#include "system/turn_counting.hpp"

namespace flexloop::solve {

using system::Kind;
using system::UnknownIndex;

namespace {

constexpr int kMaxAssemblySteps = 50;
constexpr double kClosed = 1e-13;     // relative to the size of the machine
constexpr double kLargestMove = 0.5;  // in one assembly step: of that size, or turn [rad]
// Relative changes of signals and rates from which on accelerations are found anew. Forces of smaller jumps count
// too (9.14), but accelerations that are recorded at that instant do not show them.
constexpr double kJump = 1e-6;
constexpr double kSamePosition = 1e-6;  // of a driven joint, relative to the size of the machine
constexpr double kSameRate = 1e-12;     // of a driven joint, relative to its fastest so far
constexpr int kMaxPasses = 10;
constexpr double kSamePass = 1e-10;  // relative difference of rates of drives between passes
constexpr int kMaxAccelerationSteps = 50;
constexpr double kSameAcceleration = 1e-12;
constexpr double kSlowAcceleration = 0.1;
// Of the terms of an equation: what its solution leaves of them.
constexpr double kRoundOff = 1e-13;
// Forces of stiff parts that cancel leave this share of round-off at most, below which nothing improves.
constexpr double kRoundOffAcceleration = 1e-6;

bool isAlgebraic(Kind kind) {
  return kind == Kind::kMultiplier || kind == Kind::kSignal;
}

double largestOf(const Eigen::VectorXd& x, const std::vector<Kind>& kinds, bool algebraic,
                 int* where = nullptr) {
  double largest = 0.0;
  for (int u = 0; u < x.size(); ++u) {
    if (isAlgebraic(kinds[u]) != algebraic || kinds[u] == Kind::kState) continue;
    if (std::abs(x[u]) > largest) {
      largest = std::abs(x[u]);
      if (where != nullptr) *where = u;
    }
  }
  return largest;
}

std::string singularity(const system::System& system, const linalg::FactorReport& report) {
  if (report.singularColumn < 0) return "the constraints of the model cannot be solved together";
  return "the model does not determine the " +
         system.unknownName(UnknownIndex{report.singularColumn});
}

// Keeps only the rows of constraints and signals.
void keepAlgebraicRows(const std::vector<Kind>& kinds, Eigen::VectorXd& r) {
  for (int u = 0; u < r.size(); ++u) {
    if (!isAlgebraic(kinds[u])) r[u] = 0.0;
  }
}

void addCompliance(const system::State& state, const MassSystem& massSystem, Eigen::VectorXd& r) {
  r -= massSystem.compliance().cwiseProduct(state.value);
}

// How far constraints are open and a correction moves, in units of what is allowed (9.24).
class Closure {
 public:
  Closure(const system::System& system, const SignalSystem& signals, const system::State& state,
          const linalg::SparseMatrix& K, const linalg::SparseMatrix& M)
      : system_(system),
        drives_(signals.drives()),
        lengths_(findMachineLengths(system, state, K, M)) {
    calcGradientSizes(system, K, lengths_.arm, gradients_);
  }

  // By how much a constraint opens where the machine moves by its size.
  double calcGap(int constraint) const { return lengths_.size() * gradients_[constraint]; }

  bool isClosed(const Eigen::VectorXd& r, const Eigen::VectorXd& delta) const {
    for (int u = 0; u < r.size(); ++u) {
      if (isMultiplier(u) && std::abs(r[u]) > kClosed * calcGap(u)) return false;
    }
    // A signal that drives a joint has the unit of its constraint.
    for (const SignalSystem::Drive& drive : drives_) {
      if (std::abs(delta[drive.signal]) > kClosed * calcGap(drive.constraint)) return false;
    }
    return calcMove(delta, lengths_.turn()) <= kClosed;
  }

  // The largest share of the machine's size, or turn [rad].
  double calcMove(const Eigen::VectorXd& delta, double turn = 1.0) const {
    double largest = 0.0;
    for (int u = 0; u < delta.size(); ++u) {
      if (system_.kinds()[u] != Kind::kMotion || delta[u] == 0.0) continue;
      const double allowed = system_.isRotation(UnknownIndex{u}) ? turn : lengths_.size();
      largest = std::max(largest, std::abs(delta[u]) / allowed);
    }
    return largest;
  }

  // The constraint that is open most.
  int findWorst(const Eigen::VectorXd& r) const {
    int worst = 0;
    double largest = -1.0;
    for (int u = 0; u < r.size(); ++u) {
      if (!isMultiplier(u) || std::abs(r[u]) <= largest * gradients_[u]) continue;
      worst = u;
      largest = std::abs(r[u]) / gradients_[u];
    }
    return worst;
  }

 private:
  bool isMultiplier(int u) const { return system_.kinds()[u] == Kind::kMultiplier; }

  const system::System& system_;
  const std::vector<SignalSystem::Drive>& drives_;
  MachineLengths lengths_;
  Eigen::VectorXd gradients_;
};

bool closePositions(system::Assembler& assembler, MassSystem& massSystem, system::State& state,
                    StartReport& report) {
  const system::System& system = assembler.system();
  const std::vector<Kind>& kinds = system.kinds();
  Eigen::VectorXd total = Eigen::VectorXd::Zero(system.unknowns());
  Eigen::VectorXd r;
  int where = 0;
  for (report.iterations = 0; report.iterations < kMaxAssemblySteps; ++report.iterations) {
    const linalg::FactorReport factored = massSystem.update(state, MassSystem::Use::kKinematics);
    if (!factored.ok) {
      report.trouble = singularity(system, factored);
      return false;
    }
    const Closure closure(system, massSystem.signals(), state, massSystem.stiffness(),
                          massSystem.mass());
    assembler.calcResidual(state, r);
    addCompliance(state, massSystem, r);
    keepAlgebraicRows(kinds, r);
    if (report.iterations == 0) report.gap = largestOf(r, kinds, true);
    where = closure.findWorst(r);
    Eigen::VectorXd delta = -r;
    massSystem.solve(delta);
    for (int u = 0; u < delta.size(); ++u) {
      if (kinds[u] == Kind::kState || kinds[u] == Kind::kMultiplier) delta[u] = 0.0;
    }
    if (!delta.allFinite()) break;
    const double move = closure.calcMove(delta);
    if (move > kLargestMove) delta *= kLargestMove / move;
    const system::State before = state;
    system.retract(before, delta, state);
    system::countTurns(system, before, delta, state);
    total += delta;
    if (closure.isClosed(r, delta)) {
      for (const auto* counter : system::findTurnCounters(system)) counter->start(state);
      report.positionChange = largestOf(total, kinds, false, &where);
      report.positionWhere = system.unknownName(UnknownIndex{where});
      return true;
    }
  }
  report.trouble = "the mechanism cannot be assembled: the constraint '" +
                   system.equationName(UnknownIndex{where}) + "' stays open";
  return false;
}

// Motions take over the rates of the signals that drive them.
void closeVelocities(system::Assembler& assembler, MassSystem& massSystem, system::State& state,
                     StartReport& report) {
  const system::System& system = assembler.system();
  const std::vector<Kind>& kinds = system.kinds();
  system::TimeDerivatives derivatives;
  massSystem.signals().calcRates(state);
  assembler.calcTimeDerivatives(state, derivatives);
  Eigen::VectorXd delta = -derivatives.first;
  keepAlgebraicRows(kinds, delta);
  massSystem.solve(delta);
  for (int u = 0; u < delta.size(); ++u) {
    if (kinds[u] == Kind::kMotion || kinds[u] == Kind::kSignal) state.rate[u] += delta[u];
  }
  int where = 0;
  report.velocityChange = std::max(report.velocityChange, largestOf(delta, kinds, false, &where));
  if (report.velocityWhere.empty()) report.velocityWhere = system.unknownName(UnknownIndex{where});
}

// Whether rates and second derivatives of the signals that drive joints agree.
bool doDrivesAgree(const SignalSystem& signals, const system::State& a, const system::State& b) {
  const auto agree = [](double x, double y) {
    return std::abs(x - y) <= kSamePass * std::max(std::abs(x), std::abs(y));
  };
  return std::ranges::all_of(signals.drives(), [&](const SignalSystem::Drive& drive) {
    return agree(a.rate[drive.signal], b.rate[drive.signal]) &&
           agree(a.acceleration[drive.signal], b.acceleration[drive.signal]);
  });
}

// Where signals drive joints, velocities follow from rates of signals, which follow from states and
// motions: passes until they agree.
bool calcRatesAndAccelerations(system::Assembler& assembler, MassSystem& massSystem,
                               system::State& state, StartReport& report) {
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    const system::State before = state;
    if (!massSystem.update(state, MassSystem::Use::kKinematics).ok) return false;
    closeVelocities(assembler, massSystem, state, report);
    if (massSystem.signals().hasDrives()) massSystem.signals().calcSecondRates(state);
    if (!calcAccelerations(assembler, massSystem, state)) return false;
    if (!massSystem.signals().hasDrives()) return true;
    if (pass > 0 && doDrivesAgree(massSystem.signals(), before, state)) return true;
  }
  return true;
}

// A second line is what helps.
std::string describeUndetermined(const system::Assembler& assembler, MassSystem& massSystem,
                                 const system::State& state) {
  std::string text = "the accelerations are not determined";
  const linalg::FactorReport factored = massSystem.update(state, MassSystem::Use::kAccelerations);
  if (!factored.ok && factored.singularColumn >= 0) {
    text += ": nothing determines the " +
            assembler.system().unknownName(UnknownIndex{factored.singularColumn});
  }
  return text + "\nfeedback of an acceleration or a force that cancels a mass? Change its gain";
}

// Accelerations that are zero are sums of those of gravity and of the motion, ω×v and ω².
void addNaturalAccelerations(const system::System& system, const system::State& state,
                             Eigen::VectorXd& values) {
  double move = 0.0, turn = 0.0;
  for (int u = 0; u < values.size(); ++u) {
    if (system.kinds()[u] != Kind::kMotion) continue;
    double& fastest = system.isRotation(UnknownIndex{u}) ? turn : move;
    fastest = std::max(fastest, std::abs(state.rate[u]));
  }
  for (int u = 0; u < values.size(); ++u) {
    if (system.kinds()[u] != Kind::kMotion) continue;
    const bool turns = system.isRotation(UnknownIndex{u});
    const double natural = turns ? turn * turn : system.gravity().norm() + move * turn;
    values[u] = std::max(std::abs(values[u]), natural);
  }
}

// The same where all forces cancel, as in a machine at rest: what forces of springs and beams would make of the unknowns that are as
// large as if all positions were deflections. With the matrices of the last update.
void calcDigitSizes(const system::System& system, MassSystem& massSystem,
                    const system::State& state, Eigen::VectorXd& sizes) {
  const linalg::SparseMatrix &K = massSystem.stiffness(), &M = massSystem.mass();
  double place = 0.0;
  for (const auto& frame : state.frames) place = std::max(place, frame.x.norm());
  const auto isMotion = [&](int u) { return system.kinds()[u] == Kind::kMotion; };
  const auto classOf = [&](int u) { return system.isRotation(UnknownIndex{u}) ? 1 : 0; };
  Eigen::VectorXd digits = Eigen::VectorXd::Zero(system.unknowns());
  for (int u = 0; u < digits.size(); ++u) {
    if (isMotion(u)) digits[u] = classOf(u) == 1 ? 1.0 : place;
  }
  calcTermSizes(K, {K.valuePtr(), K.valuePtr() + K.nonZeros()}, digits, sizes);
  std::array<double, 2> largest{};
  for (int u = 0; u < sizes.size(); ++u) {
    if (!isMotion(u)) sizes[u] = 0.0;
    const double mass = isMotion(u) ? M.coeff(u, u) : 0.0;
    if (mass > 0.0) largest[classOf(u)] = std::max(largest[classOf(u)], sizes[u] / mass);
  }
  giveSigns(sizes);
  massSystem.solve(sizes);
  for (int u = 0; u < sizes.size(); ++u) {
    if (isMotion(u)) sizes[u] = std::max(std::abs(sizes[u]), largest[classOf(u)]);
  }
}

// The largest correction, in units of the shares of its unknown and of the terms behind it that are allowed.
double calcChange(const Eigen::VectorXd& x, double ofValue, const Eigen::VectorXd& values,
                  double ofTerms, const Eigen::VectorXd& sizes) {
  double largest = 0.0;
  for (int u = 0; u < x.size(); ++u) {
    if (x[u] == 0.0) continue;
    const double allowed = std::max(ofValue * std::abs(values[u]), ofTerms * std::abs(sizes[u]));
    largest = std::max(largest, std::abs(x[u]) / allowed);
  }
  return largest;
}

}  // namespace

bool calcAccelerations(system::Assembler& assembler, MassSystem& massSystem, system::State& state) {
  const std::vector<Kind>& kinds = assembler.system().kinds();
  Eigen::VectorXd r, x, values(state.value.size()), sizes;
  system::TimeDerivatives derivatives;
  if (massSystem.signals().hasDrives()) {
    if (!massSystem.signals().solve(state).empty()) return false;
    massSystem.signals().calcRates(state);
    massSystem.signals().calcSecondRates(state);
  }
  for (int u = 0; u < state.rate.size(); ++u) {
    if (kinds[u] == Kind::kMotion) state.acceleration[u] = 0.0;
    if (kinds[u] == Kind::kState) state.rate[u] = 0.0;
  }
  // Masses hardly change in body axes, so old factors find the accelerations at the many instants of a
  // sampled controller. Without signals all is linear, and new ones do it at once.
  const bool isLinear = massSystem.signals().isEmpty();
  bool isFresh = !isLinear && massSystem.reuse(MassSystem::Use::kAccelerations);
  double previous = 0.0;
  for (int iteration = 0; iteration < kMaxAccelerationSteps; ++iteration) {
    const bool isRenewed = !isFresh;
    if (isRenewed && !massSystem.update(state, MassSystem::Use::kAccelerations).ok) return false;
    isFresh = true;
    assembler.calcResidual(state, r);
    assembler.calcTimeDerivatives(state, derivatives);
    for (int u = 0; u < r.size(); ++u) {
      if (kinds[u] != Kind::kMultiplier) continue;
      r[u] = derivatives.second[u] - massSystem.compliance()[u] * state.value[u];
    }
    x = -r;
    massSystem.solve(x);
    if (!x.allFinite()) return false;
    for (int u = 0; u < x.size(); ++u) {
      double& unknown = kinds[u] == Kind::kMotion  ? state.acceleration[u]
                        : kinds[u] == Kind::kState ? state.rate[u]
                                                   : state.value[u];
      values[u] = unknown += x[u];
    }
    if (isLinear || x.isZero(0.0)) return true;
    if (iteration == 0) continue;
    addNaturalAccelerations(assembler.system(), state, values);
    massSystem.calcSizes(values, sizes);
    const double change = calcChange(x, kSameAcceleration, values, kRoundOff, sizes);
    if (change <= 1.0) return true;
    if (iteration > 1 && change > kSlowAcceleration * previous) {
      constexpr double kAll = kRoundOffAcceleration;
      if (isRenewed && calcChange(x, kAll, values, kAll, sizes) <= 1.0) return true;
      if (isRenewed) calcDigitSizes(assembler.system(), massSystem, state, sizes);
      if (isRenewed && calcChange(x, kAll, values, kRoundOff, sizes) <= 1.0) return true;
      isFresh = false;
    }
    previous = change;
  }
  return false;
}

StartReport makeConsistent(system::Assembler& assembler, MassSystem& massSystem,
                           system::State& state) {
  StartReport report;
  report.trouble = massSystem.signals().solve(state);
  if (!report.trouble.empty()) return report;
  if (!closePositions(assembler, massSystem, state, report)) return report;
  report.trouble = massSystem.signals().solve(state);
  if (!report.trouble.empty()) return report;
  report.ok = calcRatesAndAccelerations(assembler, massSystem, state, report);
  if (!report.ok) report.trouble = describeUndetermined(assembler, massSystem, state);
  if (const std::string fault = assembler.fault(); !fault.empty()) report.trouble = fault;
  return report;
}

namespace {

bool haveJumped(const std::vector<Kind>& kinds, const system::State& a, const system::State& b) {
  for (int u = 0; u < a.value.size(); ++u) {
    if (kinds[u] != Kind::kSignal) continue;
    const double size = std::max(std::abs(a.value[u]), std::abs(b.value[u]));
    if (std::abs(a.value[u] - b.value[u]) > kJump * size) return true;
  }
  return false;
}

// Where a mode has ended, as that of an integrator at its limit, states may take another rate though
// no signal jumps.
bool haveRatesJumped(const std::vector<Kind>& kinds, const system::State& state,
                     const Eigen::VectorXd& residual) {
  for (int u = 0; u < residual.size(); ++u) {
    if (kinds[u] != Kind::kState) continue;
    const double now = state.rate[u] - residual[u];
    if (std::abs(residual[u]) > kJump * std::max(std::abs(now), std::abs(state.rate[u]))) {
      return true;
    }
  }
  return false;
}

// The joint whose prescribed position is elsewhere after a jump, with what helps; or nothing.
std::string describeDriveJump(system::Assembler& assembler, const SignalSystem& signals,
                              const system::State& before, const system::State& after) {
  const system::System& system = assembler.system();
  std::optional<Closure> closure;  // only where something moves
  for (const SignalSystem::Drive& drive : signals.drives()) {
    const double from = before.value[drive.signal], to = after.value[drive.signal];
    if (std::abs(to - from) <= kSamePosition * std::max(std::abs(from), std::abs(to))) continue;
    if (!closure) {
      linalg::SparseMatrix K, C, M;
      assembler.calcTangents(before, K, C, M);
      closure.emplace(system, signals, before, K, M);
    }
    if (std::abs(to - from) <= kSamePosition * closure->calcGap(drive.constraint)) continue;
    char text[64];
    std::snprintf(text, sizeof text, " jumps from %.6g to %.6g", from, to);
    return "the prescribed position of '" + system.equationName(UnknownIndex{drive.constraint}) +
           "' (signal '" + system.equationName(UnknownIndex{drive.signal}) + "')" + text +
           "\nno finite force moves a body at once: prescribe a smooth motion (s_curve, "
           "sine, a table, a filter behind the jump), or let an actuator follow the signal";
  }
  return {};
}

}  // namespace

JumpReport restartAfterJump(system::Assembler& assembler, MassSystem& massSystem,
                            system::State& state, const std::vector<bool>& dueClocks,
                            bool mustRestart) {
  const std::vector<Kind>& kinds = assembler.system().kinds();
  SignalSystem& signals = massSystem.signals();
  system::State next = state;
  JumpReport report;
  report.trouble = dueClocks.empty() ? signals.solve(next) : signals.sample(next, dueClocks);
  if (!report.trouble.empty()) return report;
  if (report.trouble = signals.solve(next); !report.trouble.empty()) return report;
  report.trouble = describeDriveJump(assembler, signals, state, next);
  if (!report.trouble.empty()) return report;
  Eigen::VectorXd r;
  assembler.calcResidual(next, r);
  report.restarted = mustRestart || next.value != state.value;
  const bool isMaterial = mustRestart || signals.hasDrives() || haveJumped(kinds, state, next) ||
                          haveRatesJumped(kinds, next, r);
  if (isMaterial) {
    system::State consistent = next;
    if (calcAccelerations(assembler, massSystem, consistent)) next = std::move(consistent);
  }
  state = std::move(next);
  return report;
}

std::vector<double> calcDriveRates(MassSystem& massSystem, system::State state) {
  std::vector<double> rates;
  if (!massSystem.signals().solve(state).empty()) return rates;
  massSystem.signals().calcRates(state);
  for (const auto& drive : massSystem.signals().drives()) rates.push_back(state.rate[drive.signal]);
  return rates;
}

bool haveDriveRatesJumped(const MassSystem& massSystem, const std::vector<double>& before,
                          const std::vector<double>& after) {
  const std::vector<double>& fastest = massSystem.signals().fastestDrives();
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const double size = std::max(std::abs(before[i]), std::abs(after[i]));
    const double change = std::abs(after[i] - before[i]);
    if (change > kJump * size && change > kSameRate * fastest[i]) return true;
  }
  return false;
}

bool followDriveRates(system::Assembler& assembler, MassSystem& massSystem, system::State& state) {
  StartReport report;
  return calcRatesAndAccelerations(assembler, massSystem, state, report);
}

}  // namespace flexloop::solve
