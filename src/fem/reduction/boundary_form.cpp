#include <algorithm>
#include <cmath>

#include "fem/reduction/component_basis.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/symmetric/dense_modes.hpp"

namespace flexloop::fem {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double kFullRank = 1e-10;  // smallest share of a boundary row that the others leave

}  // namespace

std::optional<BoundaryForm> bringToBoundary(const MatrixXd& boundaryRows, const MatrixXd& k,
                                            const MatrixXd& m) {
  const Eigen::Index boundary = boundaryRows.rows(), size = boundaryRows.cols();
  // Coordinates of about the same stiffness and mass, and boundary freedoms of about the same motion.
  VectorXd scale = (k.diagonal() / std::max(k.diagonal().maxCoeff(), 1e-300) +
                    m.diagonal() / std::max(m.diagonal().maxCoeff(), 1e-300))
                       .cwiseSqrt()
                       .cwiseInverse();
  MatrixXd rows = boundaryRows * scale.asDiagonal();
  const VectorXd sizes = rows.rowwise().norm();
  if (boundary > size || !(sizes.minCoeff() > 0.0)) return std::nullopt;
  rows = sizes.cwiseInverse().asDiagonal() * rows;
  const linalg::PivotedQr<double> qr(rows.transpose());
  if (qr.rank(kFullRank) < boundary) return std::nullopt;
  const MatrixXd N = qr.Q().rightCols(size - boundary);
  const MatrixXd ks = scale.asDiagonal() * k * scale.asDiagonal();
  const MatrixXd ms = scale.asDiagonal() * m * scale.asDiagonal();
  // The smallest coordinates for unit motions, then the least energy.
  const MatrixXd kN = N.transpose() * ks * N;
  MatrixXd Zs = rows.transpose() * linalg::DenseLu<double>(rows * rows.transpose()).inverse();
  if (N.cols() > 0) Zs -= N * linalg::DenseLu<double>(kN).solve(N.transpose() * ks * Zs);
  Zs *= sizes.cwiseInverse().asDiagonal();
  const auto modes = linalg::findDenseModes(kN, N.transpose() * ms * N);
  if (!modes || (N.cols() > 0 && !(modes->values[0] > 0.0))) return std::nullopt;
  BoundaryForm form;
  form.omega2 = modes->values;
  form.Z.resize(size, size);
  form.Z << scale.asDiagonal() * Zs, scale.asDiagonal() * (N * modes->vectors);
  form.K = form.Z.transpose() * k * form.Z;
  form.M = form.Z.transpose() * m * form.Z;
  return form;
}

std::optional<BoundaryForm> makeMacNeal(const Component& component, const StaticModes& statics,
                                        const MatrixXd& freeModes, const VectorXd& omega2) {
  const Eigen::Index motions = component.rigid.cols(), modes = freeModes.cols(),
                     boundary = static_cast<Eigen::Index>(component.boundary.size());
  const auto rowsOf = [&](const MatrixXd& X) {
    MatrixXd rows(boundary, X.cols());
    for (Eigen::Index i = 0; i < boundary; ++i) rows.row(i) = X.row(component.boundary[i]);
    return rows;
  };
  // Residual flexibility at the boundary, G − Φ_f ω⁻² Φ_fᵀ; its energy for unit forces is itself.
  const MatrixXd phi = rowsOf(freeModes);
  MatrixXd G = rowsOf(statics.inertiaReliefAttachment());
  G -= phi * omega2.cwiseInverse().asDiagonal() * phi.transpose();
  G = (0.5 * (G + G.transpose())).eval();
  const Eigen::Index size = motions + modes + boundary;
  MatrixXd rows(boundary, size), k = MatrixXd::Zero(size, size), m = MatrixXd::Zero(size, size);
  rows << rowsOf(component.rigid), phi, G;
  k.diagonal().segment(motions, modes) = omega2;
  k.bottomRightCorner(boundary, boundary) = G;
  m.topLeftCorner(motions, motions) = statics.rigidMass();
  m.diagonal().segment(motions, modes).setOnes();
  return bringToBoundary(rows, k, m);
}

}  // namespace flexloop::fem
