#include "solve/initial_conditions.hpp"

#include <algorithm>
#include <cmath>

#include "solve/balance/infinite_slope.hpp"
#include "solve/closed_constraints.hpp"
#include "solve/consistent_accelerations.hpp"
#include "system/signal_graph.hpp"

namespace flexloop::solve {

using system::Kind;
using system::UnknownIndex;

namespace {

constexpr int kMaxPasses = 10;
constexpr double kSamePass = 1e-10;  // relative difference of motions between passes

// So that drives that follow from states have their rates from the first pass on.
void calcStateRates(system::Assembler& assembler, system::State& state) {
  const std::vector<Kind>& kinds = assembler.system().kinds();
  Eigen::VectorXd r;
  assembler.calcResidual(state, r);
  for (int u = 0; u < r.size(); ++u) {
    if (kinds[u] == Kind::kState && std::isfinite(r[u])) state.rate[u] -= r[u];
  }
}

// Whether motions have the same velocities and accelerations.
bool areSameMotions(const PartSizes& parts, const system::State& a, const system::State& b) {
  const auto isSame = [&](const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
    const std::vector<double> changes = parts.findLargestMoves(x - y);
    const std::vector<double> moves = parts.findLargestMoves(y);
    return std::equal(changes.begin(), changes.end(), moves.begin(),
                      [](double change, double move) { return change <= kSamePass * move; });
  };
  return isSame(a.rate, b.rate) && isSame(a.acceleration, b.acceleration);
}

// Whether a signal follows from accelerations or from forces of joints.
bool feedsForcesBack(system::Assembler& assembler, const system::State& state) {
  const std::vector<Kind>& kinds = assembler.system().kinds();
  linalg::SparseMatrix K, C, M;
  assembler.calcTangents(state, K, C, M);
  const auto enters = [&](const linalg::SparseMatrix& matrix, Kind from) {
    for (int column = 0; column < matrix.cols(); ++column) {
      if (kinds[column] != from) continue;
      for (linalg::SparseMatrix::InnerIterator entry(matrix, column); entry; ++entry) {
        if (kinds[entry.row()] == Kind::kSignal && entry.value() != 0.0) return true;
      }
    }
    return false;
  };
  return enters(M, Kind::kMotion) || enters(K, Kind::kMultiplier);
}

// A formula without a value or a slope, which leaves accelerations and rates of states undetermined.
std::optional<base::Failure> describeFormula(PreparedMachine& machine, system::State state) {
  const auto forget = [](double x) { return std::isfinite(x) ? x : 0.0; };
  state.acceleration.setZero();
  state.rate = state.rate.unaryExpr(forget);
  state.value = state.value.unaryExpr(forget);
  if (auto failure = machine.massSystem().signals().solve(state)) return failure;
  system::Assembler& assembler = machine.assembler();
  Eigen::VectorXd r;
  assembler.calcResidual(state, r);
  if (auto undefined = system::describeUndefined(assembler.system(), r, &state)) return undefined;
  return describeInfiniteSlope(assembler.system(), machine.massSystem().matrix());
}

base::Failure describeUndetermined(PreparedMachine& machine, const system::State& state) {
  system::Assembler& assembler = machine.assembler();
  MassSystem& massSystem = machine.massSystem();
  std::string text = "the accelerations are not determined";
  const linalg::FactorReport factored = massSystem.update(state, MassSystem::Use::kAccelerations);
  if (auto formula = describeFormula(machine, state)) return *formula;
  if (!factored.ok && factored.singularColumn >= 0) {
    text += ": nothing determines the " +
            assembler.system().unknownName(UnknownIndex{factored.singularColumn});
  }
  if (feedsForcesBack(assembler, state)) {
    return base::numericalFailure(
        text, "does feedback of an acceleration or a force cancel a mass? Change its gain");
  }
  return base::numericalFailure(
      text,
      "is the mechanism at a dead point, from which it can move in several ways? Start slightly "
      "away from it. Or does a motion have no mass? Give the body a mass");
}

// Where signals drive joints, velocities follow from rates of signals, which follow from states and
// motions: passes until they agree.
bool calcRatesAndAccelerations(PreparedMachine& machine, system::State& state,
                               StartReport& report) {
  MassSystem& massSystem = machine.massSystem();
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    const system::State before = state;
    if (!massSystem.update(state, MassSystem::Use::kKinematics).ok) return false;
    closeVelocities(machine, state, report);
    if (!calcAccelerations(machine, state)) return false;
    if (!massSystem.signals().hasDrives()) return true;
    if (pass > 0 && areSameMotions(massSystem.parts(), before, state)) return true;
  }
  return true;
}

}  // namespace

StartReport makeConsistent(PreparedMachine& machine, system::State& state) {
  system::Assembler& assembler = machine.assembler();
  MassSystem& massSystem = machine.massSystem();
  StartReport report;
  if ((report.failure = massSystem.signals().solve(state))) return report;
  if (!closePositions(machine, state, report)) return report;
  if ((report.failure = massSystem.signals().solve(state))) return report;
  if (massSystem.signals().hasDrives()) calcStateRates(assembler, state);
  if (calcRatesAndAccelerations(machine, state, report)) return report;
  report.failure = describeUndetermined(machine, state);
  if (auto fault = assembler.fault()) report.failure = fault;
  return report;
}

bool followDriveRates(PreparedMachine& machine, system::State& state) {
  StartReport report;
  return calcRatesAndAccelerations(machine, state, report);
}

}  // namespace flexloop::solve
