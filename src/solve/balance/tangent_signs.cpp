#include "solve/balance/tangent_signs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/roots/neutral_directions.hpp"
#include "linalg/solvers/inertia.hpp"
#include "solve/balance/balance_units.hpp"
#include "solve/balance/scaled_stiffness.hpp"

namespace flexloop::solve {

using system::Kind;

namespace {

constexpr double kClear =
    1e-9;  // of the stiffness of a motion: what is further from zero needs no second look
constexpr int kSoftPasses = 2;       // until soft constraints hold to the last digits
constexpr unsigned kSamples = 3;     // of rounding
constexpr double kRoundings = 16.0;  // largest of the samples, to what rounding may be at most

// The diagonal of the mass; where there is none, of the stiffness in units of the fastest motion.
Eigen::VectorXd findInertia(StaticBalance& balance, const system::State& state) {
  Eigen::VectorXd mass = balance.calcMasses(state);
  balance.calcMatrix(state);
  const Eigen::VectorXd stiffness = balance.matrix().diagonal().cwiseAbs();
  double fastest = 0.0;
  for (int u = 0; u < mass.size(); ++u) {
    if (mass[u] > 0.0) fastest = std::max(fastest, stiffness[u] / mass[u]);
  }
  if (fastest == 0.0) fastest = 1.0;
  for (int u = 0; u < mass.size(); ++u) {
    if (mass[u] == 0.0) mass[u] = stiffness[u] > 0.0 ? stiffness[u] / fastest : 1.0;
  }
  return mass;
}

// With the reactions that joints would have if the machine were let go at the state: they are part of its stiffness.
system::State settleReactions(StaticBalance& balance, const system::State& state) {
  const std::vector<Kind>& kinds = balance.kinds();
  if (std::count(kinds.begin(), kinds.end(), Kind::kMultiplier) == 0) return state;
  Eigen::VectorXd r = balance.calcResidual(state);
  const Eigen::VectorXd inertia = findInertia(balance, state);
  linalg::SparseMatrix A = balance.matrix();
  for (int column = 0; column < A.outerSize(); ++column) {
    for (linalg::SparseMatrix::InnerIterator it(A, column); it; ++it) {
      const Kind row = kinds[it.row()], of = kinds[column];
      const bool isConstraint =
          (row == Kind::kMultiplier && of != Kind::kSignal && of != Kind::kState) ||
          (row == Kind::kMotion && of == Kind::kMultiplier);
      if (!isConstraint) it.valueRef() = 0.0;
    }
  }
  for (int u = 0; u < A.cols(); ++u) {
    if (kinds[u] != Kind::kMultiplier)
      A.coeffRef(u, u) = kinds[u] == Kind::kMotion ? inertia[u] : 1.0;
    if (kinds[u] != Kind::kMotion) r[u] = 0.0;
  }
  const SoftConstraints& soft = balance.softConstraints();
  for (int i = 0; i < soft.size(); ++i) A.coeffRef(soft.row(i), soft.row(i)) = 0.0;
  const Eigen::VectorXd softness = soft.calcSoftness(A, inertia);
  soft.subtract(softness, A);
  const Eigen::VectorXd units = findMechanicalUnits(kinds, A, inertia);
  A = inUnits({units, units}, A);
  const auto solver = linalg::makeSparseSolver(A, linalg::SolverChoice::kKlu);
  if (solver == nullptr || !solver->factorize(A).ok) return state;
  Eigen::VectorXd reactions = Eigen::VectorXd::Zero(r.size());
  for (int k = 0; k <= (soft.isEmpty() ? 0 : kSoftPasses); ++k) {
    Eigen::VectorXd next = r;
    for (int i = 0; i < soft.size(); ++i) next[soft.row(i)] -= softness[i] * reactions[soft.row(i)];
    next.array() *= units.array();
    solver->solve(next);
    reactions = units.cwiseProduct(next);
  }
  system::State settled = state;
  for (int u = 0; u < A.cols(); ++u) {
    if (kinds[u] == Kind::kMultiplier && std::isfinite(reactions[u]))
      settled.value[u] -= reactions[u];
  }
  return settled;
}

// What rounding makes of the stiffness.
std::vector<linalg::SparseMatrix> calcRoundedParts(StaticBalance& balance,
                                                   const system::State& state) {
  std::vector<linalg::SparseMatrix> parts;
  for (unsigned k = 0; k < kSamples; ++k) {
    const system::State rounded = balance.calcRounded(state, k);
    balance.calcResidual(rounded);
    balance.calcMatrix(rounded);
    parts.push_back(balance.calcSlowPart(rounded));
  }
  return parts;
}

// What rounding makes of the own stiffness of each row.
Eigen::VectorXd calcStiffnessNoise(const linalg::SparseMatrix& part,
                                   const std::vector<linalg::SparseMatrix>& rounded) {
  Eigen::VectorXd noise = Eigen::VectorXd::Zero(part.cols());
  for (const linalg::SparseMatrix& other : rounded) {
    noise = noise.cwiseMax(
        kRoundings *
        (Eigen::VectorXd(other.diagonal()) - Eigen::VectorXd(part.diagonal())).cwiseAbs());
  }
  return noise;
}

// At an equilibrium, screw motions and straight ones have the same stiffness but for what is left of the unbalance: that of the
// exact equilibrium differs as much.
linalg::SparseMatrix calcTurnedPart(StaticBalance& balance, const system::State& state) {
  balance.setStraight(!balance.isStraight());
  balance.calcResidual(state);
  balance.calcMatrix(state);
  balance.setStraight(!balance.isStraight());
  return balance.calcSlowPart(state);
}

// Forces along the columns of `motions` that are no more than rounding: of the forces, and of the places at which loads act.
Eigen::VectorXd calcDriveNoise(StaticBalance& balance, const system::State& state,
                               const Eigen::MatrixXd& motions, const Eigen::VectorXd& r) {
  constexpr double kLastDigits = kRoundings * std::numeric_limits<double>::epsilon();
  Eigen::VectorXd noise = kLastDigits * motions.cwiseAbs().transpose() * r.cwiseAbs();
  for (unsigned k = 0; k < kSamples; ++k) {
    const Eigen::VectorXd other = balance.calcResidual(balance.calcRounded(state, k));
    noise = noise.cwiseMax(kRoundings * (motions.transpose() * (other - r)).cwiseAbs());
  }
  const Eigen::VectorXd loads = balance.share() * balance.calcAppliedLoads(state);
  double forces = 0.0;
  Eigen::VectorXd turns = Eigen::VectorXd::Zero(motions.cols());
  for (int u = 0; u < motions.rows(); ++u) {
    if (balance.kinds()[u] != Kind::kMotion) continue;
    if (!balance.system().isRotation({u})) {
      forces += std::abs(loads[u]);
    } else {
      turns = turns.cwiseMax(motions.row(u).cwiseAbs().transpose());
    }
  }
  return noise + kLastDigits * balance.size() * forces * turns;
}

// With the residual and the matrix of the balance at the state.
Stance judgeMatrix(StaticBalance& balance, const system::State& state, bool isRest) {
  Stance stance;
  if (!balance.matrix().coeffs().allFinite()) return stance;
  const linalg::SparseMatrix part = balance.calcSlowPart(state);
  if (part.rows() == 0 || !part.coeffs().allFinite()) return stance;
  const double load = balance.motionNorm(balance.calcAppliedLoads(state));
  if (ScaledStiffness(balance, part, load).isPositive(-kClear)) {
    stance.hold = Hold::kFirm;
    return stance;
  }
  const Eigen::VectorXd residual = balance.residual();
  const linalg::SparseMatrix matrix = balance.matrix();
  std::vector<linalg::SparseMatrix> rounded = calcRoundedParts(balance, state);
  const ScaledStiffness stiffness(balance, part, load, calcStiffnessNoise(part, rounded));
  if (stiffness.isPositive(-kClear)) {
    balance.residual() = residual;
    balance.matrix() = matrix;
    stance.hold = Hold::kFirm;
    return stance;
  }
  if (isRest) rounded.push_back(calcTurnedPart(balance, state));
  const auto signs = stiffness.countSigns(rounded);
  balance.residual() = residual;
  balance.matrix() = matrix;
  if (!signs) {
    // So much is free that what holds the rest is found with a little added.
    stance.hold = stiffness.isPositive(kClear) ? Hold::kFloating : Hold::kUnstable;
    return stance;
  }
  stance.neutral =
      stiffness.spread(signs->neutral, static_cast<Eigen::Index>(balance.kinds().size()));
  const bool isUnstable = signs->negative > stiffness.constraints();
  if (isUnstable && balance.hasFeedback() && !stiffness.hasPotential(part)) {
    return stance;
  }
  stance.hold = isUnstable                  ? Hold::kUnstable
                : stance.neutral.cols() > 0 ? Hold::kFloating
                                            : Hold::kFirm;
  return stance;
}

}  // namespace

std::optional<TangentSigns> findSigns(const StaticBalance& balance) {
  if (balance.hasPotential()) {
    const std::optional<int> negative =
        linalg::countNegativeEigenvalues(balance.scaledPart(balance.mechanicalPart()));
    if (!negative) return std::nullopt;
    return TangentSigns{true, *negative};
  }
  const std::optional<bool> isNegative = linalg::isDeterminantNegative(balance.scaledMatrix());
  if (!isNegative) return std::nullopt;
  return TangentSigns{false, *isNegative ? 1 : 0};
}

// Straight moves: where the machine is not in balance, dead loads then add nothing to the stiffness of what they push.
Stance judgeStance(StaticBalance& balance, const system::State& state) {
  const system::State settled = settleReactions(balance, state);
  const bool isStraight = balance.isStraight();
  balance.setStraight(true);
  balance.calcResidual(settled);
  balance.calcMatrix(settled);
  const Stance stance = judgeMatrix(balance, settled, false);
  balance.setStraight(isStraight);
  return stance;
}

Stance judgeRest(StaticBalance& balance, const system::State& state) {
  const bool isStraight = balance.isStraight();
  balance.setStraight(false);
  balance.calcResidual(state);
  balance.calcMatrix(state);
  const Stance stance = judgeMatrix(balance, state, true);
  balance.setStraight(isStraight);
  return stance;
}

Stability judgeStiffness(StaticBalance& balance, const system::State& state) {
  const bool isStraight = balance.isStraight();
  balance.setStraight(false);
  balance.calcResidual(state);
  balance.calcMatrix(state);
  const bool decides = balance.hasPotential();
  balance.setStraight(isStraight);
  const Hold hold = decides ? judgeRest(balance, state).hold : Hold::kUnknown;
  if (hold == Hold::kUnknown) return Stability::kUnknown;
  return hold == Hold::kUnstable ? Stability::kUnstable : Stability::kStable;
}

bool leadsDownhill(StaticBalance& balance, const system::State& state) {
  const linalg::SparseMatrix part = balance.calcSlowPart(state);
  if (part.rows() == 0) return balance.hasFeedback();
  const std::vector<Kind>& kinds = balance.kinds();
  const std::optional<int> negative = linalg::countNegativeEigenvalues(balance.scaledPart(part));
  if (negative && *negative == std::count(kinds.begin(), kinds.end(), Kind::kMultiplier)) {
    return true;
  }
  return balance.hasFeedback() && !ScaledStiffness(balance, part).hasPotential(part);
}

void fixNeutral(StaticBalance& balance, const Stance& stance) {
  balance.fix({});
  if (stance.neutral.cols() == 0) return;
  Eigen::MatrixXd motions = stance.neutral;
  for (int u = 0; u < motions.rows(); ++u) {
    if (balance.kinds()[u] != Kind::kMotion) {
      motions.row(u).setZero();
    } else if (!balance.system().isRotation({u}) && balance.size() > 0.0) {
      motions.row(u) /= balance.size();
    }
  }
  balance.fix(linalg::choosePivots(motions));
}

bool isUndriven(StaticBalance& balance, const system::State& state, const Stance& stance) {
  const std::vector<int> fixed = balance.fixed();
  balance.fix({});
  const Eigen::VectorXd r = balance.calcResidual(state);
  const Eigen::VectorXd drive = stance.neutral.transpose() * r;
  const Eigen::VectorXd noise = calcDriveNoise(balance, state, stance.neutral, r);
  balance.fix(fixed);
  balance.residual() = r;
  return (drive.cwiseAbs().array() <= noise.array()).all();
}

bool isUndriven(StaticBalance& balance, const system::State& state) {
  const std::vector<int> fixed = balance.fixed();
  if (fixed.empty()) return true;
  balance.fix({});
  const Stance stance = judgeRest(balance, state);
  balance.fix(fixed);
  return stance.neutral.cols() >= static_cast<Eigen::Index>(fixed.size()) &&
         isUndriven(balance, state, stance);
}

}  // namespace flexloop::solve
