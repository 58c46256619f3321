#include "linalg/symmetric/dense_modes.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "linalg/dense/eigenvalues.hpp"

namespace flexloop::linalg {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

struct Reduced {
  SymmetricEigensystem system;  // of L⁻¹ A L⁻ᵀ
  MatrixXd X;                   // L⁻ᵀ Y
};

// A x = θ B x with B = L Lᵀ.
std::optional<Reduced> solvePencil(const MatrixXd& A, const MatrixXd& B) {
  const Eigen::LLT<MatrixXd> factors(B);
  if (factors.info() != Eigen::Success) return std::nullopt;
  MatrixXd C = factors.matrixL().solve(A);
  C = factors.matrixL().solve(C.transpose()).eval();
  auto system = findSymmetricEigensystem(0.5 * (C + C.transpose()));
  if (!system) return std::nullopt;
  MatrixXd X = factors.matrixL().transpose().solve(system->vectors);
  return Reduced{std::move(*system), std::move(X)};
}

}  // namespace

std::optional<DenseModes> findDenseModes(const MatrixXd& K, const MatrixXd& M, int zeros) {
  const Eigen::Index n = K.rows();
  DenseModes modes{VectorXd(n), MatrixXd(n, n)};
  if (n == 0) return modes;
  VectorXd scale = M.diagonal();
  if (!(scale.minCoeff() > 0.0)) return std::nullopt;
  scale = scale.cwiseSqrt().cwiseInverse();
  const MatrixXd k = scale.asDiagonal() * K * scale.asDiagonal();
  const MatrixXd m = scale.asDiagonal() * M * scale.asDiagonal();
  const auto rough = solvePencil(k, m);
  if (!rough) return std::nullopt;
  const VectorXd& all = rough->system.values;
  const double s = all[std::min<Eigen::Index>(zeros, n - 1)];
  const auto fine = s > 0.0 ? solvePencil(m, k + s * m) : std::nullopt;
  if (!fine || !(fine->system.values[0] > 0.0)) {
    modes.values = all;
    modes.vectors = scale.asDiagonal() * rough->X;
  } else {
    const VectorXd theta = fine->system.values.reverse();
    modes.values = theta.cwiseInverse().array() - s;
    modes.vectors = scale.asDiagonal() * fine->X.rowwise().reverse() *
                    theta.cwiseSqrt().cwiseInverse().asDiagonal();
  }
  modes.values.head(std::min<Eigen::Index>(zeros, n)).setZero();
  return modes;
}

}  // namespace flexloop::linalg
