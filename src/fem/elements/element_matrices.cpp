#include "fem/elements/element_matrices.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

namespace flexloop::fem {

std::string describe(ElementFault fault) {
  switch (fault) {
    case ElementFault::kInverted:
      return "is inverted: its nodes are in the wrong order";
    case ElementFault::kTangled:
      return "is tangled: its Jacobian changes sign inside";
    case ElementFault::kFlat:
      return "is flat: it has no volume, area or length";
    default:
      return {};
  }
}

int freedomsPerNode(ElementShape shape) {
  return isSolid(shape) ? 3 : 6;
}

bool hasScalarMass(ElementShape shape) {
  return isSolid(shape) && shape != ElementShape::kHex8;
}

ElementFault calcElementMatrices(const ElementGeometry& geometry, Eigen::MatrixXd& K,
                                 Eigen::MatrixXd& M) {
  if (isSolid(geometry.shape)) return calcSolidMatrices(geometry, K, M);
  if (isShell(geometry.shape)) return calcShellMatrices(geometry, K, M);
  return calcBeamMatrices(geometry, K, M);
}

ElementFault calcElementGeometricStiffness(const ElementGeometry& geometry,
                                           const Eigen::VectorXd& displacement, double temperature,
                                           Eigen::MatrixXd& Kg) {
  if (isSolid(geometry.shape)) {
    return calcSolidGeometricStiffness(geometry, displacement, temperature, Kg);
  }
  if (isShell(geometry.shape)) {
    return calcShellGeometricStiffness(geometry, displacement, temperature, Kg);
  }
  return calcBeamGeometricStiffness(geometry, displacement, temperature, Kg);
}

ElementFault calcElementStresses(const ElementGeometry& geometry,
                                 const ElementDisplacements& displacements, double temperature,
                                 ShellSide side, NodeStresses& stresses) {
  if (isSolid(geometry.shape)) {
    return calcSolidStresses(geometry, displacements, temperature, stresses);
  }
  if (isShell(geometry.shape)) {
    return calcShellStresses(geometry, displacements, temperature, side, stresses);
  }
  return calcBeamStresses(geometry, displacements, temperature, stresses);
}

ElementFault calcElementThermalLoad(const ElementGeometry& geometry, Eigen::VectorXd& load) {
  if (isSolid(geometry.shape)) return calcSolidThermalLoad(geometry, load);
  if (isShell(geometry.shape)) return calcShellThermalLoad(geometry, load);
  return calcBeamThermalLoad(geometry, load);
}

double calcElementVolume(const ElementGeometry& geometry) {
  if (isSolid(geometry.shape)) return calcSolidVolume(geometry);
  if (isShell(geometry.shape)) return calcShellVolume(geometry);
  return calcBeamVolume(geometry);
}

double calcVonMises(const Eigen::Matrix<double, 6, 1>& stress) {
  const double a = stress[0] - stress[1], b = stress[1] - stress[2], c = stress[2] - stress[0];
  return std::sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * stress.tail<3>().squaredNorm());
}

Eigen::Vector3d calcPrincipalStresses(const Eigen::Matrix<double, 6, 1>& stress) {
  Eigen::Matrix3d s;
  s << stress[0], stress[3], stress[5], stress[3], stress[1], stress[4], stress[5], stress[4],
      stress[2];
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(s, Eigen::EigenvaluesOnly);
  return solver.eigenvalues().reverse();
}

}  // namespace flexloop::fem
