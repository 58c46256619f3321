// Stiffness, mass and geometric stiffness of shells (docs/theory/29_shell_elements.md, sections 29.3 and 29.8).
#include <Eigen/Geometry>

#include "fem/elements/shell_stiffness.hpp"

namespace flexloop::fem {

namespace {

// Mass and stresses move with the nodes of the mesh alone: a quad8 has no ninth there.
ShellInterpolation meshInterpolation(ShellInterpolation shape) {
  return shape == ShellInterpolation::kQuad9 ? ShellInterpolation::kQuad8 : shape;
}

// (29.25). The three-point rule of strains of a tri3 is exact for its mass too.
ShellMatrix calcMass(const ElementGeometry& geometry, const ShellSurface& surface,
                     const ShellStrains& strains) {
  const double t = geometry.property->thickness, rho = geometry.material->rho;
  const double mass = rho * t + geometry.property->massPerArea;
  const double rotary = rho * t * t * t / 12;
  const ShellInterpolation shape = meshInterpolation(surface.shape);
  const int nodes = strains.nodeFreedoms / 6;
  ShellMatrix M = ShellMatrix::Zero(strains.nodeFreedoms, strains.nodeFreedoms);
  for (int k = 0; k < strains.count; ++k) {
    const ShellPoint& point = strains.points[static_cast<std::size_t>(k)];
    const ShapeValues values = calcShapeValues(shape, point.r, point.s);
    const Eigen::Vector3d normal = point.axes.row(2);
    const Eigen::Matrix3d inertia =
        rotary * (Eigen::Matrix3d::Identity() - normal * normal.transpose());
    for (int j = 0; j < nodes; ++j) {
      for (int i = 0; i < nodes; ++i) {
        const double share = point.area * (values.N[i] * values.N[j]);
        M.block<3, 3>(6 * i, 6 * j).diagonal().array() += share * mass;
        M.block<3, 3>(6 * i + 3, 6 * j + 3) += share * inertia;
      }
    }
  }
  return M;
}

// N_ab = ∂N/∂a in the axes of a point.
Eigen::Matrix<double, 2, kMostShellNodes> calcSlopes(const ShellSurface& surface,
                                                     const ShellPoint& point) {
  const SurfaceState at = calcSurfaceState(surface, point.r, point.s);
  const ShapeValues values = calcShapeValues(meshInterpolation(surface.shape), point.r, point.s);
  Eigen::Matrix<double, 2, kMostShellNodes> slopes;
  slopes.row(0) = values.N_r;
  slopes.row(1) = values.N_s;
  return calcShearTransformation(at, point.axes) * slopes;
}

}  // namespace

ElementFault calcShellMatrices(const ElementGeometry& geometry, Eigen::MatrixXd& K,
                               Eigen::MatrixXd& M) {
  ShellSurface surface;
  ShellStrains strains;
  if (const ElementFault fault = calcShellStrains(geometry, surface, strains);
      fault != ElementFault::kNone) {
    return fault;
  }
  ShellMatrix stiffness = calcFullStiffness(strains, calcElasticity(geometry, strains));
  eliminateInside(strains.nodeFreedoms, stiffness, nullptr);
  ShellMatrix mass = calcMass(geometry, surface, strains);
  moveToNodes(surface, geometry.property->offset, stiffness);
  moveToNodes(surface, geometry.property->offset, mass);
  K = (stiffness + stiffness.transpose()) / 2;
  M = (mass + mass.transpose()) / 2;
  return ElementFault::kNone;
}

ElementFault calcShellGeometricStiffness(const ElementGeometry& geometry,
                                         const Eigen::VectorXd& displacement, double temperature,
                                         Eigen::MatrixXd& Kg) {
  ShellSurface surface;
  ShellStrains strains;
  if (const ElementFault fault = calcShellStrains(geometry, surface, strains);
      fault != ElementFault::kNone) {
    return fault;
  }
  const ShellElasticity elasticity = calcElasticity(geometry, strains);
  const ShellVector u =
      calcAllFreedoms(geometry, surface, strains, elasticity, displacement, temperature);
  const int nodes = strains.nodeFreedoms / 6;
  ShellMatrix stiffness = ShellMatrix::Zero(strains.nodeFreedoms, strains.nodeFreedoms);
  for (int k = 0; k < strains.count; ++k) {
    const ShellPoint& point = strains.points[static_cast<std::size_t>(k)];
    Eigen::Vector3d e = point.B.topRows<3>() * u;
    e.head<2>().array() -= geometry.material->expansion * temperature;
    const double nu = elasticity.nu;
    Eigen::Matrix2d force;
    force << e[0] + nu * e[1], (1 - nu) / 2 * e[2], (1 - nu) / 2 * e[2], e[1] + nu * e[0];
    force *= elasticity.membrane * point.area;
    const auto slopes = calcSlopes(surface, point);
    for (int j = 0; j < nodes; ++j) {
      const Eigen::Vector2d pull = force * slopes.col(j);
      for (int i = 0; i < nodes; ++i) {
        stiffness.block<3, 3>(6 * i, 6 * j).diagonal().array() += slopes.col(i).dot(pull);
      }
    }
  }
  moveToNodes(surface, geometry.property->offset, stiffness);
  Kg = (stiffness + stiffness.transpose()) / 2;
  return ElementFault::kNone;
}

double calcShellVolume(const ElementGeometry& geometry) {
  ShellSurface surface;
  ShellStrains strains;
  if (calcShellStrains(geometry, surface, strains) != ElementFault::kNone) {
    return 0.0;
  }
  double area = 0.0;
  for (int k = 0; k < strains.count; ++k) {
    area += strains.points[static_cast<std::size_t>(k)].area;
  }
  return area * geometry.property->thickness;
}

}  // namespace flexloop::fem
