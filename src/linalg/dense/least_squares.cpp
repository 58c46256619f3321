#include "linalg/dense/least_squares.hpp"

#include <Eigen/QR>

namespace flexloop::linalg {

using Eigen::MatrixXd;

MatrixXd orthonormalize(const MatrixXd& X) {
  const Eigen::HouseholderQR<MatrixXd> qr(X);
  return qr.householderQ() * MatrixXd::Identity(X.rows(), X.cols());
}

MatrixXd findTriangle(const MatrixXd& X) {
  const Eigen::HouseholderQR<MatrixXd> qr(X);
  return qr.matrixQR().topRows(X.cols()).triangularView<Eigen::Upper>();
}

MatrixXd solveLeastSquares(const MatrixXd& A, const MatrixXd& b) {
  return Eigen::HouseholderQR<MatrixXd>(A).solve(b);
}

Eigen::VectorXd solveSmallest(const MatrixXd& A, const Eigen::VectorXd& b, double share) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> qr;
  if (share > 0.0) qr.setThreshold(share);
  qr.compute(A);
  return qr.solve(b);
}

}  // namespace flexloop::linalg
