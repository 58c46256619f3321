// Consistent inertia of beams of order 2 and 3: rigid motions, momenta, natural frequencies.
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "mechanics/beams/beam_inertia_high_order.hpp"
#include "support/matrix_matchers.hpp"
#include "support/static_machine.hpp"

namespace flexloop::mechanics {
namespace {

using math::Frame;
using math::Mat3;
using math::Mat6;
using math::Vec3;
using math::Vec6;
using test::isNear;
using test::StaticMachine;

template <int p>
typename BeamInertiaHighOrder<p>::template Parameters<double> makeParameters() {
  typename BeamInertiaHighOrder<p>::template Parameters<double> parameters;
  parameters.length = 2.0;
  parameters.D_A = math::expSO3<double>({0.3, -0.2, 0.5});
  parameters.D_B = math::expSO3<double>({-0.1, 0.7, 0.4});
  parameters.mass.setZero();
  parameters.mass.diagonal() << 3.0, 3.0, 3.0, 0.03, 0.01, 0.02;
  return parameters;
}

// Section frames F_0 exp(s e) at the nodes, all moved by one twist and its rate in ground axes.
template <int p>
system::Local<double, p + 1, 0> makeRigidMotion(
    const typename BeamInertiaHighOrder<p>::template Parameters<double>& parameters,
    const Vec6<double>& e, const Vec6<double>& twist, const Vec6<double>& rate) {
  const Frame<double> start = math::expSE3<double>({1.0, 2.0, 3.0, 0.4, 0.5, -0.6});
  system::Local<double, p + 1, 0> u;
  for (int i = 0; i <= p; ++i) {
    const double s = 0.5 * parameters.length * (1.0 + math::lobattoPoints<p + 1>().points[i]);
    u.frame[i] = compose(start, math::expSE3<double>(s * e));
    if (i == 0) u.frame[i].R = u.frame[i].R * parameters.D_A.transpose();
    if (i == p) u.frame[i].R = u.frame[i].R * parameters.D_B.transpose();
    u.twist[i] = math::applyAdjointInverse<double>(u.frame[i], twist);
    u.twistRate[i] = math::applyAdjointInverse<double>(u.frame[i], rate);
  }
  return u;
}

// What forces or momenta at the nodes are together, about the origin of ground.
template <int p, class Forces>
Vec6<double> calcResultant(const system::Local<double, p + 1, 0>& u, const Forces& forces) {
  Vec6<double> sum = Vec6<double>::Zero();
  for (int i = 0; i <= p; ++i) {
    sum += math::applyAdjointInverseTransposed<double>(u.frame[i], forces[i]);
  }
  return sum;
}

// The mass of a straight piece of the beam as one rigid body at its middle.
Mat6<double> calcRigidMass(const Mat6<double>& perLength, double length) {
  Mat6<double> mass = length * perLength;
  const double transverse = perLength(0, 0) * length * length * length / 12.0;
  mass(4, 4) += transverse;
  mass(5, 5) += transverse;
  return mass;
}

template <int p>
void checkRigidRotation() {
  using Element = BeamInertiaHighOrder<p>;
  const auto parameters = makeParameters<p>();
  const Vec6<double> twist(0.3, -0.8, 0.5, 1.1, -0.7, 2.0), rate(2.0, 1.0, -0.7, 0.4, 1.5, -0.9);
  const auto u = makeRigidMotion<p>(parameters, Vec6<double>::UnitX(), twist, rate);
  const Frame<double> middle{u.frame[1].R, 0.5 * (u.frame[0].x + u.frame[p].x)};
  const Mat6<double> mass = calcRigidMass(parameters.mass, parameters.length);
  const Vec6<double> v = math::applyAdjointInverse<double>(middle, twist);
  const Vec6<double> a = math::applyAdjointInverse<double>(middle, rate);
  EXPECT_NEAR(Element::energy(parameters, u, {}).kinetic, 0.5 * v.dot(mass * v), 1e-12);

  system::Tangents t;
  t.K.setZero(6 * (p + 1), 6 * (p + 1));
  t.C = t.M = t.K;
  Element::calcTangents(parameters, u, {}, t);
  Eigen::VectorXd twists(6 * (p + 1));
  for (int i = 0; i <= p; ++i) twists.segment<6>(6 * i) = u.twist[i];
  const Eigen::VectorXd momenta = t.M * twists;
  std::array<Vec6<double>, p + 1> momentum;
  for (int i = 0; i <= p; ++i) momentum[i] = momenta.segment<6>(6 * i);
  const Vec6<double> expected = math::applyAdjointInverseTransposed<double>(middle, mass * v);
  EXPECT_TRUE(isNear(calcResultant<p>(u, momentum), expected, 1e-12));

  system::Residual<double, p + 1, 0> residual;
  residual.setZero();
  Element::template addResidual<double, double>(parameters, u, {}, residual);
  const Vec6<double> force = calcInertiaForce<double, double>(mass, v, a);
  EXPECT_TRUE(isNear(calcResultant<p>(u, residual.node),
                     math::applyAdjointInverseTransposed<double>(middle, force), 1e-12));
}

TEST(BeamInertiaHighOrder, StraightElementIsARigidBodyInRigidMotion) {
  checkRigidRotation<2>();
  checkRigidRotation<3>();
}

// A strongly bent element that translates: energy and force are those of its mass.
template <int p>
void checkTranslation() {
  using Element = BeamInertiaHighOrder<p>;
  const auto parameters = makeParameters<p>();
  const Vec6<double> bent(0.9, 0.15, -0.1, 0.2, 0.5, -1.0);
  const Vec6<double> twist(0.3, -0.8, 0.5, 0, 0, 0), rate(2.0, 1.0, -0.7, 0, 0, 0);
  const auto u = makeRigidMotion<p>(parameters, bent, twist, rate);
  const double mass = 3.0 * parameters.length;
  EXPECT_NEAR(Element::energy(parameters, u, {}).kinetic, 0.5 * mass * twist.squaredNorm(), 1e-12);
  system::Residual<double, p + 1, 0> residual;
  residual.setZero();
  Element::template addResidual<double, double>(parameters, u, {}, residual);
  EXPECT_TRUE(isNear(math::firstOf<double>(calcResultant<p>(u, residual.node)),
                     (mass * rate.head<3>()).eval(), 1e-12));
}

TEST(BeamInertiaHighOrder, BentElementHasExactMomentum) {
  checkTranslation<2>();
  checkTranslation<3>();
}

// A pinned-pinned beam of length 1 that bends in the plane, EI = ρA = 1.
constexpr double kGA = 600.0, kRhoI = 1e-3;

double calcError(const std::string& mesh, double exact) {
  StaticMachine machine(
      "flexloop: 1\nsections: {s: {type: stiffness, EA: 1e4, GAy: 600, GAz: 600, GJ: 1, EIy: 1, "
      "EIz: 1, rhoA: 1, rhoJ: [2e-3, 1e-3, 1e-3]}}\n"
      "nodes: {A: {position: [0, 0, 0], free: [rz]}, B: {position: [1, 0, 0], free: [x, rz]}}\n"
      "beams: {b: {from: A, to: B, section: s, y_axis: [0, 1, 0], " +
      mesh + "}}\n");
  machine.calcResidual();  // the tangents of nodes with held freedoms need the forces
  linalg::SparseMatrix K, C, M;
  machine.assembler().calcTangents(machine.state(), K, C, M);
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      Eigen::MatrixXd(K), Eigen::MatrixXd(M), Eigen::EigenvaluesOnly);
  return (solver.eigenvalues().array() / exact - 1.0).abs().minCoeff();
}

// Timoshenko's beam with W sin kx, Ψ cos kx has
// ρA ρI ω⁴ − (ρA (EI k² + GA) + ρI GA k²) ω² + GA EI k⁴ = 0.
double calcExact(int mode) {
  const double k2 = std::pow(mode * std::numbers::pi, 2);
  const double b = k2 + kGA + kRhoI * kGA * k2;
  const double c = kGA * k2 * k2;
  return 2.0 * c / (b + std::sqrt(b * b - 4.0 * kRhoI * c));
}

// Both inertias have the order 2p; the consistent one has the smaller error.
TEST(BeamInertiaHighOrder, FrequenciesConvergeWithTwiceTheOrder) {
  const double exact = calcExact(3);
  for (const int p : {2, 3}) {
    const auto errorOf = [&](int elements, const char* inertia) {
      return calcError("elements: " + std::to_string(elements) + ", order: " + std::to_string(p) +
                           ", inertia: " + inertia,
                       exact);
    };
    for (const char* inertia : {"lumped", "consistent"}) {
      const double first = errorOf(8, inertia), second = errorOf(16, inertia);
      EXPECT_NEAR(std::log2(first / second), 2.0 * p, 0.15)
          << p << " " << inertia << ": errors " << first << ", " << second;
    }
    EXPECT_LT(errorOf(8, "consistent"), 0.6 * errorOf(8, "lumped")) << p;
  }
}

}  // namespace
}  // namespace flexloop::mechanics
