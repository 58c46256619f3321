// Two-node beams, theory section 28.6. In the axes of the beam, the deflections u = (u_y, u_z) bend it with the slopes
// φ = (r_z, −r_y), so that u' = φ + shear strain in both planes, and the matrix of second moments couples them.
#include <cmath>

#include <Eigen/Geometry>

#include "fem/elements/element_matrices.hpp"
#include "math/quadrature.hpp"

namespace flexloop::fem {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Matrix12d = Eigen::Matrix<double, 12, 12>;
using Matrix28 = Eigen::Matrix<double, 2, 8>;
using Matrix8d = Eigen::Matrix<double, 8, 8>;

// Freedoms of bending in the order u₁ φ₁ u₂ φ₂: where they are among the twelve, and with which sign.
constexpr int kBending[8] = {1, 2, 5, 4, 7, 8, 11, 10};
constexpr double kSign[8] = {1, 1, 1, -1, 1, 1, 1, -1};

Matrix2d invert(const Matrix2d& a) {
  Matrix2d inverse;
  inverse << a(1, 1), -a(0, 1), -a(1, 0), a(0, 0);
  return inverse / (a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0));
}

struct BeamData {
  double length = 0.0;
  double EA = 0.0, GJ = 0.0;
  double massPerLength = 0.0, polarInertia = 0.0;  // kg/m, kg m
  Matrix2d I;                                      // ∫ (y, z)(y, z)ᵀ dA, m⁴
  Matrix2d C, S;                                   // compliance of bending 1/(N m²) and shear 1/N
  double rho = 0.0;
};

double shearCompliance(double factor, double GA) {
  return factor > 0.0 ? 1.0 / (factor * GA) : 0.0;
}

BeamData findData(const ElementGeometry& geometry) {
  const BeamSection& section = *geometry.property->beam;
  const MeshMaterial& material = *geometry.material;
  const double G = 0.5 * material.E / (1.0 + material.nu);
  BeamData data;
  data.length = (geometry.points[1] - geometry.points[0]).norm();
  data.EA = material.E * section.A;
  data.GJ = G * section.J;
  data.rho = material.rho;
  data.massPerLength = material.rho * section.A;
  data.polarInertia = material.rho * (section.Iy + section.Iz);
  data.I << section.Iz, section.Iyz, section.Iyz, section.Iy;
  data.C = invert(material.E * data.I);
  data.S = Eigen::Vector2d(shearCompliance(section.shearY, G * section.A),
                           shearCompliance(section.shearZ, G * section.A))
               .asDiagonal();
  return data;
}

// Deflection, slope and u' at x as functions of the eight freedoms, exact for loads at the ends (28.11).
struct BeamField {
  Matrix28 u, phi, du;
};

class BendingShape {
 public:
  explicit BendingShape(const BeamData& data) : data_(data) {
    const double L = data.length;
    const Matrix2d one = Matrix2d::Identity(), zero = Matrix2d::Zero();
    // End forces (F, m) on the second end from its motion relative to the first.
    const Matrix2d p = invert(L * L * L / 12.0 * data.C + L * data.S);
    Eigen::Matrix4d k;
    k << p, -0.5 * L * p, -0.5 * L * p, invert(L * data.C) + 0.25 * L * L * p;
    Eigen::Matrix<double, 4, 8> relative;
    relative << -one, -L * one, one, zero, zero, -one, zero, one;
    forces_ = k * relative;
    K_ = relative.transpose() * forces_;
  }

  const Matrix8d& K() const { return K_; }

  BeamField at(double x) const {
    const double L = data_.length;
    const auto F = forces_.topRows<2>(), m = forces_.bottomRows<2>();
    BeamField field;
    field.u =
        data_.C * (0.5 * x * x * m + (0.5 * L * x * x - x * x * x / 6.0) * F) + x * data_.S * F;
    field.phi = data_.C * (x * m + (L * x - 0.5 * x * x) * F);
    field.u.leftCols<2>() += Matrix2d::Identity();
    field.u.middleCols<2>(2) += x * Matrix2d::Identity();
    field.phi.middleCols<2>(2) += Matrix2d::Identity();
    field.du = field.phi + data_.S * F;
    return field;
  }

 private:
  const BeamData& data_;
  Eigen::Matrix<double, 4, 8> forces_;
  Matrix8d K_;
};

void addBending(const Matrix8d& bending, Matrix12d& matrix) {
  for (int j = 0; j < 8; ++j) {
    for (int i = 0; i < 8; ++i) {
      // The mean of both triangles: products may round them differently.
      matrix(kBending[i], kBending[j]) +=
          kSign[i] * kSign[j] * 0.5 * (bending(i, j) + bending(j, i));
    }
  }
}

// Of a freedom that varies linearly along the beam: component 0 (axial) or 3 (torsion).
void addLinear(int component, double same, double other, Matrix12d& matrix) {
  matrix(component, component) += same;
  matrix(component + 6, component + 6) += same;
  matrix(component, component + 6) += other;
  matrix(component + 6, component) += other;
}

// From the axes of the beam to those of the mesh.
void turn(const Matrix3d& axes, const Matrix12d& local, Eigen::MatrixXd& result) {
  result.resize(12, 12);
  for (int j = 0; j < 12; j += 3) {
    for (int i = 0; i <= j; i += 3) {
      const Matrix3d block = axes.transpose() * local.block<3, 3>(i, j) * axes;
      if (i == j) {
        result.block<3, 3>(i, j) = 0.5 * (block + block.transpose());
      } else {
        result.block<3, 3>(i, j) = block;
        result.block<3, 3>(j, i) = block.transpose();
      }
    }
  }
}

ElementFault judge(const ElementGeometry& geometry) {
  const double length = (geometry.points[1] - geometry.points[0]).norm();
  const double size = geometry.points[0].cwiseAbs().maxCoeff();
  // Below this the direction is only rounding of the coordinates.
  return length > 1e-14 * size ? ElementFault::kNone : ElementFault::kFlat;
}

// N, positive in tension.
double calcAxialForce(const ElementGeometry& geometry, const BeamData& data, const Vector3d& axis,
                      const Eigen::VectorXd& displacement, double temperature) {
  const double stretch = axis.dot(displacement.segment<3>(6) - displacement.segment<3>(0));
  return data.EA * (stretch / data.length - geometry.material->expansion * temperature);
}

}  // namespace

Matrix3d calcBeamAxes(const ElementGeometry& geometry) {
  const Vector3d x = (geometry.points[1] - geometry.points[0]).normalized();
  Vector3d z = x.cross(geometry.yAxis);
  // Within a thousandth of a degree of the beam a direction says nothing about its section.
  constexpr double kParallel = 1e-5;
  if (!(z.norm() > kParallel * geometry.yAxis.norm())) {
    const Vector3d horizontal = Vector3d::UnitZ().cross(x);
    z = x.cross(horizontal.norm() > kParallel ? horizontal : Vector3d::UnitY());
  }
  z.normalize();
  Matrix3d axes;
  axes << x.transpose(), z.cross(x).transpose(), z.transpose();
  return axes;
}

ElementFault calcBeamMatrices(const ElementGeometry& geometry, Eigen::MatrixXd& K,
                              Eigen::MatrixXd& M) {
  const ElementFault fault = judge(geometry);
  if (fault != ElementFault::kNone) return fault;
  const BeamData data = findData(geometry);
  const BendingShape shape(data);
  const double L = data.length;
  Matrix8d mass = Matrix8d::Zero();
  constexpr math::Quadrature<4> gauss = math::gaussPoints<4>();
  for (int q = 0; q < 4; ++q) {
    const BeamField field = shape.at(0.5 * L * (1.0 + gauss.points[q]));
    mass += 0.5 * L * gauss.weights[q] *
            (data.massPerLength * field.u.transpose() * field.u +
             data.rho * field.phi.transpose() * data.I * field.phi);
  }
  Matrix12d k = Matrix12d::Zero(), m = Matrix12d::Zero();
  addBending(shape.K(), k);
  addLinear(0, data.EA / L, -data.EA / L, k);
  addLinear(3, data.GJ / L, -data.GJ / L, k);
  addBending(mass, m);
  addLinear(0, data.massPerLength * L / 3.0, data.massPerLength * L / 6.0, m);
  addLinear(3, data.polarInertia * L / 3.0, data.polarInertia * L / 6.0, m);
  const Matrix3d axes = calcBeamAxes(geometry);
  turn(axes, k, K);
  turn(axes, m, M);
  return ElementFault::kNone;
}

ElementFault calcBeamGeometricStiffness(const ElementGeometry& geometry,
                                        const Eigen::VectorXd& displacement, double temperature,
                                        Eigen::MatrixXd& Kg) {
  const ElementFault fault = judge(geometry);
  if (fault != ElementFault::kNone) return fault;
  const BeamData data = findData(geometry);
  const BendingShape shape(data);
  const Matrix3d axes = calcBeamAxes(geometry);
  const double L = data.length;
  const double N = calcAxialForce(geometry, data, axes.row(0), displacement, temperature);
  Matrix8d slopes = Matrix8d::Zero();
  constexpr math::Quadrature<4> gauss = math::gaussPoints<4>();
  for (int q = 0; q < 4; ++q) {
    const BeamField field = shape.at(0.5 * L * (1.0 + gauss.points[q]));
    slopes += 0.5 * L * gauss.weights[q] * N * field.du.transpose() * field.du;
  }
  Matrix12d k = Matrix12d::Zero();
  addBending(slopes, k);
  // Fibres off the axis of a twisted beam are inclined.
  const double twist = N * (data.I(0, 0) + data.I(1, 1)) / geometry.property->beam->A / L;
  addLinear(3, twist, -twist, k);
  turn(axes, k, Kg);
  return ElementFault::kNone;
}

ElementFault calcBeamStresses(const ElementGeometry& geometry,
                              const ElementDisplacements& displacements, double temperature,
                              NodeStresses& stresses) {
  const ElementFault fault = judge(geometry);
  if (fault != ElementFault::kNone) return fault;
  const BeamData data = findData(geometry);
  const Vector3d x = calcBeamAxes(geometry).row(0);
  stresses.resize(6, 2 * displacements.cols());
  for (Eigen::Index j = 0; j < displacements.cols(); ++j) {
    const double stress = calcAxialForce(geometry, data, x, displacements.col(j), temperature) /
                          geometry.property->beam->A;
    for (int i = 0; i < 2; ++i) {
      stresses.col(2 * j + i) << stress * x[0] * x[0], stress * x[1] * x[1], stress * x[2] * x[2],
          stress * x[0] * x[1], stress * x[1] * x[2], stress * x[2] * x[0];
    }
  }
  return ElementFault::kNone;
}

ElementFault calcBeamThermalLoad(const ElementGeometry& geometry, Eigen::VectorXd& load) {
  const ElementFault fault = judge(geometry);
  if (fault != ElementFault::kNone) return fault;
  const Vector3d force =
      (geometry.material->E * geometry.property->beam->A * geometry.material->expansion) *
      calcBeamAxes(geometry).row(0);
  load.setZero(12);
  load.segment<3>(0) = -force;
  load.segment<3>(6) = force;
  return ElementFault::kNone;
}

double calcBeamVolume(const ElementGeometry& geometry) {
  return (geometry.points[1] - geometry.points[0]).norm() * geometry.property->beam->A;
}

}  // namespace flexloop::fem
