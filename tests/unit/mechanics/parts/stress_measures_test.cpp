#include "mechanics/parts/stress_measures.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "math/flow.hpp"
#include "math/jet.hpp"

namespace flexloop::mechanics {
namespace {

using math::Flow;
using math::Jet;
using math::Vec6;

Vec6<double> make(double xx, double yy, double zz, double xy, double yz, double zx) {
  Vec6<double> s;
  s << xx, yy, zz, xy, yz, zx;
  return s;
}

// Plane stress: (xx + yy)/2 ± √(((xx − yy)/2)² + xy²), and zero; by Mohr's circle.
TEST(PrincipalStress, OfPlaneStressIsOnMohrsCircle) {
  const Vec6<double> s = make(70e6, -10e6, 0.0, 30e6, 0.0, 0.0);
  const double radius = std::hypot(40e6, 30e6);
  EXPECT_NEAR(calcPrincipalStress(s, 0), 30e6 + radius, 1.0);
  EXPECT_NEAR(calcPrincipalStress(s, 1), 0.0, 1.0);
  EXPECT_NEAR(calcPrincipalStress(s, 2), 30e6 - radius, 1.0);
  EXPECT_NEAR(calcVonMisesStress(s), std::sqrt(70e6 * 70e6 + 70e6 * 10e6 + 100e12 + 3 * 900e12),
              1.0);
}

// A bar in tension has two principal stresses of zero: nothing may become infinite there.
TEST(PrincipalStress, OfABarHasARate) {
  const Vec6<double> s = make(5e6, 0.0, 0.0, 0.0, 0.0, 0.0), rate = make(2e6, 1e6, 0, 3e6, 0, 0);
  Vec6<Flow<double>> moving;
  for (int i = 0; i < 6; ++i) moving[i] = {s[i], rate[i]};
  EXPECT_NEAR(calcPrincipalStress(moving, 0).first, 2e6, 1e-3);
  EXPECT_NEAR(calcPrincipalStress(moving, 1).first + calcPrincipalStress(moving, 2).first, 1e6,
              1e-3);
}

// Derivatives up to the third along a curved path of stresses, against differences of the values.
TEST(PrincipalStress, HasTheDerivativesOfItsValue) {
  const auto at = [](double t) {
    return make(3 + t, -1 + t * t, 0.5 - t, 1 + 2 * t, -0.7 * t, 0.4 + t * t * t);
  };
  constexpr double h = 0.01;
  Vec6<Jet> path;
  const double rates[6][3] = {{1, 0, 0}, {0, 2, 0}, {-1, 0, 0}, {2, 0, 0}, {-0.7, 0, 0}, {0, 0, 6}};
  for (int i = 0; i < 6; ++i) path[i] = Jet(at(0.0)[i], rates[i][0], rates[i][1], rates[i][2]);
  for (int rank = 0; rank < 3; ++rank) {
    const auto f = [&](double t) { return calcPrincipalStress(at(t), rank); };
    const Jet jet = calcPrincipalStress(path, rank);
    EXPECT_NEAR(jet.value, f(0.0), 1e-12);
    EXPECT_NEAR(jet.first, (f(h) - f(-h)) / (2 * h), 1e-3);
    EXPECT_NEAR(jet.second, (f(h) - 2 * f(0) + f(-h)) / (h * h), 1e-2);
    EXPECT_NEAR(jet.third, (f(2 * h) - 2 * f(h) + 2 * f(-h) - f(-2 * h)) / (2 * h * h * h), 0.05);
  }
}

}  // namespace
}  // namespace flexloop::mechanics
