// Stresses of solid elements, and what follows from them: geometric stiffness and loads by expansion.
#include "fem/elements/element_matrices.hpp"
#include "fem/elements/solid_gradients.hpp"

namespace flexloop::fem {
namespace {

using Eigen::Matrix3d;

// From the freedoms of the nodes to those of the incompatible modes; no rows without any.
Eigen::MatrixXd findInside(const ElementGeometry& geometry, const SolidTable& table) {
  if (!table.hasIncompatibleModes) return Eigen::MatrixXd(0, 3 * table.nodes);
  PointGradients gradients;
  calcGradients(geometry, table, table.stiffness, gradients);
  if (gradients.fault != ElementFault::kNone) {
    return Eigen::MatrixXd::Zero(3 * kIncompatibleModes, 3 * table.nodes);
  }
  SolidSquare K;
  calcStiffness(calcLameModuli(*geometry.material), gradients, K);
  return calcCondensation(K);
}

// Of the nodes, and of the incompatible modes after them.
SolidMotion findMotion(const SolidTable& table, const Eigen::MatrixXd& inside,
                       const Eigen::Ref<const Eigen::VectorXd>& displacement) {
  SolidMotion motion(3, table.nodes + inside.rows() / 3);
  Eigen::Map<Eigen::VectorXd> flat(motion.data(), motion.size());
  flat.head(3 * table.nodes) = displacement;
  flat.tail(inside.rows()) = inside * displacement;
  return motion;
}

Matrix3d calcStress(const MeshMaterial& material, const SolidMotion& motion,
                    const Eigen::Map<const Eigen::Matrix3Xd>& gradients, double temperature) {
  const LameModuli moduli = calcLameModuli(material);
  const Matrix3d H = motion * gradients.transpose();  // ∂u_a/∂x_b
  const double dilation = 3.0 * material.expansion * temperature;
  Matrix3d stress = moduli.mu * (H + H.transpose());
  stress.diagonal().array() +=
      moduli.lambda * (H.trace() - dilation) - 2.0 * moduli.mu * dilation / 3.0;
  return stress;
}

Eigen::Map<const Eigen::Matrix3Xd> gradientsAt(const PointGradients& gradients, int q) {
  return {gradients.G.col(q).data(), 3, gradients.G.rows() / 3};
}

}  // namespace

ElementFault calcSolidStresses(const ElementGeometry& geometry,
                               const ElementDisplacements& displacements, double temperature,
                               NodeStresses& stresses) {
  const SolidTable& table = solidTable(geometry.shape);
  PointGradients gradients;
  calcGradients(geometry, table, table.stress, gradients);
  if (gradients.fault != ElementFault::kNone) return gradients.fault;
  const Eigen::MatrixXd inside = findInside(geometry, table);
  Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, kMostSolidPoints> atPoints(6, table.stress.points);
  stresses.resize(6, table.nodes * displacements.cols());
  for (Eigen::Index j = 0; j < displacements.cols(); ++j) {
    const SolidMotion motion = findMotion(table, inside, displacements.col(j));
    for (int q = 0; q < table.stress.points; ++q) {
      const Matrix3d s =
          calcStress(*geometry.material, motion, gradientsAt(gradients, q), temperature);
      atPoints.col(q) << s(0, 0), s(1, 1), s(2, 2), s(0, 1), s(1, 2), s(2, 0);
    }
    stresses.middleCols(table.nodes * j, table.nodes).noalias() =
        atPoints * table.toNodes.transpose();
  }
  return ElementFault::kNone;
}

ElementFault calcSolidGeometricStiffness(const ElementGeometry& geometry,
                                         const Eigen::VectorXd& displacement, double temperature,
                                         Eigen::MatrixXd& Kg) {
  const SolidTable& table = solidTable(geometry.shape);
  PointGradients gradients;
  calcGradients(geometry, table, table.stiffness, gradients);
  if (gradients.fault != ElementFault::kNone) return gradients.fault;
  const SolidMotion motion = findMotion(table, findInside(geometry, table), displacement);
  // Of each direction of motion the same, (28.8).
  Eigen::MatrixXd scalar = Eigen::MatrixXd::Zero(motion.cols(), motion.cols());
  for (int q = 0; q < table.stiffness.points; ++q) {
    const auto G = gradientsAt(gradients, q);
    const Matrix3d stress = calcStress(*geometry.material, motion, G, temperature);
    scalar += gradients.volumes[q] * (G.transpose() * stress * G);
  }
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(3 * scalar.rows(), 3 * scalar.cols());
  for (int j = 0; j < scalar.cols(); ++j) {
    for (int i = 0; i < scalar.rows(); ++i) {
      full.block<3, 3>(3 * i, 3 * j).diagonal().setConstant(0.5 * (scalar(i, j) + scalar(j, i)));
    }
  }
  if (!table.hasIncompatibleModes) {
    Kg = full;
    return ElementFault::kNone;
  }
  calcGradients(geometry, table, table.stiffness, gradients);
  SolidSquare K;
  calcStiffness(calcLameModuli(*geometry.material), gradients, K);
  Eigen::MatrixXd C(full.rows(), 3 * table.nodes);
  C << Eigen::MatrixXd::Identity(3 * table.nodes, 3 * table.nodes), calcCondensation(K);
  Kg.noalias() = C.transpose() * full * C;
  return ElementFault::kNone;
}

ElementFault calcSolidThermalLoad(const ElementGeometry& geometry, Eigen::VectorXd& load) {
  const SolidTable& table = solidTable(geometry.shape);
  PointGradients gradients;
  calcGradients(geometry, table, table.stiffness, gradients);
  if (gradients.fault != ElementFault::kNone) return gradients.fault;
  const LameModuli moduli = calcLameModuli(*geometry.material);
  const double stress =
      (3.0 * moduli.lambda + 2.0 * moduli.mu) * geometry.material->expansion;  // Pa/K
  // The incompatible modes take no part: their strains have no mean.
  load.noalias() = stress * (gradients.G.topRows(3 * table.nodes) * gradients.volumes);
  return ElementFault::kNone;
}

}  // namespace flexloop::fem
