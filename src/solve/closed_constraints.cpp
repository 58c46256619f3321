#include "solve/closed_constraints.hpp"

#include <algorithm>
#include <cmath>

#include "solve/balance/infinite_slope.hpp"
#include "solve/machine_size.hpp"
#include "solve/newton_end.hpp"
#include "system/turn_counting.hpp"

namespace flexloop::solve {

using system::Kind;
using system::UnknownIndex;

namespace {

constexpr int kMaxAssemblySteps = 50;
constexpr double kClosed = 1e-13;  // relative to the size of the machine
// Near a dead point the last digits of the constraints leave the pose open by up to the root of that.
constexpr double kOpenPose = 3e-7;
constexpr double kLargestTurn =
    0.5;  // [rad], or move as a share of that size, in one assembly step
// With soft tangents what is linear takes some solutions too.
constexpr int kSoftPasses = 4;

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

// As a share of the length of its part.
double findLargestGap(const Eigen::VectorXd& r, const PartSizes& parts,
                      const Eigen::VectorXd& gradients) {
  double largest = 0.0;
  for (int u = 0; u < r.size(); ++u) {
    if (!(gradients[u] > 0.0)) continue;
    largest = std::max(largest, std::abs(r[u]) / gradients[u] / parts.of(u).length);
  }
  return largest;
}

double findLargestMove(const PartSizes& parts, const Eigen::VectorXd& delta) {
  const std::vector<double> moves = parts.findLargestMoves(delta);
  return moves.empty() ? 0.0 : *std::max_element(moves.begin(), moves.end());
}

base::Failure describeSingularity(const system::System& system, const linalg::SparseMatrix& matrix,
                                  const linalg::FactorReport& report) {
  if (auto steep = describeInfiniteSlope(system, matrix)) return *steep;
  if (report.singularColumn < 0) {
    return base::numericalFailure("the constraints of the model have no common solution");
  }
  return base::numericalFailure("the model does not determine the " +
                                system.unknownName(UnknownIndex{report.singularColumn}));
}

// Keeps only the rows of constraints and signals.
void keepAlgebraicRows(const std::vector<Kind>& kinds, Eigen::VectorXd& r) {
  for (int u = 0; u < r.size(); ++u) {
    if (!isAlgebraic(kinds[u])) r[u] = 0.0;
  }
}

}  // namespace

bool closePositions(PreparedMachine& machine, system::State& state, StartReport& report) {
  system::Assembler& assembler = machine.assembler();
  MassSystem& massSystem = machine.massSystem();
  const system::System& system = assembler.system();
  const std::vector<Kind>& kinds = system.kinds();
  Eigen::VectorXd total = Eigen::VectorXd::Zero(system.unknowns());
  Eigen::VectorXd r, gradients;
  NewtonEnd end(kClosed);
  for (report.iterations = 0; report.iterations < kMaxAssemblySteps; ++report.iterations) {
    const linalg::FactorReport factored = massSystem.update(state, MassSystem::Use::kKinematics);
    if (!factored.ok) {
      report.failure = describeSingularity(system, massSystem.matrix(), factored);
      return false;
    }
    assembler.calcResidual(state, r);
    keepAlgebraicRows(kinds, r);
    if (report.iterations == 0) report.gap = largestOf(r, kinds, true);
    const PartSizes& parts = massSystem.parts();
    calcGradientSizes(system, massSystem.matrix(), parts.lengths(), gradients);
    const double gap = findLargestGap(r, parts, gradients);
    Eigen::VectorXd delta = -r;
    massSystem.solve(delta);
    for (int u = 0; u < delta.size(); ++u) {
      if (kinds[u] == Kind::kState || kinds[u] == Kind::kMultiplier) delta[u] = 0.0;
    }
    const double change = delta.allFinite() ? findLargestMove(parts, delta) : INFINITY;
    if (!std::isfinite(change)) break;
    if (change > kLargestTurn) delta *= kLargestTurn / change;
    const system::State before = state;
    system.retract(before, delta, state);
    system::countTurns(system, before, delta, state);
    total += delta;
    const bool isClosed = gap <= kClosed;
    if (end.isReached(change, isClosed && change <= kOpenPose) && isClosed) {
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
  report.failure =
      base::numericalFailure("the mechanism cannot be assembled: the constraint '" +
                             system.equationName(UnknownIndex{where}) + "' stays open");
  return false;
}

void closeVelocities(PreparedMachine& machine, system::State& state, StartReport& report) {
  system::Assembler& assembler = machine.assembler();
  MassSystem& massSystem = machine.massSystem();
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

}  // namespace flexloop::solve
