#include "linalg/roots/krylov_schur.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include <Eigen/LU>

#include "base/interruption.hpp"
#include "linalg/roots/sorted_schur.hpp"

namespace flexloop::linalg {
namespace {

// What is left of a vector below this, relative to the operator, is rounding.
constexpr double kInvariant = 1e-14;
// A vector that loses more than this by orthogonalisation needs a second one.
constexpr double kLostLength = 0.7, kSurelyKept = 0.8;
constexpr int kMostPasses = 3;
constexpr int kRowsAtOnce = 512;

}  // namespace

template <typename Scalar>
KrylovSchur<Scalar>::KrylovSchur(Product product, int size, int capacity)
    : product_(std::move(product)),
      size_(size),
      capacity_(std::min(size, capacity)),
      V_(size, capacity_ + 1),
      H_(Matrix::Zero(capacity_ + 1, capacity_)) {}

template <typename Scalar>
void KrylovSchur<Scalar>::grow(int columns) {
  const int capacity = std::min(size_, capacity_ + columns);
  V_.conservativeResize(Eigen::NoChange, capacity + 1);
  Matrix H = Matrix::Zero(capacity + 1, capacity);
  H.topLeftCorner(H_.rows(), H_.cols()) = H_;
  H_ = std::move(H);
  capacity_ = capacity;
}

// The basis is larger than the caches, so its bands of rows serve the coefficients of the next pass while
// they are there.
template <typename Scalar>
double KrylovSchur<Scalar>::orthogonalize(int columns, Vector& w,
                                          Eigen::Ref<Vector> coefficients) const {
  coefficients.setZero();
  double length = w.norm();
  Vector h = V_.leftCols(columns).adjoint() * w, next(columns);
  for (int pass = 0; pass < kMostPasses; ++pass) {
    const double before = length;
    // By Pythagoras, the part removed shows whether another pass is needed.
    const bool isLast = h.squaredNorm() < (1.0 - kSurelyKept * kSurelyKept) * before * before;
    next.setZero();
    for (int row = 0; row < size_; row += kRowsAtOnce) {
      const auto band = V_.block(row, 0, std::min(kRowsAtOnce, size_ - row), columns);
      auto part = w.segment(row, band.rows());
      part.noalias() -= band * h;
      if (!isLast) next.noalias() += band.adjoint() * part;
    }
    coefficients += h;
    h.swap(next);
    length = w.norm();
    if (isLast || length > kLostLength * before) break;
  }
  return length;
}

template <typename Scalar>
bool KrylovSchur<Scalar>::start(Vector vector, int products) {
  columns_ = locked_;
  if (locked_ == size_) return false;
  Vector next(size_), coefficients(locked_);
  for (int k = 0; k <= products; ++k) {
    const double before = vector.norm();
    const double length = orthogonalize(locked_, vector, coefficients);
    if (!(length > kInvariant * before)) return false;
    vector /= length;
    if (k == products) break;
    product_(vector, next);
    vector.swap(next);
  }
  V_.col(columns_) = vector;
  H_.row(columns_).setZero();
  return true;
}

template <typename Scalar>
bool KrylovSchur<Scalar>::extend() {
  Vector w(size_);
  while (columns_ < capacity_) {
    base::lookForInterruption();
    product_(V_.col(columns_), w);
    scale_ = std::max(scale_, w.norm());
    const double length = orthogonalize(columns_ + 1, w, H_.col(columns_).head(columns_ + 1));
    ++columns_;
    H_.row(columns_).setZero();
    if (!(length > kInvariant * scale_)) return false;
    H_(columns_, columns_ - 1) = length;
    V_.col(columns_) = w / length;
  }
  return true;
}

// V[:, first...] ← V[:, first...] Q by bands of rows, because a second basis may not fit into memory.
template <typename Scalar>
void KrylovSchur<Scalar>::rotate(int first, const Matrix& Q) {
  Matrix band;
  for (int row = 0; row < size_; row += kRowsAtOnce) {
    const int rows = std::min(kRowsAtOnce, size_ - row);
    band.noalias() = V_.block(row, first, rows, Q.rows()) * Q;
    V_.block(row, first, rows, Q.cols()) = band;
  }
}

template <typename Scalar>
void KrylovSchur<Scalar>::contract(bool invariant) {
  const int first = locked_, active = columns_ - first;
  const SortedSchur<Scalar> schur = calcSortedSchur(Matrix(H_.block(first, first, active, active)));
  int kept = invariant ? active : std::max(1, active / 2);
  const auto splitsPair = [&] { return schur.T(kept, kept - 1) != Scalar(0); };
  if (kept < active && splitsPair()) ++kept;
  const Matrix Q = schur.Q.leftCols(kept);
  const Matrix b = H_.block(columns_, first, 1, active) * Q;
  if (first > 0) {
    H_.block(0, first, first, kept) = (H_.block(0, first, first, active) * Q).eval();
  }
  H_.block(first, first, kept, kept) = schur.T.topLeftCorner(kept, kept);
  rotate(first, Q);
  if (kept < active) V_.col(first + kept) = V_.col(columns_);
  columns_ = first + kept;
  H_.row(columns_).setZero();
  H_.block(columns_, first, 1, kept) = b;
}

template <typename Scalar>
bool KrylovSchur<Scalar>::improve() {
  const bool extended = extend();
  contract(!extended);
  return extended;
}

template <typename Scalar>
typename KrylovSchur<Scalar>::Ritz KrylovSchur<Scalar>::ritz(int column) const {
  const bool pair = column + 1 < columns_ && H_(column + 1, column) != Scalar(0);
  if (!pair) return {H_(column, column), std::abs(H_(columns_, column)), 1};
  const auto block = H_.template block<2, 2>(column, column);
  const double mean = 0.5 * std::real(block.trace());
  const double square = std::real(block.determinant()) - mean * mean;
  return {{mean, std::sqrt(std::max(0.0, square))},
          std::hypot(std::abs(H_(columns_, column)), std::abs(H_(columns_, column + 1))),
          2};
}

template <typename Scalar>
Eigen::VectorXcd KrylovSchur<Scalar>::combine(const Eigen::VectorXcd& c) const {
  if constexpr (std::is_same_v<Scalar, double>) {
    Eigen::VectorXcd y(size_);
    y.real() = V_.leftCols(c.size()) * c.real();
    y.imag() = V_.leftCols(c.size()) * c.imag();
    return y;
  } else {
    return V_.leftCols(c.size()) * c;
  }
}

template class KrylovSchur<double>;
template class KrylovSchur<std::complex<double>>;

}  // namespace flexloop::linalg
