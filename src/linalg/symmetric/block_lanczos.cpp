#include "linalg/symmetric/block_lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "linalg/dense/eigenvalues.hpp"
#include "linalg/symmetric/symmetric_factors.hpp"

namespace flexloop::linalg {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// What is left of a vector beside others, as a share of it, if it is nothing but their rounding.
constexpr double kNothingLeft = 1e-11;

// U = W R with Wᵀ M W = I. Columns that are no more than rounding, as a share of `sizes`, are left out of W.
std::pair<MatrixXd, MatrixXd> orthonormalize(const SparseMatrix& M, MatrixXd U,
                                             const VectorXd& sizes) {
  const Eigen::Index count = U.cols();
  MatrixXd MU = multiplySymmetric(M, U);
  MatrixXd R = MatrixXd::Zero(count, count);
  std::vector<Eigen::Index> kept;
  for (Eigen::Index j = 0; j < count; ++j) {
    for (int pass = 0; pass < 2; ++pass) {
      for (const Eigen::Index i : kept) {
        const double c = U.col(i).dot(MU.col(j));
        U.col(j) -= c * U.col(i);
        MU.col(j) -= c * MU.col(i);
        R(i, j) += c;
      }
    }
    const double norm = std::sqrt(std::max(0.0, U.col(j).dot(MU.col(j))));
    if (!(norm > kNothingLeft * sizes[j])) continue;
    U.col(j) /= norm;
    MU.col(j) /= norm;
    R(j, j) = norm;
    kept.push_back(j);
  }
  MatrixXd W(U.rows(), kept.size()), rows(kept.size(), count);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    W.col(i) = U.col(kept[i]);
    rows.row(i) = R.row(kept[i]);
  }
  return {std::move(W), std::move(rows)};
}

VectorXd normsOf(const MatrixXd& U, const MatrixXd& MU) {
  return (U.array() * MU.array()).colwise().sum().max(0.0).sqrt().matrix().transpose();
}

}  // namespace

BlockLanczos::BlockLanczos(const SparseMatrix& M, Solve solve, int block, int capacity)
    : M_(M), solve_(std::move(solve)), block_(block) {
  V_.resize(M.rows(), capacity);
  T_ = MatrixXd::Zero(capacity, capacity);
}

MatrixXd BlockLanczos::orthogonalize(MatrixXd& U) const {
  const auto V = V_.leftCols(columns_);
  MatrixXd coefficients = MatrixXd::Zero(columns_, U.cols());
  for (int pass = 0; pass < 2; ++pass) {
    const MatrixXd c = V.transpose() * multiplySymmetric(M_, U);
    U.noalias() -= V * c;
    coefficients += c;
  }
  return coefficients;
}

bool BlockLanczos::start() {
  MatrixXd U(M_.rows(), block_);
  for (Eigen::Index j = 0; j < U.cols(); ++j) {
    // By own arithmetic: distributions of the standard library differ between its versions.
    for (double& u : U.col(j)) u = static_cast<double>(random_() >> 11) * 0x1p-52 - 1.0;
  }
  // Scaled by the masses, so that no unit of an unknown prevails; and within the range of the operator.
  const VectorXd masses = M_.diagonal();
  for (Eigen::Index i = 0; i < U.rows(); ++i) {
    if (masses[i] > 0.0) U.row(i) /= std::sqrt(masses[i]);
  }
  return start(std::move(U));
}

bool BlockLanczos::start(MatrixXd U) {
  U = multiplySymmetric(M_, U);
  solve_(U);
  const VectorXd sizes = normsOf(U, multiplySymmetric(M_, U));
  orthogonalize(U);
  W_ = orthonormalize(M_, std::move(U), sizes).first;
  B_ = MatrixXd::Zero(W_.cols(), columns_);
  return W_.cols() > 0;
}

bool BlockLanczos::extend() {
  const Eigen::Index width = W_.cols(), before = columns_;
  if (width == 0) return false;
  V_.middleCols(before, width) = W_;
  columns_ += static_cast<int>(width);
  MatrixXd U = multiplySymmetric(M_, W_);
  solve_(U);
  const VectorXd sizes = normsOf(U, multiplySymmetric(M_, U));
  const MatrixXd H = orthogonalize(U);
  T_.block(0, before, before, width) = H.topRows(before);
  T_.block(before, 0, width, before) = H.topRows(before).transpose();
  const MatrixXd corner = H.bottomRows(width);
  T_.block(before, before, width, width) = 0.5 * (corner + corner.transpose());
  auto [W, R] = orthonormalize(M_, std::move(U), sizes);
  W_ = std::move(W);
  B_ = MatrixXd::Zero(W_.cols(), columns_);
  B_.rightCols(width) = R;
  return W_.cols() > 0;
}

BlockLanczos::Ritz BlockLanczos::ritz() const {
  Ritz ritz;
  const auto system = findSymmetricEigensystem(T_.topLeftCorner(columns_, columns_));
  if (!system) return ritz;
  ritz.values = system->values.reverse();
  ritz.S = system->vectors.rowwise().reverse();
  ritz.residuals = (B_ * ritz.S).colwise().norm().transpose();
  return ritz;
}

MatrixXd BlockLanczos::vectors(const Ritz& ritz, int count) const {
  return V_.leftCols(columns_) * ritz.S.leftCols(count);
}

void BlockLanczos::rotate(const Ritz& ritz, int keep) {
  // By rows, so that no second basis is needed.
  constexpr Eigen::Index kRows = 1024;
  for (Eigen::Index first = 0; first < V_.rows(); first += kRows) {
    const Eigen::Index count = std::min(kRows, V_.rows() - first);
    const MatrixXd rows = V_.block(first, 0, count, columns_) * ritz.S.leftCols(keep);
    V_.block(first, 0, count, keep) = rows;
  }
  T_.setZero();
  T_.diagonal().head(keep) = ritz.values.head(keep);
  columns_ = keep;
}

void BlockLanczos::contract(const Ritz& ritz, int keep) {
  const MatrixXd B = B_ * ritz.S.leftCols(keep);
  rotate(ritz, keep);
  B_ = B;
}

void BlockLanczos::lock(const Ritz& ritz, int keep) {
  rotate(ritz, keep);
  W_.resize(V_.rows(), 0);
  B_.resize(0, keep);
}

void BlockLanczos::grow(int capacity) {
  if (capacity <= V_.cols()) return;
  V_.conservativeResize(Eigen::NoChange, capacity);
  const MatrixXd T = T_.topLeftCorner(columns_, columns_);
  T_ = MatrixXd::Zero(capacity, capacity);
  T_.topLeftCorner(columns_, columns_) = T;
}

}  // namespace flexloop::linalg
