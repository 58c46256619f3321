// Friction with true sticking against closed forms (docs/theory/32_friction.md).
#include <cmath>
#include <fstream>
#include <numbers>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

constexpr double kPi = std::numbers::pi;

std::string springMass(const std::string& friction) {
  return R"(
nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {m: {node: cart, mass: 1}}
joints:
  s: {type: slider, between: [ground, cart], axis: [1, 0, 0], stiffness: 100, start: 0.1, friction: {)" +
         friction + R"(}}
sensors:
  x: {measure: position, node: cart, direction: [1, 0, 0]}
  v: {measure: velocity, node: cart, direction: [1, 0, 0]}
  f: {measure: friction, joint: s}
  sticks: {measure: sticks, joint: s}
)";
}

// Half waves about ± the dead band.
TEST(Friction, StopsASpringMassOffItsCentre) {
  const ModelRun run =
      runModel(springMass("force: 0.981"), "x, v, f, sticks", "end: 4, step: 0.2 ms, rho: 1");
  const std::vector<std::array<double, 3>> expected{
      {0.1, 0.0585398649662, -0.758922681198},   {0.3, -0.0794774232684, -0.127276135269},
      {0.5, 0.0102080404281, 0.67671286063},     {0.7, 0.0482213198588, -0.334734672047},
      {1.0, -0.036098111006, 0.170441814042},    {1.3, 0.0204362018108, -0.0492015600124},
      {1.5, 0.000914054540423, -0.0761487060824}};
  for (const auto& [t, x, v] : expected) {
    EXPECT_NEAR(run.at(t, "x"), x, 1e-6) << t;
    EXPECT_NEAR(run.at(t, "v"), v, 1e-5) << t;
  }
  for (const double t : {2.0, 4.0}) {
    EXPECT_NEAR(run.at(t, "x"), -0.0019, 1e-9);
    EXPECT_NEAR(run.at(t, "v"), 0.0, 1e-25);
    EXPECT_NEAR(run.at(t, "f"), 0.19, 1e-7);
    EXPECT_EQ(run.at(t, "sticks"), 1.0);
  }
  EXPECT_EQ(run.at(2.0, "x"), run.at(4.0, "x"));
  EXPECT_EQ(run.at(1.0, "sticks"), 0.0);
  EXPECT_EQ(run.report.events, 5);
}

// Errors shrink with the square of the step, events or not.
TEST(Friction, KeepsTheOrderOfTheScheme) {
  const auto errorAt = [](const std::string& step) {
    const ModelRun run =
        runModel(springMass("force: 0.981"), "x", "end: 1.5, step: " + step + ", rho: 0.8");
    return std::abs(run.last("x") - 0.000914054540423);
  };
  const double coarse = errorAt("2 ms"), fine = errorAt("1 ms");
  EXPECT_GT(coarse / fine, 3.4);
  EXPECT_LT(coarse / fine, 4.6);
}

TEST(Friction, IsTheSameForMachinesOfAllSizes) {
  for (const double scale : {1e-12, 1e12}) {
    char text[400];
    std::snprintf(text, sizeof text, R"(
nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {m: {node: cart, mass: %g}}
joints:
  s: {type: slider, between: [ground, cart], axis: [1, 0, 0], stiffness: %g, start: %g, friction: {force: %g}}
sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}
)",
                  scale, 100.0 * scale, 0.1 / scale, 0.981);
    const ModelRun run = runModel(text, "x", "end: 2, step: 1 ms, rho: 1");
    EXPECT_NEAR(run.last("x") * scale, -0.0019, 1e-6) << scale;
    EXPECT_EQ(run.report.events, 5) << scale;
  }
}

// A block on a slope: held for an hour, or thrown uphill.
std::string slope(const std::string& friction, const std::string& more = "") {
  return R"(
gravity: [4.905, 0, -8.4957047])" +
         std::string(R"(
nodes: {block: {position: [0, 0, 0]}}
bodies: {b: {node: block, mass: 2, inertia: [0.1, 0.1, 0.1]}}
joints: {s: {type: slider, between: [ground, block], axis: [1, 0, 0], friction: {)") +
         friction + "}" + more + R"(}}
sensors:
  x: {measure: displacement, joint: s}
  v: {measure: rate, joint: s}
  f: {measure: friction, joint: s}
)";
}

TEST(Friction, HoldsABlockOnASlopeForAnHour) {
  const ModelRun run = runModel(slope("coefficient: 0.6"), "x, v, f", "end: 3600, step: 4");
  EXPECT_EQ(run.last("v"), 0.0);
  EXPECT_NEAR(run.last("x"), 0.0, 1e-15);
  EXPECT_NEAR(run.last("f"), 2.0 * 4.905, 1e-9);
  EXPECT_EQ(run.report.events, 0);
}

TEST(Friction, SlidesABlockUpAndDownASlope) {
  const ModelRun run =
      runModel(slope("coefficient: 0.3", ", start_rate: -2"), "x, v", "end: 0.8, step: 1 ms");
  const double up = 4.905 + 0.3 * 8.4957047, down = 4.905 - 0.3 * 8.4957047;
  const double turn = 2.0 / up, t = 0.8 - turn;
  EXPECT_NEAR(run.last("x"), -2.0 / up + 0.5 * down * t * t, 1e-8);
  EXPECT_NEAR(run.last("v"), down * t, 1e-8);
  const ModelRun held =
      runModel(slope("coefficient: 0.7", ", start_rate: -2"), "x, v", "end: 1, step: 1 ms");
  EXPECT_NEAR(held.last("x"), -2.0 / (4.905 + 0.7 * 8.4957047), 1e-8);
  EXPECT_NEAR(held.last("v"), 0.0, 1e-15);
}

std::string belt(const std::string& friction) {
  return R"(
nodes:
  belt: {position: [0, 0, 0], free: [x], velocity: [0.1, 0, 0]}
  block: {position: [0, 0, 0], free: [x], velocity: [0.1, 0, 0]}
bodies: {m: {node: block, mass: 1}, b: {node: belt, mass: 1}}
blocks: {run: {type: ramp, slope: 0.1}}
joints:
  drive: {type: slider, between: [ground, belt], axis: [1, 0, 0], drive: run}
  rub: {type: slider, between: [belt, block], axis: [1, 0, 0], friction: {)" +
         friction + R"(}}
springs: {k: {type: linear, between: [ground, block], direction: [1, 0, 0], stiffness: 100}}
sensors:
  x: {measure: position, node: block, direction: [1, 0, 0]}
  v: {measure: velocity, node: block, direction: [1, 0, 0]}
)";
}

TEST(Friction, SticksAndSlipsOnABelt) {
  const ModelRun run =
      runModel(belt("force: 2.4525, static_force: 3.924"), "x, v", "end: 5, step: 0.25 ms, rho: 1");
  const std::vector<std::array<double, 2>> expected{
      {0.3, 0.03},           {0.5, 0.0403131077202}, {0.7, 0.0104970998268}, {0.9, 0.017216303723},
      {1.0, 0.027216303723}, {2.0, 0.0352697338104}, {5.0, 0.020328842316}};
  for (const auto& [t, x] : expected) EXPECT_NEAR(run.at(t, "x"), x, 1e-6) << t;
  const std::vector<double> events = run.interruptions();
  ASSERT_GE(events.size(), 3u);
  EXPECT_NEAR(events[0], 0.3924, 1e-8);
  EXPECT_NEAR(events[2] - events[0], 0.72783696277, 1e-6);
}

TEST(Friction, HasTheLimitCycleOfStribeck) {
  for (const auto& [n, slip, period] :
       {std::array<double, 3>{1.0, 0.435193756642, 0.874898244679},
        std::array<double, 3>{2.0, 0.445524359604, 0.900639553014}}) {
    const std::string law =
        "force: 1.962, static_force: 3.924, stribeck: {speed: 0.05, exponent: " +
        std::to_string(n) + "}";
    const ModelRun run = runModel(belt(law), "x", "end: 2.5, step: 0.2 ms, rho: 1");
    const std::vector<double> events = run.interruptions();
    ASSERT_GE(events.size(), 4u);
    EXPECT_NEAR(events[1] - events[0], slip, 1e-6) << n;
    EXPECT_NEAR(events[2] - events[0], period, 2e-6) << n;
  }
}

std::string twoBlocks(const std::string& force, const std::string& velocity = "0") {
  return R"(
nodes:
  lower: {position: [0, 0, 0], free: [x], velocity: [)" +
         velocity + R"(, 0, 0]}
  upper: {position: [0, 0, 0], free: [x]}
bodies: {m1: {node: upper, mass: 1}, m2: {node: lower, mass: 2}}
joints:
  floor: {type: slider, between: [ground, lower], axis: [1, 0, 0], friction: {force: 2.943}}
  between: {type: slider, between: [lower, upper], axis: [1, 0, 0], friction: {force: 2.943}}
loads: {push: {node: lower, force: [)" +
         force + R"(, 0, 0]}}
sensors:
  x1: {measure: position, node: upper, direction: [1, 0, 0]}
  x2: {measure: position, node: lower, direction: [1, 0, 0]}
  a1: {measure: acceleration, node: upper, direction: [1, 0, 0]}
  a2: {measure: acceleration, node: lower, direction: [1, 0, 0]}
  v1: {measure: velocity, node: upper, direction: [1, 0, 0]}
  v2: {measure: velocity, node: lower, direction: [1, 0, 0]}
  f1: {measure: friction, joint: between}
  f2: {measure: friction, joint: floor}
)";
}

TEST(Friction, ActsBetweenSeveralBlocks) {
  const std::string outputs = "x1, x2, a1, a2, v1, v2, f1, f2", time = "end: 0.1, step: 1 ms";
  const ModelRun rest = runModel(twoBlocks("2"), outputs, time);
  EXPECT_NEAR(rest.last("a2"), 0.0, 1e-15);
  EXPECT_NEAR(rest.last("f2"), 2.0, 1e-12);
  EXPECT_NEAR(rest.last("f1"), 0.0, 1e-12);
  const ModelRun together = runModel(twoBlocks("8"), outputs, time);
  EXPECT_NEAR(together.last("a1"), 1.68566666667, 1e-9);
  EXPECT_NEAR(together.last("a2"), 1.68566666667, 1e-9);
  EXPECT_NEAR(together.last("f1"), -1.68566666667, 1e-9);
  const ModelRun apart = runModel(twoBlocks("20"), outputs, time);
  EXPECT_NEAR(apart.last("a1"), 2.943, 1e-9);
  EXPECT_NEAR(apart.last("a2"), 7.057, 1e-9);
}

TEST(Friction, BringsTwoBlocksToACommonVelocityAndToRest) {
  const ModelRun run =
      runModel(twoBlocks("0", "2"), "x1, x2, v1, v2", "end: 2, step: 1 ms, rho: 1");
  EXPECT_NEAR(run.last("x1"), 0.67957866123, 1e-8);
  EXPECT_NEAR(run.last("x2"), 1.01936799185, 1e-8);
  EXPECT_NEAR(run.last("v1"), 0.0, 1e-15);
  EXPECT_NEAR(run.last("v2"), 0.0, 1e-15);
  const std::vector<double> events = run.interruptions();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_NEAR(events[0], 0.339789330615, 1e-9);
  EXPECT_NEAR(events[1], 1.35915732246, 1e-9);
}

std::string pendulum(const std::string& body, const std::string& friction) {
  return R"(
gravity: [0, 0, -9.81]
nodes: {rod: {position: [0, 0, 0]}}
bodies: {b: {node: rod, )" +
         body + R"(}}
joints: {h: {type: hinge, between: [ground, rod], axis: [0, 1, 0], start: 60 deg, friction: {)" +
         friction + R"(}}}
sensors:
  angle: {measure: angle, joint: h}
  rate: {measure: rate, joint: h}
)";
}

TEST(Friction, OfABearingFollowsItsReaction) {
  const ModelRun point =
      runModel(pendulum("mass: 1, inertia: [1e-9, 1e-9, 1e-9], com: [0, 0, -0.5]",
                        "coefficient: 0.2, radius: 20 mm"),
               "angle, rate", "end: 3.9, step: 0.25 ms, rho: 1");
  const std::vector<double> swings = point.interruptions();
  const std::vector<double> times{0.759670663559, 1.51648222639, 2.27059911903, 3.02217332526,
                                  3.77134565917};
  ASSERT_EQ(swings.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(swings[i], times[i], 2e-6) << i;
  const ModelRun rod = runModel(
      pendulum("mass: 1, inertia: [0.0833333333333, 0.0833333333333, 1e-6], com: [0, 0, -0.5]",
               "coefficient: 0.3, radius: 30 mm"),
      "angle, rate", "end: 25, step: 1 ms, rho: 1");
  const std::vector<double> events = rod.interruptions();
  ASSERT_EQ(events.size(), 25u);
  EXPECT_NEAR(events[0], 0.875520809299, 1e-5);
  EXPECT_NEAR(events[23], 20.0777493461, 1e-4);
  EXPECT_NEAR(std::abs(rod.last("angle")), 0.00564205844361, 2e-6);
  EXPECT_NEAR(rod.last("rate"), 0.0, 1e-12);
}

TEST(Friction, OfBristlesCreepsAndSlips) {
  const std::string law =
      "force: 1, static_force: 1.5, stribeck: {speed: 1 mm/s, exponent: 2}, viscous: 0.4, "
      "lugre: {stiffness: 1e5, damping: 316.227766017}";
  const std::string machine = R"(
nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {m: {node: cart, mass: 1}}
joints: {s: {type: slider, between: [ground, cart], axis: [1, 0, 0], friction: {)" +
                              law + R"(}}}
sensors:
  x: {measure: position, node: cart, direction: [1, 0, 0]}
  v: {measure: velocity, node: cart, direction: [1, 0, 0]}
  f: {measure: friction, joint: s}
)";
  const ModelRun slow =
      runModel(machine +
                   "blocks: {p: {type: sine, amplitude: 1.425, frequency: 0.1 Hz}}\n"
                   "actuators: {push: {type: force, node: cart, direction: [1, 0, 0], input: p}}\n",
               "x, f", "end: 10, step: 2 ms");
  EXPECT_NEAR(slow.at(1.0, "x"), 1.220832989e-05, 1e-10);
  EXPECT_NEAR(slow.at(2.5, "x"), 4.500427565e-05, 1e-10);
  EXPECT_NEAR(slow.at(2.5, "f"), 1.425113182, 1e-6);
  EXPECT_NEAR(slow.at(5.0, "x"), 3.501526786e-05, 1e-10);
  EXPECT_NEAR(slow.at(7.5, "x"), -1.001738334e-05, 1e-10);
}

// What sticks is a constraint of linear analyses, what slips acts with its slope.
TEST(Friction, IsAConstraintOfModesWhereItSticks) {
  const auto modesOf = [](const std::string& start) {
    const model::Model model = buildModel(R"(
nodes:
  a: {position: [0, 0, 0], free: [x], velocity: [)" +
                                          start + R"(, 0, 0]}
  b: {position: [0, 0, 0], free: [x]}
bodies: {a: {node: a, mass: 1}, b: {node: b, mass: 1}}
joints: {s: {type: slider, between: [ground, a], axis: [1, 0, 0], friction: {force: 1, viscous: 0.2}}}
springs: {k: {type: linear, between: [a, b], direction: [1, 0, 0], stiffness: 100}}
)");
    const analysis::OperatingState at = analysis::findOperatingPoint(model, {});
    EXPECT_TRUE(at.ok()) << messageOf(at.failure);
    return analysis::findModes(model, at.state, {});
  };
  const analysis::ModeResult stuck = modesOf("0");
  ASSERT_EQ(stuck.modes.size(), 1u);
  EXPECT_NEAR(stuck.modes[0].eigenvalue.imag(), 10.0, 1e-9);
  const analysis::ModeResult slipping = modesOf("1");
  double fastest = 0.0, damping = 0.0;
  for (const analysis::Mode& mode : slipping.modes) {
    fastest = std::max(fastest, mode.eigenvalue.imag());
    damping += mode.eigenvalue.real() * (mode.eigenvalue.imag() > 0.0 ? 2.0 : 1.0);
  }
  EXPECT_NEAR(fastest, std::sqrt(200.0), 0.01);
  EXPECT_NEAR(damping, -0.2, 1e-9);
}

TEST(Friction, HoldsAnEquilibriumWithinItsLimit) {
  const auto restOf = [](const std::string& force) {
    const model::Model model = buildModel(R"(
nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {m: {node: cart, mass: 1}}
joints: {s: {type: slider, between: [ground, cart], axis: [1, 0, 0], stiffness: 100, friction: {force: 2}}}
loads: {push: {node: cart, force: [)" + force +
                                          R"(, 0, 0]}}
sensors:
  x: {measure: position, node: cart, direction: [1, 0, 0]}
  f: {measure: friction, joint: s}
outputs: [x, f]
)");
    const analysis::EquilibriumResult rest = analysis::findEquilibrium(model);
    EXPECT_TRUE(rest.report.ok()) << messageOf(rest.report.failure);
    return rest.outputs;
  };
  EXPECT_NEAR(restOf("1.5")[0], 0.0, 1e-12);
  EXPECT_NEAR(restOf("1.5")[1], 1.5, 1e-9);
  EXPECT_NEAR(restOf("-5")[0], -0.03, 1e-9);
  EXPECT_NEAR(restOf("-5")[1], -2.0, 1e-9);
}

// Two guides of one carriage: their constraints depend on each other while both stick.
TEST(Friction, OfRedundantJointsAddsUp) {
  const auto runWith = [](const std::string& force) {
    return runModel(R"(
nodes: {cart: {position: [0, 0, 0]}}
bodies: {m: {node: cart, mass: 2, inertia: [1, 1, 1]}}
joints:
  one: {type: slider, between: [ground, cart], at: [0, 1, 0], axis: [1, 0, 0], friction: {force: 1}}
  two: {type: slider, between: [ground, cart], at: [0, -1, 0], axis: [1, 0, 0], friction: {force: 2}}
loads: {push: {node: cart, force: [)" +
                        force + R"(, 0, 0]}}
sensors:
  x: {measure: displacement, joint: one}
  f1: {measure: friction, joint: one}
  f2: {measure: friction, joint: two}
)",
                    "x, f1, f2", "end: 1, step: 1 ms");
  };
  const ModelRun held = runWith("2.9");
  EXPECT_NEAR(held.last("x"), 0.0, 1e-12);
  EXPECT_NEAR(held.last("f1") + held.last("f2"), 2.9, 1e-6);
  const ModelRun slides = runWith("5");
  EXPECT_NEAR(slides.last("x"), 0.5 * (5.0 - 3.0) / 2.0, 1e-9);
}

// A cart on a rough floor under a pendulum that swings until it drags the cart along; the force that holds it and the load grow together. Against an integration that
// changes where they are equal (relative accuracy 1e-11).
TEST(Friction, OfACartGivesWayToItsPendulum) {
  const std::string model = R"(
gravity: [0, 0, -9.81]
nodes: {a: [0, 0, 0], b: [0.5, 0, 0]}
bodies: {a: {node: a, mass: 2, inertia: [1, 1, 1]}, b: {node: b, mass: 1, inertia: [0.02, 0.02, 0.02]}}
joints:
  s: {type: slider, between: [ground, a], axis: [1, 0, 0], friction: {coefficient: MU}}
  h: {type: hinge, between: [a, b], at: [0, 0, 0], axis: [0, 1, 0]}
sensors: {x: {measure: displacement, joint: s}, q: {measure: angle, joint: h}}
)";
  struct Case {
    const char* mu;
    double x, q;
  };
  for (const Case& c : {Case{"0.1", 0.09990959, 1.45129142}, Case{"0.3", 0.02344241, 1.38148769}}) {
    std::string text = model;
    text.replace(text.find("MU"), 2, c.mu);
    const ModelRun run = runModel(text, "x, q", "end: 0.4, step: 0.5 ms");
    EXPECT_NEAR(run.last("x"), c.x, 3e-6) << c.mu;
    EXPECT_NEAR(run.last("q"), c.q, 1e-5) << c.mu;
    EXPECT_LE(run.report.events, 4) << c.mu;
    EXPECT_EQ(run.report.chatteringSteps, 0) << c.mu;
  }
}

TEST(Friction, TellsWhatIsWrong) {
  const auto wrong = [](const std::string& options) {
    return mistakesOf(R"(
nodes: {a: {position: [0, 0, 0]}}
bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}}
joints: {h: {type: hinge, between: [ground, a], axis: [0, 1, 0], )" +
                      options + "}}\n");
  };
  EXPECT_TRUE(says(wrong("friction: {torque: -1}"), "torque"));
  EXPECT_TRUE(says(wrong("friction: {viscous: 1}"), "needs 'torque' or 'coefficient'"));
  EXPECT_TRUE(says(wrong("friction: {torque: 1, coefficient: 1}"), "exclude each other"));
  EXPECT_TRUE(says(wrong("friction: {coefficient: 0.1}"), "needs a 'radius'"));
  EXPECT_TRUE(says(wrong("friction: {torque: 1, radius: 1}"), "'radius' has no meaning"));
  EXPECT_TRUE(says(wrong("friction: {torque: 1, static_torque: 0.5}"), "is below 'torque'"));
  EXPECT_TRUE(says(wrong("friction: {torque: 1, static_coefficient: 2}"), "does not go with"));
  EXPECT_TRUE(says(wrong("friction: {torque: 1, stribeck: {speed: 1, exponent: 1}}"),
                   "needs a static friction"));
  EXPECT_TRUE(says(wrong("friction: {coefficient: 1, radius: 1, lugre: {stiffness: 1}}"),
                   "does not go with 'coefficient'"));
  EXPECT_TRUE(
      says(wrong("locked: true, friction: {torque: 1}"), "cannot be combined with 'locked'"));
  EXPECT_TRUE(says(wrong("drive: 0.1, friction: {torque: 1}"), "cannot be combined with 'drive'"));
  EXPECT_TRUE(says(mistakesOf(R"(
nodes: {a: {position: [0, 0, 0]}}
bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}}
joints: {b: {type: spherical, between: [ground, a], friction: {torque: 1}}}
)"),
                   "friction"));
}

}  // namespace
}  // namespace flexloop::test
