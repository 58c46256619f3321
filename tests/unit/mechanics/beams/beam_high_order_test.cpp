// Beams of order 2 and 3: the calculus of their strains, what they hold exactly, and their order of
// convergence.
#include "mechanics/beams/beam_high_order.hpp"

#include <array>
#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "math/dual.hpp"
#include "mechanics/beams/screw_strain.hpp"
#include "support/matrix_matchers.hpp"
#include "support/static_machine.hpp"

namespace flexloop::mechanics {
namespace {

using math::Frame;
using math::Mat6;
using math::Vec6;
using test::isNear;

class Random {
 public:
  Vec6<double> screw(double size) {
    Vec6<double> v;
    for (int i = 0; i < 6; ++i) v[i] = size * number_(generator_);
    return v;
  }

 private:
  std::mt19937 generator_{7};
  std::uniform_real_distribution<double> number_{-1.0, 1.0};
};

TEST(ScrewStrain, IsTheTangentOperator) {
  Random random;
  for (const double size : {0.0, 1e-8, 0.1, 0.7, 1.3}) {
    const Vec6<double> w = random.screw(size), z = random.screw(1.0);
    const ScrewStrain<double> screw(w);
    const Mat6<double> T = math::tangentSE3<double>(w);
    EXPECT_TRUE(isNear(screw.apply(z), (T * z).eval(), 1e-14));
    EXPECT_TRUE(isNear(screw.applyTransposed(z), (T.transpose() * z).eval(), 1e-14));
  }
}

// Against forward differentiation of T(w) z, at small, moderate and large rotations.
TEST(ScrewStrain, DerivativesAreExact) {
  using D = math::Dual<6>;
  Random random;
  for (const double size : {0.0, 1e-8, 0.1, 0.7, 1.3}) {
    const Vec6<double> w = random.screw(size), z = random.screw(1.0);
    const Vec6<double> sigma = random.screw(1.0), wdot = random.screw(1.0);
    Vec6<D> seeded = w.cast<D>();
    for (int i = 0; i < 6; ++i) seeded[i].d[i] = 1.0;
    const Vec6<D> e = math::applyTangent<D>(seeded, z.cast<D>());
    Mat6<double> byW;
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) byW(i, j) = e[i].d[j];
    }
    const ScrewStrain<double> screw(w);
    EXPECT_TRUE(isNear(screw.applyRate(wdot, z), (byW * wdot).eval(), 1e-13));
    EXPECT_TRUE(isNear(screw.gradient(z, sigma), (byW.transpose() * sigma).eval(), 1e-13));
  }
}

template <int p>
typename BeamHighOrder<p>::template Parameters<double> makeParameters(Random& random) {
  typename BeamHighOrder<p>::template Parameters<double> parameters;
  parameters.length = 0.8;
  parameters.damping = 0.02;
  parameters.D_A = math::expSO3<double>(random.screw(1.0).template head<3>());
  parameters.D_B = math::expSO3<double>(random.screw(1.0).template head<3>());
  for (auto& strain : parameters.strain0) strain = Vec6<double>::UnitX();
  parameters.stiffness.setZero();
  parameters.stiffness.diagonal() << 1e3, 4e2, 3e2, 2.0, 5.0, 7.0;
  return parameters;
}

// Nodes on the curve F_0 exp(s e): a state of constant strain e.
template <int p>
system::Local<double, p + 1, 0> makeScrewMotion(
    const Frame<double>& start, const Vec6<double>& e, double length,
    const typename BeamHighOrder<p>::template Parameters<double>& parameters) {
  system::Local<double, p + 1, 0> u;
  for (int i = 0; i <= p; ++i) {
    const double s = 0.5 * length * (1.0 + BeamHighOrder<p>::kNodePoints.points[i]);
    u.frame[i] = compose(start, math::expSE3<double>(s * e));
    u.twist[i].setZero();
    u.twistRate[i].setZero();
  }
  u.frame[0].R = u.frame[0].R * parameters.D_A.transpose();
  u.frame[p].R = u.frame[p].R * parameters.D_B.transpose();
  return u;
}

template <int p>
void checkConstantStrain() {
  Random random;
  auto parameters = makeParameters<p>(random);
  const Frame<double> start = math::expSE3<double>(random.screw(1.0));
  const Vec6<double> e = random.screw(1.5) + Vec6<double>::UnitX();
  const auto u = makeScrewMotion<p>(start, e, parameters.length, parameters);
  const Vec6<double> strain = e - Vec6<double>::UnitX();
  const double energy = 0.5 * parameters.length * strain.dot(parameters.stiffness * strain);
  EXPECT_NEAR(BeamHighOrder<p>::energy(parameters, u, {}).potential, energy, 1e-11 * energy);
  // The unloaded shape, wherever it is, has no forces: no strain comes from a rigid motion.
  for (auto& strain0 : parameters.strain0) strain0 = e;
  system::Residual<double, p + 1, 0> residual;
  residual.setZero();
  BeamHighOrder<p>::template addResidual<double, double>(parameters, u, {}, residual);
  for (const auto& f : residual.node) EXPECT_TRUE(isNear(f, Vec6<double>::Zero().eval(), 1e-10));
}

TEST(BeamHighOrder, HoldsConstantStrainExactly) {
  checkConstantStrain<2>();
  checkConstantStrain<3>();
}

// The forces are the gradient of the strain energy.
template <int p>
void checkGradient() {
  Random random;
  auto parameters = makeParameters<p>(random);
  auto u = makeScrewMotion<p>(math::expSE3<double>(random.screw(1.0)), Vec6<double>::UnitX(),
                              parameters.length, parameters);
  for (auto& F : u.frame) F = compose(F, math::expSE3<double>(random.screw(0.3)));
  system::Residual<double, p + 1, 0> residual;
  residual.setZero();
  BeamHighOrder<p>::template addResidual<double, double>(parameters, u, {}, residual);
  const double h = 1e-5;
  for (int k = 0; k < 6 * (p + 1); ++k) {
    const auto energyAt = [&](double s) {
      auto moved = u;
      moved.frame[k / 6] =
          compose(u.frame[k / 6], math::expSE3<double>(s * Vec6<double>::Unit(k % 6)));
      return BeamHighOrder<p>::energy(parameters, moved, {}).potential;
    };
    const double slope =
        (8.0 * (energyAt(h) - energyAt(-h)) - energyAt(2 * h) + energyAt(-2 * h)) / (12.0 * h);
    EXPECT_NEAR(residual.node[k / 6][k % 6], slope, 1e-6) << "freedom " << k;
  }
}

TEST(BeamHighOrder, ForcesAreTheGradientOfTheEnergy) {
  checkGradient<2>();
  checkGradient<3>();
}

std::string cantilever(int order, int elements, double EA, double GA) {
  return "flexloop: 1\nsections: {s: {type: stiffness, EA: " + std::to_string(EA) +
         ", GAy: " + std::to_string(GA) + ", GAz: " + std::to_string(GA) +
         ", GJ: 1, EIy: 1, EIz: 1}}\n" +
         "nodes: {A: {position: [0, 0, 0], free: []}, B: [1, 0, 0]}\n" +
         "beams: {b: {from: A, to: B, section: s, elements: " + std::to_string(elements) +
         ", order: " + std::to_string(order) + "}}\nloads: {tip: {node: B, force: [0, 10, 0]}}\n";
}

// Distance from the shooting solution of reference page B2: L = EI = 1, P = 10.
double tipError(int order, int elements) {
  test::StaticMachine machine(cantilever(order, elements, 10000.0, 5000.0));
  EXPECT_TRUE(machine.solve(10)) << "order " << order << ", elements " << elements;
  const Frame<double>& tip = machine.frame("B");
  const double theta = std::atan2(tip.R(1, 0), tip.R(0, 0));
  return math::Vec3<double>(tip.x[0] - 0.4448879191, tip.x[1] - 0.8118098993, theta - 1.4300848797)
      .norm();
}

TEST(BeamHighOrder, TipConvergesWithTwiceTheOrder) {
  const int coarse[] = {0, 16, 8, 8};
  for (const int p : {1, 2, 3}) {
    const double first = tipError(p, coarse[p]), second = tipError(p, 2 * coarse[p]);
    const double order = std::log2(first / second);
    // Two-node elements carry linear moments (7.5), which leaves little of their error of order 2.
    if (p == 1) {
      EXPECT_GT(order, 1.9) << "errors " << first << ", " << second;
      EXPECT_LT(first, 1e-5);
    } else {
      EXPECT_NEAR(order, 2.0 * p, 0.2) << "errors " << first << ", " << second;
    }
  }
}

// The slender limit of B2, PL²/EI = 10, where axial and shear strain vanish: a slender beam, here
// of a thickness L/290, is as accurate as its mesh is for a thick one.
TEST(BeamHighOrder, DoesNotLock) {
  const double allowed[] = {0.0, 8e-4, 2e-4, 5e-6};
  for (const int p : {1, 2, 3}) {
    test::StaticMachine machine(cantilever(p, p == 1 ? 16 : 4, 1e6, 5e5));
    ASSERT_TRUE(machine.solve(60)) << "order " << p;
    const math::Vec3<double>& tip = machine.frame("B").x;
    EXPECT_NEAR(tip[0], 1.0 - 0.554995597754, allowed[p]) << "order " << p;
    EXPECT_NEAR(tip[1], 0.810609024880, allowed[p] + 1.5e-5) << "order " << p;
  }
}

}  // namespace
}  // namespace flexloop::mechanics
