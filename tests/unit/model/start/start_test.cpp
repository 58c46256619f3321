// Simulations that start at rest, with controllers settled (docs/theory/26_rest_of_controllers.md).
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

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
    ASSERT_TRUE(result.report.ok()) << messageOf(result.report.failure);
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
  ASSERT_TRUE(result.report.ok()) << messageOf(result.report.failure);
  const double q = result.outputs[0], u = result.outputs[1];
  EXPECT_NEAR(20.0 * std::cos(q) - 30.0 * q + u, 0.0, 1e-9);
  EXPECT_GE(u, -10.0 - 1e-9);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_TRUE(says(result.notes[0], "'u")) << result.notes[0];
  EXPECT_TRUE(says(result.notes[0], "yields")) << result.notes[0];
}

}  // namespace
}  // namespace flexloop::test
