#include <cmath>

#include "fem/elements/element_matrices.hpp"
#include "fem/elements/solid_gradients.hpp"

namespace flexloop::fem {
namespace {

using Eigen::Matrix3d;

void copySymmetric(const SolidSquare& lower, int size, Eigen::MatrixXd& full) {
  full.resize(size, size);
  for (int j = 0; j < size; j += 3) {
    for (int i = j; i < size; i += 3) {
      const Matrix3d block = lower.block<3, 3>(i, j);
      full.block<3, 3>(i, j) = block;
      full.block<3, 3>(j, i) = block.transpose();
    }
  }
}

// M_ij = I ∫ ρ N_i N_j dV
void calcMass(const SolidTable& table, const PointVector& volumes, double density,
              Eigen::MatrixXd& M) {
  const RuleTable& rule = table.mass;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostSolidNodes, kMostSolidPoints> N(
      table.nodes, rule.points);
  for (int q = 0; q < rule.points; ++q) N.col(q) = std::sqrt(volumes[q] * density) * rule.N.col(q);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostSolidNodes, kMostSolidNodes> m(
      table.nodes, table.nodes);
  m.noalias() = N * N.transpose();
  M.setZero(3 * table.nodes, 3 * table.nodes);
  for (int j = 0; j < table.nodes; ++j) {
    for (int i = 0; i < table.nodes; ++i) {
      // One of the two triangles for both: the product may round them differently.
      M.block<3, 3>(3 * i, 3 * j).diagonal().setConstant(i < j ? m(j, i) : m(i, j));
    }
  }
}

}  // namespace

ElementFault calcSolidMatrices(const ElementGeometry& geometry, Eigen::MatrixXd& K,
                               Eigen::MatrixXd& M) {
  const SolidTable& table = solidTable(geometry.shape);
  PointGradients gradients;
  calcGradients(geometry, table, table.stiffness, gradients);
  if (gradients.fault != ElementFault::kNone) return gradients.fault;
  PointVector volumes;
  const ElementFault fault = calcVolumes(geometry, table.mass, volumes);
  if (fault != ElementFault::kNone) return fault;

  SolidSquare stiffness;
  calcStiffness(calcLameModuli(*geometry.material), gradients, stiffness);
  if (table.hasIncompatibleModes) {
    const Condensation C = calcCondensation(stiffness);
    stiffness.topLeftCorner<24, 24>().triangularView<Eigen::Lower>() +=
        stiffness.bottomLeftCorner<3 * kIncompatibleModes, 24>().transpose() * C;
    // Blocks on the diagonal are copied whole.
    for (int j = 0; j < 24; j += 3) {
      stiffness.block<3, 3>(j, j).triangularView<Eigen::StrictlyUpper>() =
          stiffness.block<3, 3>(j, j).transpose();
    }
  }
  copySymmetric(stiffness, 3 * table.nodes, K);
  calcMass(table, volumes, geometry.material->rho, M);
  return ElementFault::kNone;
}

double calcSolidVolume(const ElementGeometry& geometry) {
  PointVector volumes;
  (void)calcVolumes(geometry, solidTable(geometry.shape).mass, volumes);
  return volumes.sum();
}

}  // namespace flexloop::fem
