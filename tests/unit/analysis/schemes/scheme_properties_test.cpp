// Radii, errors, orders and limits of stability of the schemes, against tables and closed forms.
#include "analysis/schemes/scheme_properties.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solve/time/scheme_choice.hpp"

namespace flexloop::analysis {
namespace {

solve::Scheme makeScheme(double rho) {
  return {solve::makeChungHulbert(rho), solve::makeJansenWhitingHulbert(rho)};
}

SchemePoint pointAt(const solve::Scheme& scheme, double frequency, const TestSystem& system = {}) {
  return calcSchemeProperties(scheme, system, {frequency, 2.0 * frequency, 2}).points.front();
}

// (9.25): with ρ = 0.8 the lag is a ninth of the nominal step, and fast modes decay by 8/10 in a step as long as that; the lag may
// change by the root of it. In steps much shorter than the lag it must not grow by more than half of the step.
TEST(SchemeProperties, TheLagChangesNoFasterThanFastModesDecay) {
  const solve::Scheme scheme = makeScheme(0.8);
  EXPECT_NEAR(solve::followNominal(scheme, 1.0, 1.0, 10.0), std::sqrt(1.25), 1e-14);
  EXPECT_NEAR(solve::followNominal(scheme, 1.0, 1.0, 0.1), 1.0 / std::sqrt(1.25), 1e-14);
  EXPECT_EQ(solve::followNominal(scheme, 1.0, 1.0, 1.05), 1.05);
  const double h = 1e-3, lag = 1.0 / 9.0;
  EXPECT_NEAR(solve::followNominal(scheme, h, 1.0, 10.0) - 1.0, 0.5 * h / lag, 1e-12);
  EXPECT_NEAR(solve::followNominal(scheme, h, 1.0, 0.1), std::sqrt((lag - h) / (lag + h)), 1e-12);
  // Where the step is the lag, fast modes are gone after it: then it is at most the root of two.
  EXPECT_NEAR(solve::followNominal(scheme, lag, 1.0, 0.1), std::sqrt(0.5), 1e-12);
  // Without lag there is nothing to follow.
  EXPECT_EQ(solve::followNominal(makeScheme(1.0), 1.0, 1.0, 10.0), 10.0);
}

// Reference page G: eigenvalues of step matrices by numpy.
TEST(SchemeProperties, RadiiOfTheTable) {
  const double frequencies[] = {0.1, 0.5, 1, 2, 3.141592653589793, 10, 100, 1e4};
  const double table[][9] = {
      {0, .999952, .984243, .906563, .707107, .545757, .242536, .047831, .002158},
      {0.5, .999998, .999011, .989313, .937132, .868234, .682528, .537174, .501683},
      {0.8, 1.000000, .999960, .999475, .995286, .985954, .929792, .834638, .801675},
      {0.9, 1.000000, .999996, .999942, .999438, .998116, .983763, .928449, .901451}};
  for (const auto& row : table) {
    for (int i = 0; i < 8; ++i) {
      EXPECT_NEAR(pointAt(makeScheme(row[0]), frequencies[i]).motionRadius, row[i + 1], 5.1e-7);
    }
  }
}

// Reference page G: damping ratio and relative period error at h/T = 0.05 and 0.1.
TEST(SchemeProperties, ErrorsOfTheTable) {
  const double table[][5] = {{0, 1.163e-2, 3.908e-2, 5.490e-2, 1.232e-1},
                             {0.5, 5.450e-4, 1.216e-2, 3.780e-3, 4.672e-2},
                             {0.8, 2.084e-5, 8.623e-3, 1.573e-4, 3.383e-2},
                             {0.9, 2.222e-6, 8.273e-3, 1.692e-5, 3.247e-2},
                             {1, 0.0, 8.171e-3, 0.0, 3.207e-2}};
  for (const auto& [rho, damping1, period1, damping2, period2] : table) {
    const SchemePoint first = pointAt(makeScheme(rho), 0.1 * std::numbers::pi);
    const SchemePoint second = pointAt(makeScheme(rho), 0.2 * std::numbers::pi);
    EXPECT_NEAR(first.dampingError.value(), damping1, 5e-4 * damping1 + 1e-15) << rho;
    EXPECT_NEAR(first.periodError.value(), period1, 5e-4 * period1) << rho;
    EXPECT_NEAR(second.dampingError.value(), damping2, 5e-4 * damping2 + 1e-15) << rho;
    EXPECT_NEAR(second.periodError.value(), period2, 5e-4 * period2) << rho;
  }
}

// mpmath 1.2, 50 digits: polyroots of (11.4) and (11.5), then (11.12).
TEST(SchemeProperties, ErrorsAsMpmath) {
  struct Case {
    double rho, frequency, zeta, period, damping, amplitude;
  };
  const std::vector<Case> cases{
      {0.8, 1e-3, 0.0, 8.79629568966e-8, 6.85870913352e-13, -4.30945366631e-12},
      {0.8, 1e-2, 0.0, 8.79623563325e-6, 6.85856767582e-10, -4.30932724976e-9},
      {0.8, 0.3, 0.05, 0.00779403310644, -0.000762944915969, 0.00723297802742},
      {0.0, 1.0, 0.0, 0.247440837398, 0.121460963114, -0.460085886709},
      {0.6, 3.0, 0.2, 0.5999156527, -0.0717813444996, 1.17019918289},
      {0.5, 1e-6, 0.0, 1.25e-13, 1.85185185185e-20, -1.16355283466e-19}};
  for (const Case& c : cases) {
    const SchemePoint point = pointAt(makeScheme(c.rho), c.frequency, {.zeta = c.zeta});
    EXPECT_NEAR(point.periodError.value(), c.period, 1e-10 * std::abs(c.period) + 2e-15);
    // Rounding of the coefficients turns the root by some 1e-16.
    EXPECT_NEAR(point.dampingError.value(), c.damping, 1e-10 * std::abs(c.damping) + 5e-16);
    EXPECT_NEAR(point.amplitudeError.value(), c.amplitude, 1e-10 * std::abs(c.amplitude) + 4e-15);
  }
  EXPECT_NEAR(pointAt(makeScheme(0.8), 1e-3).rateError.value(), 8.64201093508e-8, 1e-14);
  EXPECT_NEAR(pointAt(makeScheme(0.8), 0.5).rateError.value(), 0.0225242238287, 1e-12);
  EXPECT_NEAR(pointAt(makeScheme(0.0), 0.1).rateError.value(), 0.00363579843237, 1e-12);
}

TEST(SchemeProperties, ErrorsFallWithTheirOrder) {
  for (const double rho : {0.0, 0.5, 0.8, 1.0}) {
    const solve::Scheme scheme = makeScheme(rho);
    const SchemePoint coarse = pointAt(scheme, 0.02), fine = pointAt(scheme, 0.01);
    EXPECT_NEAR(std::log2(*coarse.periodError / *fine.periodError), 2.0, 0.01);
    EXPECT_NEAR(std::log2(*coarse.rateError / *fine.rateError), 2.0, 0.06);
    if (rho < 1.0) {
      EXPECT_NEAR(std::log2(*coarse.dampingError / *fine.dampingError), 3.0, 0.01);
    }
    const PerKind<int> order = calcSchemeProperties(scheme, {}, {}).order;
    EXPECT_EQ(order.motion, 2);
    EXPECT_EQ(order.state, 2);
    EXPECT_EQ(order.coupled, 2);
  }
  // Newmark's damping costs an order: ζ̄ ≈ (γ − ½) hω/2.
  solve::Scheme first = makeScheme(0.8);
  first.motion = solve::makeNewmark(0.3025, 0.6);
  first.state = {0.0, 0.0, 1.0};
  const SchemePoint coarse = pointAt(first, 0.002), fine = pointAt(first, 0.001);
  EXPECT_NEAR(fine.dampingError.value(), 0.05 * 0.001, 1e-3 * 0.05 * 0.001);
  EXPECT_NEAR(std::log2(*coarse.rateError / *fine.rateError), 1.0, 0.01);
  const PerKind<int> order = calcSchemeProperties(first, {}, {}).order;
  EXPECT_EQ(order.motion, 1);
  EXPECT_EQ(order.state, 1);
  EXPECT_EQ(order.coupled, 1);
}

// Closed forms: trapezoid tan(hω̄/2) = hω/2; implicit Euler z = 1/(1 + hσ).
TEST(SchemeProperties, ClosedForms) {
  solve::Scheme scheme{solve::makeNewmark(0.25, 0.5), {0.0, 0.0, 1.0}};
  for (const double frequency : {0.01, 0.3, 2.0, 3.1}) {
    const SchemePoint point = pointAt(scheme, frequency);
    EXPECT_NEAR(point.motionRadius, 1.0, 1e-15);
    EXPECT_NEAR(point.periodError.value(), 0.5 * frequency / std::atan(0.5 * frequency) - 1.0,
                1e-14);
    EXPECT_NEAR(point.dampingError.value(), 0.0, 1e-15);
    EXPECT_NEAR(point.stateRadius, 1.0 / (1.0 + frequency), 1e-15);
    EXPECT_NEAR(point.rateError.value(), std::log1p(frequency) / frequency - 1.0, 1e-14);
  }
}

TEST(SchemeProperties, ErrorsOnlyWhereTheyMeanSomething) {
  const solve::Scheme scheme = makeScheme(0.8);
  EXPECT_TRUE(pointAt(scheme, 3.14).periodError.has_value());
  EXPECT_FALSE(pointAt(scheme, 3.15).periodError.has_value());
  EXPECT_FALSE(pointAt(scheme, 0.1, {.zeta = 1.0}).periodError.has_value());
  EXPECT_FALSE(pointAt(scheme, 0.1, {.zeta = 1.5}).amplitudeError.has_value());
  // With damping an oscillation is slower and may be sampled in larger steps.
  EXPECT_TRUE(pointAt(scheme, 3.5, {.zeta = 0.6}).periodError.has_value());
  EXPECT_FALSE(pointAt(scheme, 100.0).rateError.has_value());
  // The trapezoidal rule changes sign from hσ = 2 on.
  const solve::Scheme trapezoid{solve::makeNewmark(0.25, 0.5), {0.0, 0.0, 0.5}};
  EXPECT_NEAR(pointAt(trapezoid, 1.9).rateError.value(), std::log(39.0) / 1.9 - 1.0, 1e-13);
  EXPECT_FALSE(pointAt(trapezoid, 2.1).rateError.has_value());
}

// Newmark with γ = ½ and β < ¼ is stable up to hω = 1/√(¼ − β); θ < ½ up to hσ = 2/(1 − 2θ).
TEST(SchemeProperties, LimitsOfStability) {
  for (const double beta : {1.0 / 6.0, 1.0 / 12.0}) {
    const solve::Scheme scheme{solve::makeNewmark(beta, 0.5), {0.0, 0.0, 0.4}};
    const auto properties = calcSchemeProperties(scheme, {}, {});
    EXPECT_NEAR(properties.unstableFrom.motion.value(), 1.0 / std::sqrt(0.25 - beta), 1e-6);
    EXPECT_NEAR(properties.unstableFrom.state.value(), 10.0, 1e-6);
    EXPECT_TRUE(properties.unstableFrom.coupled.has_value());
    EXPECT_GT(properties.radiusAtInfinity.motion, 1.0);
  }
  // Negative damping from the start.
  const solve::Scheme growing{solve::makeNewmark(0.25, 0.49), {}};
  EXPECT_EQ(calcSchemeProperties(growing, {}, {}).unstableFrom.motion, 0.01);
}

TEST(SchemeProperties, StableForAllFrequenciesOfEitherKind) {
  for (const double rho : {0.0, 0.2, 0.5, 0.8, 1.0 - 1e-15, 1.0}) {
    for (const auto& state :
         {solve::makeJansenWhitingHulbert(rho), solve::makeStateChungHulbert(rho)}) {
      for (const double gain : {0.0, 0.2, 10.0}) {
        for (const double bandwidth : {0.01, 1.0, 100.0}) {
          const auto properties = calcSchemeProperties(
              {solve::makeChungHulbert(rho), state}, {.bandwidth = bandwidth, .velocityGain = gain},
              {1e-6, 1e12, 60});
          EXPECT_FALSE(properties.unstableFrom.motion.has_value()) << rho;
          EXPECT_FALSE(properties.unstableFrom.state.has_value()) << rho;
          EXPECT_FALSE(properties.unstableFrom.coupled.has_value())
              << rho << " " << bandwidth << " " << gain << " " << *properties.unstableFrom.coupled;
          const double most =
              std::max(properties.points.back().motionRadius, properties.points.back().stateRadius);
          // Triple roots come out to some 1e-5.
          EXPECT_NEAR(
              most, std::max(properties.radiusAtInfinity.motion, properties.radiusAtInfinity.state),
              2e-4);
        }
      }
    }
  }
}

TEST(SchemeProperties, NamedSchemesForMotionAreStable) {
  for (const std::string& name : solve::motionSchemeNames()) {
    for (const double rho : {0.0, 0.3, 0.5, 0.8, 1.0}) {
      const auto motion = solve::makeMotionScheme(name, rho);
      EXPECT_EQ(motion.hasValue(), name != "hht" || rho >= 0.5);
      if (!motion) continue;
      const auto properties = calcSchemeProperties({motion.value(), {}}, {}, {1e-6, 1e6, 60});
      EXPECT_FALSE(properties.unstableFrom.motion.has_value()) << name << " " << rho;
      const double expected = name == "jwh" ? (1.0 + 3.0 * rho) / (3.0 + rho) : rho;
      EXPECT_NEAR(properties.radiusAtInfinity.motion, expected, 1e-14) << name;
      EXPECT_EQ(properties.order.motion, name == "newmark" && rho < 1.0 ? 1 : 2) << name;
    }
  }
}

// Theory, section 11.2. numpy, eigenvalues of the step matrix: 1 + 3.112886e-05; of the loop: −2.48975e-4 ω.
TEST(SchemeProperties, ALoopNearItsMarginMayBecomeUnstable) {
  const solve::Scheme scheme{solve::makeChungHulbert(0.8), solve::makeStateChungHulbert(0.8)};
  const TestSystem system{
      .zeta = 0.0, .bandwidth = 12.0, .positionGain = 95.99, .velocityGain = 4.0};
  EXPECT_TRUE(system.isStable());
  const auto properties = calcSchemeProperties(scheme, system, {0.055, 100.0, 50});
  EXPECT_NEAR(properties.points.front().coupledRadius, 1.0 + 3.112886e-5, 1e-10);
  EXPECT_EQ(properties.unstableFrom.coupled, 0.055);
  EXPECT_FALSE(properties.unstableFrom.motion.has_value());
}

TEST(SchemeProperties, FrequenciesHaveEqualRatios) {
  const auto points = calcSchemeProperties(makeScheme(0.8), {}, {1e-2, 1e4, 7}).points;
  ASSERT_EQ(points.size(), 7u);
  for (int i = 0; i < 7; ++i) {
    EXPECT_NEAR(points[i].frequency, std::pow(10.0, i - 2), 1e-12 * points[i].frequency);
  }
  EXPECT_EQ(points.back().frequency, 1e4);
}

}  // namespace
}  // namespace flexloop::analysis
