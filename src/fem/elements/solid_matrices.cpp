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

// The same with the incompatible modes, whose amplitudes follow the nodes by C: as in CalculiX, with which the frequencies
// agree then, and nearer to converged ones than without. Rigid motions have no such modes, so mass and inertia are unchanged.
void calcIncompatibleMass(const SolidTable& table, const PointVector& volumes, double density,
                          const Condensation& C, Eigen::MatrixXd& M) {
  using Nodes = Eigen::Matrix<double, 8, 1>;
  constexpr int kModes = kIncompatibleModes;
  Eigen::Matrix<double, 8, 8> m = Eigen::Matrix<double, 8, 8>::Zero();
  Eigen::Matrix<double, kModes, 8> coupling = Eigen::Matrix<double, kModes, 8>::Zero();
  Matrix3d own = Matrix3d::Zero();
  for (int q = 0; q < table.mass.points; ++q) {
    const double mass = density * volumes[q];
    const Nodes N = table.mass.N.col(q);
    const Eigen::Vector3d bubbles = 1.0 - table.mass.xi.col(q).array().square();
    m += mass * N * N.transpose();
    coupling += mass * bubbles * N.transpose();
    own += mass * bubbles * bubbles.transpose();
  }
  // M = m ⊗ I + Cᵀ A + Aᵀ C with A = coupling ⊗ I + ½ (own ⊗ I) C
  Condensation A;
  for (int i = 0; i < kModes; ++i) {
    A.middleRows<3>(3 * i) = 0.5 * (own(i, 0) * C.topRows<3>() + own(i, 1) * C.middleRows<3>(3) +
                                    own(i, 2) * C.bottomRows<3>());
    for (int j = 0; j < 8; ++j) A.block<3, 3>(3 * i, 3 * j).diagonal().array() += coupling(i, j);
  }
  const Eigen::Matrix<double, 24, 24> product = C.transpose() * A;
  M.resize(24, 24);
  for (int j = 0; j < 24; ++j) {
    for (int i = j; i < 24; ++i) M(j, i) = M(i, j) = product(i, j) + product(j, i);
  }
  for (int j = 0; j < 8; ++j) {
    for (int i = 0; i < 8; ++i) {
      M.block<3, 3>(3 * i, 3 * j).diagonal().array() += i < j ? m(j, i) : m(i, j);
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
    calcIncompatibleMass(table, volumes, geometry.material->rho, C, M);
    stiffness.topLeftCorner<24, 24>().triangularView<Eigen::Lower>() +=
        stiffness.bottomLeftCorner<3 * kIncompatibleModes, 24>().transpose() * C;
    // Blocks on the diagonal are copied whole.
    for (int j = 0; j < 24; j += 3) {
      stiffness.block<3, 3>(j, j).triangularView<Eigen::StrictlyUpper>() =
          stiffness.block<3, 3>(j, j).transpose();
    }
  }
  copySymmetric(stiffness, 3 * table.nodes, K);
  if (!table.hasIncompatibleModes) calcMass(table, volumes, geometry.material->rho, M);
  return ElementFault::kNone;
}

double calcSolidVolume(const ElementGeometry& geometry) {
  PointVector volumes;
  (void)calcVolumes(geometry, solidTable(geometry.shape).mass, volumes);
  return volumes.sum();
}

}  // namespace flexloop::fem
