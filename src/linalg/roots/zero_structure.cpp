#include "linalg/roots/zero_structure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "linalg/dense/least_squares.hpp"
#include "linalg/dense/svd.hpp"
#include "linalg/roots/all_roots.hpp"
#include "linalg/roots/fixed_vector.hpp"
#include "linalg/roots/root_refinement.hpp"
#include "linalg/solvers/complex_solver.hpp"
#include "linalg/solvers/exact_product.hpp"

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Directions in which P(0) z is this many roundings of its terms go to the border. Too many do no harm: those that are
// not zero make F₀. Too few leave it singular, and more are taken.
constexpr double kClose[] = {1e3, 1e5};
constexpr double kBesideZero[] = {1e-14, 1e-10, 1e-7};
constexpr int kSpare = 3, kMostVectors = 120, kProducts = 2, kRefinements = 3;
constexpr int kLongestChain = 10, kTerms = 6;
// Sums of rounded terms may be off by this many roundings of each.
constexpr double kRoundings = 16.0;
// The border is full. It is scaled by this, so that none of it becomes a pivot before P(0) itself has none left: the factors
// would be full too.
constexpr double kFaint = 0x1p-30;
constexpr double kSettled = 1e-12;
constexpr int kMostSteps = 20;

struct CloseVectors {
  MatrixXd right, left;  // orthonormal, as many on both sides
};

// By inverse iteration with a block that is larger than what it finds.
class BlockIteration {
 public:
  BlockIteration(const QuadraticPencil& pencil, const std::vector<int>& groups)
      : pencil_(pencil), transposed_(pencil.K.transpose()) {
    for (const double shift : kBesideZero) {
      const SparseMatrixC P = evaluate(pencil, shift);
      if (solver_ == nullptr) solver_ = makeComplexSparseSolver(P, groups);
      if (solver_ != nullptr && solver_->factorize(P).ok) return;
    }
    solver_.reset();
  }

  std::optional<CloseVectors> find(int expected, double closeness) {
    if (solver_ == nullptr) return std::nullopt;
    const int n = pencil_.size();
    for (int width = std::min(n, expected + kSpare);; width = std::min(n, 2 * width)) {
      const Side right = iterate(width, false, closeness), left = iterate(width, true, closeness);
      const int count = std::max(right.close, left.close);
      if (!right.X.allFinite() || !left.X.allFinite() || count > kMostVectors) return std::nullopt;
      if (count + kSpare > width && width < n) continue;
      return CloseVectors{right.X.rightCols(count), left.X.rightCols(count)};
    }
  }

 private:
  struct Side {
    MatrixXd X;  // the closest last
    int close = 0;
  };

  Side iterate(int width, bool isLeft, double closeness) {
    MatrixXd X(pencil_.size(), width);
    for (int j = 0; j < width; ++j) X.col(j) = makeFixedVector(pencil_.size(), j);
    for (int k = 0; k < kProducts; ++k) {
      for (int j = 0; j < width; ++j) {
        Eigen::VectorXcd x = X.col(j).cast<Complex>();
        if (isLeft) {
          solver_->solveTransposed(x);
        } else {
          solver_->solve(x);
        }
        X.col(j) = x.real().normalized();
      }
      X = orthonormalize(X);
    }
    const SparseMatrix& K = isLeft ? transposed_ : pencil_.K;
    Side side{X * findSvd(findTriangle(K * X)).V, 0};
    for (int j = width; j-- > 0;) {
      const VectorXd z = side.X.col(j);
      const double terms = (K.cwiseAbs() * z.cwiseAbs()).norm();
      if ((K * z).norm() > closeness * kEpsilon * std::max(terms, kEpsilon)) break;
      ++side.close;
    }
    return side;
  }

  const QuadraticPencil& pencil_;
  SparseMatrix transposed_;
  std::unique_ptr<ComplexSparseSolver> solver_;
};

// The sizes of the terms that entries of K are sums of. A stiffness K = Σ Bᵀ D B of springs and beams, turned into their
// directions, has by Cauchy and Schwarz at most √(K_ii K_jj) of them in K_ij, and what is left of them may be far less. Rows
// of controllers and constraints are not symmetric, or have no diagonal, and are what they are.
SparseMatrix calcTermSizes(const SparseMatrix& K) {
  constexpr double kSymmetric = 1e-6;
  const SparseMatrix transposed = K.transpose();
  const VectorXd diagonal = K.diagonal().cwiseAbs();
  SparseMatrix sizes = K.cwiseAbs();
  for (int j = 0; j < K.outerSize(); ++j) {
    SparseMatrix::InnerIterator other(transposed, j);
    for (SparseMatrix::InnerIterator it(K, j), size(sizes, j); it; ++it, ++size) {
      while (other && other.row() < it.row()) ++other;
      if (it.value() == 0.0 || !other || other.row() != it.row()) continue;
      const double terms = std::sqrt(diagonal[it.row()] * diagonal[j]);
      if (std::abs(it.value() - other.value()) > kSymmetric * terms) continue;
      size.valueRef() = std::max(size.value(), terms);
    }
  }
  return sizes;
}

// F_k with what rounding may have made of each entry.
struct Term {
  MatrixXd F, noise;
};

// The coefficients of (18.12), one after the other.
class BorderedSolution {
 public:
  BorderedSolution(const QuadraticPencil& pencil, const std::vector<int>& groups,
                   const CloseVectors& close)
      : pencil_(pencil), close_(close) {
    const int n = pencil.size(), g = size();
    std::vector<Eigen::Triplet<double, int>> entries;
    for (int j = 0; j < n; ++j) {
      for (SparseMatrix::InnerIterator it(pencil.K, j); it; ++it) {
        entries.emplace_back(static_cast<int>(it.row()), j, it.value());
      }
    }
    for (int j = 0; j < g; ++j) {
      for (int i = 0; i < n; ++i) {
        if (close.left(i, j) != 0.0) entries.emplace_back(i, n + j, kFaint * close.left(i, j));
        if (close.right(i, j) != 0.0) entries.emplace_back(n + j, i, kFaint * close.right(i, j));
      }
    }
    SparseMatrix matrix(n + g, n + g);
    matrix.setFromTriplets(entries.begin(), entries.end());
    std::vector<int> all = groups;
    if (!all.empty()) all.resize(n + g, *std::max_element(groups.begin(), groups.end()) + 1);
    solver_ = makeSparseSolver(matrix, SolverChoice::kKlu, all);
    if (solver_ != nullptr && !solver_->factorize(matrix).ok) solver_.reset();
    absolute_[0] = calcTermSizes(pencil.K);
    absolute_[1] = pencil.C.cwiseAbs();
    absolute_[2] = pencil.M.cwiseAbs();
  }

  bool ok() const { return solver_ != nullptr; }
  int size() const { return static_cast<int>(close_.right.cols()); }
  const MatrixXd& X(int k) const { return X_[k]; }
  const std::vector<Term>& terms() const { return terms_; }

  // Up to the power `last`; false if the border does not make P(0) regular.
  bool calc(int last) {
    while (static_cast<int>(terms_.size()) <= last) {
      if (!calcNext()) return false;
    }
    return true;
  }

 private:
  void solve(VectorXd& rest) const {
    rest.tail(size()) *= kFaint;
    solver_->solve(rest);
    rest.tail(size()) *= kFaint;
  }

  bool calcNext() {
    const auto k = static_cast<int>(terms_.size());
    const int n = pencil_.size(), g = size();
    MatrixXd right = MatrixXd::Zero(n, g);
    if (k >= 1) right -= pencil_.C * X_[k - 1];
    if (k >= 2) right -= pencil_.M * X_[k - 2];
    MatrixXd X(n, g), F(g, g), unsettled(g, g);
    for (int j = 0; j < g; ++j) {
      VectorXd bottom = VectorXd::Zero(g);
      if (k == 0) bottom[j] = 1.0;
      VectorXd x = VectorXd::Zero(n + g);
      VectorXd lastChange;
      double last = INFINITY;
      for (int round = 0; round <= kRefinements; ++round) {
        VectorXd rest(n + g);
        rest.head(n) = right.col(j) - applyExactly({&pencil_.K}, 0.0, VectorXd(x.head(n))) -
                       close_.left * x.tail(g);
        rest.tail(g) = bottom - close_.right.transpose() * x.head(n);
        solve(rest);
        last = rest.norm();
        lastChange = rest.tail(g);
        x += rest;
      }
      if (!(last <= 1e-8 * x.norm())) return false;
      X.col(j) = x.head(n);
      F.col(j) = x.tail(g);
      unsettled.col(j) = lastChange.cwiseAbs();
    }
    X_.push_back(std::move(X));
    MatrixXd sizes = MatrixXd::Zero(n, g);
    for (int m = 0; m <= std::min(k, 2); ++m) sizes += absolute_[m] * X_[k - m].cwiseAbs();
    // Where all terms of an equation are round-off themselves, its solution shows how far it settles.
    const MatrixXd noise =
        kRoundings * (kEpsilon * close_.left.cwiseAbs().transpose() * sizes).cwiseMax(unsettled);
    F = (F.cwiseAbs().array() <= noise.array()).select(0.0, F);
    terms_.push_back({std::move(F), noise});
    return true;
  }

  const QuadraticPencil& pencil_;
  const CloseVectors& close_;
  std::unique_ptr<SparseSolver> solver_;
  SparseMatrix absolute_[3];
  std::vector<MatrixXd> X_;
  std::vector<Term> terms_;
};

// Gaussian elimination with the pivot that stands out most from its rounding.
int findRank(MatrixXd A, MatrixXd noise) {
  const Eigen::Index n = A.rows();
  int rank = 0;
  for (; rank < n; ++rank) {
    double best = 1.0;
    Eigen::Index row = -1, column = -1;
    for (Eigen::Index j = rank; j < n; ++j) {
      for (Eigen::Index i = rank; i < n; ++i) {
        const double size = std::abs(A(i, j));
        const double ratio = size == 0.0 ? 0.0 : noise(i, j) > 0.0 ? size / noise(i, j) : INFINITY;
        if (ratio <= best) continue;
        best = ratio;
        row = i;
        column = j;
      }
    }
    if (row < 0) break;
    A.row(rank).swap(A.row(row));
    noise.row(rank).swap(noise.row(row));
    A.col(rank).swap(A.col(column));
    noise.col(rank).swap(noise.col(column));
    const Eigen::Index left = n - rank - 1;
    const VectorXd factors = A.col(rank).tail(left) / A(rank, rank);
    const VectorXd factorNoise =
        (noise.col(rank).tail(left) + factors.cwiseAbs() * noise(rank, rank)) /
        std::abs(A(rank, rank));
    const Eigen::RowVectorXd pivots = A.row(rank).tail(left);
    noise.bottomRightCorner(left, left) += factors.cwiseAbs() * noise.row(rank).tail(left) +
                                           factorNoise * pivots.cwiseAbs() +
                                           kEpsilon * factors.cwiseAbs() * pivots.cwiseAbs();
    A.bottomRightCorner(left, left) -= factors * pivots;
  }
  return rank;
}

// Σ of the lengths of all chains: the dimension of the kernel of the triangular Toeplitz matrix of F₀ … F_k, when it
// no longer grows with k.
std::optional<int> countZeros(BorderedSolution& solution) {
  const int g = solution.size();
  int last = 0;
  for (int k = 0; k <= kLongestChain; ++k) {
    if (!solution.calc(k)) return std::nullopt;
    const int size = (k + 1) * g;
    MatrixXd T = MatrixXd::Zero(size, size), noise = MatrixXd::Zero(size, size);
    for (int i = 0; i <= k; ++i) {
      for (int j = 0; j <= i; ++j) {
        T.block(i * g, j * g, g, g) = solution.terms()[i - j].F;
        noise.block(i * g, j * g, g, g) = solution.terms()[i - j].noise;
      }
    }
    const int kernel = size - findRank(std::move(T), std::move(noise));
    if (k > 0 && kernel == last) return kernel;
    last = kernel;
  }
  return std::nullopt;
}

// The solutions of F₀ c = 0.
MatrixXd findKernel(const Term& term) {
  const auto g = term.F.rows();
  const int rank = findRank(term.F, term.noise);
  if (rank == 0) return MatrixXd::Identity(g, g);
  return findSvd(term.F).V.rightCols(g - rank);
}

template <typename Get>
Eigen::MatrixXcd sumOf(const std::vector<Term>& terms, Complex s, Get get) {
  Eigen::MatrixXcd sum = Eigen::MatrixXcd::Zero(terms[0].F.rows(), terms[0].F.cols());
  Complex power = 1.0;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    sum += get(k, power, terms[k]);
    power *= s;
  }
  return sum;
}

// One root of F(s) from an approximation, by Newton's method with its singular vectors.
std::optional<Eigenpair> settleRoot(const BorderedSolution& solution, Complex s) {
  const std::vector<Term>& terms = solution.terms();
  Eigen::VectorXcd left, right;
  for (int step = 0; step < kMostSteps; ++step) {
    const Eigen::MatrixXcd F =
        sumOf(terms, s, [](std::size_t, Complex power, const Term& t) -> Eigen::MatrixXcd {
          return power * t.F.cast<Complex>();
        });
    const Eigen::MatrixXcd slope =
        sumOf(terms, s, [&](std::size_t k, Complex power, const Term& t) -> Eigen::MatrixXcd {
          return k == 0 ? Eigen::MatrixXcd::Zero(t.F.rows(), t.F.cols()).eval()
                        : (static_cast<double>(k) * power / s * t.F.cast<Complex>()).eval();
        });
    const Svd<Complex> svd = findSvd(F);
    left = svd.U.rightCols(1);
    right = svd.V.rightCols(1);
    const Complex change = -left.dot(F * right) / left.dot(slope * right);
    if (!std::isfinite(std::abs(change))) return std::nullopt;
    s += change;
    if (s == 0.0) return std::nullopt;
    if (std::abs(change) > kSettled * std::abs(s)) continue;
    const double noise =
        (left.cwiseAbs().transpose() *
         sumOf(terms, std::abs(s),
               [](std::size_t, Complex power, const Term& t) -> Eigen::MatrixXcd {
                 // What is zero by structure is not noise.
                 return power * (t.F.array() == 0.0).select(0.0, t.noise).matrix().cast<Complex>();
               })
             .real() *
         right.cwiseAbs())
            .value();
    Eigenpair pair;
    pair.value = s;
    pair.uncertainty = noise / kRoundings / std::abs(left.dot(slope * right));
    Complex power = 1.0;
    pair.vector = Eigen::VectorXcd::Zero(solution.X(0).rows());
    for (std::size_t k = 0; k < terms.size(); ++k, power *= s) {
      pair.vector += power * (solution.X(static_cast<int>(k)) * right);
    }
    pair.vector.normalize();
    return pair;
  }
  return std::nullopt;
}

// Those of F₀ + s F₁ + s² F₂ lead to those of all terms.
std::vector<Eigenpair> findOther(const QuadraticPencil& pencil, BorderedSolution& solution) {
  if (!solution.calc(kTerms)) return {};
  const std::vector<Term>& terms = solution.terms();
  const QuadraticPencil small{terms[0].F.sparseView(), terms[1].F.sparseView(),
                              terms[2].F.sparseView()};
  const AllRoots roots = findAllRoots(small);
  std::vector<Eigenpair> others;
  for (const Eigenpair& root : roots.pairs) {
    if (mayBeZero(root)) continue;
    std::optional<Eigenpair> pair = settleRoot(solution, root.value);
    // Beyond the next root the terms do not end.
    if (!pair || std::abs(pair->value - root.value) > 0.1 * std::abs(root.value)) continue;
    pair->residual = calcResidual(pencil, pair->value, pair->vector);
    others.push_back(std::move(*pair));
  }
  return others;
}

// Where all powers of s fall below the rounding of F₀. Damping may be nothing but rounding itself, and mass then counts.
double findResolution(const std::vector<Term>& terms) {
  const double noise = terms[0].noise.maxCoeff() / kRoundings;
  double resolution = std::numeric_limits<double>::infinity();
  for (std::size_t k = 1; k < terms.size(); ++k) {
    const double size = terms[k].F.cwiseAbs().maxCoeff();
    if (size == 0.0) continue;
    resolution = std::min(resolution, std::pow(noise / size, 1.0 / static_cast<double>(k)));
  }
  return std::isfinite(resolution) ? resolution : 0.0;
}

ZeroStructure calcStructure(const QuadraticPencil& pencil, const std::vector<int>& groups,
                            const CloseVectors& close) {
  ZeroStructure structure;
  structure.vectors.resize(pencil.size(), 0);
  structure.ok = close.right.cols() == 0;
  if (structure.ok) return structure;
  BorderedSolution solution(pencil, groups, close);
  if (!solution.ok()) return structure;
  const std::optional<int> zeros = countZeros(solution);
  if (!zeros) return structure;
  structure.ok = true;
  structure.multiplicity = *zeros;
  const MatrixXd kernel = findKernel(solution.terms()[0]);
  if (kernel.cols() > 0) structure.vectors = orthonormalize(solution.X(0) * kernel);
  structure.other = findOther(pencil, solution);
  structure.resolution = findResolution(solution.terms());
  return structure;
}

}  // namespace

ZeroStructure findZeroStructure(const QuadraticPencil& pencil, const std::vector<int>& groups,
                                int expected) {
  ZeroStructure structure;
  BlockIteration iteration(pencil, groups);
  for (const double closeness : kClose) {
    const std::optional<CloseVectors> close = iteration.find(expected, closeness);
    if (!close) break;
    structure = calcStructure(pencil, groups, *close);
    if (structure.ok) break;
  }
  return structure;
}

}  // namespace flexloop::linalg
