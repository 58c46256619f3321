// Stresses at the nodes of shells and the load of a temperature change (docs/theory/29_shell_elements.md, section 29.9).
#include <Eigen/Geometry>
#include <Eigen/LU>

#include "fem/elements/shell_stiffness.hpp"

namespace flexloop::fem {

namespace {

bool isTriangle(ShellInterpolation shape) {
  return shape == ShellInterpolation::kTri3 || shape == ShellInterpolation::kTri6;
}

// 1, r, s, r s; the last is missing in triangles, whose strains are linear.
Eigen::Vector4d calcFit(ShellInterpolation shape, double r, double s) {
  return {1, r, s, isTriangle(shape) ? 0 : r * s};
}

// In-plane stresses σ_11 σ_22 σ_12 at the height z over the middle surface, and shear stresses σ_13 σ_23.
using PointStress = Eigen::Matrix<double, 5, 1>;

PointStress calcPointStress(const ElementGeometry& geometry, const ShellPoint& point,
                            const ShellVector& u, double temperature, ShellSide side) {
  const double E = geometry.material->E, nu = geometry.material->nu;
  const double t = geometry.property->thickness;
  const Eigen::Matrix<double, 8, 1> strain = point.B * u;
  const double height = side == ShellSide::kTop ? t / 2 : side == ShellSide::kMiddle ? 0 : -t / 2;
  Eigen::Vector3d e = strain.head<3>() + height * strain.segment<3>(3);
  e.head<2>().array() -= geometry.material->expansion * temperature;
  PointStress stress;
  stress[0] = E / (1 - nu * nu) * (e[0] + nu * e[1]);
  stress[1] = E / (1 - nu * nu) * (e[1] + nu * e[0]);
  stress[2] = E / (2 * (1 + nu)) * e[2];
  // The shear force is (5/6) G t γ; its stress is a parabola, 3/2 of the mean in the middle and zero outside.
  const double share = side == ShellSide::kMiddle ? 1.5 * 5 / 6 : 0.0;
  stress.tail<2>() = share * E / (2 * (1 + nu)) * strain.tail<2>();
  return stress;
}

// Mesh axes, xx yy zz xy yz zx.
Eigen::Matrix<double, 6, 1> turnToMesh(const PointStress& stress, const Eigen::Matrix3d& axes) {
  Eigen::Matrix3d local;
  local << stress[0], stress[2], stress[3], stress[2], stress[1], stress[4], stress[3], stress[4],
      0;
  const Eigen::Matrix3d s = axes.transpose() * local * axes;
  Eigen::Matrix<double, 6, 1> result;
  result << s(0, 0), s(1, 1), s(2, 2), s(0, 1), s(1, 2), s(2, 0);
  return result;
}

}  // namespace

ElementFault calcShellStresses(const ElementGeometry& geometry,
                               const ElementDisplacements& displacements, double temperature,
                               ShellSide side, NodeStresses& stresses) {
  ShellSurface surface;
  ShellStrains strains;
  if (const ElementFault fault = calcShellStrains(geometry, surface, strains);
      fault != ElementFault::kNone) {
    return fault;
  }
  const ShellElasticity elasticity = calcElasticity(geometry, strains);
  // The best fit to the points of integration, in axes that turn with the surface, carries the stresses to the nodes.
  Eigen::Matrix4d moments = Eigen::Matrix4d::Zero();
  for (int k = 0; k < strains.count; ++k) {
    const ShellPoint& point = strains.points[static_cast<std::size_t>(k)];
    const Eigen::Vector4d fit = calcFit(surface.shape, point.r, point.s);
    moments += point.area * fit * fit.transpose();
  }
  if (isTriangle(surface.shape)) {
    moments(3, 3) = 1;
  }
  const Eigen::Matrix4d inverse = moments.inverse();
  const double middle = isTriangle(surface.shape) ? 1. / 3 : 0;
  const Eigen::Matrix3d middleAxes = calcMiddleAxes(calcSurfaceState(surface, middle, middle));
  const int nodes = strains.nodeFreedoms / 6;
  stresses.resize(6, nodes * displacements.cols());
  for (Eigen::Index j = 0; j < displacements.cols(); ++j) {
    const ShellVector u =
        calcAllFreedoms(geometry, surface, strains, elasticity, displacements.col(j), temperature);
    Eigen::Matrix<double, 5, 4> sums = Eigen::Matrix<double, 5, 4>::Zero();
    for (int k = 0; k < strains.count; ++k) {
      const ShellPoint& point = strains.points[static_cast<std::size_t>(k)];
      sums += point.area * calcPointStress(geometry, point, u, temperature, side) *
              calcFit(surface.shape, point.r, point.s).transpose();
    }
    const Eigen::Matrix<double, 5, 4> coefficients = sums * inverse;
    for (int i = 0; i < nodes; ++i) {
      const auto [r, s, unused] = nodePoint(surface.shape, i);
      const Eigen::Matrix3d axes = calcPointAxes(calcSurfaceState(surface, r, s), middleAxes);
      stresses.col(nodes * j + i) = turnToMesh(coefficients * calcFit(surface.shape, r, s), axes);
    }
  }
  return ElementFault::kNone;
}

ElementFault calcShellThermalLoad(const ElementGeometry& geometry, Eigen::VectorXd& load) {
  ShellSurface surface;
  ShellStrains strains;
  if (const ElementFault fault = calcShellStrains(geometry, surface, strains);
      fault != ElementFault::kNone) {
    return fault;
  }
  const ShellElasticity elasticity = calcElasticity(geometry, strains);
  ShellVector forces = geometry.material->expansion * calcExpansionLoad(strains, elasticity);
  if (strains.internalFreedoms > 0) {
    ShellMatrix K = calcFullStiffness(strains, elasticity);
    eliminateInside(strains.nodeFreedoms, K, &forces);
  }
  moveToNodes(surface, geometry.property->offset, forces);
  load = forces;
  return ElementFault::kNone;
}

}  // namespace flexloop::fem
