// Limits of joints with impacts against closed forms (docs/theory/33_impacts.md).
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

std::string ball(const std::string& limit) {
  return R"(
gravity: [0, 0, -9.81]
nodes: {ball: {position: [0, 0, 1], free: [z]}}
bodies: {m: {node: ball, mass: 0.5}}
joints: {fall: {type: slider, between: [ground, ball], axis: [0, 0, 1]}}
contacts: {floor: {type: limit, joint: fall, lower: -1, )" +
         limit + R"(}}
sensors:
  z: {measure: position, node: ball, direction: [0, 0, 1]}
  v: {measure: velocity, node: ball, direction: [0, 0, 1]}
)";
}

TEST(Impacts, OfABallFollowEachOtherToRest) {
  const ModelRun run = runModel(ball("restitution: 0.8"), "z, v", "end: 6, step: 5 ms, rho: 1");
  const std::vector<double> events = run.interruptions();
  const std::vector<double> times{0.45152364099, 1.1739614666, 1.751911727,  2.2142719354,
                                  2.5841601021,  2.8800706354, 3.1167990621, 3.3061818035};
  ASSERT_GE(events.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(events[i], times[i], 1e-7) << i;
  EXPECT_NEAR(events.back(), 4.06371276887, 1e-4);
  EXPECT_LT(events.size(), 60u);
  EXPECT_NEAR(run.last("z"), 0.0, 1e-9);
  EXPECT_NEAR(run.last("v"), 0.0, 1e-12);
  EXPECT_EQ(run.report.chatteringSteps, 0);
}

TEST(Impacts, WithoutRestitutionEndAtOnce) {
  const ModelRun run = runModel(ball("restitution: 0"), "z, v", "end: 1, step: 1 ms");
  EXPECT_EQ(run.report.events, 1);
  EXPECT_NEAR(run.last("z"), 0.0, 1e-9);
  EXPECT_NEAR(run.last("v"), 0.0, 1e-12);
}

TEST(Impacts, WithoutLossKeepTheEnergy) {
  const ModelRun run = runModel(ball("restitution: 1"), "z, v", "end: 10, step: 5 ms, rho: 1");
  const double z = run.last("z"), v = run.last("v");
  EXPECT_NEAR(9.81 * z + 0.5 * v * v, 9.81, 1e-6);
}

TEST(Impacts, HappenWithAdaptiveSteps) {
  const ModelRun run = runModel(ball("restitution: 0.8"), "z, v",
                                "end: 3, step: 5 ms, adaptive: true, tolerance: 1e-6");
  const double t = 3.0 - 2.8800706354, v = 4.42944691807 * std::pow(0.8, 6);
  EXPECT_NEAR(run.last("z"), v * t - 0.5 * 9.81 * t * t, 1e-5);
}

TEST(Impacts, BetweenTwoStopsKeepAPeriodicOrbit) {
  const ModelRun run = runModel(R"(
nodes: {m: {position: [0, 0, 0], free: [x]}}
bodies: {m: {node: m, mass: 1}}
blocks: {p: {type: expression, value: cos(2*pi*t + 0.473291837776) }}
joints: {s: {type: slider, between: [ground, m], axis: [1, 0, 0], start: 0.05, start_rate: -0.217637409459}}
actuators: {push: {type: force, node: m, direction: [1, 0, 0], input: p}}
contacts: {stops: {type: limit, joint: s, lower: -50 mm, upper: 50 mm, restitution: 0.6}}
sensors:
  x: {measure: position, node: m, direction: [1, 0, 0]}
  v: {measure: velocity, node: m, direction: [1, 0, 0]}
)",
                                "x, v", "end: 10.25, step: 0.5 ms, rho: 1");
  const std::vector<double> events = run.interruptions();
  ASSERT_EQ(events.size() + 0u, run.stepEnds.size() - (run.times().size() - 1));
  EXPECT_NEAR(run.report.events, 20, 0);
  EXPECT_NEAR(run.at(0.25, "x"), -run.at(0.75, "x"), 1e-6);
  EXPECT_NEAR(run.at(10.25, "x"), run.at(0.25, "x"), 1e-6);
}

// The tip of a double pendulum against a wall: a light slide carries the tip along the wall's normal.
TEST(Impacts, GoThroughTheWholeMachine) {
  const ModelRun run = runModel(R"(
gravity: [0, 0, -9.81]
nodes:
  one: {position: [0, 0, 0], rotation: {axis: [0, 1, 0], angle: 1.2}}
  two: {position: [-0.932039085967, 0, -0.362357754477], rotation: {axis: [0, 1, 0], angle: 0.8}}
  wall: {position: [-1.64939517687, 0, -1.05906446382], free: [x]}
bodies:
  m1: {node: one, mass: 1, com: [0, 0, -1]}
  m2: {node: two, mass: 1, com: [0, 0, -1]}
  slide: {node: wall, mass: 1e-10}
joints:
  h1: {type: hinge, between: [ground, one], axis: [0, 1, 0]}
  h2: {type: hinge, between: [one, two], axis: [0, 1, 0]}
  touch: {type: point_on_plane, between: [wall, two], at: [-1.64939517687, 0, -1.05906446382], axis: [1, 0, 0]}
  reach: {type: slider, between: [ground, wall], axis: [1, 0, 0]}
contacts: {stop: {type: limit, joint: reach, upper: 2.14939517687, restitution: 0.7}}
sensors:
  a1: {measure: angle, joint: h1}
  a2: {measure: angle, joint: h2}
)",
                                "a1, a2", "end: 3, step: 1 ms, rho: 1");
  const std::vector<double> events = run.interruptions();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_NEAR(events[0], 0.789108700388, 1e-5);
  EXPECT_NEAR(events[1], 2.41205434806, 1e-5);
  // The angles of the program turn the other way.
  EXPECT_NEAR(1.2 + run.last("a1"), 0.4023960762, 1e-4);
  EXPECT_NEAR(0.8 + run.last("a1") + run.last("a2"), 0.47177457218, 1e-4);
}

TEST(Impacts, OfACompliantStopHaveTheRestitutionOfHuntAndCrossley) {
  const ModelRun run = runModel(R"(
nodes: {m: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {m: {node: m, mass: 0.5}}
joints: {s: {type: slider, between: [ground, m], axis: [1, 0, 0]}}
contacts: {end: {type: limit, joint: s, upper: 10 mm, stiffness: 1e6, exponent: 1.5, damping: 0.3}}
sensors: {v: {measure: velocity, node: m, direction: [1, 0, 0]}}
)",
                                "v", "end: 50 ms, step: 0.02 ms, rho: 1");
  EXPECT_NEAR(run.last("v"), -0.832869792266, 1e-5);
}

// A spring that presses a mass against its stop, and one that does not.
TEST(Impacts, LeaveAnEquilibriumInsideOfItsLimits) {
  for (const auto& [force, place] : {std::pair("5", 0.01), std::pair("-0.5", -0.005)}) {
    const model::Model model = buildModel(std::string(R"(
nodes: {m: {position: [0, 0, 0], free: [x]}}
bodies: {m: {node: m, mass: 1}}
joints: {s: {type: slider, between: [ground, m], axis: [1, 0, 0], stiffness: 100}}
contacts: {end: {type: limit, joint: s, lower: -10 mm, upper: 10 mm, restitution: 0.5}}
loads: {push: {node: m, force: [)") + force +
                                          R"(, 0, 0]}}
sensors: {x: {measure: position, node: m, direction: [1, 0, 0]}}
outputs: [x]
)");
    const analysis::EquilibriumResult rest = analysis::findEquilibrium(model);
    ASSERT_TRUE(rest.report.ok()) << messageOf(rest.report.failure);
    EXPECT_NEAR(rest.outputs[0], place, 1e-10);
  }
}

TEST(Impacts, TellWhatIsWrong) {
  const auto wrong = [](const std::string& limit, const std::string& joint = "slider") {
    return mistakesOf(R"(
nodes: {a: {position: [0, 0, 0]}}
bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}}
joints:
  s: {type: slider, between: [ground, a], axis: [1, 0, 0]}
  w: {type: weld, between: [ground, a]}
contacts: {stop: {type: limit, joint: )" +
                      std::string(joint == "slider" ? "s" : "w") + ", " + limit + "}}\n");
  };
  EXPECT_TRUE(says(wrong("lower: 1, upper: 0, restitution: 0"), "'upper' is not above 'lower'"));
  EXPECT_TRUE(says(wrong("restitution: 0"), "needs 'lower', 'upper' or both"));
  EXPECT_TRUE(says(wrong("lower: -1"), "needs 'restitution' or 'stiffness'"));
  EXPECT_TRUE(says(wrong("lower: -1, restitution: 0, stiffness: 1"), "exclude each other"));
  EXPECT_TRUE(says(wrong("lower: -1, restitution: 2"), "restitution"));
  EXPECT_TRUE(says(wrong("lower: -1, restitution: 0, damping: 1"), "has no meaning"));
  EXPECT_TRUE(says(wrong("lower: 0.1, restitution: 0"), "starts beyond its limit"));
  EXPECT_TRUE(says(wrong("lower: -1, restitution: 0", "weld"), "has no coordinate"));
}

}  // namespace
}  // namespace flexloop::test
