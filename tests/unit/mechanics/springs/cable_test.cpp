// Cables over a pulley against closed forms: two weights, a pulley with inertia, a winch, a pendulum that winds itself up.
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "base/text_format.hpp"
#include "support/machine_modes.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using base::formatText;
using std::sqrt;

constexpr double kPi = std::numbers::pi, kRadius = 0.1, kMass = 3.0, kInertia = 0.04, kEA = 2e5;
// Two spans of a metre, and half round the pulley.
const double kLength = 2.0 + kPi * kRadius;

// Weights of m1 and m2 hang on both sides of a pulley about y; the cable runs from the left over the top to the right.
std::string makeWeights(double m1, double m2, const std::string& pulley, const std::string& cable,
                        double mass = 1.0, double length = 1.0, double time = 1.0) {
  const double J = kInertia * mass * length * length;
  return formatText(R"(
gravity: [0, 0, %.17g]
nodes:
  left: {position: [%.17g, 0, %.17g], free: [z]}
  right: {position: [%.17g, 0, %.17g], free: [z]}
  wheel: {position: [0, 0, 0], free: [ry]}
bodies: {left: {node: left, mass: %.17g}, right: {node: right, mass: %.17g}, wheel: {node: wheel, mass: %.17g, inertia: [%.17g, %.17g, %.17g]}}
springs: {rope: {type: cable, between: [left, right], pulley: {node: wheel, axis: [0, 1, 0], radius: %.17g%s}, EA: %.17g%s}}
sensors:
  x: {measure: displacement, node: right, direction: [0, 0, -1]}
  y: {measure: displacement, node: left, direction: [0, 0, 1]}
  w: {measure: rotation, node: wheel, direction: [0, 1, 0]}
  E: {measure: energy, component: total}
)",
                    -9.81 * length / time / time, -kRadius * length, -length, kRadius * length,
                    -length, m1 * mass, m2 * mass, mass, J, J, J, kRadius * length, pulley.c_str(),
                    kEA * mass * length / time / time, cable.c_str());
}

// The weights vibrate against each other on the stiffness of the whole cable; the pulley takes no part.
TEST(Cable, SlidesOverAPulley) {
  for (const auto& [mass, length, time] :
       {std::array{1.0, 1.0, 1.0}, {1e-9, 1e6, 1e3}, {1e9, 1e-6, 1e-3}}) {
    const double W = kMass * 9.81 * mass * length / time / time;
    const auto result = modesOf(
        makeWeights(kMass, kMass, "", formatText(", preload: %.17g", W), mass, length, time));
    const double w = sqrt(2.0 * kEA / kLength / kMass) / time;
    EXPECT_LT(distanceTo(result, {0.0, w}), 1e-9 * w);
  }
  // Atwood's machine: both move with g (m2 − m1)/(m1 + m2) but for the stretch.
  const double a = 9.81 / 3.0, T = 2.0 * 2.0 * 4.0 / 6.0 * 9.81;
  const ModelRun run =
      runModel(makeWeights(2.0, 4.0, "", formatText(", damping: 200, preload: %.17g", T)),
               "x, y, w", "end: 0.5, step: 0.5 ms");
  EXPECT_NEAR(run.last("x"), 0.5 * a * 0.25, 1e-6);
  EXPECT_NEAR(run.last("y"), 0.5 * a * 0.25, 1e-6);
  EXPECT_NEAR(run.last("w"), 0.0, 1e-12);
}

// Each side is a spring between a weight and the pulley, whose inertia counts as J/R².
TEST(Cable, TurnsAPulleyThatHoldsIt) {
  const double M = kInertia / kRadius / kRadius, k = kEA / (0.5 * kLength);
  const auto result = modesOf(
      makeWeights(kMass, kMass, ", holds: true", formatText(", preload: %.17g", kMass * 9.81)));
  for (const double square : {0.0, k / kMass, k * (1.0 / kMass + 2.0 / M)}) {
    EXPECT_LT(distanceTo(result, {0.0, sqrt(square)}), 1e-6 * sqrt(k)) << square;
  }
  const double a = 9.81 * 2.0 / (6.0 + M);
  const ModelRun run =
      runModel(makeWeights(2.0, 4.0, ", holds: true", ", damping: 200, preload: 28"), "x, y, w",
               "end: 0.5, step: 0.5 ms");
  EXPECT_NEAR(run.last("x"), 0.5 * a * 0.25, 3e-4);
  EXPECT_NEAR(run.last("w") * kRadius, 0.5 * a * 0.25, 3e-4);
  EXPECT_NEAR(run.last("y"), run.last("x"), 6e-4);
}

// A winch lifts one weight and lets the other down, for nine turns.
TEST(Cable, IsWoundByAWinch) {
  std::string model = makeWeights(kMass, kMass, ", holds: true",
                                  formatText(", damping: 300, preload: %.17g", kMass * 9.81));
  // The left one is lifted from farther below.
  model.replace(model.find(", -1], free: [z]}"), 17, ", -7], free: [z]}");
  model +=
      "joints: {shaft: {type: hinge, between: [ground, wheel], axis: [0, 1, 0], drive: turn}}\n"
      "blocks: {turn: {type: table, time: [0, 1, 2], value: [0, 28, 56], smooth: true}}\n";
  const ModelRun run = runModel(model, "x, y, w", "end: 2, step: 1 ms");
  EXPECT_NEAR(run.last("w"), 56.0, 1e-9);
  EXPECT_NEAR(run.last("x"), 5.6, 2e-3);
  EXPECT_NEAR(run.last("y"), 5.6, 2e-3);
}

// A weight on a rope that lies over a fixed pulley swings in the plane of the pulley; what lies on it changes. Energy stays, and so does the length.
TEST(Cable, KeepsEnergyWhileItWindsUp) {
  const ModelRun run = runModel(R"(
gravity: [0, 0, -9.81]
nodes: {hook: {position: [-0.3, 0, -0.4], free: []}, bob: {position: [0.9, 0, -0.6], velocity: [0, 0.2, 0]}}
bodies: {bob: {node: bob, mass: 2, inertia: [0.1, 0.1, 0.1]}}
springs: {rope: {type: cable, between: [hook, bob], pulley: {node: ground, at: [0, 0, 0], axis: [0, 1, 0], radius: 0.1}, EA: 2e5, preload: 10}}
sensors: {E: {measure: energy, component: total}, x: {measure: position, node: bob}}
)",
                                "E, x", "end: 2, step: 0.5 ms");
  double least = 1e9;
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    EXPECT_NEAR(run.column("E")[i], run.column("E")[0], 2e-3) << run.times()[i];
    least = std::min(least, run.column("x.x")[i]);
  }
  EXPECT_LT(least, -0.1);
}

// Both weights fall freely until the rope is taut, which is longer by 0.2 m.
TEST(Cable, DoesNotPush) {
  const ModelRun run =
      runModel(makeWeights(1e6, 1.0, "", formatText(", length: %.17g", kLength + 0.2)), "x, y",
               "end: 0.12, step: 1 ms");
  EXPECT_NEAR(run.last("x"), 0.5 * 9.81 * 0.12 * 0.12, 1e-9);
}

TEST(Cable, MistakesAreNamed) {
  const auto wrong = [](const std::string& cable) {
    return mistakesOf(
        "nodes: {a: [-1, 0, -1], b: [1, 0, -1], c: [0, 0, 0]}\nbodies: {a: {node: a, mass: 1, "
        "inertia: [1, 1, 1]}, b: {node: b, mass: 1, inertia: [1, 1, 1]}, c: {node: c, mass: 1, "
        "inertia: [1, 1, 1]}}\n"
        "springs: {s: {type: cable, between: [a, b], EA: 1e5, " +
        cable + "}}\n");
  };
  EXPECT_EQ(wrong("pulley: {node: c, axis: [0, 1, 0], radius: 0.1}"), "");
  EXPECT_TRUE(
      says(wrong("pulley: {node: c, axis: [0, 1, 0], radius: 2}"), "is inside of the pulley"));
  EXPECT_TRUE(says(wrong("pulley: {node: c, at: [0, 0, -1.2], axis: [0, 1, 0], radius: 0.1}"),
                   "passes beside the pulley"));
  EXPECT_TRUE(says(wrong("pulley: {node: c, axis: [0, 0, 0], radius: 0.1}"), "axis"));
  EXPECT_TRUE(says(wrong("pulley: {node: c, axis: [0, 1, 0], radius: 0.1, holds: true}, length: 3"),
                   "'length' has no meaning"));
}

}  // namespace
}  // namespace flexloop::test
