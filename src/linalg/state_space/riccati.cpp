#include "linalg/state_space/riccati.hpp"

#include <cmath>
#include <limits>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/solvers/lapack.hpp"
#include "linalg/state_space/lyapunov.hpp"

namespace flexloop::linalg {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Of the largest term: what is left after Newton's steps of a solution that can be used.
constexpr double kLargestResidual = 1e-6;
constexpr int kMostSteps = 12;

lapack_logical isLeft(const double* re, const double*) {
  return *re < 0.0 ? 1 : 0;
}

lapack_logical isInside(const double* re, const double* im, const double* divisor) {
  return std::hypot(*re, *im) < std::abs(*divisor) ? 1 : 0;
}

base::Failure noSubspace() {
  return base::numericalFailure(
      "Riccati's equation has no stabilising solution: roots of its Hamiltonian matrix are on the "
      "stability limit",
      "an unstable or undamped motion is not reached by the inputs, or not seen by the weights");
}

// X = U₂ U₁⁻¹ of a basis of the stable subspace; not finite where U₁ is singular.
MatrixXd findSlope(const MatrixXd& basis) {
  const Index n = basis.cols();
  const MatrixXd U1 = basis.topRows(n), U2 = basis.bottomRows(n);
  const MatrixXd X = solveDense(MatrixXd(U1.transpose()), MatrixXd(U2.transpose())).transpose();
  return 0.5 * (X + X.transpose());
}

struct Equation {
  const MatrixXd &A, &G, &Q;

  MatrixXd residual(const MatrixXd& X) const {
    const MatrixXd AX = A.transpose() * X;
    return AX + AX.transpose() - X * G * X + Q;
  }
  double size(const MatrixXd& X) const {
    return 2.0 * (A.transpose() * X).norm() + (X * G * X).norm() + Q.norm();
  }
};

// Newton's method (Kleinman): (A − G X)ᵀ ΔX + ΔX (A − G X) + r(X) = 0.                             (39.3)
double refine(const Equation& equation, MatrixXd& X) {
  MatrixXd r = equation.residual(X);
  double best = r.norm() / std::max(equation.size(X), std::numeric_limits<double>::min());
  for (int step = 0; step < kMostSteps && best > kEpsilon; ++step) {
    const MatrixXd closed = equation.A - equation.G * X;
    const base::Result<MatrixXd> change = solveLyapunov(closed.transpose(), r);
    if (!change) break;
    const MatrixXd next = X + change.value();
    const MatrixXd nextResidual = equation.residual(next);
    const double share = nextResidual.norm() / equation.size(next);
    if (!(share < best)) break;
    const bool isDone = share > 0.5 * best;
    X = next;
    r = nextResidual;
    best = share;
    if (isDone) break;
  }
  return best;
}

bool isStable(const Eigen::VectorXcd& roots) {
  for (const std::complex<double>& root : roots) {
    if (!(root.real() < 0.0)) return false;
  }
  return true;
}

}  // namespace

VectorXd findHamiltonianUnits(const MatrixXd& A, const MatrixXd& G, const MatrixXd& Q) {
  constexpr int kRounds = 30;
  const Index n = A.rows();
  VectorXd d = VectorXd::Ones(n);
  for (int round = 0; round < kRounds; ++round) {
    bool isChanged = false;
    for (Index i = 0; i < n; ++i) {
      double row = 0.0, column = 0.0;
      for (Index k = 0; k < n; ++k) {
        row += std::abs(G(i, k)) / (d[i] * d[k]);
        column += std::abs(Q(i, k)) * d[i] * d[k];
        if (k == i) continue;
        row += std::abs(A(i, k)) * d[k] / d[i];
        column += std::abs(A(k, i)) * d[i] / d[k];
      }
      if (!(row > 0.0) || !(column > 0.0)) continue;
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (factor == 1.0 || !std::isfinite(factor)) continue;
      d[i] *= factor;
      isChanged = true;
    }
    if (!isChanged) break;
  }
  return d;
}

base::Result<RiccatiSolution> solveRiccati(const MatrixXd& A, const MatrixXd& G,
                                           const MatrixXd& Q) {
  const int n = static_cast<int>(A.rows());
  RiccatiSolution solution;
  if (n == 0) {
    solution.X.resize(0, 0);
    return solution;
  }
  if (!A.allFinite() || !G.allFinite() || !Q.allFinite()) {
    return base::numericalFailure("Riccati's equation has coefficients that are not finite");
  }
  const VectorXd d = findHamiltonianUnits(A, G, Q), inverse = d.cwiseInverse();
  const MatrixXd As = inverse.asDiagonal() * A * d.asDiagonal();
  const MatrixXd Gs = inverse.asDiagonal() * G * inverse.asDiagonal();
  const MatrixXd Qs = d.asDiagonal() * Q * d.asDiagonal();
  MatrixXd H(2 * n, 2 * n), U(2 * n, 2 * n);
  H << As, -Gs, -Qs, -As.transpose();
  VectorXd re(2 * n), im(2 * n);
  int stable = 0;
  const int status = LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'S', isLeft, 2 * n, H.data(), 2 * n,
                                   &stable, re.data(), im.data(), U.data(), 2 * n);
  // A status above 2n says that reordering moved roots across the axis.
  if (status != 0 || stable != n) return noSubspace();
  solution.distance = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 2 * n; ++i) {
    solution.distance = std::min(solution.distance, std::abs(re[i]) / std::hypot(re[i], im[i]));
  }
  MatrixXd X = findSlope(U.leftCols(n));
  if (!X.allFinite()) return noSubspace();
  solution.residual = refine({As, Gs, Qs}, X);
  solution.roots = findEigenvaluesOfReal(As - Gs * X);
  if (!(solution.residual <= kLargestResidual) || !isStable(solution.roots)) {
    return base::numericalFailure(
        "Riccati's equation could not be solved with any accuracy",
        "the plant has motions of very different size or speed: reduce it, or use other weights");
  }
  solution.X = inverse.asDiagonal() * X * inverse.asDiagonal();
  return solution;
}

namespace {

// K = (R + Bᵀ X B)⁻¹ Bᵀ X A
MatrixXd findSampledGain(const MatrixXd& A, const MatrixXd& B, const MatrixXd& R,
                         const MatrixXd& X) {
  return solveDense(MatrixXd(R + B.transpose() * X * B), MatrixXd(B.transpose() * X * A));
}

MatrixXd calcSampledResidual(const MatrixXd& A, const MatrixXd& B, const MatrixXd& Q,
                             const MatrixXd& R, const MatrixXd& X) {
  const MatrixXd K = findSampledGain(A, B, R, X);
  const MatrixXd r = A.transpose() * X * (A - B * K) - X + Q;
  return 0.5 * (r + r.transpose());
}

}  // namespace

base::Result<RiccatiSolution> solveDiscreteRiccati(const MatrixXd& A, const MatrixXd& B,
                                                   const MatrixXd& Q, const MatrixXd& R) {
  const int n = static_cast<int>(A.rows());
  RiccatiSolution solution;
  const MatrixXd G = B * solveDense(R, MatrixXd(B.transpose()));
  if (n == 0) return solution;
  if (!A.allFinite() || !G.allFinite() || !Q.allFinite()) {
    return base::numericalFailure("Riccati's equation has coefficients that are not finite");
  }
  const VectorXd d = findHamiltonianUnits(A, G, Q), inverse = d.cwiseInverse();
  const MatrixXd As = inverse.asDiagonal() * A * d.asDiagonal(), Bs = inverse.asDiagonal() * B;
  const MatrixXd Gs = inverse.asDiagonal() * G * inverse.asDiagonal();
  const MatrixXd Qs = d.asDiagonal() * Q * d.asDiagonal();
  // [A 0; −Q 1] z(k) = [1 G; 0 Aᵀ] z(k + 1)
  MatrixXd left = MatrixXd::Zero(2 * n, 2 * n), right = left, U(2 * n, 2 * n), V(2 * n, 2 * n);
  left.topLeftCorner(n, n) = As;
  left.bottomLeftCorner(n, n) = -Qs;
  left.bottomRightCorner(n, n).setIdentity();
  right.topLeftCorner(n, n).setIdentity();
  right.topRightCorner(n, n) = Gs;
  right.bottomRightCorner(n, n) = As.transpose();
  VectorXd re(2 * n), im(2 * n), divisor(2 * n);
  int inside = 0;
  const int status = LAPACKE_dgges(LAPACK_COL_MAJOR, 'V', 'V', 'S', isInside, 2 * n, left.data(),
                                   2 * n, right.data(), 2 * n, &inside, re.data(), im.data(),
                                   divisor.data(), V.data(), 2 * n, U.data(), 2 * n);
  if (status != 0 || inside != n) return noSubspace();
  MatrixXd X = findSlope(U.leftCols(n));
  if (!X.allFinite()) return noSubspace();
  const auto shareOf = [&](const MatrixXd& at, const MatrixXd& r) {
    return r.norm() / ((As.transpose() * at * As).norm() + at.norm() + Qs.norm());
  };
  MatrixXd r = calcSampledResidual(As, Bs, Qs, R, X);
  solution.residual = shareOf(X, r);
  for (int step = 0; step < kMostSteps && solution.residual > kEpsilon; ++step) {
    const MatrixXd closed = As - Bs * findSampledGain(As, Bs, R, X);
    const base::Result<MatrixXd> change = solveDiscreteLyapunov(closed.transpose(), r);
    if (!change) break;
    const MatrixXd next = X + change.value();
    const MatrixXd nextResidual = calcSampledResidual(As, Bs, Qs, R, next);
    if (!(shareOf(next, nextResidual) < solution.residual)) break;
    X = next;
    r = nextResidual;
    solution.residual = shareOf(X, r);
  }
  solution.roots =
      findEigenvalues((As - Bs * findSampledGain(As, Bs, R, X)).cast<std::complex<double>>());
  solution.distance = 1.0 - solution.roots.cwiseAbs().maxCoeff();
  if (!(solution.residual <= kLargestResidual) || !(solution.distance > 0.0)) return noSubspace();
  solution.X = inverse.asDiagonal() * X * inverse.asDiagonal();
  return solution;
}

}  // namespace flexloop::linalg
