#include "linalg/minimal_form.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

namespace flexloop::linalg {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kBalanceRounds = 30;

// x = scale · z with rows and columns of A, B and C of equal size; powers of two change no digit.
VectorXd findBalance(MatrixXd A, MatrixXd B, MatrixXd C) {
  const Index n = A.rows();
  VectorXd scale = VectorXd::Ones(n);
  for (int round = 0; round < kBalanceRounds; ++round) {
    bool changed = false;
    for (Index i = 0; i < n; ++i) {
      const double self = std::abs(A(i, i));
      const double row = A.row(i).lpNorm<1>() - self + B.row(i).lpNorm<1>();
      const double column = A.col(i).lpNorm<1>() - self + C.col(i).lpNorm<1>();
      if (!(row > 0.0) || !(column > 0.0)) continue;
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (factor == 1.0) continue;
      A.row(i) /= factor;
      B.row(i) /= factor;
      A.col(i) *= factor;
      C.col(i) *= factor;
      scale[i] *= factor;
      changed = true;
    }
    if (!changed) break;
  }
  return scale;
}

// Orthogonal Q whose first `reached` columns span what B reaches.
struct Staircase {
  MatrixXd Q;
  Index reached = 0;
};

Staircase findReached(const MatrixXd& A, const MatrixXd& B, double tolerance) {
  const Index n = A.rows();
  Staircase stairs{MatrixXd::Identity(n, n), 0};
  MatrixXd turned = A, next = B;
  // Inputs have units of their own: each counts by its largest entry.
  for (Index k = 0; k < next.cols(); ++k) {
    const double size = next.col(k).lpNorm<Eigen::Infinity>();
    if (size > 0.0) next.col(k) /= size;
  }
  double largest = 1.0;
  while (stairs.reached < n && next.cols() > 0) {
    const Index rest = n - stairs.reached;
    const Eigen::ColPivHouseholderQR<MatrixXd> qr(next);
    Index rank = 0;
    const Index most = std::min(next.rows(), next.cols());
    while (rank < most && std::abs(qr.matrixQR()(rank, rank)) > tolerance * largest) ++rank;
    if (rank == 0) break;
    const MatrixXd Q = qr.householderQ();
    turned.bottomRows(rest) = (Q.transpose() * turned.bottomRows(rest)).eval();
    turned.rightCols(rest) = (turned.rightCols(rest) * Q).eval();
    stairs.Q.rightCols(rest) = (stairs.Q.rightCols(rest) * Q).eval();
    next = turned.block(stairs.reached + rank, stairs.reached, rest - rank, rank).eval();
    stairs.reached += rank;
    largest = A.cwiseAbs().maxCoeff();
  }
  return stairs;
}

}  // namespace

MinimalForm findMinimalForm(const MatrixXd& A, const MatrixXd& B, const MatrixXd& C,
                            double tolerance) {
  const VectorXd scale = findBalance(A, B, C);
  const MatrixXd balanced = scale.cwiseInverse().asDiagonal() * A * scale.asDiagonal();
  const Staircase reached = findReached(balanced, scale.cwiseInverse().asDiagonal() * B, tolerance);
  const MatrixXd Qr = reached.Q.leftCols(reached.reached);
  const Staircase seen = findReached((Qr.transpose() * balanced * Qr).transpose(),
                                     (C * scale.asDiagonal() * Qr).transpose(), tolerance);
  const MatrixXd Q = Qr * seen.Q.leftCols(seen.reached);
  MinimalForm form;
  form.right = scale.asDiagonal() * Q;
  form.left = Q.transpose() * scale.cwiseInverse().asDiagonal();
  form.lost = scale.asDiagonal() * (Qr * seen.Q.rightCols(reached.reached - seen.reached));
  return form;
}

}  // namespace flexloop::linalg
