// What sampled controllers and black boxes remember at rest (docs/theory/26_rest_of_controllers.md, section 26.3).
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "support/equilibrium_search.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using analysis::EquilibriumResult;

// A bob of 2 m at the end of a horizontal arm of 1 m on a hinge, under 10 m/s², with a controller of its speed in units of torque of m.
std::string makeArm(double m, const std::string& controller) {
  const std::string inertia = writeNumber(0.1 * m);
  return "gravity: [0, 0, -10]\nnodes: {bob: [1, 0, 0], far: [5, 0, 0]}\n"
         "bodies: {bob: {node: bob, mass: " +
         writeNumber(2.0 * m) + ", inertia: [" + inertia + ", " + inertia + ", " + inertia +
         "]}, far: {node: far, mass: 1, inertia: [1, 1, 1]}}\n" +
         R"(joints:
  h: {type: hinge, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0]}
  s: {type: slider, between: [ground, far], axis: [0, 0, 1], stiffness: 50}
sensors:
  q: {measure: angle, joint: h}
  w: {measure: rate, joint: h}
  z: {measure: position, node: far, direction: [0, 0, 1]}
actuators: {t: {type: torque, joint: h, input: u, gain: )" +
         writeNumber(m) + R"(}, f: {type: force, node: far, direction: [0, 0, 1], input: v}}
outputs: [q, u, z]
blocks:
  v: {type: discrete_pid, input: z, kp: 10, ki: 3, sample: 3 ms}
  u: {)" +
         controller + "}\n";
}

EquilibriumResult restOf(const std::string& text) {
  return analysis::findEquilibrium(buildModel(text));
}

// The integral of w is q: the controller is a spring of 8 N·m/rad. That of 0.5 rad/s − w grows by 4 N·m/s wherever the arm is, as that of a
// continuous controller does.
TEST(SampledRest, OfASpeedLoopHoldsOrIsNone) {
  for (const double m : {1e-12, 1.0, 1e12}) {
    for (const char* type : {"type: pid, ", "type: discrete_pid, sample: 7 ms, "}) {
      SCOPED_TRACE(type + writeNumber(m));
      const EquilibriumResult held =
          restOf(makeArm(m, type + std::string("input: w, kp: 3, ki: 8")));
      ASSERT_TRUE(held.report.ok()) << messageOf(held.report.failure);
      const double q = held.outputs[0], u = held.outputs[1];
      EXPECT_NEAR(u, -8.0 * q, 1e-9);
      EXPECT_NEAR(20.0 * std::cos(q) + u, 0.0, 1e-9);
      EXPECT_NEAR(held.outputs[2], 0.0, 1e-9);
      const EquilibriumResult none =
          restOf(makeArm(m, type + std::string("input: w, reference: 0.5, kp: 3, ki: 8")));
      EXPECT_FALSE(none.report.ok());
      EXPECT_TRUE(says(messageOf(none.report.failure), "'u")) << messageOf(none.report.failure);
      EXPECT_TRUE(says(messageOf(none.report.failure), "changes at the constant rate 4 1/s"))
          << messageOf(none.report.failure);
    }
  }
}

// Without an integral, 3·0.5 N·m act for ever, and the arm rests where its weight balances them: 20 cos q = −1.5.
TEST(SampledRest, OfAProportionalSpeedLoopIsWhereItsReferencePushes) {
  for (const char* type : {"type: pid, ", "type: discrete_pid, sample: 7 ms, "}) {
    const EquilibriumResult result =
        restOf(makeArm(1.0, type + std::string("input: w, reference: 0.5, kp: 3")));
    ASSERT_TRUE(result.report.ok()) << messageOf(result.report.failure);
    EXPECT_NEAR(result.outputs[0], std::acos(-1.5 / 20.0), 1e-9) << type;
  }
}

// A box that counts its calls, returns the time and passes its input on. Where the input alone is read, the cart rests: 400 x + 100 x = 20 N.
TEST(SampledRest, OfABoxIsThatOfTheOutputsThatAreRead) {
  const auto makeCart = [](const std::string& sample, const std::string& output) {
    return R"(nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 1}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 400}}
loads: {push: {node: cart, force: [20, 0, 0]}}
sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}
actuators: {f: {type: force, node: cart, direction: [1, 0, 0], input: u}}
outputs: [x, box.calls, box.time]
blocks:
  box: {type: library, path: boxes/tally.so, inputs: [x], outputs: [calls, time, exact, same])" +
           sample + "}\n  u: {type: gain, input: box." + output + ", gain: -100}\n";
  };
  for (const char* sample : {", sample: 2 ms", ""}) {
    const EquilibriumResult result = restOf(makeCart(sample, "same"));
    ASSERT_TRUE(result.report.ok()) << messageOf(result.report.failure);
    EXPECT_NEAR(result.outputs[0], 0.04, 1e-9) << sample;
    EXPECT_TRUE(result.notes.empty()) << sample << result.notes.front();
    const EquilibriumResult counting = restOf(makeCart(sample, "calls"));
    ASSERT_TRUE(counting.report.ok()) << messageOf(counting.report.failure);
    ASSERT_EQ(counting.notes.size(), 1u) << sample;
    EXPECT_TRUE(says(counting.notes.front(), "not an equilibrium")) << counting.notes.front();
  }
}

// A PD controller in an FMU for co-simulation, which gets its inputs with a delay of a step: at rest it is a spring of 40 N/m, so that
// (50 + 40) z = −2 kg · 9.81 m/s². With an integral it has no outputs that stay.
TEST(SampledRest, OfCoSimulationIsThatOfItsController) {
  const auto makeMass = [](const std::string& file, const std::string& parameters) {
    return R"(gravity: [0, 0, -9.81]
nodes: {mass: {position: [0, 0, 0], free: [z]}}
bodies: {mass: {node: mass, mass: 2}}
springs: {w: {type: linear, between: [ground, mass], direction: [0, 0, 1], stiffness: 50}}
sensors: {z: {measure: displacement, node: mass, direction: [0, 0, 1]}}
loads: {push: {node: mass, force: [0, 0, 1], signal: v}}
outputs: [z, v]
blocks:
  v: {type: fmu, path: boxes/)" +
           file + ".fmu, inputs: {e: -z}, sample: 5 ms, parameters: {" + parameters + "}}\n";
  };
  for (const char* file : {"pid2_cs", "pid3_cs", "pid2_both"}) {
    const EquilibriumResult result = restOf(makeMass(file, "Kp: 40, Ki: 0, Kd: 3, T: 10 ms"));
    ASSERT_TRUE(result.report.ok()) << messageOf(result.report.failure);
    EXPECT_NEAR(result.outputs[0], -19.62 / 90.0, 1e-9) << file;
    EXPECT_NEAR(result.outputs[1], 40.0 * 19.62 / 90.0, 1e-8) << file;
    EXPECT_TRUE(result.notes.empty()) << file << result.notes.front();
    const EquilibriumResult growing = restOf(makeMass(file, "Kp: 40, Ki: 50, Kd: 3, T: 10 ms"));
    ASSERT_EQ(growing.notes.size(), 1u) << file;
    EXPECT_TRUE(says(growing.notes.front(), "not an equilibrium")) << growing.notes.front();
  }
}

}  // namespace
}  // namespace flexloop::test
