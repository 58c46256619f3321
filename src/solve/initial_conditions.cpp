#include "solve/initial_conditions.hpp"

#include <algorithm>
#include <cmath>

namespace flexloop::solve {

using system::Kind;
using system::UnknownIndex;

namespace {

constexpr int kMaxAssemblySteps = 50;
constexpr double kClosed = 1e-13;      // relative to the size of the machine
constexpr double kLargestTurn = 0.5;   // [rad] in one assembly step
constexpr double kJump = 1e-9;         // change of a signal that counts as one
constexpr double kStillClosed = 1e-9;  // relative to the size of the machine

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

void addCompliance(const system::State& state, const MassSystem& massSystem, Eigen::VectorXd& r) {
  r -= massSystem.compliance().cwiseProduct(state.value);
}

bool closePositions(system::Assembler& assembler, MassSystem& massSystem, system::State& state,
                    StartReport& report) {
  const system::System& system = assembler.system();
  const std::vector<Kind>& kinds = system.kinds();
  const double tolerance = kClosed * machineSize(state);
  Eigen::VectorXd total = Eigen::VectorXd::Zero(system.unknowns());
  Eigen::VectorXd r;
  for (report.iterations = 0; report.iterations < kMaxAssemblySteps; ++report.iterations) {
    const linalg::FactorReport factored = massSystem.update(state);
    if (!factored.ok) {
      report.trouble = singularity(system, factored);
      return false;
    }
    assembler.calcResidual(state, r);
    addCompliance(state, massSystem, r);
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
    system.retract(state, delta, state);
    total += delta;
    if (gap <= tolerance && change <= tolerance) {
      int where = 0;
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

void closeVelocities(system::Assembler& assembler, MassSystem& massSystem, system::State& state,
                     StartReport& report) {
  const system::System& system = assembler.system();
  const std::vector<Kind>& kinds = system.kinds();
  system::TimeDerivatives derivatives;
  for (int u = 0; u < state.rate.size(); ++u) {
    if (isAlgebraic(kinds[u])) state.rate[u] = 0.0;
  }
  assembler.calcTimeDerivatives(state, derivatives);
  Eigen::VectorXd delta = -derivatives.first;
  keepAlgebraicRows(kinds, delta);
  massSystem.solve(delta);
  for (int u = 0; u < delta.size(); ++u) {
    if (kinds[u] == Kind::kMotion || kinds[u] == Kind::kSignal) state.rate[u] += delta[u];
  }
  int where = 0;
  report.velocityChange = largestOf(delta, kinds, false, &where);
  report.velocityWhere = system.unknownName(UnknownIndex{where});
}

}  // namespace

bool calcAccelerations(system::Assembler& assembler, MassSystem& massSystem, system::State& state) {
  if (!massSystem.update(state).ok) return false;
  const std::vector<Kind>& kinds = assembler.system().kinds();
  Eigen::VectorXd r;
  state.acceleration.setZero();
  for (int u = 0; u < r.size(); ++u) {
    if (kinds[u] == Kind::kState) state.rate[u] = 0.0;
  }
  assembler.calcResidual(state, r);
  system::TimeDerivatives derivatives;
  assembler.calcTimeDerivatives(state, derivatives);
  for (int u = 0; u < r.size(); ++u) {
    if (isAlgebraic(kinds[u])) r[u] = derivatives.second[u];
  }
  Eigen::VectorXd x = -r;
  massSystem.solve(x);
  for (int u = 0; u < x.size(); ++u) {
    if (kinds[u] == Kind::kMotion) state.acceleration[u] = x[u];
    if (kinds[u] == Kind::kState) state.rate[u] = x[u];
    // The residual was taken at the old multipliers, so the solution is their change.
    if (kinds[u] == Kind::kMultiplier) state.value[u] += x[u];
  }
  return state.acceleration.allFinite();
}

StartReport makeConsistent(system::Assembler& assembler, MassSystem& massSystem,
                           system::State& state) {
  StartReport report;
  if (!closePositions(assembler, massSystem, state, report)) return report;
  closeVelocities(assembler, massSystem, state, report);
  report.ok = calcAccelerations(assembler, massSystem, state);
  if (!report.ok) report.trouble = "the accelerations at the start are not determined";
  return report;
}

bool restartAfterJump(system::Assembler& assembler, MassSystem& massSystem, system::State& state) {
  const std::vector<Kind>& kinds = assembler.system().kinds();
  const double closed = kStillClosed * machineSize(state);
  system::State next = state;
  Eigen::VectorXd r;
  assembler.calcResidual(next, r);
  bool jumped = false;
  for (int u = 0; u < r.size(); ++u) {
    if (kinds[u] != Kind::kSignal) continue;
    jumped = jumped || std::abs(r[u]) > kJump * (1.0 + std::abs(next.value[u]));
    next.value[u] -= r[u];
  }
  if (!jumped) return false;
  assembler.calcResidual(next, r);
  for (int u = 0; u < r.size(); ++u) {
    if (kinds[u] == Kind::kMultiplier && std::abs(r[u]) > closed) return false;
  }
  StartReport report;
  if (!massSystem.update(next).ok) return false;
  closeVelocities(assembler, massSystem, next, report);
  if (!calcAccelerations(assembler, massSystem, next)) return false;
  state = next;
  return true;
}

}  // namespace flexloop::solve
