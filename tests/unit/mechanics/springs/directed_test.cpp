// Forces and sensors between two nodes along a direction, springs that push, and Rayleigh's damping of beams.
#include <cmath>
#include <complex>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "support/machine_modes.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

TEST(DirectedTest, AForceAlongADirectionAndItsSensors) {
  const ModelRun run = runModel(R"(
nodes: {A: {position: [0, 0, 0], free: [y]}, B: {position: [1, 0, 0], free: [y]}}
bodies: {A: {node: A, mass: 1}, B: {node: B, mass: 4}}
sensors:
  gap: {measure: displacement, between: [A, B], direction: [0, 2, 0]}
  speed: {measure: velocity, between: [A, B], direction: [0, 1, 0]}
  far: {measure: distance, between: [A, B]}
actuators: {push: {type: force, between: [A, B], direction: [0, 3, 0], input: 8}}
)",
                                "gap, speed, gap.rate", "end: 1, step: 10 ms");
  // 8 N apart along y: -8 and 2 m/s².
  EXPECT_NEAR(run.last("gap"), 5.0, 1e-9);
  EXPECT_NEAR(run.last("speed"), 10.0, 1e-9);
  EXPECT_NEAR(run.last("gap.rate"), 10.0, 1e-9);
}

// Two cranks of 0.3 m that turn with 2 and 5 rad/s about hinges 1 m apart: the distance of their tips in closed form.
TEST(DirectedTest, TheDistanceOfTwoPoints) {
  const ModelRun run = runModel(R"(
nodes:
  A: {position: [0, 0, 0], angular_velocity: [0, 0, 2]}
  B: {position: [1, 0, 0], rotation: {axis: [0, 0, 1], angle: 1}, angular_velocity: [0, 0, 5]}
bodies: {A: {node: A, mass: 1, inertia: [1, 1, 1]}, B: {node: B, mass: 1, inertia: [1, 1, 1]}}
joints:
  a: {type: hinge, between: [ground, A], axis: [0, 0, 1]}
  b: {type: hinge, between: [ground, B], axis: [0, 0, 1]}
sensors:
  far: {measure: distance, between: [A, B], at: [0, 0.3, 0], to: [1.3, 0, 0]}
  speed: {measure: distance_rate, between: [A, B], at: [0, 0.3, 0], to: [1.3, 0, 0]}
  half: {measure: distance, between: [ground, B], at: [0, 0.3, 0]}
)",
                                "far, far.rate, speed, half", "end: 0.3, step: 1 ms");
  const auto apart = [](double t) {
    return std::hypot(1.0 + 0.3 * std::cos(5.0 * t) + 0.3 * std::sin(2.0 * t),
                      0.3 * std::sin(5.0 * t) - 0.3 * std::cos(2.0 * t));
  };
  EXPECT_NEAR(run.last("far"), apart(0.3), 1e-9);
  const double rate = (apart(0.3 + 1e-5) - apart(0.3 - 1e-5)) / 2e-5;
  EXPECT_NEAR(run.last("far.rate"), rate, 1e-8);
  EXPECT_NEAR(run.last("speed"), rate, 1e-8);
  EXPECT_NEAR(run.last("half"), std::hypot(1.0, 0.3), 1e-12);
}

TEST(DirectedTest, Mistakes) {
  const auto mistakesWith = [](const std::string& text) {
    return mistakesOf(
        "nodes: {A: [0, 0, 0], B: [1, 0, 0]}\nbodies: {A: {node: A, mass: 1, inertia: [1, 1, 1]}, "
        "B: "
        "{node: B, mass: 1, inertia: [1, 1, 1]}}\n" +
        text);
  };
  EXPECT_TRUE(says(mistakesWith("actuators: {f: {type: force, between: [A, B], direction: [0, 1, "
                                "0], at: [0, 0, 0], input: 1}}\n"),
                   "'at' cannot be combined with 'direction'"));
  EXPECT_TRUE(
      says(mistakesWith(
               "actuators: {f: {type: torque, between: [A, B], direction: [0, 1, 0], input: 1}}\n"),
           "acts about an 'axis'"));
  EXPECT_TRUE(says(mistakesWith("sensors: {d: {measure: displacement, between: [A, B]}}\n"),
                   "'direction' is missing"));
  EXPECT_TRUE(says(mistakesWith("sensors: {d: {measure: velocity, between: [A, B], direction: [1, "
                                "0, 0], frame: body}}\n"),
                   "'frame' cannot be combined with 'between'"));
  EXPECT_TRUE(says(mistakesWith("sensors: {d: {measure: velocity}}\n"),
                   "either 'node' or 'between' is needed"));
}

TEST(DirectedTest, ANegativeStiffnessPushesAndIsNoted) {
  const std::string text = R"(
nodes: {cart: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {cart: {node: cart, mass: 2}}
springs: {magnet: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: -8}}
sensors: {x: {measure: displacement, node: cart, direction: [1, 0, 0]}}
)";
  const ModelRun run = runModel(text, "x", "end: 1, step: 1 ms");
  EXPECT_NEAR(run.last("x"), 0.5 * std::sinh(2.0), 1e-5);
  std::ostringstream said;
  buildModel(text).warnings().print(said);
  EXPECT_TRUE(says(said.str(), "the stiffness is negative"));
}

// With C = a M + b K every mode keeps its shape, and s² + (a + b w²) s + w² = 0.
TEST(DirectedTest, RayleighDampingOfABeam) {
  const auto beamWith = [](const std::string& values) {
    return R"(
materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}
sections: {strip: {type: rectangle, width: 20 mm, height: 4 mm}}
nodes: {base: {position: [0, 0, 0], free: []}, tip: [0.5, 0, 0]}
beams: {b: {from: base, to: tip, elements: 4, section: strip, material: alu, y_axis: [0, 1, 0]
)" + values +
           "}}\n";
  };
  for (const std::string kind : {"", ", inertia: lumped", ", order: 2"}) {
    const analysis::ModeResult plain = modesOf(beamWith(kind), {.count = 6});
    const analysis::ModeResult damped =
        modesOf(beamWith(kind + ", damping: {mass: 5 1/s, stiffness: 2e-5 s}"), {.count = 6});
    ASSERT_GE(plain.modes.size(), 6u);
    for (int i = 0; i < 6; ++i) {
      const double w = std::abs(plain.modes[i].eigenvalue), c = 5.0 + 2e-5 * w * w;
      const std::complex<double> root(-0.5 * c, std::sqrt(w * w - 0.25 * c * c));
      EXPECT_LT(distanceTo(damped, root), 1e-7 * w) << kind << " " << i;
    }
  }
  EXPECT_TRUE(says(mistakesOf(beamWith(", order: 2, inertia: consistent, damping: {mass: 1}")),
                   "damping by mass needs lumped inertia"));
  EXPECT_TRUE(says(mistakesOf(beamWith(", damping: {mas: 1}")), "did you mean 'mass'"));
}

}  // namespace
}  // namespace flexloop::test
