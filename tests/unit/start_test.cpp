// Where simulations start: at rest with controllers settled, and with joints that stand elsewhere than where
// they were drawn (docs/theory/26_rest_of_controllers.md).
#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "analysis/equilibrium_analysis.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using std::numbers::pi;

void expectQuiet(const ModelRun& run, const std::string& output, double value, double tolerance) {
  for (const double y : run.column(output)) ASSERT_NEAR(y, value, tolerance) << output;
}

// 2 kg on a spring of 100 N/m and a controller, under gravity of 10 m/s².
std::string makeLift(const std::string& blocks) {
  return R"(gravity: [0, 0, -10]
nodes: {lift: {position: [0, 0, 0], free: [z]}}
bodies: {lift: {node: lift, mass: 2}}
springs: {k: {type: linear, between: [ground, lift], direction: [0, 0, 1], stiffness: 100, damping: 4}}
sensors: {z: {measure: position, node: lift, direction: [0, 0, 1]}}
actuators: {f: {type: force, node: lift, direction: [0, 0, 1], input: u}}
blocks:
)" + blocks;
}

TEST(StartAtRest, KeepsAnIntegralControllerAtRest) {
  const ModelRun run =
      runModel(makeLift("  u: {type: pid, input: z, reference: 0.1, kp: 50, ki: 30, kd: 2}\n"),
               "z, u", "end: 2, step: 10 ms, start: equilibrium");
  expectQuiet(run, "z", 0.1, 1e-9);
  expectQuiet(run, "u", 30.0, 1e-9);
}

// A filter, a delay, a rate limiter, a derivative and an actuator's own dynamics are settled as well.
TEST(StartAtRest, KeepsFiltersAndDelaysAtRest) {
  const std::string text = makeLift(R"(  a: {type: low_pass, input: z, frequency: 3 Hz}
  b: {type: transport_delay, input: a, delay: 37 ms}
  c: {type: rate_limiter, input: b, up: 3}
  d: {type: derivative, input: c, filter: 5 ms}
  e: {type: sum, inputs: [0.1, -c]}
  g: {type: expression, inputs: [e, d], value: 40*e - 0.1*d}
  u: {type: transfer_function, input: g, numerator: [1], denominator: [0.02, 1]}
)");
  const ModelRun run = runModel(text, "z, u, d", "end: 1, step: 5 ms, start: equilibrium");
  // 100 z + 20 = 40 (0.1 − z)
  const double z = -16.0 / 140.0;
  expectQuiet(run, "z", z, 1e-9);
  expectQuiet(run, "u", 40.0 * (0.1 - z), 1e-9);
  expectQuiet(run, "d", 0.0, 1e-9);
}

TEST(StartAtRest, SettlesSampledControllers) {
  const ModelRun pid = runModel(
      makeLift("  u: {type: discrete_pid, input: z, reference: 0.1, kp: 5, ki: 30, kd: 0.2, "
               "filter: 20 ms, sample: 7 ms}\n"),
      "z, u", "end: 1, step: 5 ms, start: equilibrium");
  expectQuiet(pid, "z", 0.1, 1e-9);
  expectQuiet(pid, "u", 30.0, 1e-9);
  // y⁺ = 0.9 y + 0.1 u and a hold and a delay by an instant, at three rates.
  const ModelRun chain =
      runModel(makeLift("  s: {type: zero_order_hold, input: z, sample: 3 ms}\n"
                        "  t: {type: unit_delay, input: s, sample: 5 ms}\n"
                        "  v: {type: discrete_transfer_function, input: t, numerator: [0.1, 0], "
                        "denominator: [1, -0.9], sample: 4 ms}\n"
                        "  u: {type: gain, input: v, gain: -60}\n"),
               "z, u", "end: 1, step: 5 ms, start: equilibrium");
  expectQuiet(chain, "z", -20.0 / 160.0, 1e-9);
  expectQuiet(chain, "u", 7.5, 1e-9);
}

TEST(StartAtRest, SettlesASampledControllerAtItsLimit) {
  for (const char* reference : {"0.1", "50"}) {
    const ModelRun run =
        runModel(makeLift(std::string("  u: {type: discrete_pid, input: z, reference: ") +
                          reference + ", kp: 5, ki: 30, limits: [-12, 12], sample: 7 ms}\n"),
                 "z, u", "end: 1, step: 5 ms, start: equilibrium");
    expectQuiet(run, "z", -0.08, 1e-9);
    expectQuiet(run, "u", 12.0, 1e-9);
  }
}

// Only the sampled controller holds the lift.
TEST(StartAtRest, FindsTheRestThatASampledControllerMakes) {
  const std::string text = R"(gravity: [0, 0, -10]
nodes: {lift: {position: [0, 0, 0], free: [z]}}
bodies: {lift: {node: lift, mass: 2}}
sensors: {z: {measure: position, node: lift, direction: [0, 0, 1]}}
blocks: {u: {type: discrete_pid, input: z, reference: 0.1, kp: 200, ki: 30, kd: 40, sample: 2 ms}}
actuators: {f: {type: force, node: lift, direction: [0, 0, 1], input: u}}
)";
  const ModelRun run = runModel(text, "z, u", "end: 1, step: 1 ms, start: equilibrium");
  expectQuiet(run, "z", 0.1, 1e-9);
  expectQuiet(run, "u", 20.0, 1e-8);
}

TEST(StartAtRest, KeepsALimitedControllerAtRest) {
  const ModelRun run = runModel(
      makeLift(
          "  u: {type: pid, input: z, reference: 0.1, kp: 50, ki: 30, kd: 2, limits: [-12, 12]}\n"),
      "z, u", "end: 2, step: 10 ms, start: equilibrium");
  expectQuiet(run, "z", -0.08, 1e-9);
  expectQuiet(run, "u", 12.0, 1e-9);
}

TEST(StartAtRest, KeepsABentBeamAtRest) {
  const std::string text = R"(gravity: [0, 0, -9.81]
materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}
sections: {strip: {type: rectangle, width: 18 mm, height: 1 mm}}
nodes: {A: {position: [0, 0, 0], free: []}, B: [0.5, 0, 0]}
beams: {arm: {from: A, to: B, elements: 4, section: strip, material: alu, y_axis: [0, 1, 0]}}
bodies: {load: {node: B, mass: 0.05}}
sensors: {z: {measure: position, node: B, direction: [0, 0, 1]}}
)";
  const ModelRun run = runModel(text, "z", "end: 1, step: 2 ms, start: equilibrium");
  expectQuiet(run, "z", run.column("z").front(), 1e-9);
  EXPECT_LT(run.column("z").front(), -0.1);
}

// 2 kg at the end of a horizontal arm of 1 m on a hinge, under 10 m/s². What integrates a rate follows the arm from its start: each of these is a
// spring with the stiffness k, about the hinge or along z, that is relaxed there.
TEST(StartAtRest, FollowsWhatIntegratesARate) {
  const struct {
    const char *label, *blocks;
    double turning, lifting;  // [N·m/rad], [N/m]
  } cases[] = {
      {"clutch", "  u: {type: clutch, rate: q.rate, capacity: 100, stiffness: 15, damping: 5}\n",
       15.0, 0.0},
      {"integral of a rate",
       "  i: {type: integrator, input: w, gain: 2}\n  u: {type: gain, input: i, gain: -10}\n", 20.0,
       0.0},
      {"of a velocity",
       "  i: {type: integrator, input: v, initial: 0.25}\n  u: {type: expression, inputs: [i, z], "
       "value: 20*(i - 0.25)}\n",
       0.0, 20.0},
      {"behind a filter",
       "  f: {type: low_pass, input: w, frequency: 1 Hz, order: 2}\n  i: {type: integrator, input: "
       "f}\n  u: {type: gain, input: i, gain: -20}\n",
       20.0, 0.0},
      {"velocity controller", "  u: {type: pid, input: w, kp: 3, ki: 8}\n", 8.0, 0.0},
      {"sampled velocity controller",
       "  u: {type: discrete_pid, input: w, kp: 3, ki: 8, sample: 7 ms}\n", 8.0, 0.0},
      {"sampled, of a velocity",
       "  s: {type: discrete_pid, input: v, kp: 0, ki: 1, sample: 7 ms}\n  u: {type: gain, input: "
       "s, gain: -20}\n",
       0.0, 20.0},
      {"integral that is sampled",
       "  i: {type: integrator, input: w}\n  s: {type: hold, input: i, sample: 10 ms}\n  u: {type: "
       "gain, input: s, gain: -20}\n",
       20.0, 0.0},
  };
  for (const auto& [label, blocks, turning, lifting] : cases) {
    SCOPED_TRACE(label);
    const std::string text = R"(gravity: [0, 0, -10]
nodes: {bob: [1, 0, 0]}
bodies: {bob: {node: bob, mass: 2, inertia: [0.1, 0.1, 0.1]}}
joints: {h: {type: hinge, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0], stiffness: 1}}
sensors:
  q: {measure: angle, joint: h}
  w: {measure: rate, joint: h}
  z: {measure: position, node: bob, direction: [0, 0, 1]}
  v: {measure: velocity, node: bob, direction: [0, 0, 1]}
actuators: {m: {type: torque, joint: h, input: u}}
outputs: [q, u]
blocks:
)" + std::string(blocks);
    const analysis::EquilibriumResult result = analysis::findEquilibrium(buildModel(text));
    ASSERT_TRUE(result.report.ok) << result.report.trouble;
    EXPECT_TRUE(result.notes.empty());
    // z = −sin q, and the torque of the controller about y is −turning q + lifting z.
    const double q = result.outputs[0], u = result.outputs[1];
    EXPECT_NEAR(u, -turning * q - lifting * std::sin(q), 1e-9);
    EXPECT_NEAR(20.0 * std::cos(q) - q + u, 0.0, 1e-9);
    EXPECT_GT(q, 0.3);
    EXPECT_LT(q, 1.3);
  }
}

// A clutch that slips before the arm rests holds no more than it can; that there are other equilibria is said.
TEST(StartAtRest, SaysThatAClutchSlips) {
  const std::string text = R"(gravity: [0, 0, -10]
nodes: {bob: [1, 0, 0]}
bodies: {bob: {node: bob, mass: 2, inertia: [0.1, 0.1, 0.1]}}
joints: {h: {type: hinge, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0], stiffness: 30}}
sensors: {q: {measure: angle, joint: h}}
blocks: {u: {type: clutch, rate: q.rate, capacity: 10, stiffness: 200, damping: 5}}
actuators: {m: {type: torque, joint: h, input: u}}
outputs: [q, u]
)";
  const analysis::EquilibriumResult result = analysis::findEquilibrium(buildModel(text));
  ASSERT_TRUE(result.report.ok) << result.report.trouble;
  const double q = result.outputs[0], u = result.outputs[1];
  EXPECT_NEAR(20.0 * std::cos(q) - 30.0 * q + u, 0.0, 1e-9);
  EXPECT_GE(u, -10.0 - 1e-9);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_TRUE(says(result.notes[0], "'u")) << result.notes[0];
  EXPECT_TRUE(says(result.notes[0], "gives way")) << result.notes[0];
}

// A rod of 2 m from a hinge at the origin, hanging along −z.
constexpr const char* kPendulum = R"(gravity: [0, 0, -9.81]
nodes: {bob: [0, 0, -2]}
bodies: {bob: {node: bob, mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {pivot: {type: hinge, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0], START}}
sensors:
  angle: {measure: angle, joint: pivot}
  rate: {measure: rate, joint: pivot}
  x: {measure: position, node: bob, direction: [1, 0, 0]}
  vz: {measure: velocity, node: bob, direction: [0, 0, 1]}
)";

std::string withStart(std::string text, const std::string& start) {
  return text.replace(text.find("START"), 5, start);
}

TEST(JointStart, TurnsWhatHangsOnIt) {
  const ModelRun run = runModel(withStart(kPendulum, "start: 30 deg, start_rate: 2 rad/s"),
                                "angle, rate, x, vz", "end: 0.01, step: 1 ms");
  EXPECT_NEAR(run.column("angle").front(), pi / 6.0, 1e-13);
  EXPECT_NEAR(run.column("rate").front(), 2.0, 1e-12);
  EXPECT_NEAR(run.column("x").front(), -1.0, 1e-13);              // −2 sin 30°
  EXPECT_NEAR(run.column("vz").front(), 2.0 * 2.0 * 0.5, 1e-12);  // 2 ω sin 30°
  EXPECT_LT(run.report.start.positionChange, 1e-12);
  EXPECT_LT(run.report.start.velocityChange, 1e-12);
}

TEST(JointStart, CountsTurns) {
  const ModelRun run =
      runModel(withStart(kPendulum, "start: 400 deg"), "angle, x", "end: 0.01, step: 1 ms");
  EXPECT_NEAR(run.column("angle").front(), 400.0 * pi / 180.0, 1e-12);
  EXPECT_NEAR(run.column("x").front(), -2.0 * std::sin(400.0 * pi / 180.0), 1e-12);
}

TEST(JointStart, MovesTheFirstNodeWhereTheSecondIsGround) {
  std::string text = withStart(kPendulum, "start: 30 deg, start_rate: 2 rad/s");
  text.replace(text.find("[ground, bob]"), 13, "[bob, ground]");
  const ModelRun run = runModel(text, "angle, rate, x", "end: 0.01, step: 1 ms");
  EXPECT_NEAR(run.column("angle").front(), pi / 6.0, 1e-13);
  EXPECT_NEAR(run.column("rate").front(), 2.0, 1e-12);
  EXPECT_NEAR(run.column("x").front(), 1.0, 1e-13);
}

// A lower link on the upper one: it keeps its angle to it, and both have their own starts.
TEST(JointStart, MovesATreeAlong) {
  const std::string text = R"(nodes: {a: [1, 0, 0], b: [2, 0, 0], c: [2, 1, 0]}
bodies:
  a: {node: a, mass: 1, inertia: [0.1, 0.1, 0.1]}
  b: {node: b, mass: 0.1, inertia: [0.1, 0.1, 0.1]}
  c: {node: c, mass: 3, inertia: [0.1, 0.1, 0.1]}
joints:
  h1: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], start: 90 deg, start_rate: 3}
  h2: {type: hinge, between: [a, b], at: [1, 0, 0], axis: [0, 0, 1], start: 90 deg}
springs: {s: {type: bushing, between: [b, c], stiffness: [100, 100, 100, 1, 1, 1]}}
sensors:
  bx: {measure: position, node: b, direction: [1, 0, 0]}
  by: {measure: position, node: b, direction: [0, 1, 0]}
  cx: {measure: position, node: c, direction: [1, 0, 0]}
  cy: {measure: position, node: c, direction: [0, 1, 0]}
  vx: {measure: velocity, node: b, direction: [1, 0, 0]}
  vy: {measure: velocity, node: b, direction: [0, 1, 0]}
)";
  const ModelRun run = runModel(text, "bx, by, cx, cy, vx, vy", "end: 0.01, step: 1 ms");
  const auto first = [&](const char* name) { return run.column(name).front(); };
  // a at (0, 1), b behind it at (−1, 1), c beside b at (−1, 1) − (0, 1) turned by 180°.
  EXPECT_NEAR(first("bx"), -1.0, 1e-13);
  EXPECT_NEAR(first("by"), 1.0, 1e-13);
  EXPECT_NEAR(first("cx"), -1.0, 1e-13);
  EXPECT_NEAR(first("cy"), 0.0, 1e-13);
  EXPECT_NEAR(first("vx"), -3.0, 1e-12);
  EXPECT_NEAR(first("vy"), -3.0, 1e-12);
}

TEST(JointStart, SlidesAndScrews) {
  const std::string text = R"(nodes: {a: [1, 0, 0], b: [0, 5, 0], c: [0, 9, 0]}
bodies:
  a: {node: a, mass: 1, inertia: [0.1, 0.1, 0.1]}
  b: {node: b, mass: 1, inertia: [0.1, 0.1, 0.1]}
  c: {node: c, mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  s: {type: slider, between: [ground, a], axis: [1, 0, 0], start: 50 mm, start_rate: 0.2}
  t: {type: screw, between: [ground, b], axis: [0, 0, 1], pitch: 0.1, start: 180 deg}
  u: {type: cylindrical, between: [ground, c], axis: [0, 0, 1], rotation: {start: 20 deg}, translation: {start: 0.3}}
sensors:
  x: {measure: position, node: a, direction: [1, 0, 0]}
  vx: {measure: velocity, node: a, direction: [1, 0, 0]}
  z: {measure: position, node: b, direction: [0, 0, 1]}
  cz: {measure: position, node: c, direction: [0, 0, 1]}
  cr: {measure: rotation, node: c, direction: [0, 0, 1]}
)";
  const ModelRun run = runModel(text, "x, vx, z, cz, cr", "end: 0.01, step: 1 ms");
  EXPECT_NEAR(run.column("x").front(), 1.05, 1e-13);
  EXPECT_NEAR(run.column("vx").front(), 0.2, 1e-13);
  EXPECT_NEAR(run.column("z").front(), 0.05, 1e-13);
  EXPECT_NEAR(run.column("cz").front(), 0.3, 1e-13);
  EXPECT_NEAR(run.column("cr").front(), 20.0 * pi / 180.0, 1e-13);
}

// A parallelogram: the coupler stays parallel and goes round on a circle.
constexpr const char* kParallelogram =
    R"(nodes: {crank: [0, 0, 0.5], coupler: [1, 0, 1], rocker: [2, 0, 0.5]}
bodies:
  crank: {node: crank, mass: 1, inertia: [0.1, 0.1, 0.1]}
  coupler: {node: coupler, mass: 1, inertia: [0.1, 0.1, 0.1]}
  rocker: {node: rocker, mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  a: {type: hinge, between: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0], START}
  b: {type: spherical, between: [crank, coupler], at: [0, 0, 1]}
  c: {type: spherical, between: [coupler, rocker], at: [2, 0, 1]}
  d: {type: hinge, between: [ground, rocker], at: [2, 0, 0], axis: [0, 1, 0]}
sensors:
  a: {measure: angle, joint: a}
  d: {measure: angle, joint: d}
  rate: {measure: rate, joint: d}
  x: {measure: position, node: coupler, direction: [1, 0, 0]}
)";

TEST(JointStart, ClosesALoop) {
  const ModelRun run = runModel(withStart(kParallelogram, "start: 50 deg, start_rate: 2"),
                                "a, d, rate, x", "end: 0.01, step: 1 ms");
  const double angle = 50.0 * pi / 180.0;
  EXPECT_NEAR(run.column("a").front(), angle, 1e-12);
  EXPECT_NEAR(run.column("d").front(), angle, 1e-12);
  EXPECT_NEAR(run.column("rate").front(), 2.0, 1e-11);
  EXPECT_NEAR(run.column("x").front(), 1.0 + std::sin(angle), 1e-12);
}

// An arm that starts at 0.3 rad, and bodies that hang on it by springs. Where springs lead on to something that does not move
// along, the file says where they are; where they do not, the arm carries them.
TEST(JointStart, LeavesWhereItIsPlacedWhatSpringsTieToOtherThings) {
  const struct {
    const char *springs, *free, *label;
    bool moves;
  } cases[] = {
      {"a: {type: distance, between: [arm, c], stiffness: 50}", "[x, y, z, rx, ry, rz]",
       "on the arm alone", true},
      {"a: {type: linear, between: [arm, c], direction: [1, 0, 0], stiffness: 50}, "
       "b: {type: linear, between: [c, d], direction: [1, 0, 0], stiffness: 50}",
       "[x, z, ry]", "a chain on the arm", true},
      {"a: {type: distance, between: [arm, c], stiffness: 50}, "
       "b: {type: damper, between: [ground, c], direction: [1, 0, 0], damping: 3}",
       "[x, y, z, rx, ry, rz]", "slowed down by ground", true},
      {"a: {type: distance, between: [arm, c], stiffness: 50}, "
       "b: {type: linear, between: [ground, c], direction: [1, 0, 0], stiffness: 30}",
       "[x, y, z, rx, ry, rz]", "held by ground", false},
      {"a: {type: bushing, between: [c, arm], stiffness: [9, 9, 9, 1, 1, 1]}, "
       "b: {type: bushing, between: [d, c], stiffness: [9, 9, 9, 1, 1, 1]}, "
       "e: {type: distance, between: [d, ground], stiffness: 30}",
       "[x, y, z, rx, ry, rz]", "held by ground through another body", false},
      {"a: {type: distance, between: [arm, c], stiffness: 50}, "
       "b: {type: distance, between: [base, c], stiffness: 50}",
       "[x, y, z, rx, ry, rz]", "held by the other end of the joint", false},
      {"a: {type: distance, between: [arm, c], stiffness: 50}, "
       "b: {type: distance, between: [wall, c], stiffness: 50}",
       "[x, y, z, rx, ry, rz]", "held by a node that cannot move", false},
      {"a: {type: distance, between: [arm, c], stiffness: 50}", "[x]", "free along a line", false},
      {"a: {type: distance, between: [arm, c], stiffness: 50}, "
       "b: {type: distance, between: [c, d], stiffness: 50}",
       "[x, y, z]", "free to move but not to turn", false},
  };
  for (const auto& [springs, free, label, moves] : cases) {
    SCOPED_TRACE(label);
    const ModelRun run = runModel(std::string(R"(
nodes:
  base: [0, 0, 0]
  arm: [1, 0, 0]
  c: {position: [2, 0, 0], free: )") + free +
                                      R"(}
  d: [3, 0, 0]
  wall: {position: [2, 0, 1], free: []}
bodies:
  base: {node: base, mass: 1, inertia: [1, 1, 1]}
  arm: {node: arm, mass: 1, inertia: [1, 1, 1]}
  c: {node: c, mass: 1, inertia: [1, 1, 1]}
  d: {node: d, mass: 1, inertia: [1, 1, 1]}
joints: {h: {type: hinge, between: [base, arm], at: [0, 0, 0], axis: [0, 1, 0], start: 0.3, start_rate: 2}}
springs: {)" + springs +
                                      R"(}
sensors:
  q: {measure: angle, joint: h}
  w: {measure: rate, joint: h}
  p: {measure: position, node: c}
  v: {measure: velocity, node: c, direction: [1, 0, 0]}
)",
                                  "q, w, p, v", "end: 1 ms, step: 1 ms");
    const auto first = [&](const char* name) { return run.column(name).front(); };
    EXPECT_NEAR(first("q"), 0.3, 1e-13);
    EXPECT_NEAR(first("w"), 2.0, 1e-12);
    EXPECT_NEAR(first("p.x"), moves ? 2.0 * std::cos(0.3) : 2.0, 1e-13);
    EXPECT_NEAR(first("p.z"), moves ? -2.0 * std::sin(0.3) : 0.0, 1e-13);
    EXPECT_NEAR(first("v"), moves ? -2.0 * 2.0 * std::sin(0.3) : 0.0, 1e-12);
  }
}

// A crank of 0.2 m and a rod of 0.4 m, and a piston that is a node with one freedom: it closes the loop.
TEST(JointStart, ClosesALoopThroughANodeWithFewFreedoms) {
  const std::string text = R"(
nodes: {crank: [0.1, 0, 0], rod: [0.4, 0, 0], piston: {position: [0.6, 0, 0], free: [x]}}
bodies:
  crank: {node: crank, mass: 1, inertia: [0.1, 0.1, 0.1]}
  rod: {node: rod, mass: 1, inertia: [0.1, 0.1, 0.1]}
  piston: {node: piston, mass: 1}
joints:
  a: {type: hinge, between: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0], start: 0.5, start_rate: 2}
  b: {type: hinge, between: [crank, rod], at: [0.2, 0, 0], axis: [0, 1, 0]}
  c: {type: spherical, between: [rod, piston]}
sensors:
  angle: {measure: angle, joint: a}
  x: {measure: position, node: piston, direction: [1, 0, 0]}
  v: {measure: velocity, node: piston, direction: [1, 0, 0]}
)";
  const ModelRun run = runModel(text, "angle, x, v", "end: 1 ms, step: 1 ms");
  const double s = 0.2 * std::sin(0.5), c = 0.2 * std::cos(0.5), along = std::sqrt(0.16 - s * s);
  EXPECT_NEAR(run.column("angle").front(), 0.5, 1e-12);
  EXPECT_NEAR(run.column("x").front(), c + along, 1e-12);
  EXPECT_NEAR(run.column("v").front(), 2.0 * (-s - s * c / along), 1e-11);
}

TEST(JointStart, SaysWhatCannotBeReached) {
  std::string few = withStart(kPendulum, "start: 0.2");
  few.replace(few.find("[0, 0, -2]"), 10, "{position: [0, 0, -2], free: [x, z]}");
  EXPECT_TRUE(says(mistakesOf(few), "'bob' has not the freedoms")) << mistakesOf(few);
  std::string text = withStart(kParallelogram, "start: 50 deg");
  text.replace(text.find("joints:\n"), 8,
               "joints:\n  e: {type: distance, between: [coupler, ground]}\n");
  EXPECT_TRUE(says(mistakesOf(text), "cannot be reached")) << mistakesOf(text);
  EXPECT_TRUE(says(mistakesOf(withStart(kPendulum, "start: 1, drive: 0")), "driven and given"));
  EXPECT_TRUE(
      says(mistakesOf(withStart(kPendulum, "locked: true, start_rate: 1")), "locked and given"));
}

// A cart of which the pendulum hangs, and what drives it.
std::string makeDrivenCart(const std::string& drive, const std::string& start) {
  return "gravity: [0, 0, -9.81]\n"
         "nodes: {c: [0, 0, 0], p: [0, 0, -0.5]}\n"
         "bodies: {c: {node: c, mass: 2, inertia: [1, 1, 1]}, p: {node: p, mass: 1, inertia: [.02, "
         ".02, .02]}}\n"
         "joints:\n"
         "  s: {type: slider, between: [ground, c], axis: [1, 0, 0], drive: d}\n"
         "  h: {type: hinge, between: [c, p], at: [0, 0, 0], axis: [0, 1, 0]" +
         start +
         "}\n"
         "sensors:\n"
         "  q: {measure: angle, joint: h}\n"
         "  x: {measure: displacement, joint: s}\n"
         "  v: {measure: velocity, node: p, direction: [1, 0, 0]}\n"
         "blocks: {d: " +
         drive + "}\n";
}

// The first value and rate of a drive move all that hangs on the joint, and other joints keep what they are given, or where
// they are drawn.
TEST(DriveStart, LeavesOtherJointsAsTheyAre) {
  struct Case {
    const char *drive, *start;
    double x, v, q, rate;
  };
  const Case cases[] = {
      {"{type: sine, amplitude: 0.1, omega: 9, phase: 90 deg}", ", start: 0.1, start_rate: 2", 0.1,
       0.0, 0.1, 2.0},
      {"{type: sine, amplitude: 1, omega: 9, phase: 90 deg}", ", start: 0.1, start_rate: 2", 1.0,
       0.0, 0.1, 2.0},
      {"{type: sine, amplitude: 0.1, omega: 9}", ", start: 0.1, start_rate: 2", 0.0, 0.9, 0.1, 2.0},
      {"{type: sine, amplitude: 1, omega: 9}", ", start: 0, start_rate: 0", 0.0, 9.0, 0.0, 0.0},
      {"{type: sine, amplitude: 1, omega: 9, phase: 30 deg}", "", 0.5, 9.0 * std::sqrt(0.75), 0.0,
       0.0},
      {"{type: constant, value: -3}", "", -3.0, 0.0, 0.0, 0.0},
      {"{type: integrator, input: 4, initial: 0.2}", ", start: 1", 0.2, 4.0, 1.0, 0.0}};
  for (const Case& c : cases) {
    const ModelRun run = runModel(makeDrivenCart(c.drive, c.start), "q, q.rate, x, x.rate, v",
                                  "end: 0.01, step: 1 ms");
    const auto first = [&](const char* name) { return run.column(name).front(); };
    EXPECT_NEAR(first("x"), c.x, 1e-12) << c.drive;
    EXPECT_NEAR(first("x.rate"), c.v, 1e-11) << c.drive;
    EXPECT_NEAR(first("q"), c.q, 1e-12) << c.drive;
    EXPECT_NEAR(first("q.rate"), c.rate, 1e-11) << c.drive;
    EXPECT_NEAR(first("v"), c.v - 0.5 * c.rate * std::cos(c.q), 1e-11) << c.drive;
    EXPECT_LT(run.report.start.positionChange, 1e-11) << c.drive;
    EXPECT_LT(run.report.start.velocityChange, 1e-10) << c.drive;
  }
}

// A drive that follows from another joint has its value and rate where that one starts, also over a chain of them.
TEST(DriveStart, FollowsFromOtherJoints) {
  const std::string text = R"(nodes: {a: [0.5, 0, 0], b: [1, 0, 0], c: [1.5, 0, 0]}
bodies:
  a: {node: a, mass: 1, inertia: [.02, .02, .02]}
  b: {node: b, mass: 1, inertia: [.02, .02, .02]}
  c: {node: c, mass: 1, inertia: [.02, .02, .02]}
joints:
  h1: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], start: 0.4, start_rate: 2}
  h2: {type: hinge, between: [a, b], at: [0.5, 0, 0], axis: [0, 1, 0], drive: d}
  h3: {type: hinge, between: [b, c], at: [1, 0, 0], axis: [0, 1, 0]}
sensors:
  q1: {measure: angle, joint: h1}
  q2: {measure: angle, joint: h2}
  q3: {measure: angle, joint: h3}
blocks: {d: {type: gain, input: q1, gain: -3}, e: {type: expression, inputs: [q2], value: q2^2}}
actuators: {m: {type: motion, joint: h3, input: e}}
)";
  const ModelRun run =
      runModel(text, "q1, q2, q3, q1.rate, q2.rate, q3.rate", "end: 0.01, step: 1 ms");
  const auto first = [&](const char* name) { return run.column(name).front(); };
  EXPECT_NEAR(first("q1"), 0.4, 1e-12);
  EXPECT_NEAR(first("q2"), -1.2, 1e-12);
  EXPECT_NEAR(first("q3"), 1.44, 1e-12);
  EXPECT_NEAR(first("q1.rate"), 2.0, 1e-11);
  EXPECT_NEAR(first("q2.rate"), -6.0, 1e-11);
  EXPECT_NEAR(first("q3.rate"), 14.4, 1e-10);
}

// A beam on a driven hinge starts straight, turned and turning as one, whatever drives the hinge.
TEST(DriveStart, TurnsABeamAsOne) {
  const auto make = [](const std::string& joint, const std::string& more) {
    return R"(sections: {s: {type: stiffness, EA: 1e5, GAy: 1e4, GAz: 1e4, GJ: 5, EIy: 50, EIz: 60, rhoA: .5,
  rhoJ: [0.002, 0.001, 0.001]}}
nodes: {A: [0, 0, 0], B: [1, 0, 0]}
bodies: {a: {node: A, mass: 1, inertia: [.1, .1, .1]}}
beams: {w: {from: A, to: B, elements: 4, section: s, y_axis: [0, 1, 0]}}
joints: {h: {type: hinge, between: [ground, A], axis: [0, 1, 0])" +
           joint + "}}\n" + more +
           "sensors:\n  q: {measure: angle, joint: h}\n  E: {measure: energy}\n"
           "  m: {measure: section_force, beam: w, at: 0, component: bending_y}\n";
  };
  const double inertia = 0.1 + 0.5 / 3.0 + 0.001;
  const std::string ramp = "blocks: {d: {type: ramp, slope: 5, offset: OFFSET}}\n";
  const auto at = [&](const char* offset) {
    std::string text = ramp;
    return text.replace(text.find("OFFSET"), 6, offset);
  };
  const std::string motion = "actuators: {turn: {type: motion, joint: h, input: d}}\n";
  struct Case {
    std::string joint, more;
    double angle, rate;
  };
  const Case cases[] = {{", drive: 0.6", "", 0.6, 0.0},
                        {", drive: d", at("0.6"), 0.6, 5.0},
                        {", drive: d", at("0"), 0.0, 5.0},
                        {", drive: d", at("-20"), -20.0, 5.0},
                        {"", at("2.6") + motion, 2.6, 5.0}};
  for (const Case& c : cases) {
    const ModelRun run =
        runModel(make(c.joint, c.more), "q, q.rate, E, m", "end: 0.01, step: 1 ms");
    const auto first = [&](const char* name) { return run.column(name).front(); };
    EXPECT_NEAR(first("q"), c.angle, 1e-11) << c.joint << c.more;
    EXPECT_NEAR(first("q.rate"), c.rate, 1e-10) << c.joint << c.more;
    EXPECT_NEAR(first("E.kinetic"), 0.5 * inertia * c.rate * c.rate, 1e-9) << c.joint << c.more;
    EXPECT_NEAR(first("E.potential"), 0.0, 1e-9) << c.joint << c.more;
    EXPECT_NEAR(first("m"), 0.0, 1e-8) << c.joint << c.more;
  }
}

// A pendulum on the coupler of a driven parallelogram, which moves on a circle and does not turn.
TEST(DriveStart, CarriesWhatHangsOnALoop) {
  for (const bool isDriven : {true, false}) {
    std::string text =
        withStart(kParallelogram, isDriven ? "drive: turn" : "start: 0.8, start_rate: 2");
    text.replace(text.find("bodies:\n"), 8,
                 "bodies:\n  bob: {node: bob, mass: 1, inertia: [0.1, 0.1, 0.1]}\n");
    text.replace(text.find("nodes: {"), 8, "nodes: {bob: [1, 0, -1], ");
    text.replace(
        text.find("joints:\n"), 8,
        "joints:\n  p: {type: hinge, between: [coupler, bob], at: [1, 0, 1], axis: [0, 1, 0]}\n");
    text +=
        "  p: {measure: angle, joint: p}\n  bx: {measure: position, node: bob, direction: [1, 0, "
        "0]}\n"
        "blocks: {turn: {type: ramp, offset: 0.8, slope: 2}}\n";
    const ModelRun run = runModel(text, "a, d, rate, p, p.rate, bx", "end: 0.01, step: 1 ms");
    const auto first = [&](const char* name) { return run.column(name).front(); };
    EXPECT_NEAR(first("a"), 0.8, 1e-12);
    EXPECT_NEAR(first("d"), 0.8, 1e-12);
    EXPECT_NEAR(first("rate"), 2.0, 1e-11);
    EXPECT_NEAR(first("p"), 0.0, 1e-12);
    EXPECT_NEAR(first("p.rate"), 0.0, 1e-11);
    EXPECT_NEAR(first("bx"), 1.0 + std::sin(0.8), 1e-12);
  }
}

// Velocities of nodes that go with the drive are not counted twice.
TEST(DriveStart, TakesVelocitiesOfNodesAsTheyAre) {
  std::string text = makeDrivenCart("{type: ramp, slope: 3}", "");
  text.replace(text.find("p: [0, 0, -0.5]"), 15,
               "p: {position: [0, 0, -0.5], velocity: [3, 0, 0]}");
  text.replace(text.find("c: [0, 0, 0]"), 12, "c: {position: [0, 0, 0], velocity: [3, 0, 0]}");
  const ModelRun run = runModel(text, "v, q.rate", "end: 0.01, step: 1 ms");
  EXPECT_NEAR(run.column("v").front(), 3.0, 1e-12);
  EXPECT_NEAR(run.column("q.rate").front(), 0.0, 1e-12);
}

// A mass on a spring is where the file places it and at rest, although its base is driven: x'' + ω² x = ω² y.
TEST(DriveStart, LeavesWhatHangsOnSpringsAtRest) {
  const std::string text = R"(nodes: {base: [0, 0, 0], mass: {position: [1, 0, 0], free: [x]}}
bodies: {mass: {node: mass, mass: 1}}
springs: {k: {type: linear, between: [base, mass], direction: [1, 0, 0], stiffness: 100}}
joints: {s: {type: slider, between: [ground, base], axis: [1, 0, 0], drive: y}}
blocks: {y: {type: sine, amplitude: 0.1, omega: 4, phase: 60 deg}}
sensors: {x: {measure: displacement, node: mass, direction: [1, 0, 0]}}
)";
  const ModelRun run = runModel(text, "x", "end: 1, step: 1 ms");
  // y = 0.1 sin(4t + φ): x = B sin(4t + φ) − B sin φ cos 10t − 0.4 B cos φ sin 10t
  const double phi = pi / 3.0, B = 0.1 * 100.0 / (100.0 - 16.0);
  EXPECT_NEAR(run.column("x").back(),
              B * (std::sin(4.0 + phi) - std::sin(phi) * std::cos(10.0) -
                   0.4 * std::cos(phi) * std::sin(10.0)),
              1e-5);
}

TEST(DriveStart, SaysWhatItContradicts) {
  EXPECT_TRUE(says(mistakesOf(withStart(kPendulum, "start: 1") +
                              "blocks: {d: {type: constant, value: 1}}\n"
                              "actuators: {m: {type: motion, joint: pivot, input: d}}\n"),
                   "driven and given a start at once"));
  std::string loop = withStart(kParallelogram, "drive: turn") +
                     "blocks: {turn: {type: ramp, offset: 0.8, slope: 2}}\n";
  loop.replace(loop.find("at: [2, 0, 0], axis: [0, 1, 0]"), 30,
               "at: [2, 0, 0], axis: [0, 1, 0], start_rate: 1, start: 0.8");
  EXPECT_TRUE(says(mistakesOf(loop), "contradicts")) << mistakesOf(loop);
}

// A parallelogram that is drawn flat may become another mechanism from there. No feedback is to blame.
TEST(JointStart, SaysThatAMechanismIsAtADeadPoint) {
  const auto make = [](const std::string& start) {
    return R"(nodes: {a: [0.25, 0, 0], b: [1, 0, 0], c: [1.25, 0, 0]}
bodies:
  a: {node: a, mass: 1, inertia: [.02, .02, .02]}
  b: {node: b, mass: 1, inertia: [.02, .02, .02]}
  c: {node: c, mass: 1, inertia: [.02, .02, .02]}
joints:
  h1: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], )" +
           start + R"(}
  h2: {type: hinge, between: [a, b], at: [0.5, 0, 0], axis: [0, 1, 0]}
  h3: {type: hinge, between: [b, c], at: [1.5, 0, 0], axis: [0, 1, 0]}
  h4: {type: hinge, between: [c, ground], at: [1, 0, 0], axis: [0, 1, 0]}
)";
  };
  for (const char* start : {"start: 0, start_rate: 3", "start: 0.001, start_rate: 3"}) {
    const std::string mistakes = mistakesOf(make(start));
    EXPECT_TRUE(says(mistakes, "dead point")) << mistakes;
    EXPECT_FALSE(says(mistakes, "feedback")) << mistakes;
  }
}

// `locked` holds a joint as it is at the start.
TEST(JointStart, IsWhereALockedJointIsHeld) {
  const ModelRun run = runModel(withStart(kPendulum, "start: 30 deg, locked: true"), "angle",
                                "end: 0.5, step: 10 ms");
  expectQuiet(run, "angle", pi / 6.0, 1e-10);
}

// All analyses begin there.
TEST(JointStart, IsTheStartOfAnEquilibrium) {
  const std::string text =
      withStart(kPendulum, "start: 170 deg, stiffness: 200, rest: 170 deg") + "outputs: [angle]\n";
  const analysis::EquilibriumResult result = analysis::findEquilibrium(buildModel(text));
  ASSERT_TRUE(result.report.ok) << result.report.trouble;
  // 200 (θ − θ₀) + 2·9.81 sin θ = 0 near 170°
  const double angle = result.outputs[0];
  EXPECT_NEAR(200.0 * (angle - 170.0 * pi / 180.0) + 2.0 * 9.81 * std::sin(angle), 0.0, 1e-9);
  EXPECT_GT(angle, 2.8);
}

}  // namespace
}  // namespace flexloop::test
