#include "linalg/roots/neutral_directions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <Eigen/QR>

#include "linalg/dense/eigenvalues.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/roots/fixed_vector.hpp"
#include "linalg/solvers/exact_product.hpp"
#include "linalg/solvers/inertia.hpp"

namespace flexloop::linalg {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kBesideZero[] = {1e-14, 1e-12, 1e-10, 1e-8};  // shifts, of rows of size one
constexpr int kFirstWidth = 4, kMostNeutral = 128, kProducts = 4, kRefinements = 3;
constexpr double kRoundings = 16.0;  // of each entry, as in 18.4
constexpr double kSamples = 8.0;  // largest of a few samples of rounding, to what it may be at most

// A(kept, columns), where `place` numbers the kept rows.
SparseMatrix select(const SparseMatrix& A, const std::vector<int>& columns,
                    const std::vector<int>& place, int rows) {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (SparseMatrix::InnerIterator it(A, columns[j]); it; ++it) {
      if (place[it.row()] < 0) continue;
      entries.emplace_back(place[it.row()], static_cast<int>(j), it.value());
    }
  }
  SparseMatrix part(rows, static_cast<int>(columns.size()));
  part.setFromTriplets(entries.begin(), entries.end());
  return part;
}

// Unknowns chosen and those that are left.
struct Split {
  std::vector<int> chosen, left, placeOfLeft;
};

Split split(int size, const std::vector<int>& chosen) {
  Split parts{chosen, {}, std::vector<int>(size, 0)};
  for (const int u : chosen) parts.placeOfLeft[u] = -1;
  for (int u = 0; u < size; ++u) {
    if (parts.placeOfLeft[u] < 0) continue;
    parts.placeOfLeft[u] = static_cast<int>(parts.left.size());
    parts.left.push_back(u);
  }
  return parts;
}

class Signs {
 public:
  Signs(const SparseMatrix& A, const std::vector<SparseMatrix>& rounded,
        const std::vector<bool>& isConstraint, const std::vector<int>& groups)
      : A_(A), sizes_(A.cwiseAbs()), isConstraint_(isConstraint), groups_(groups) {
    for (const SparseMatrix& other : rounded) differences_.emplace_back(other - A);
  }

  std::optional<SignCount> find() {
    const auto n = static_cast<int>(A_.rows());
    for (int width = std::min(kFirstWidth, n);; width = std::min(2 * width, n)) {
      if (width > kMostNeutral) return std::nullopt;
      const std::vector<int> pivots = findPivots(width);
      if (std::optional<SignCount> count = tryPivots(pivots, width == n)) return count;
      if (width == n) return std::nullopt;
    }
  }

 private:
  // The unknowns in which the directions with the smallest eigenvalues differ most.
  std::vector<int> findPivots(int width) {
    const auto n = static_cast<int>(A_.rows());
    std::vector<int> pivots(width);
    for (int k = 0; k < width; ++k) pivots[k] = k;
    if (width == n) return pivots;
    if (!factorize()) return {};
    MatrixXd X(n, width);
    for (int j = 0; j < width; ++j) X.col(j) = makeFixedVector(n, static_cast<unsigned>(j));
    for (int k = 0; k < kProducts; ++k) {
      for (int j = 0; j < width; ++j) {
        VectorXd x = X.col(j);
        solver_->solve(x);
        X.col(j) = x.normalized();
      }
      const Eigen::HouseholderQR<MatrixXd> qr(X);
      X = qr.householderQ() * MatrixXd::Identity(n, width);
    }
    if (!X.allFinite()) return {};
    return choosePivots(X);
  }

  bool factorize() {
    if (solver_ != nullptr) return true;
    for (const double shift : kBesideZero) {
      SparseMatrix shifted = A_;
      for (int u = 0; u < A_.cols(); ++u) {
        shifted.coeffRef(u, u) += isConstraint_[u] ? -shift : shift;
      }
      shifted.makeCompressed();
      solver_ = makeSparseSolver(shifted, SolverChoice::kAutomatic, groups_);
      if (solver_ != nullptr && solver_->factorize(shifted).ok) return true;
    }
    solver_.reset();
    return false;
  }

  // X of the header: false if what is left is singular.
  bool calcShapes(const Split& parts, MatrixXd& X) const {
    X = MatrixXd::Zero(A_.rows(), static_cast<Eigen::Index>(parts.chosen.size()));
    for (std::size_t k = 0; k < parts.chosen.size(); ++k) {
      X(parts.chosen[k], static_cast<Eigen::Index>(k)) = 1.0;
    }
    const auto rest = static_cast<int>(parts.left.size());
    if (rest == 0) return true;
    const SparseMatrix inner = select(A_, parts.left, parts.placeOfLeft, rest);
    std::vector<int> groups;
    for (const int u : parts.left) {
      if (!groups_.empty()) groups.push_back(groups_[u]);
    }
    const auto solver = makeSparseSolver(inner, SolverChoice::kAutomatic, groups);
    if (solver == nullptr || !solver->factorize(inner).ok) return false;
    for (Eigen::Index k = 0; k < X.cols(); ++k) {
      VectorXd x = X.col(k), correction(rest);
      for (int round = 0; round <= kRefinements; ++round) {
        const VectorXd unbalance = applyExactly({&A_}, 0.0, x);
        for (int i = 0; i < rest; ++i) correction[i] = -unbalance[parts.left[i]];
        solver->solve(correction);
        for (int i = 0; i < rest; ++i) x[parts.left[i]] += correction[i];
      }
      if (!x.allFinite() || !(correction.norm() <= 1e-6 * x.norm())) return false;
      X.col(k) = x;
    }
    return true;
  }

  // x·A x, or zero if that may be rounding.
  double valueOf(const VectorXd& x) const {
    const double value = x.dot(applyExactly({&A_}, 0.0, x));
    double noise = kRoundings * kEpsilon * x.cwiseAbs().dot(sizes_ * x.cwiseAbs());
    for (const SparseMatrix& difference : differences_) {
      noise = std::max(noise, kSamples * std::abs(x.dot(difference * x)));
    }
    return std::abs(value) <= noise ? 0.0 : value;
  }

  // Nothing if the pivots do not hold all that may be neutral, or if they are no more than that.
  std::optional<SignCount> tryPivots(const std::vector<int>& pivots, bool areAll) const {
    if (pivots.empty()) return std::nullopt;
    const Split parts = split(static_cast<int>(A_.rows()), pivots);
    MatrixXd X;
    if (!calcShapes(parts, X)) return std::nullopt;
    const Eigen::HouseholderQR<MatrixXd> qr(X);
    X = qr.householderQ() * MatrixXd::Identity(X.rows(), X.cols());
    MatrixXd S(X.cols(), X.cols());
    for (Eigen::Index k = 0; k < X.cols(); ++k) {
      S.col(k) = X.transpose() * applyExactly({&A_}, 0.0, VectorXd(X.col(k)));
    }
    const auto eigen = findSymmetricEigensystem(0.5 * (S + S.transpose()));
    if (!eigen) return std::nullopt;
    SignCount count;
    std::vector<VectorXd> neutral;
    for (Eigen::Index k = 0; k < X.cols(); ++k) {
      const VectorXd x = X * eigen->vectors.col(k);
      const double value = valueOf(x);
      if (value < 0.0) ++count.negative;
      if (value == 0.0) neutral.push_back(x);
    }
    if (static_cast<Eigen::Index>(neutral.size()) == X.cols() && !areAll) return std::nullopt;
    if (!parts.left.empty()) {
      const std::optional<int> others = countNegativeEigenvalues(
          select(A_, parts.left, parts.placeOfLeft, static_cast<int>(parts.left.size())));
      if (!others) return std::nullopt;
      count.negative += *others;
    }
    count.neutral.resize(A_.rows(), static_cast<Eigen::Index>(neutral.size()));
    for (std::size_t k = 0; k < neutral.size(); ++k) {
      count.neutral.col(static_cast<Eigen::Index>(k)) = neutral[k];
    }
    return count;
  }

  const SparseMatrix& A_;
  SparseMatrix sizes_;
  std::vector<SparseMatrix> differences_;
  const std::vector<bool>& isConstraint_;
  const std::vector<int>& groups_;
  std::unique_ptr<SparseSolver> solver_;
};

}  // namespace

std::vector<int> choosePivots(const MatrixXd& X) {
  const PivotedQr<double> qr(X.transpose());
  std::vector<int> pivots;
  for (Eigen::Index k = 0; k < X.cols(); ++k) pivots.push_back(qr.column(k));
  return pivots;
}

std::optional<SignCount> countSigns(const SparseMatrix& A, const std::vector<SparseMatrix>& rounded,
                                    const std::vector<bool>& isConstraint,
                                    const std::vector<int>& groups) {
  std::vector<int> empty;
  for (int u = 0; u < A.cols(); ++u) {
    bool hasEntry = false;
    for (SparseMatrix::InnerIterator it(A, u); it; ++it) hasEntry = hasEntry || it.value() != 0.0;
    if (!hasEntry && !isConstraint[u]) empty.push_back(u);
  }
  const Split parts = split(static_cast<int>(A.cols()), empty);
  const auto rest = static_cast<int>(parts.left.size());
  SignCount count;
  MatrixXd inner(rest, 0);
  if (rest > 0) {
    std::vector<SparseMatrix> others;
    for (const SparseMatrix& other : rounded) {
      others.push_back(select(other, parts.left, parts.placeOfLeft, rest));
    }
    std::vector<bool> areConstraints;
    std::vector<int> innerGroups;
    for (const int u : parts.left) {
      areConstraints.push_back(isConstraint[u]);
      if (!groups.empty()) innerGroups.push_back(groups[u]);
    }
    const SparseMatrix part = select(A, parts.left, parts.placeOfLeft, rest);
    const std::optional<SignCount> found = Signs(part, others, areConstraints, innerGroups).find();
    if (!found) return std::nullopt;
    count.negative = found->negative;
    inner = found->neutral;
  }
  const auto free = static_cast<Eigen::Index>(empty.size());
  count.neutral = MatrixXd::Zero(A.rows(), inner.cols() + free);
  for (int i = 0; i < rest; ++i) count.neutral.row(parts.left[i]).head(inner.cols()) = inner.row(i);
  for (Eigen::Index k = 0; k < free; ++k) count.neutral(empty[k], inner.cols() + k) = 1.0;
  return count;
}

}  // namespace flexloop::linalg
