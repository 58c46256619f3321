#include "solve/tangent_signs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/fixed_vector.hpp"
#include "linalg/inertia.hpp"
#include "linalg/neutral_directions.hpp"

namespace flexloop::solve {

using system::Kind;

namespace {

constexpr double kClear =
    1e-9;  // of the stiffness of a motion: what is further from zero needs no second look
// Of the stiffness that joints pass on: a motion's own that is less may be rounding, and is no unit for it.
constexpr double kLeastOwn = 1e-12;
constexpr double kLeastArm = 1e-6;   // of a constraint's gradient, for the same reason
constexpr int kMostPasses = 10000;   // through a chain of joints
constexpr unsigned kSamples = 3;     // of rounding
constexpr double kSymmetric = 1e-9;  // of the terms of aᵀA b, by which bᵀA a may differ from it
constexpr unsigned kPairs = 3;       // of such vectors
constexpr double kSoft = 1e-12;      // of constraints, where some depend on others
constexpr double kRoundings = 16.0;  // largest of the samples, to what rounding may be at most

// The stiffness with the constraints, in units in which a sign can be told: the stiffness of every motion is one, and so
// is the largest entry of every constraint. A motion without stiffness has that which joints pass on to it.
class ScaledStiffness {
 public:
  ScaledStiffness(const StaticBalance& balance, const linalg::SparseMatrix& part)
      : matrix_(part), size_(balance.size()) {
    for (int u = 0; u < static_cast<int>(balance.kinds().size()); ++u) {
      const Kind kind = balance.kinds()[u];
      if (kind != Kind::kMotion && kind != Kind::kMultiplier) continue;
      kinds_.push_back(kind);
      unknowns_.push_back(u);
      groups_.push_back(balance.groups().empty() ? 0 : balance.groups()[u]);
      isConstraint_.push_back(kind == Kind::kMultiplier);
      isTurn_.push_back(kind == Kind::kMotion && balance.system().isRotation({u}));
    }
    findStiffness();
    for (int pass = 0; pass < kMostPasses && passOn(); ++pass) {
    }
    findScale();
    matrix_ = scaled(part);
  }

  int constraints() const {
    return static_cast<int>(std::count(isConstraint_.begin(), isConstraint_.end(), true));
  }

  // Whether it is positive on the constraints with a share of each motion's stiffness added.
  bool isPositive(double share) const {
    linalg::SparseMatrix A = matrix_;
    for (int u = 0; u < A.cols(); ++u) {
      if (!isConstraint_[u]) A.coeffRef(u, u) += share;
    }
    const std::optional<int> negative = linalg::countNegativeEigenvalues(A);
    return negative && *negative == constraints();
  }

  // By rounding, which other matrices of the same balance show.
  std::optional<linalg::SignCount> countSigns(
      const std::vector<linalg::SparseMatrix>& rounded) const {
    std::vector<linalg::SparseMatrix> others;
    for (const auto& part : rounded) others.push_back(scaled(part));
    std::optional<linalg::SignCount> count =
        linalg::countSigns(matrix_, others, isConstraint_, groups_);
    if (count) count->neutral = scale_.asDiagonal() * count->neutral;
    return count;
  }

  // Whether the forces of the part have a potential as far as the constraints allow motions. A torque on a hinge turns with the hinge,
  // which spoils the symmetry of motions that the hinge does not allow.
  bool hasPotential(const linalg::SparseMatrix& part) const {
    const linalg::SparseMatrix A = scale_.asDiagonal() * part * scale_.asDiagonal();
    linalg::SparseMatrix projection = matrix_;
    for (int column = 0; column < projection.outerSize(); ++column) {
      for (Entry it(projection, column); it; ++it) {
        if (!isConstraint_[it.row()] && !isConstraint_[column]) it.valueRef() = 0.0;
      }
    }
    for (int u = 0; u < projection.cols(); ++u) {
      projection.coeffRef(u, u) += isConstraint_[u] ? -kSoft : 1.0;
    }
    projection.makeCompressed();
    const auto solver = linalg::makeSparseSolver(projection, linalg::SolverChoice::kKlu, groups_);
    if (solver == nullptr || !solver->factorize(projection).ok) return false;
    const auto tangent = [&](unsigned number) {
      Eigen::VectorXd x = linalg::makeFixedVector(static_cast<int>(A.cols()), number);
      for (int u = 0; u < x.size(); ++u) {
        if (isConstraint_[u]) x[u] = 0.0;
      }
      solver->solve(x);
      for (int u = 0; u < x.size(); ++u) {
        if (isConstraint_[u]) x[u] = 0.0;
      }
      return x;
    };
    for (unsigned k = 0; k < kPairs; ++k) {
      const Eigen::VectorXd a = tangent(2 * k), b = tangent(2 * k + 1), ofB = A * b, ofA = A * a;
      const double terms = a.cwiseAbs().dot(A.cwiseAbs() * b.cwiseAbs());
      if (std::abs(a.dot(ofB) - b.dot(ofA)) > kSymmetric * terms) return false;
    }
    return true;
  }

  // Rows of the mechanical part, by all unknowns.
  Eigen::MatrixXd spread(const Eigen::MatrixXd& rows, Eigen::Index size) const {
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(size, rows.cols());
    for (std::size_t i = 0; i < unknowns_.size(); ++i) {
      all.row(unknowns_[i]) = rows.row(static_cast<Eigen::Index>(i));
    }
    return all;
  }

 private:
  using Entry = linalg::SparseMatrix::InnerIterator;

  void findStiffness() {
    stiffness_ = Eigen::VectorXd::Zero(matrix_.cols());
    for (int column = 0; column < matrix_.outerSize(); ++column) {
      if (kinds_[column] == Kind::kMotion) {
        stiffness_[column] = std::abs(matrix_.coeff(column, column));
      }
    }
    own_ = stiffness_;
  }

  // Of a constraint, per move of one unit, or per turn that moves as much over the size of the machine.
  double armOf(const Entry& it) const {
    return std::abs(it.value()) / (isTurn_[it.row()] && size_ > 0.0 ? size_ : 1.0);
  }

  // One constraint further: g_u² k_v/g_v² is what a stiffness k_v is for u.
  bool passOn() {
    Eigen::VectorXd next = stiffness_;
    for (int column = 0; column < matrix_.outerSize(); ++column) {
      if (kinds_[column] != Kind::kMultiplier) continue;
      // A lever that is nothing but rounding passes nothing on.
      double stiffest = 0.0, largest = 0.0;
      for (Entry it(matrix_, column); it; ++it) {
        if (kinds_[it.row()] == Kind::kMotion) largest = std::max(largest, armOf(it));
      }
      for (Entry it(matrix_, column); it; ++it) {
        if (kinds_[it.row()] != Kind::kMotion || armOf(it) <= kLeastArm * largest) continue;
        stiffest = std::max(stiffest, stiffness_[it.row()] / (it.value() * it.value()));
      }
      for (Entry it(matrix_, column); it; ++it) {
        if (kinds_[it.row()] != Kind::kMotion) continue;
        const double part = own_[it.row()] > 0.0 ? kLeastOwn : 1.0;
        if (part == 1.0 && stiffness_[it.row()] > 0.0) continue;
        next[it.row()] = std::max(next[it.row()], part * it.value() * it.value() * stiffest);
      }
    }
    const bool isMore = next != stiffness_;
    stiffness_ = next;
    return isMore;
  }

  void findScale() {
    scale_ = Eigen::VectorXd::Ones(matrix_.cols());
    for (int u = 0; u < scale_.size(); ++u) {
      if (stiffness_[u] > 0.0) scale_[u] = 1.0 / std::sqrt(stiffness_[u]);
    }
    for (int column = 0; column < matrix_.outerSize(); ++column) {
      if (kinds_[column] != Kind::kMultiplier) continue;
      double largest = 0.0;
      for (Entry it(matrix_, column); it; ++it) {
        largest = std::max(largest, std::abs(it.value()) * scale_[it.row()]);
      }
      if (largest > 0.0) scale_[column] = 1.0 / largest;
    }
  }

  // The symmetric part.
  linalg::SparseMatrix scaled(const linalg::SparseMatrix& part) const {
    const linalg::SparseMatrix transposed = part.transpose();
    linalg::SparseMatrix A =
        scale_.asDiagonal() * (0.5 * (part + transposed)) * scale_.asDiagonal();
    A.makeCompressed();
    return A;
  }

  linalg::SparseMatrix matrix_;
  double size_;  // of the machine
  std::vector<Kind> kinds_;
  std::vector<int> unknowns_, groups_;
  std::vector<bool> isConstraint_, isTurn_;
  Eigen::VectorXd own_, stiffness_, scale_;
};

// The diagonal of the mass; where there is none, of the stiffness in units of the fastest motion.
Eigen::VectorXd findInertia(StaticBalance& balance, const system::State& state) {
  balance.calcMatrix(state, 1.0);
  Eigen::VectorXd mass = balance.matrix().diagonal();
  balance.calcMatrix(state);
  const Eigen::VectorXd stiffness = balance.matrix().diagonal().cwiseAbs();
  mass = (mass - balance.matrix().diagonal()).cwiseMax(0.0);
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
  const auto solver = linalg::makeSparseSolver(A, linalg::SolverChoice::kKlu);
  if (solver == nullptr || !solver->factorize(A).ok) return state;
  solver->solve(r);
  system::State settled = state;
  for (int u = 0; u < A.cols(); ++u) {
    if (kinds[u] == Kind::kMultiplier && std::isfinite(r[u])) settled.value[u] -= r[u];
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
  const ScaledStiffness stiffness(balance, part);
  if (stiffness.isPositive(-kClear)) {
    stance.hold = Hold::kFirm;
    return stance;
  }
  const Eigen::VectorXd residual = balance.residual();
  const linalg::SparseMatrix matrix = balance.matrix();
  std::vector<linalg::SparseMatrix> rounded = calcRoundedParts(balance, state);
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
    const std::optional<int> negative = linalg::countNegativeEigenvalues(balance.mechanicalPart());
    if (!negative) return std::nullopt;
    return TangentSigns{true, *negative};
  }
  const std::optional<bool> isNegative = linalg::isDeterminantNegative(balance.matrix());
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

bool isUndriven(StaticBalance& balance, const system::State& state) {
  const std::vector<int> fixed = balance.fixed();
  if (fixed.empty()) return true;
  balance.fix({});
  const Eigen::MatrixXd neutral = judgeRest(balance, state).neutral;
  const Eigen::VectorXd r = balance.calcResidual(state);
  bool isFree = neutral.cols() >= static_cast<Eigen::Index>(fixed.size());
  if (isFree) {
    const Eigen::VectorXd drive = neutral.transpose() * r;
    const Eigen::VectorXd noise = calcDriveNoise(balance, state, neutral, r);
    isFree = (drive.cwiseAbs().array() <= noise.array()).all();
  }
  balance.fix(fixed);
  balance.residual() = r;
  return isFree;
}

}  // namespace flexloop::solve
