#include "solve/balance/scaled_stiffness.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/roots/fixed_vector.hpp"
#include "linalg/solvers/inertia.hpp"

namespace flexloop::solve {

using system::Kind;

namespace {

// Of the stiffness that joints pass on: a motion's own that is less may be rounding, and is no unit for it.
constexpr double kLeastOwn = 1e-12;
// Of the load over the machine's size: products of roundings, which are no unit for anything.
constexpr double kLeastByLoad = 1e-24;
constexpr double kLeastArm = 1e-6;   // of a constraint's gradient, for the same reason
constexpr int kMostPasses = 10000;   // through a chain of joints
constexpr double kSymmetric = 1e-9;  // of the terms of aᵀA b, by which bᵀA a may differ from it
constexpr unsigned kPairs = 3;       // of such vectors
constexpr double kSoft = 1e-12;      // of constraints, where some depend on others

}  // namespace

ScaledStiffness::ScaledStiffness(const StaticBalance& balance, const linalg::SparseMatrix& part,
                                 double load, const Eigen::VectorXd& noise)
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
  findStiffness(load, noise);
  for (int pass = 0; pass < kMostPasses && passOn(); ++pass) {
  }
  findScale(balance);
  matrix_ = scaled(part);
}

int ScaledStiffness::constraints() const {
  return static_cast<int>(std::count(isConstraint_.begin(), isConstraint_.end(), true));
}

bool ScaledStiffness::isPositive(double share) const {
  linalg::SparseMatrix A = matrix_;
  for (int u = 0; u < A.cols(); ++u) {
    if (!isConstraint_[u]) A.coeffRef(u, u) += share;
  }
  const std::optional<int> negative = linalg::countNegativeEigenvalues(A);
  return negative && *negative == constraints();
}

std::optional<linalg::SignCount> ScaledStiffness::countSigns(
    const std::vector<linalg::SparseMatrix>& rounded) const {
  std::vector<linalg::SparseMatrix> others;
  for (const auto& part : rounded) others.push_back(scaled(part));
  std::optional<linalg::SignCount> count =
      linalg::countSigns(matrix_, others, isConstraint_, groups_);
  if (count) count->neutral = scale_.asDiagonal() * count->neutral;
  return count;
}

bool ScaledStiffness::hasPotential(const linalg::SparseMatrix& part) const {
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

Eigen::MatrixXd ScaledStiffness::spread(const Eigen::MatrixXd& rows, Eigen::Index size) const {
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(size, rows.cols());
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    all.row(unknowns_[i]) = rows.row(static_cast<Eigen::Index>(i));
  }
  return all;
}

void ScaledStiffness::findStiffness(double load, const Eigen::VectorXd& noise) {
  stiffness_ = Eigen::VectorXd::Zero(matrix_.cols());
  const double leastOfMoves = size_ > 0.0 ? kLeastByLoad * load / size_ : 0.0,
               leastOfTurns = kLeastByLoad * load * size_;
  for (int column = 0; column < matrix_.outerSize(); ++column) {
    if (kinds_[column] != Kind::kMotion) continue;
    const double own = std::abs(matrix_.coeff(column, column));
    const double rounding = noise.size() > 0 ? noise[column] : 0.0;
    const double least = std::max(rounding, isTurn_[column] ? leastOfTurns : leastOfMoves);
    if (own > least) stiffness_[column] = own;
  }
  own_ = stiffness_;
}

// Of a constraint, per move of one unit, or per turn that moves as much over the size of the machine.
double ScaledStiffness::armOf(const Entry& it) const {
  return std::abs(it.value()) / (isTurn_[it.row()] && size_ > 0.0 ? size_ : 1.0);
}

// One constraint further: g_u² k_v/g_v² is what a stiffness k_v is for u.
bool ScaledStiffness::passOn() {
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

// A motion without stiffness has the unit of the balance.
void ScaledStiffness::findScale(const StaticBalance& balance) {
  const Eigen::VectorXd& usual = balance.units().columns;
  scale_ = Eigen::VectorXd::Ones(matrix_.cols());
  for (int u = 0; u < scale_.size(); ++u) {
    if (stiffness_[u] > 0.0) {
      scale_[u] = 1.0 / std::sqrt(stiffness_[u]);
    } else if (usual.size() > 0 && !isConstraint_[u]) {
      scale_[u] = usual[unknowns_[u]];
    }
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
linalg::SparseMatrix ScaledStiffness::scaled(const linalg::SparseMatrix& part) const {
  const linalg::SparseMatrix transposed = part.transpose();
  linalg::SparseMatrix A = scale_.asDiagonal() * (0.5 * (part + transposed)) * scale_.asDiagonal();
  A.makeCompressed();
  return A;
}

}  // namespace flexloop::solve
