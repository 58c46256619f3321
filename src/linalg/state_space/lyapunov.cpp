#include "linalg/state_space/lyapunov.hpp"

#include "linalg/solvers/lapack.hpp"

namespace flexloop::linalg {

using Eigen::MatrixXd;

namespace {

// A = U T Uᵀ
struct RealSchur {
  MatrixXd U, T;
  bool ok = true;

  explicit RealSchur(const MatrixXd& A) : U(A.rows(), A.rows()), T(A) {
    const int n = static_cast<int>(A.rows());
    Eigen::VectorXd re(n), im(n);
    int sorted = 0;
    ok = n == 0 || LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'N', nullptr, n, T.data(), n, &sorted,
                                 re.data(), im.data(), U.data(), n) == 0;
  }
};

// With A = U T Uᵀ and B = V S Vᵀ the equation is T Y + Y Sᵀ = −Uᵀ Q V, which is solved from its last row and column on.
base::Result<MatrixXd> solve(const RealSchur& a, const RealSchur& b, const MatrixXd& Q) {
  if (!a.ok || !b.ok) return base::numericalFailure("the roots of a system could not be found");
  const int n = static_cast<int>(a.T.rows()), m = static_cast<int>(b.T.rows());
  if (n == 0 || m == 0) return MatrixXd(n, m);
  MatrixXd Y = -(a.U.transpose() * Q * b.U);
  double scale = 1.0;
  const int status = LAPACKE_dtrsyl(LAPACK_COL_MAJOR, 'N', 'T', 1, n, m, a.T.data(), n, b.T.data(),
                                    m, Y.data(), n, &scale);
  if (status != 0 || !(scale > 0.0) || !Y.allFinite()) {
    return base::numericalFailure(
        "Lyapunov's equation has no unique solution: two roots of the system add up to zero",
        "a system with roots on the imaginary axis has no finite Gramian");
  }
  return MatrixXd(a.U * (Y / scale) * b.U.transpose());
}

}  // namespace

base::Result<MatrixXd> solveLyapunov(const MatrixXd& A, const MatrixXd& Q) {
  const RealSchur schur(A);
  const base::Result<MatrixXd> X = solve(schur, schur, Q);
  if (!X) return X.failure();
  return MatrixXd(0.5 * (X.value() + X.value().transpose()));
}

base::Result<MatrixXd> solveSylvester(const MatrixXd& A, const MatrixXd& B, const MatrixXd& Q) {
  return solve(RealSchur(A), RealSchur(B), Q);
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
