#include "solve/initial_conditions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "system/turn_counting.hpp"

namespace flexloop::solve {

using system::Kind;
using system::UnknownIndex;

namespace {

constexpr int kMaxAssemblySteps = 50;
constexpr double kClosed = 1e-13;     // relative to the size of the machine
constexpr double kLargestTurn = 0.5;  // [rad] in one assembly step
// Relative changes of signals and rates from which on accelerations are found anew. Forces of smaller jumps count
// too (9.14), but accelerations that are recorded at that instant do not show them.
constexpr double kJump = 1e-6;
constexpr double kSamePosition = 1e-6;  // of a driven joint, relative to the size of the machine
constexpr int kMaxPasses = 10;
constexpr double kSamePass = 1e-10;  // difference of rates of signals between passes
constexpr int kMaxAccelerationSteps = 50;
constexpr double kSameAcceleration = 1e-12;
constexpr double kSlowAcceleration = 0.1;
// With soft tangents what is linear takes some solutions too, until nothing improves.
constexpr int kSoftPasses = 4;
constexpr double kSoftStagnation = 0.5;
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

double machineSize(const system::State& state) {
  double size = 1.0;
  for (const auto& frame : state.frames) size = std::max(size, frame.x.cwiseAbs().maxCoeff());
  return size;
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

bool closePositions(system::Assembler& assembler, MassSystem& massSystem, system::State& state,
                    StartReport& report) {
  const system::System& system = assembler.system();
  const std::vector<Kind>& kinds = system.kinds();
  const double tolerance = kClosed * machineSize(state);
  Eigen::VectorXd total = Eigen::VectorXd::Zero(system.unknowns());
  Eigen::VectorXd r;
  for (report.iterations = 0; report.iterations < kMaxAssemblySteps; ++report.iterations) {
    const linalg::FactorReport factored = massSystem.update(state, MassSystem::Use::kKinematics);
    if (!factored.ok) {
      report.trouble = singularity(system, factored);
      return false;
    }
    assembler.calcResidual(state, r);
    keepAlgebraicRows(kinds, r);
    const double gap = largestOf(r, kinds, true);
    if (report.iterations == 0) report.gap = gap;
    Eigen::VectorXd delta = -r;
    massSystem.solve(delta);
    for (int u = 0; u < delta.size(); ++u) {
      if (kinds[u] == Kind::kState || kinds[u] == Kind::kMultiplier) delta[u] = 0.0;
    }
    const double change = largestOf(delta, kinds, false);
    if (!std::isfinite(change)) break;
    if (change > kLargestTurn) delta *= kLargestTurn / change;
    const system::State before = state;
    system.retract(before, delta, state);
    system::countTurns(system, before, delta, state);
    total += delta;
    if (gap <= tolerance && change <= tolerance) {
      int where = 0;
      for (const auto* counter : system::findTurnCounters(system)) counter->start(state);
      report.positionChange = largestOf(total, kinds, false, &where);
      report.positionWhere = system.unknownName(UnknownIndex{where});
      return true;
    }
  }
  int where = 0;
  keepAlgebraicRows(kinds, r);
  largestOf(r, kinds, true, &where);
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
  Eigen::VectorXd total = Eigen::VectorXd::Zero(system.unknowns()), delta;
  for (int pass = 0; pass < (massSystem.isSoft() ? kSoftPasses : 1); ++pass) {
    assembler.calcTimeDerivatives(state, derivatives);
    delta = -derivatives.first;
    keepAlgebraicRows(kinds, delta);
    massSystem.solve(delta);
    for (int u = 0; u < delta.size(); ++u) {
      if (kinds[u] == Kind::kMotion || kinds[u] == Kind::kSignal) state.rate[u] += delta[u];
    }
    total += delta;
  }
  int where = 0;
  report.velocityChange = std::max(report.velocityChange, largestOf(total, kinds, false, &where));
  if (report.velocityWhere.empty()) report.velocityWhere = system.unknownName(UnknownIndex{where});
}

// The largest difference of the second derivatives of the signals.
double compareSignals(const std::vector<Kind>& kinds, const system::State& a,
                      const system::State& b) {
  double largest = 0.0, size = 1.0;
  for (int u = 0; u < a.acceleration.size(); ++u) {
    if (kinds[u] != Kind::kSignal) continue;
    largest = std::max({largest, std::abs(a.acceleration[u] - b.acceleration[u]),
                        std::abs(a.rate[u] - b.rate[u])});
    size = std::max({size, std::abs(b.acceleration[u]), std::abs(b.rate[u])});
  }
  return largest / size;
}

// Where signals drive joints, velocities follow from rates of signals, which follow from states and
// motions: passes until they agree.
bool calcRatesAndAccelerations(system::Assembler& assembler, MassSystem& massSystem,
                               system::State& state, StartReport& report) {
  const std::vector<Kind>& kinds = assembler.system().kinds();
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    const system::State before = state;
    if (!massSystem.update(state, MassSystem::Use::kKinematics).ok) return false;
    closeVelocities(assembler, massSystem, state, report);
    if (massSystem.signals().hasDrives()) massSystem.signals().calcSecondRates(state);
    if (!calcAccelerations(assembler, massSystem, state)) return false;
    if (!massSystem.signals().hasDrives()) return true;
    if (pass > 0 && compareSignals(kinds, before, state) < kSamePass) return true;
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

}  // namespace

bool calcAccelerations(system::Assembler& assembler, MassSystem& massSystem, system::State& state) {
  const std::vector<Kind>& kinds = assembler.system().kinds();
  Eigen::VectorXd r, x;
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
      if (kinds[u] == Kind::kMultiplier) r[u] = derivatives.second[u];
    }
    // Multipliers that no motion determines are forgotten first; what that leaves open of others is mended after it.
    if (iteration == 0) massSystem.addPull(state.value, r);
    x = -r;
    massSystem.solve(x);
    double change = 0.0, size = 1.0;
    for (int u = 0; u < x.size(); ++u) {
      double& unknown = kinds[u] == Kind::kMotion  ? state.acceleration[u]
                        : kinds[u] == Kind::kState ? state.rate[u]
                                                   : state.value[u];
      unknown += x[u];
      size = std::max(size, std::abs(unknown));
      change = std::max(change, std::abs(x[u]));
    }
    if (!std::isfinite(change)) return false;
    if (change <= kSameAcceleration * size || (isLinear && !massSystem.isSoft())) return true;
    if (isLinear && iteration > 0 && change > kSoftStagnation * previous) return true;
    if (iteration > 1 && change > kSlowAcceleration * previous) {
      if (isRenewed && change <= kRoundOffAcceleration * size) return true;
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
std::string describeDriveJump(const system::System& system, const SignalSystem& signals,
                              const system::State& before, const system::State& after) {
  double size = 0.0;
  for (const auto& frame : after.frames) size = std::max(size, frame.x.cwiseAbs().maxCoeff());
  for (const SignalSystem::Drive& drive : signals.drives()) {
    const double from = before.value[drive.signal], to = after.value[drive.signal];
    const double allowed = kSamePosition * std::max({size, std::abs(from), std::abs(to)});
    if (std::abs(to - from) <= allowed) continue;
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
  report.trouble = describeDriveJump(assembler.system(), signals, state, next);
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

bool haveDriveRatesJumped(const std::vector<double>& before, const std::vector<double>& after) {
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const double size = std::max(std::abs(before[i]), std::abs(after[i]));
    if (std::abs(after[i] - before[i]) > kJump * size) return true;
  }
  return false;
}

bool followDriveRates(system::Assembler& assembler, MassSystem& massSystem, system::State& state) {
  StartReport report;
  return calcRatesAndAccelerations(assembler, massSystem, state, report);
}

}  // namespace flexloop::solve
