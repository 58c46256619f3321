#include "linalg/state_space/balanced_truncation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "linalg/dense/eigenvalues.hpp"
#include "linalg/dense/svd.hpp"
#include "linalg/state_space/block_diagonal.hpp"
#include "linalg/state_space/lyapunov.hpp"
#include "linalg/state_space/minimal_form.hpp"

namespace flexloop::linalg {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Complex = std::complex<double>;

// Of the fastest root: slower ones are at zero, where a chain of integrators has its roots after rounding.
constexpr double kAtZero = 1e-7;
// Of its own modulus: less damping is none.
constexpr double kUndamped = 1e-10;
// Of the largest: roots nearer to each other are not taken apart.
constexpr double kClosest = 1e-8;

// Columns and rows with real numbers of one block: of a pair √2 times the real and imaginary parts.
void addBlock(const RootBlock& block, MatrixXd& X, MatrixXd& Y) {
  const Index n = block.X.cols(), add = block.isReal ? n : 2 * n, old = X.cols();
  X.conservativeResize(Eigen::NoChange, old + add);
  Y.conservativeResize(old + add, Eigen::NoChange);
  if (block.isReal) {
    X.rightCols(n) = block.X.real();
    Y.bottomRows(n) = block.Y.real();
    return;
  }
  const double root = std::sqrt(2.0);
  X.middleCols(old, n) = root * block.X.real();
  X.rightCols(n) = root * block.X.imag();
  Y.middleRows(old, n) = root * block.Y.real();
  Y.bottomRows(n) = -root * block.Y.imag();
}

StateMatrices takePart(const StateMatrices& s, const MatrixXd& X, const MatrixXd& Y) {
  return {Y * s.A * X, Y * s.B, s.C * X, MatrixXd::Zero(s.D.rows(), s.D.cols())};
}

// X with P = X Xᵀ; what rounding made negative is nothing.
base::Result<MatrixXd> findRoot(const MatrixXd& P) {
  const auto system = findSymmetricEigensystem(P);
  if (!system) return base::numericalFailure("a Gramian could not be factored");
  return MatrixXd(system->vectors * system->values.cwiseMax(0.0).cwiseSqrt().asDiagonal());
}

}  // namespace

base::Result<SplitSystem> splitStable(const StateMatrices& system) {
  const StateMatrices s = balanceStates(system);
  const Index n = s.A.rows();
  double fastest = 0.0;
  if (n > 0) fastest = findEigenvaluesOfReal(s.A).cwiseAbs().maxCoeff();
  MatrixXd stableX(n, 0), stableY(0, n), keptX(n, 0), keptY(0, n);
  std::vector<RootBlock> blocks;
  try {
    blocks = findRootBlocks(s.A, kClosest * fastest);
  } catch (const std::runtime_error& error) {
    return base::numericalFailure(error.what());
  }
  for (const RootBlock& block : blocks) {
    bool isStable = true;
    for (const Complex& root : findEigenvalues(block.A)) {
      const double size = std::abs(root);
      isStable = isStable && size > kAtZero * fastest && root.real() < -kUndamped * size;
    }
    addBlock(block, isStable ? stableX : keptX, isStable ? stableY : keptY);
  }
  SplitSystem split{takePart(s, stableX, stableY), takePart(s, keptX, keptY)};
  split.stable.D = s.D;
  return split;
}

// The square-root method: with P = S Sᵀ, Q = R Rᵀ and Rᵀ S = U Σ Vᵀ the bases are S V Σ^(−1/2) and R U Σ^(−1/2).
base::Result<BalancedTruncation> truncateBalanced(const StateMatrices& system, int order) {
  const base::Result<SplitSystem> split = splitStable(system);
  if (!split) return split.failure();
  const StateMatrices &stable = split.value().stable, &kept = split.value().kept;
  BalancedTruncation result;
  result.keptApart = kept.countStates();
  if (order < result.keptApart) {
    return base::Failure{"an order of " + std::to_string(order) +
                             " is too low: " + std::to_string(result.keptApart) +
                             " states move freely or grow and cannot be left out",
                         "give an order of at least " + std::to_string(result.keptApart)};
  }
  const base::Result<MatrixXd> P =
      solveLyapunov(stable.A, MatrixXd(stable.B * stable.B.transpose()));
  if (!P) return P.failure();
  const base::Result<MatrixXd> Q =
      solveLyapunov(stable.A.transpose(), MatrixXd(stable.C.transpose() * stable.C));
  if (!Q) return Q.failure();
  const base::Result<MatrixXd> S = findRoot(P.value()), R = findRoot(Q.value());
  if (!S) return S.failure();
  if (!R) return R.failure();
  const Svd<double> svd = findSvd(MatrixXd(R.value().transpose() * S.value()), SvdForm::kThin);
  result.hankel = svd.values;
  const Index n = stable.A.rows();
  const double least = n > 0 ? std::numeric_limits<double>::epsilon() * result.hankel[0] : 0.0;
  Index r = std::min<Index>(order - result.keptApart, n);
  while (r > 0 && !(result.hankel[r - 1] > least)) --r;
  const Eigen::VectorXd units = svd.values.head(r).cwiseSqrt().cwiseInverse();
  const MatrixXd X = S.value() * svd.V.leftCols(r) * units.asDiagonal();
  const MatrixXd Y = units.asDiagonal() * svd.U.leftCols(r).transpose() * R.value().transpose();
  result.bound = 2.0 * result.hankel.tail(n - r).sum();
  const StateMatrices part = takePart(stable, X, Y);
  const Index k = kept.A.rows();
  StateMatrices& whole = result.system;
  whole.A.setZero(k + r, k + r);
  whole.A.topLeftCorner(k, k) = kept.A;
  whole.A.bottomRightCorner(r, r) = part.A;
  whole.B.resize(k + r, stable.B.cols());
  whole.B << kept.B, part.B;
  whole.C.resize(stable.C.rows(), k + r);
  whole.C << kept.C, part.C;
  whole.D = system.D;
  return result;
}

}  // namespace flexloop::linalg
