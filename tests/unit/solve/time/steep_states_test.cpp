// States of blocks that follow a steep law with kinks: the pressures of a damper with check valves, whose time constants are a
// thousandth of the step (docs/theory/09_time.md, section 9.13).
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// Two chambers, a check valve between them, one from the reserve, and a valve to it. With `unit` Pascals in the unit of the
// pressures; nothing else changes.
std::string damper(double current, double unit = 1.0) {
  return "parameters: {i: " + std::to_string(current) + ", unit: " + std::to_string(unit) + R"Y(,
  Ap: 1.01788e-3, Ad: 3.80133e-4, Ar: = Ap - Ad}
blocks:
  damper:
    type: equations
    inputs: {l: l, v: v}
    states: {r: = 6e5/unit, c: = 6e5/unit}
    derivatives:
      r: >
        = 1e9/unit/(1.25e-4 - Ar*l)*(Ar*v
        + 2e-6*unit*(c - r)/sqrt(unit*abs(c - r) + 2e4)*(c > r ? 1 : 1e-3)
        - 2.6e-8*(unit*r - 6e5*(1.5e-4/(1.5e-4 + Ad*l))^1.4)/sqrt(abs(unit*r - 6e5*(1.5e-4/(1.5e-4 + Ad*l))^1.4) + 2e4)
        - 2.4e-10*max(0, unit*r - 6e5*(1.5e-4/(1.5e-4 + Ad*l))^1.4 - 1e5 - 4.4e6*(i - 0.3)/1.3))
      c: >
        = 1e9/unit/(1.6e-4 + Ap*l)*(-Ap*v
        - 2e-6*unit*(c - r)/sqrt(unit*abs(c - r) + 2e4)*(c > r ? 1 : 1e-3)
        + 3.2e-6*(6e5*(1.5e-4/(1.5e-4 + Ad*l))^1.4 - unit*c)/sqrt(abs(6e5*(1.5e-4/(1.5e-4 + Ad*l))^1.4 - unit*c) + 2e4)
         *(6e5*(1.5e-4/(1.5e-4 + Ad*l))^1.4 > unit*c ? 1 : 1e-4))
    outputs: {force: "= (unit*r - 101325)*Ar - (unit*c - 101325)*Ap + (6e5 - 101325)*Ad + 20*tanh(v/0.01)"}
)Y";
}

constexpr const char* kPath = R"Y(  l: {type: expression, value: "= 0.01*(1 - cos(3*pi*t))"}
  v: {type: expression, value: "= 0.03*pi*sin(3*pi*t)"}
)Y";

// The same equations by scipy's Radau with a relative tolerance of 1e-10. The largest force is 218 and 2904 N; the scheme errs by
// h²/12 of the second derivative of the pressures, which turns from one flank to the next within some steps.
TEST(SteepStates, OfADamperThatIsMoved) {
  struct Case {
    double current, largest;
    std::vector<double> forces;
  };
  const std::vector<Case> cases{
      {0.3, 218.0, {184.147, 212.612, 124.027, -66.428, -97.093, -79.6085, 207.534, 16.5952}},
      {1.6, 2904.0, {1612.92, 2843.43, 464.997, -185.255, -658.971, -408.238, 2369.0, 16.596}}};
  const std::vector<double> times{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0};
  for (const Case& c : cases) {
    const ModelRun run =
        runModel(damper(c.current) + kPath, "damper.force", "end: 1, step: 10 ms, rho: 0.9");
    EXPECT_EQ(run.report.failedSteps, 0) << c.current;
    for (std::size_t k = 0; k < times.size(); ++k) {
      EXPECT_NEAR(run.at(times[k], "damper.force"), c.forces[k], 0.02 * c.largest) << times[k];
    }
  }
}

// In steps of 1 ms, and with pressures in MPa: the same forces.
TEST(SteepStates, InSmallStepsAndOtherUnits) {
  for (const double unit : {1.0, 1e6, 1e-6}) {
    const ModelRun run =
        runModel(damper(1.6, unit) + kPath, "damper.force", "end: 0.5, step: 1 ms, rho: 0.9");
    EXPECT_EQ(run.report.failedSteps, 0) << unit;
    EXPECT_NEAR(run.at(0.1, "damper.force"), 1612.92, 5.0) << unit;
    EXPECT_NEAR(run.at(0.2, "damper.force"), 2843.43, 5.0) << unit;
    EXPECT_NEAR(run.at(0.4, "damper.force"), -185.255, 5.0) << unit;
  }
}

// A mass of 100 kg on a spring of 22.9 kN/m that sets out with 0.5 m/s; reference as above.
TEST(SteepStates, OfADamperBesideAMass) {
  struct Case {
    double current;
    std::vector<double> places;
  };
  const std::vector<Case> cases{
      {0.3, {0.0149835, 0.0150409, 0.00840054, 0.000443215, -0.00528136, -0.00312555}},
      {1.6, {0.00351588, 0.00264206, 0.00165567, 0.000947996, 0.00025478, 5.54023e-05}}};
  const std::vector<double> times{0.05, 0.1, 0.15, 0.2, 0.3, 0.4};
  const std::string mass = R"(
nodes: {mass: {position: [0, 0, 0], free: [x], velocity: [0.5, 0, 0]}}
bodies: {mass: {node: mass, mass: 100}}
springs: {coil: {type: linear, between: [ground, mass], direction: [1, 0, 0], stiffness: 22900}}
sensors: {x: {measure: displacement, node: mass, direction: [1, 0, 0]}}
actuators: {pull: {type: force, node: mass, direction: [1, 0, 0], input: damper.force, gain: -1}}
)";
  for (const Case& c : cases) {
    std::string text = damper(c.current);
    text.replace(text.find("l: l, v: v"), 10, "l: x, v: x.rate");
    const ModelRun run = runModel(text + mass, "x", "end: 0.4, step: 1 ms, rho: 0.9");
    EXPECT_EQ(run.report.failedSteps, 0) << c.current;
    EXPECT_LT(run.report.iterations, 6 * run.report.steps) << c.current;
    for (std::size_t k = 0; k < times.size(); ++k) {
      EXPECT_NEAR(run.at(times[k], "x"), c.places[k], 1e-4) << c.current << ", " << times[k];
    }
  }
}

}  // namespace
}  // namespace flexloop::test
