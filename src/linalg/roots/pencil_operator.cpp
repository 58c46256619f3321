#include "linalg/roots/pencil_operator.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "linalg/roots/fixed_vector.hpp"
#include "linalg/solvers/complex_solver.hpp"
#include "linalg/solvers/exact_product.hpp"

namespace flexloop::linalg {
namespace {

// Solutions are refined until this share of them may be wrong.
constexpr double kWantedError = 1e-10;
constexpr int kMostRefinements = 6;
// Infinite roots of constraints come in chains of up to three vectors, and so many products leave nothing of them.
constexpr int kLongestChain = 3;
// How much products may take off the vector of a finite root or add to it: of an infinite one nothing is left. Its
// roundings along slower roots grow by each, to less than itself.
constexpr double kStays = 0.25;

std::vector<bool> findNonzeroColumns(const SparseMatrix& matrix) {
  std::vector<bool> nonzero(matrix.cols(), false);
  for (int column = 0; column < matrix.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator it(matrix, column); it; ++it) {
      if (it.value() != 0.0) nonzero[column] = true;
    }
  }
  return nonzero;
}

template <typename Scalar>
auto evaluateAt(const QuadraticPencil& pencil, PencilForm form, Scalar shift) {
  using Sparse = Eigen::SparseMatrix<Scalar, Eigen::ColMajor, int>;
  if (form == PencilForm::kSquared) {
    Sparse matrix = pencil.K.cast<Scalar>() + shift * pencil.M.cast<Scalar>();
    matrix.makeCompressed();
    return matrix;
  }
  if constexpr (std::is_same_v<Scalar, double>) {
    return evaluateReal(pencil, shift);
  } else {
    return evaluate(pencil, shift);
  }
}

auto makeSolver(const SparseMatrix& pattern, const std::vector<int>& groups) {
  return makeSparseSolver(pattern, SolverChoice::kAutomatic, groups);
}

auto makeSolver(const SparseMatrixC& pattern, const std::vector<int>& groups) {
  return makeComplexSparseSolver(pattern, groups);
}

}  // namespace

template <typename Scalar>
struct PencilOperator<Scalar>::Solver {
  std::vector<int> groups;
  decltype(makeSolver(Sparse(), groups)) direct;
};

template <typename Scalar>
PencilOperator<Scalar>::PencilOperator(const QuadraticPencil& pencil, PencilForm form,
                                       const std::vector<int>& groups)
    : pencil_(pencil),
      form_(form),
      M_(pencil.M),
      solver_(std::make_unique<Solver>()),
      x_(Vector::Zero(pencil.size())),
      w_(Vector::Zero(pencil.size())),
      u_(pencil.size()) {
  solver_->groups = groups;
  const std::vector<bool> inC = findNonzeroColumns(pencil.C), inM = findNonzeroColumns(pencil.M);
  const bool quadratic = form == PencilForm::kQuadratic;
  for (int u = 0; u < pencil.size(); ++u) {
    if (!inM[u] && !(quadratic && inC[u])) continue;
    if (quadratic && inM[u]) {
      moving_.push_back(u);
      movingKept_.push_back(static_cast<int>(kept_.size()));
    }
    kept_.push_back(u);
  }
}

template <typename Scalar>
PencilOperator<Scalar>::~PencilOperator() = default;

template <typename Scalar>
typename PencilOperator<Scalar>::ShiftReport PencilOperator<Scalar>::setShift(Scalar shift) {
  shift_ = shift;
  refinements_ = 0;
  const Sparse matrix = evaluateAt(pencil_, form_, shift);
  if (form_ == PencilForm::kSquared) {
    G_ = pencil_.M.cast<Scalar>();
  } else {
    G_ = pencil_.C.cast<Scalar>() + shift * pencil_.M.cast<Scalar>();
  }
  if (solver_->direct == nullptr) solver_->direct = makeSolver(matrix, solver_->groups);
  ++factorizations_;
  if (solver_->direct == nullptr || !solver_->direct->factorize(matrix).ok) return {};
  error_ = calcError();
  if (!std::isfinite(error_)) return {};
  while (refinements_ < kMostRefinements && calcProductError() > kWantedError) {
    ++refinements_;
  }
  return {true, error_};
}

template <typename Scalar>
double PencilOperator<Scalar>::calcProductError() const {
  return std::pow(error_, refinements_ + 1);
}

// Of a product with the operator, by its first correction. Where P(σ) is singular the solution is nothing but the
// rounding of a pivot, and so is the correction.
template <typename Scalar>
double PencilOperator<Scalar>::calcError() {
  Vector u = -(G_ * makeFixedVector(pencil_.size(), 0).template cast<Scalar>());
  if (!moving_.empty()) {
    // Of [x; w] with the root scale that balances both.
    const Vector w = M_ * makeFixedVector(pencil_.size(), 1).template cast<Scalar>();
    const double first = u.norm(), second = w.norm();
    u -= (second > 0.0 && first > 0.0 ? first / second : 1.0) * w;
  }
  const Vector right = u;
  solver_->direct->solve(u);
  Vector rest = right - applyMatrix(u);
  solver_->direct->solve(rest);
  solves_ += 2;
  double size = 0.0, error = 0.0;
  for (const int k : kept_) {
    size = std::max(size, std::abs(u[k]));
    error = std::max(error, std::abs(rest[k]));
  }
  if (!u.allFinite() || !rest.allFinite()) return INFINITY;
  return size > 0.0 ? error / size : 0.0;
}

// P(σ) u, or (K + σ M) u, with the terms in twice the precision.
template <typename Scalar>
typename PencilOperator<Scalar>::Vector PencilOperator<Scalar>::applyMatrix(const Vector& u) const {
  if constexpr (std::is_same_v<Scalar, double>) {
    if (form_ == PencilForm::kSquared) return applyExactly({&pencil_.K, &pencil_.M}, shift_, u);
    return applyExactly({&pencil_.K, &pencil_.C, &pencil_.M}, shift_, u);
  } else {
    return applyExactly(pencil_, {}, shift_, u);
  }
}

template <typename Scalar>
double PencilOperator<Scalar>::calcRootScale(const Vector& y) const {
  double square = 0.0;
  for (const int k : movingKept_) square += std::norm(y[k]);
  const double w = y.tail(static_cast<Eigen::Index>(moving_.size())).norm() * rootScale_;
  return square > 0.0 ? w / std::sqrt(square) : 0.0;
}

template <typename Scalar>
const typename PencilOperator<Scalar>::Vector& PencilOperator<Scalar>::solveFull(const Vector& in) {
  const std::size_t first = kept_.size();
  for (std::size_t k = 0; k < first; ++k) x_[kept_[k]] = in[k];
  u_.noalias() = G_ * x_;
  if (!moving_.empty()) {
    for (std::size_t k = 0; k < moving_.size(); ++k) w_[moving_[k]] = rootScale_ * in[first + k];
    u_.noalias() += M_ * w_;
  }
  u_ = -u_;
  if (refinements_ > 0) right_ = u_;
  solver_->direct->solve(u_);
  for (int k = 0; k < refinements_; ++k) {
    Vector rest = right_ - applyMatrix(u_);
    solver_->direct->solve(rest);
    u_ += rest;
  }
  solves_ += 1 + refinements_;
  return u_;
}

template <typename Scalar>
void PencilOperator<Scalar>::apply(const Vector& in, Vector& out) {
  const Vector& u = solveFull(in);
  const std::size_t first = kept_.size();
  out.resize(size());
  for (std::size_t k = 0; k < first; ++k) out[k] = u[kept_[k]];
  for (std::size_t k = 0; k < moving_.size(); ++k) {
    out[first + k] = (shift_ * u[moving_[k]] + in[movingKept_[k]]) / rootScale_;
  }
}

template <typename Scalar>
Eigen::VectorXcd PencilOperator<Scalar>::calcVector(const Eigen::VectorXcd& y) {
  Eigen::VectorXcd z(pencil_.size());
  if constexpr (std::is_same_v<Scalar, double>) {
    z.real() = solveFull(y.real());
    if (y.imag().isZero(0.0)) {
      z.imag().setZero();
    } else {
      z.imag() = solveFull(y.imag());
    }
  } else {
    z = solveFull(y);
  }
  const double length = z.norm();
  if (length > 0.0) z /= length;
  return z;
}

template <typename Scalar>
Eigen::VectorXcd PencilOperator<Scalar>::solveComplex(const Eigen::VectorXcd& right) {
  if constexpr (std::is_same_v<Scalar, double>) {
    Eigen::VectorXcd solution(right.size());
    const auto solvePart = [&](Vector part) {
      solver_->direct->solve(part);
      return part;
    };
    solution.real() = solvePart(right.real());
    solution.imag() = solvePart(right.imag());
    solves_ += 2;
    return solution;
  } else {
    Eigen::VectorXcd solution = right;
    solver_->direct->solve(solution);
    ++solves_;
    return solution;
  }
}

// z − P(σ)⁻¹ P(s) z is the product with (s − σ) times the operator.
template <typename Scalar>
bool PencilOperator<Scalar>::isFiniteRoot(std::complex<double> s, const Eigen::VectorXcd& z) {
  Eigen::VectorXcd product = z;
  for (int k = 0; k < kLongestChain; ++k) {
    product -= solveComplex(applyExactly(pencil_, {}, s, product));
  }
  double square = 0.0, change = 0.0;
  std::complex<double> along = 0.0;
  for (const int k : kept_) {
    square += std::norm(z[k]);
    along += std::conj(z[k]) * product[k];
    change += std::norm(product[k] - z[k]);
  }
  return std::abs(along - square) < kStays * square && change < square;
}

template class PencilOperator<double>;
template class PencilOperator<std::complex<double>>;

}  // namespace flexloop::linalg
