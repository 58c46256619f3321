#include "solve/tangent_signs.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/inertia.hpp"

namespace flexloop::solve {

using system::Kind;

namespace {

constexpr double kRounding = 1e-12;  // of the stiffness of a motion
constexpr double kSlight =
    1e-9;  // stiffness for a motion that has none, of those that joints connect it with

// The stiffness with the constraints, in units in which a sign can be told: the stiffness of every motion is one, and so
// is the largest entry of every constraint. A motion without stiffness has that which joints pass on to it.
class ScaledStiffness {
 public:
  explicit ScaledStiffness(const StaticBalance& balance) : matrix_(balance.mechanicalPart()) {
    for (const Kind kind : balance.system().kinds()) {
      if (kind == Kind::kMotion || kind == Kind::kMultiplier) kinds_.push_back(kind);
    }
    findStiffness();
    while (passOn()) {
    }
    scale();
  }

  // Whether it is positive on the constraints with a small share of each motion's stiffness added.
  bool isPositive(double sign) const {
    linalg::SparseMatrix A = matrix_;
    for (int u = 0; u < A.cols(); ++u) {
      if (kinds_[u] == Kind::kMotion) A.coeffRef(u, u) += sign * (isOwn_[u] ? kRounding : kSlight);
    }
    const std::optional<int> negative = linalg::countNegativeEigenvalues(A);
    return negative && *negative == std::count(kinds_.begin(), kinds_.end(), Kind::kMultiplier);
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
    isOwn_.resize(matrix_.cols());
    for (int u = 0; u < matrix_.cols(); ++u) isOwn_[u] = stiffness_[u] > 0.0;
  }

  // One constraint further: g_u² k_v/g_v² is what a stiffness k_v is for u.
  bool passOn() {
    Eigen::VectorXd next = stiffness_;
    for (int column = 0; column < matrix_.outerSize(); ++column) {
      if (kinds_[column] != Kind::kMultiplier) continue;
      double stiffest = 0.0;
      for (Entry it(matrix_, column); it; ++it) {
        if (kinds_[it.row()] != Kind::kMotion || it.value() == 0.0) continue;
        stiffest = std::max(stiffest, stiffness_[it.row()] / (it.value() * it.value()));
      }
      for (Entry it(matrix_, column); it; ++it) {
        if (kinds_[it.row()] != Kind::kMotion || stiffness_[it.row()] > 0.0) continue;
        next[it.row()] = std::max(next[it.row()], it.value() * it.value() * stiffest);
      }
    }
    const bool isMore = next != stiffness_;
    stiffness_ = next;
    return isMore;
  }

  void scale() {
    Eigen::VectorXd scale = Eigen::VectorXd::Ones(matrix_.cols());
    for (int u = 0; u < scale.size(); ++u) {
      if (stiffness_[u] > 0.0) scale[u] = 1.0 / std::sqrt(stiffness_[u]);
    }
    for (int column = 0; column < matrix_.outerSize(); ++column) {
      if (kinds_[column] != Kind::kMultiplier) continue;
      double largest = 0.0;
      for (Entry it(matrix_, column); it; ++it) {
        largest = std::max(largest, std::abs(it.value()) * scale[it.row()]);
      }
      if (largest > 0.0) scale[column] = 1.0 / largest;
    }
    matrix_ = scale.asDiagonal() * matrix_ * scale.asDiagonal();
  }

  linalg::SparseMatrix matrix_;
  std::vector<Kind> kinds_;
  Eigen::VectorXd stiffness_;
  std::vector<bool> isOwn_;
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
  const std::vector<Kind>& kinds = balance.system().kinds();
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
Hold judgeHold(StaticBalance& balance, const system::State& state) {
  const system::State settled = settleReactions(balance, state);
  const bool isStraight = balance.isStraight();
  balance.setStraight(true);
  balance.calcResidual(settled);
  balance.calcMatrix(settled);
  balance.setStraight(isStraight);
  if (!balance.matrix().coeffs().allFinite() || balance.hasFeedback()) return Hold::kUnknown;
  const ScaledStiffness stiffness(balance);
  if (!stiffness.isPositive(1.0)) return Hold::kUnstable;
  return stiffness.isPositive(-1.0) ? Hold::kFirm : Hold::kFloating;
}

}  // namespace flexloop::solve
