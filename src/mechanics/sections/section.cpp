#include "mechanics/sections/section.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/LU>

namespace flexloop::mechanics {
namespace {

using math::Mat6;
using std::numbers::pi;

bool isInvariant(const Mat6<double>& A) {
  constexpr double kTolerance = 1e-12;
  // One angle that no polygon shares is as good as all.
  const math::Mat3<double> R = math::expSO3<double>(math::Vec3<double>(1.0, 0.0, 0.0));
  const Mat6<double> Q = math::blockTriangular<double>(R, math::Mat3<double>::Zero());
  return (Q * A * Q.transpose() - A).norm() <= kTolerance * A.norm();
}

}  // namespace

double calcRectangleTorsion(double sideA, double sideB) {
  const double a = std::max(sideA, sideB);
  const double b = std::min(sideA, sideB);
  // tanh x = 1 − 2/(e^{2x} + 1): the ones sum up to (31/32) ζ(5), and what is left decays so fast
  // that n = 1 … 13 reaches the last digit of a square, the slowest case.
  constexpr double kZeta5 = 1.0369277551433699263;
  double sum = 31.0 / 32.0 * kZeta5;
  for (int n = 1; n <= 13; n += 2) {
    sum -= 2.0 / (std::pow(n, 5) * (std::exp(n * pi * a / b) + 1.0));
  }
  return a * b * b * b * (1.0 / 3.0 - 64.0 * b / (std::pow(pi, 5) * a) * sum);
}

SectionShape makeRectangle(double width, double height) {
  SectionShape shape;
  shape.area = width * height;
  shape.secondY = width * height * height * height / 12.0;
  shape.secondZ = height * width * width * width / 12.0;
  shape.torsion = calcRectangleTorsion(width, height);
  shape.shearY = shape.shearZ = 5.0 / 6.0;
  return shape;
}

SectionShape makeCircle(double diameter) {
  SectionShape shape = makeTube(diameter, 0.0);
  shape.shearY = shape.shearZ = 9.0 / 10.0;
  return shape;
}

SectionShape makeTube(double outer, double inner) {
  SectionShape shape;
  // As products of differences, which keep their digits for a thin wall.
  const double squares = (outer - inner) * (outer + inner);
  shape.area = pi / 4.0 * squares;
  shape.torsion = pi / 32.0 * squares * (outer * outer + inner * inner);
  shape.secondY = shape.secondZ = 0.5 * shape.torsion;
  shape.shearY = shape.shearZ = 0.5;
  return shape;
}

SectionMatrices makeSection(const SectionShape& shape, const ElasticMaterial& material) {
  const auto& [E, G, rho] = material;
  SectionMatrices section;
  section.stiffness.diagonal() << E * shape.area, shape.shearY * G * shape.area,
      shape.shearZ * G * shape.area, G * shape.torsion, E * shape.secondY, E * shape.secondZ;
  section.mass.diagonal() << shape.area, shape.area, shape.area, shape.secondY + shape.secondZ,
      shape.secondY, shape.secondZ;
  section.mass *= rho;
  return section;
}

namespace {

// 𝔸 of (7.5): M_y' = Q_z, M_z' = −Q_y.
math::Mat6<double> makeMomentSlope() {
  math::Mat6<double> A = math::Mat6<double>::Zero();
  A(4, 2) = 1.0;
  A(5, 1) = -1.0;
  return A;
}

}  // namespace

math::Mat6<double> calcElementStiffness(const math::Mat6<double>& stiffness, double length) {
  const math::Mat6<double> A = makeMomentSlope();
  const math::Mat6<double> flexibility = stiffness.inverse();
  return (flexibility + length * length / 12.0 * A.transpose() * flexibility * A).inverse();
}

SectionTurn<double> calcSectionTurn(const Mat6<double>& stiffness,
                                    const Mat6<double>& elementStiffness, double length) {
  const Mat6<double> slope = stiffness.inverse() * makeMomentSlope() * elementStiffness;
  Eigen::Matrix2d Phi;
  Phi << -slope.block<1, 2>(5, 1), slope.block<1, 2>(4, 1);
  Phi *= length * length / 12.0;
  const Eigen::Matrix2d G = Phi + Phi.transpose() - Phi.transpose() * Phi;
  SectionTurn<double> turn;
  turn.mean = 0.5 * G.trace();
  turn.difference = 0.5 * (G(0, 0) - G(1, 1));
  turn.coupling = G(0, 1);
  turn.stiffness = 0.5 * (Phi(0, 0) * elementStiffness(1, 1) + Phi(1, 1) * elementStiffness(2, 2));
  return turn;
}

math::Mat6<double> calcForceMap(const math::Mat6<double>& elementStiffness, double s) {
  return (math::Mat6<double>::Identity() + s * makeMomentSlope()) * elementStiffness;
}

math::Mat6<double> calcStrainMap(const math::Mat6<double>& elementStiffness, double length,
                                 double s) {
  // The flexibility of moments is the same in C and C_e, and 𝔸 picks only that.
  const math::Mat6<double> A = makeMomentSlope();
  const math::Mat6<double> element = elementStiffness.inverse();
  const math::Mat6<double> flexibility =
      element - length * length / 12.0 * A.transpose() * element * A;
  return flexibility * calcForceMap(elementStiffness, s);
}

bool isAxisymmetric(const SectionMatrices& section) {
  return isInvariant(section.stiffness) && isInvariant(section.mass);
}

}  // namespace flexloop::mechanics
