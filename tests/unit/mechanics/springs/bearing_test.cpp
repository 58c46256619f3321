// Bearings against closed forms: their modes, a spinning rotor, clearance, and what cannot be.
#include <array>
#include <cmath>
#include <complex>
#include <string>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "base/text_format.hpp"
#include "support/machine_modes.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using base::formatText;
using std::sqrt;

// A rotor with m = 3 and I = (0.2, 0.2, 0.1) that spins about z in one bearing, in other units of mass, length and time.
std::string makeRotor(const std::string& bearing, double spin = 0.0, double mass = 1.0,
                      double length = 1.0, double time = 1.0, double gravity = 0.0) {
  const double J = mass * length * length;
  return formatText(R"(
gravity: [0, 0, %.17g]
nodes: {rotor: {position: [0, 0, 0], angular_velocity: [0, 0, %.17g]}}
bodies: {rotor: {node: rotor, mass: %.17g, inertia: [%.17g, %.17g, %.17g]}}
springs: {bearing: {type: bearing, between: [ground, rotor], axis: [0, 0, 1], )",
                    -gravity * length / time / time, spin / time, 3.0 * mass, 0.2 * J, 0.2 * J,
                    0.1 * J) +
         bearing + "}}\n";
}

// Both roots of det [a − m x, c; c, b − J x] = 0.
std::array<double, 2> squaresOf(double a, double b, double c, double m, double J) {
  const double sum = a / m + b / J, product = (a * b - c * c) / (m * J);
  const double root = sqrt(sum * sum - 4.0 * product);
  return {0.5 * (sum - root), 0.5 * (sum + root)};
}

TEST(Bearing, CouplesDisplacementsAndTilts) {
  for (const auto& [mass, length, time] :
       {std::array{1.0, 1.0, 1.0}, {1e-9, 1e6, 1e3}, {1e9, 1e-6, 1e-3}}) {
    const double k = mass / time / time, kl = k * length, kll = kl * length;
    const auto result = modesOf(makeRotor(
        formatText("stiffness_matrix: [[%.17g, 0, 0, 0, %.17g], [0, %.17g, 0, %.17g, 0], [0, 0, "
                   "%.17g, 0, 0], [0, %.17g, 0, %.17g, 0], [%.17g, 0, 0, 0, %.17g]]",
                   5e3 * k, 40 * kl, 8e3 * k, -60 * kl, 2e3 * k, -60 * kl, 30 * kll, 40 * kl,
                   20 * kll),
        0.0, mass, length, time));
    ASSERT_EQ(result.modes.size(), 6u);
    const auto first = squaresOf(5e3, 20.0, 40.0, 3.0, 0.2);
    const auto second = squaresOf(8e3, 30.0, -60.0, 3.0, 0.2);
    for (const double square : {first[0], first[1], second[0], second[1], 2e3 / 3.0, 0.0}) {
      EXPECT_LT(distanceTo(result, {0.0, sqrt(square) / time}), 1e-9 * 50.0 / time) << square;
    }
  }
}

// Forward and backward whirl of the tilts: ω = ½ g ± √(¼ g² + k/I) with g = Ω I_z/I.
TEST(Bearing, KnowsNothingOfTheSpin) {
  const double g = 400.0 * 0.1 / 0.2, squared = 0.25 * g * g + 20.0 / 0.2;
  const auto result = modesOf(makeRotor("stiffness: [5e3, 5e3, 2e3, 20, 20]", 400.0));
  // In the axes of the rotor, which turn with it, whirl is slower forwards and faster backwards.
  for (const double whirl :
       {0.5 * g + sqrt(squared), 0.5 * g - sqrt(squared), sqrt(5e3 / 3.0), -sqrt(5e3 / 3.0)}) {
    EXPECT_LT(distanceTo(result, {0.0, 400.0 - whirl}), 1e-7) << whirl;
  }
}

// Hundreds of turns, off the axis and tilted: there is no torque about the axis.
TEST(Bearing, LetsTheShaftTurn) {
  const ModelRun run =
      runModel(makeRotor("stiffness: [5e3, 5e3, 2e3, 20, 20], x_axis: [1, 1, 0]", 1e3) +
                   "loads: {push: {node: rotor, force: [30, 0, 10], signal: p}, turn: {node: "
                   "rotor, torque: [2, 0, 0], signal: p}}\n"
                   "blocks: {p: {type: step, at: 0.5, from: 0, to: 1}}\n"
                   "sensors:\n  w: {measure: angular_velocity, node: rotor, frame: body}\n"
                   "  x: {measure: position, node: rotor}\n"
                   "  T: {measure: torque, spring: bearing}\n",
               "w, x, T", "end: 0.6, step: 50 us");
  EXPECT_NEAR(run.last("w.z"), 1e3, 5e-3);  // of second order; it turns by 50 mrad in a step
  EXPECT_GT(std::abs(run.last("T.x")) + std::abs(run.last("T.y")), 0.01);
  EXPECT_GT(std::abs(run.last("x.x")), 1e-4);
}

// The weight hangs in the clearance; across it as along it.
TEST(Bearing, GivesWayInItsClearance) {
  for (const auto& [mass, length, time] :
       {std::array{1.0, 1.0, 1.0}, {1e-9, 1e6, 1e3}, {1e9, 1e-6, 1e-3}}) {
    const double k = mass / time / time, kll = k * length * length;
    const auto restOf = [&](const char* axis) {
      const std::string model = makeRotor(
          formatText("stiffness: [%.17g, %.17g, %.17g, %.17g, %.17g], radial_clearance: "
                     "%.17g, axial_clearance: %.17g",
                     5e3 * k, 5e3 * k, 2e3 * k, 20 * kll, 20 * kll, 1e-3 * length, 4e-3 * length),
          0.0, mass, length, time, 9.81);
      std::string turned = model;
      turned.replace(turned.find("axis: [0, 0, 1]"), 15, axis);
      const ModelRun run = runModel(
          turned + "sensors: {z: {measure: position, node: rotor, direction: [0, 0, 1]}}\n", "z",
          formatText("end: %.17g, step: %.17g, start: equilibrium", time, 0.1 * time));
      return run.last("z") / length;
    };
    EXPECT_NEAR(restOf("axis: [0, 0, 1]"), -4e-3 - 3.0 * 9.81 / 2e3, 1e-9);
    EXPECT_NEAR(restOf("axis: [1, 0, 0]"), -1e-3 - 3.0 * 9.81 / 5e3, 1e-9);
  }
}

// A shaft that is thrown across its clearance c with the speed v: back in the middle after 2 c/v and half an oscillation, and so on.
TEST(Bearing, IsThrownThroughItsClearance) {
  const double c = 2e-3, v = 0.4, w = sqrt(5e3 / 3.0), free = c / v;
  std::string model = makeRotor("stiffness: [5e3, 5e3, 2e3, 20, 20], radial_clearance: 2 mm");
  model.replace(model.find("angular_velocity: [0, 0, 0]"), 27, "velocity: [0.24, 0.32, 0]");
  const ModelRun run = runModel(model +
                                    "sensors: {x: {measure: position, node: rotor}, E: {measure: "
                                    "energy, component: total}}\n",
                                "x, E", "end: 0.2, step: 0.1 ms");
  const auto placeOf = [&](double t) {
    const double half = 2.0 * free + M_PI / w, left = std::fmod(t, half);
    const double side = std::fmod(t, 2.0 * half) < half ? 1.0 : -1.0;
    if (left < free) return side * v * left;
    if (left < free + M_PI / w) return side * (c + v / w * std::sin(w * (left - free)));
    return side * v * (half - left);
  };
  for (const double t : {0.003, 0.02, 0.05, 0.09, 0.11, 0.15, 0.2}) {
    EXPECT_NEAR(run.at(t, "x.x"), 0.6 * placeOf(t), 2e-6) << t;
    EXPECT_NEAR(run.at(t, "x.y"), 0.8 * placeOf(t), 2e-6) << t;
  }
  EXPECT_NEAR(run.last("E"), 0.5 * 3.0 * v * v, 1e-5 * 0.24);
}

TEST(Bearing, MistakesAreNamed) {
  const auto wrong = [](const char* bearing) { return mistakesOf(makeRotor(bearing)); };
  EXPECT_EQ(wrong("stiffness: [1, 1, 1, 1, 1]"), "");
  EXPECT_TRUE(says(wrong("damping: [1, 1, 1, 1, 1]"), "the stiffness of the bearing is missing"));
  EXPECT_TRUE(says(wrong("stiffness: [1, 1, 1, 1, 1, 1]"), "5"));
  EXPECT_TRUE(says(wrong("stiffness: [1, 1, 1, 1, 1], x_axis: [0, 0, -2]"), "parallel to 'axis'"));
  EXPECT_TRUE(says(wrong("stiffness: [1, 1, 1, 1, 1], radial_clearance: -1 um"), "negative"));
  EXPECT_TRUE(says(wrong("stiffness_matrix: [[1, 0], [0, 1]]"), "must have 5 rows and columns"));
  EXPECT_TRUE(
      says(wrong("stiffness_matrix: [[1, 0, 0, 0, 1], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, "
                 "1, 0], [0, 0, 0, 0, 1]]"),
           "is not symmetric"));
  EXPECT_TRUE(
      says(wrong("stiffness: [1, 1, 1, 1, 1], stiffness_matrix: [[1]]"), "cannot be combined"));
}

}  // namespace
}  // namespace flexloop::test
