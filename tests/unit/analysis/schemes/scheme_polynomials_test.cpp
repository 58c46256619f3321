// Characteristic polynomials of the schemes: as published, as the step matrices of an independent
// program, in their limits, and as the simulation itself obeys them.
#include "analysis/schemes/scheme_polynomials.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "linalg/roots/polynomial_roots.hpp"
#include "support/model_run.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using math::Polynomial;

constexpr auto kZ = SchemeVariable::kAmplification;
constexpr auto kP = SchemeVariable::kBilinear;

// Of a first-order scheme that nobody would choose.
constexpr solve::MotionScheme kOddMotion{-0.2, 0.1, 0.4, 0.7};
constexpr solve::StateScheme kOddState{0.1, 0.3, 0.6};

double radiusOf(const Polynomial& inZ) {
  double radius = 0.0;
  for (const Complex& z : linalg::calcRoots(inZ)) radius = std::max(radius, std::abs(z));
  return radius;
}

double radiusInP(const Polynomial& inP) {
  double radius = 0.0;
  for (const Complex& p : linalg::calcRoots(inP)) {
    radius = std::max(radius, std::abs((1.0 + p) / (1.0 - p)));
  }
  return radius;
}

void expectSame(const Polynomial& a, const Polynomial& b, double tolerance = 1e-13) {
  ASSERT_EQ(a.coefficients.size(), b.coefficients.size());
  for (std::size_t i = 0; i < a.coefficients.size(); ++i) {
    EXPECT_NEAR(a.coefficients[i], b.coefficients[i], tolerance) << "power " << i;
  }
}

// The polynomials of Brüls and Golinval (2006), section 3.1, as printed there; their σ is −σ here.
TEST(SchemePolynomials, AsPublished) {
  const solve::MotionScheme m = kOddMotion;
  const solve::StateScheme s = kOddState;
  const SchemePolynomial motion = makeMotionPolynomial(m, 0.0, kZ);
  const SchemePolynomial state = makeStatePolynomial(s, kZ);
  for (const double frequency : {0.0, 0.3, 17.0}) {
    for (const Complex z : {Complex(0.4, 0.9), Complex(-0.7, 0.0), Complex(1.1, -0.3)}) {
      const Complex Pq =
          (z - 1.0) * (z - 1.0) * ((1.0 - m.alphaM) * z + m.alphaM) +
          frequency * frequency * ((1.0 - m.alphaF) * z + m.alphaF) *
              (m.gamma * z + 1.0 - m.gamma + (z - 1.0) * (m.beta * z + 0.5 - m.beta));
      const Complex Px =
          (z - 1.0) * ((1.0 - s.deltaM) * z + s.deltaM) +
          frequency * ((1.0 - s.deltaF) * z + s.deltaF) * (s.theta * z + 1.0 - s.theta);
      EXPECT_LT(std::abs(motion.at(frequency).at(z) - Pq), 1e-13 * (1.0 + std::abs(Pq)));
      EXPECT_LT(std::abs(state.at(frequency).at(z) - Px), 1e-13 * (1.0 + std::abs(Px)));
    }
  }
}

// Largest |eigenvalue| of the step matrices of (q, hv, h²a) and (x, hw), by numpy: the equations
// (9.1) and (9.2) with v' = −2ζωv − ω²q and x' = −σx, solved for the new values by
// numpy.linalg.solve, then numpy.linalg.eigvals.
TEST(SchemePolynomials, RadiiAsTheStepMatricesOfNumpy) {
  struct MotionCase {
    solve::MotionScheme scheme;
    double frequency, zeta, radius;
  };
  const auto ch08 = solve::makeChungHulbert(0.8), ch0 = solve::makeChungHulbert(0.0);
  const auto hht = solve::makeHht(0.1);
  const std::vector<MotionCase> motion{
      {ch08, 0.1, 0, 0.999999931615578},          {ch08, 0.5, 0.02, 0.990626965424625},
      {ch08, 2, 0.1, 0.903654042623146},          {ch08, 10, 0.3, 0.835505628664279},
      {ch08, 300, 0.05, 0.815720034945991},       {ch0, 0.1, 0, 0.999951917652188},
      {ch0, 0.5, 0.02, 0.976538504489935},        {ch0, 2, 0.1, 0.674199862463242},
      {ch0, 10, 0.3, 0.248880933044709},          {ch0, 300, 0.05, 0.0239340748830614},
      {hht, 0.1, 0, 0.999998993394706},           {hht, 0.5, 0.02, 0.990257639815903},
      {hht, 2, 0.1, 0.879594451889814},           {hht, 10, 0.3, 0.749788890543446},
      {hht, 300, 0.05, 0.817666721013339},        {kOddMotion, 0.1, 0, 1.00049195757625},
      {kOddMotion, 0.5, 0.02, 0.999643317772323}, {kOddMotion, 2, 0.1, 0.892086447024139},
      {kOddMotion, 10, 0.3, 0.680858937840281},   {kOddMotion, 300, 0.05, 0.706772237945058}};
  for (const MotionCase& c : motion) {
    const Polynomial inZ = makeMotionPolynomial(c.scheme, c.zeta, kZ).at(c.frequency);
    const Polynomial inP = makeMotionPolynomial(c.scheme, c.zeta, kP).at(c.frequency);
    EXPECT_NEAR(radiusOf(inZ), c.radius, 1e-11) << c.frequency;
    EXPECT_NEAR(radiusInP(inP), c.radius, 1e-11) << c.frequency;
  }
  struct StateCase {
    solve::StateScheme scheme;
    double frequency, radius;
  };
  const auto jwh08 = solve::makeJansenWhitingHulbert(0.8);
  const auto jwh0 = solve::makeJansenWhitingHulbert(0.0);
  const auto ch05 = solve::makeStateChungHulbert(0.5);
  const std::vector<StateCase> state{
      {jwh08, 0.1, 0.904759073659934},    {jwh08, 1, 0.627082452340564},
      {jwh08, 5, 0.527197271190506},      {jwh08, 40, 0.761445930264607},
      {jwh08, 1000, 0.798422065055785},   {jwh0, 0.1, 0.904508497187474},
      {jwh0, 1, 0.447213595499958},       {jwh0, 5, 0.277350098112615},
      {jwh0, 40, 0.10976425998969},       {jwh0, 1000, 0.0223439281084376},
      {ch05, 0.1, 0.904708799815483},     {ch05, 1, 0.25},
      {ch05, 5, 0.27116307227332},        {ch05, 40, 0.363636363636363},
      {ch05, 1000, 0.495486127401454},    {kOddState, 0.1, 0.903787686419452},
      {kOddState, 1, 0.166666666666666},  {kOddState, 5, 0.408248290463863},
      {kOddState, 40, 0.515302554975076}, {kOddState, 1000, 0.658200998005969}};
  for (const StateCase& c : state) {
    EXPECT_NEAR(radiusOf(makeStatePolynomial(c.scheme, kZ).at(c.frequency)), c.radius, 1e-7);
    EXPECT_NEAR(radiusInP(makeStatePolynomial(c.scheme, kP).at(c.frequency)), c.radius, 1e-7);
  }
}

// The same for (q, hv, h²a, x, hw) of the coupled system (11.7).
TEST(SchemePolynomials, CoupledRadiiAsTheStepMatricesOfNumpy) {
  struct Case {
    double frequency;
    TestSystem system;
    double radius;
  };
  const auto check = [](const solve::Scheme& scheme, const std::vector<Case>& cases) {
    for (const Case& c : cases) {
      const Polynomial inZ = makeCoupledPolynomial(scheme, c.system, kZ).at(c.frequency);
      const Polynomial inP = makeCoupledPolynomial(scheme, c.system, kP).at(c.frequency);
      EXPECT_NEAR(radiusOf(inZ), c.radius, 1e-7) << c.frequency;
      EXPECT_NEAR(radiusInP(inP), c.radius, 1e-9) << c.frequency;
    }
  };
  check({solve::makeChungHulbert(0.8), solve::makeJansenWhitingHulbert(0.8)},
        {{0.1, {0, 1, 0, 0.2}, 0.99031042239999},
         {1, {0.02, 3, 0.5, 0.7}, 0.630981896822649},
         {4, {0.01, 0.2, -0.4, 0.1}, 0.939853633746242},
         {50, {0.1, 5, 0, 2}, 0.810676488072988},
         {1000, {0, 1, 2, 0.2}, 0.808063981878859}});
  check({solve::makeHht(0.1), solve::makeJansenWhitingHulbert(0.5)},
        {{0.1, {0, 1, 0, 0.2}, 0.990318357607643},
         {1, {0.02, 3, 0.5, 0.7}, 0.648868048579709},
         {4, {0.01, 0.2, -0.4, 0.1}, 0.863197951253083},
         {50, {0.1, 5, 0, 2}, 0.69860950401436},
         {1000, {0, 1, 2, 0.2}, 0.817967253440913}});
  check({kOddMotion, kOddState}, {{0.1, {0, 1, 0, 0.2}, 0.991006739243008},
                                  {1, {0.02, 3, 0.5, 0.7}, 0.679953185829718},
                                  {4, {0.01, 0.2, -0.4, 0.1}, 0.819583224138805},
                                  {50, {0.1, 5, 0, 2}, 0.636426208430163},
                                  {1000, {0, 1, 2, 0.2}, 0.706954604702919}});
}

// What Brüls and Golinval state without proof for any number of unknowns.
TEST(SchemePolynomials, UncoupledTheyFactorise) {
  const solve::Scheme scheme{kOddMotion, kOddState};
  const TestSystem system{.zeta = 0.3, .bandwidth = 2.5, .positionGain = 0.0, .velocityGain = 0.0};
  for (const double frequency : {0.2, 3.0}) {
    expectSame(makeCoupledPolynomial(scheme, system, kZ).at(frequency),
               makeMotionPolynomial(scheme.motion, 0.3, kZ).at(frequency) *
                   makeStatePolynomial(scheme.state, kZ).at(2.5 * frequency),
               1e-12);
  }
}

TEST(SchemePolynomials, CouplingDoesNotCountAtHighFrequency) {
  const solve::Scheme scheme{kOddMotion, kOddState};
  const double zeta = 0.3, kp = 0.6, kv = 0.8, large = 1e9;
  const auto coupled = [&](double hOmega, double hSigma) {
    return makeCoupledPolynomial(scheme, {zeta, hSigma / hOmega, kp, kv}, kZ).at(hOmega);
  };
  const Polynomial motionAtInfinity = makeMotionPolynomial(scheme.motion, zeta, kZ).terms.back();
  const Polynomial stateAtInfinity = makeStatePolynomial(scheme.state, kZ).terms.back();
  // σ → ∞: the loop without lag.
  const SchemePolynomial closed = makeMotionPolynomial(scheme.motion, zeta + kv, kZ);
  const Polynomial stiffer = closed.at(0.7) + kp * 0.7 * 0.7 * closed.terms[2];
  expectSame((1.0 / large) * coupled(0.7, large), stateAtInfinity * stiffer, 1e-7);
  // ω → ∞: the body follows the force at once.
  expectSame((1.0 / (large * large)) * coupled(large, 0.7),
             motionAtInfinity * makeStatePolynomial(scheme.state, kZ).at((1.0 + kp) * 0.7), 1e-7);
  // h → ∞.
  expectSame((1.0 / (large * large * 2.0 * large)) * coupled(large, 2.0 * large),
             (1.0 + kp) * (motionAtInfinity * stateAtInfinity), 1e-7);
}

TEST(SchemePolynomials, RadiusAtInfinityIsWhatTheSchemesAreMadeFor) {
  for (const double rho : {0.0, 0.1, 0.35, 0.5, 0.8, 0.9, 0.999, 1.0}) {
    const auto ch = solve::makeChungHulbert(rho);
    const auto jwh = solve::makeJansenWhitingHulbert(rho);
    EXPECT_NEAR(calcRadiusAtInfinity(ch), rho, 1e-14);
    EXPECT_NEAR(calcRadiusAtInfinity(jwh), rho, 1e-14);
    // Each for the other kind: reference page G; (1 + 3ρ)/(3 + ρ) from (11.6) by hand.
    EXPECT_NEAR(calcRadiusAtInfinity(solve::makeStateChungHulbert(rho)),
                std::max(rho, std::abs((1.0 - 3.0 * rho) / (3.0 - rho))), 1e-14);
    const double beta = 0.25 * (jwh.theta + 0.5) * (jwh.theta + 0.5);
    EXPECT_NEAR(calcRadiusAtInfinity(solve::MotionScheme{jwh.deltaM, jwh.deltaF, beta, jwh.theta}),
                (1.0 + 3.0 * rho) / (3.0 + rho), 1e-14);
  }
  for (const double alpha : {0.0, 0.05, 0.2, 1.0 / 3.0}) {
    EXPECT_NEAR(calcRadiusAtInfinity(solve::makeHht(alpha)), (1.0 - alpha) / (1.0 + alpha), 1e-14);
  }
  EXPECT_EQ(calcRadiusAtInfinity(solve::makeNewmark(0.25, 0.5)), 1.0);
}

TEST(SchemePolynomials, TrapezoidalRuleIsTheBilinearVariable) {
  const auto trapezoid = makeMotionPolynomial(solve::makeChungHulbert(1.0), 0.1, kP);
  expectSame(trapezoid.at(3.0), {{9.0, 1.2, 4.0, 0.0}});
}

TEST(SchemePolynomials, RouthTellsWhetherTheLoopIsStable) {
  EXPECT_TRUE((TestSystem{0.0, 1.0, 0.0, 0.2}.isStable()));
  EXPECT_TRUE((TestSystem{0.0, 100.0, 0.0, 5.0}.isStable()));
  EXPECT_FALSE((TestSystem{0.0, 1.0, 0.5, 0.2}.isStable()));  // 1 + 0.4 < 1.5
  EXPECT_TRUE((TestSystem{0.0, 1.0, 0.39, 0.2}.isStable()));
  EXPECT_FALSE((TestSystem{0.0, 1.0, 0.41, 0.2}.isStable()));
  EXPECT_FALSE((TestSystem{0.0, 1.0, 0.0, 0.0}.isStable()));  // an undamped oscillator
}

// The positions that a simulation gives obey the recursion with the polynomial's coefficients.
TEST(SchemePolynomials, ASimulationObeysThem) {
  // ω = 2, ζ = 0.1, h = 0.3.
  const model::Model model = test::buildModel(R"(
nodes: {cart: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {cart: {node: cart, mass: 3}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 12, damping: 1.2}}
sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}
analysis: {time: {end: 9, step: 0.3, newton: {tolerance: 1e-12}}}
)");
  for (const auto& scheme : {solve::makeChungHulbert(0.6), solve::makeHht(0.2), kOddMotion}) {
    model::TimeSettings settings = *model.time();
    settings.scheme.motion = scheme;
    const std::vector<double> x = test::runModel(model, settings).column("x");
    ASSERT_EQ(x.size(), 31u);
    const std::vector<double> c = makeMotionPolynomial(scheme, 0.1, kZ).at(0.6).coefficients;
    for (std::size_t n = 0; n + 3 < x.size(); ++n) {
      EXPECT_NEAR(c[0] * x[n] + c[1] * x[n + 1] + c[2] * x[n + 2] + c[3] * x[n + 3], 0.0, 1e-12);
    }
  }
}

}  // namespace
}  // namespace flexloop::analysis
