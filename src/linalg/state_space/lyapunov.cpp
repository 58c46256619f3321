#include "linalg/state_space/lyapunov.hpp"

#include "linalg/solvers/lapack.hpp"

namespace flexloop::linalg {

using Eigen::MatrixXd;

// With A = U T Uᵀ the equation is T Y + Y Tᵀ = −Uᵀ Q U, which is solved from its last row and column on.
base::Result<MatrixXd> solveLyapunov(const MatrixXd& A, const MatrixXd& Q) {
  const int n = static_cast<int>(A.rows());
  if (n == 0) return MatrixXd(0, 0);
  MatrixXd T = A, U(n, n);
  Eigen::VectorXd re(n), im(n);
  int sorted = 0;
  if (LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'N', nullptr, n, T.data(), n, &sorted, re.data(),
                    im.data(), U.data(), n) != 0) {
    return base::numericalFailure("the roots of a system could not be found");
  }
  MatrixXd Y = -(U.transpose() * Q * U);
  double scale = 1.0;
  const int status = LAPACKE_dtrsyl(LAPACK_COL_MAJOR, 'N', 'T', 1, n, n, T.data(), n, T.data(), n,
                                    Y.data(), n, &scale);
  if (status != 0 || !(scale > 0.0) || !Y.allFinite()) {
    return base::numericalFailure(
        "Lyapunov's equation has no unique solution: two roots of the system add up to zero",
        "a system with roots on the imaginary axis has no finite Gramian");
  }
  const MatrixXd X = U * (Y / scale) * U.transpose();
  return MatrixXd(0.5 * (X + X.transpose()));
}

// Smith's doubling: X = Σ Aᵏ Q Aᵏᵀ, of which every round sums twice as many terms.
base::Result<MatrixXd> solveDiscreteLyapunov(const MatrixXd& A, const MatrixXd& Q) {
  constexpr int kMostRounds = 60;
  MatrixXd X = Q, power = A;
  for (int round = 0; round < kMostRounds; ++round) {
    const MatrixXd more = power * X * power.transpose();
    X += more;
    if (!X.allFinite()) break;
    if (more.norm() <= 1e-17 * X.norm()) return MatrixXd(0.5 * (X + X.transpose()));
    power = (power * power).eval();
  }
  return base::numericalFailure("a sampled system has roots on or outside the unit circle",
                                "only a stable system has a finite Gramian");
}

}  // namespace flexloop::linalg
