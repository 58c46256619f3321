// Modes of loops with controllers that round their numbers to single precision (docs/theory/23_identification.md, section 23.7).
#include <cmath>

#include <gtest/gtest.h>

#include "support/machine_modes.hpp"
#include "support/message_matchers.hpp"

namespace flexloop::test {
namespace {

// A mass under 4 e + 80 ∫e − 2 x' with e = r − x, with the controller called every `period`.
std::string machine(const std::string& law, double period, double reference) {
  const std::string T = std::to_string(period);
  return "nodes: {m: {position: [0, 0, 0], free: [x]}}\nbodies: {m: {node: m, mass: 1}}\n"
         "springs: {k: {type: linear, between: [ground, m], direction: [1, 0, 0], stiffness: 12, "
         "damping: 8}}\n"
         "sensors: {x: {measure: displacement, node: m, direction: [1, 0, 0]}}\n"
         "blocks:\n  e: {type: sum, inputs: [" +
         std::to_string(reference) + ", -x]}\n" + law + ", sample: " + T +
         "}\n"
         "actuators: {f: {type: force, node: m, direction: [1, 0, 0], input: law}}\n"
         "analysis: {time: {end: 1, step: " +
         T + "}, modes: {count: 20}}\n";
}

std::string rounded(double period, double reference) {
  return machine(
      "  law: {type: discon, path: boxes/discon_pid.so, inputs: {wind_speed: e, generator_speed: "
      "x.rate}, outputs: [torque]",
      period, reference);
}

std::string exact(double period, double reference) {
  return machine("  law: {type: discrete_state_space, inputs: [e, x.rate], A: [[1]], B: [[" +
                     std::to_string(period) + ", 0]], C: [[80]], D: [[4, -2]]",
                 period, reference);
}

// Each root is known to within what is stated, and that is little.
TEST(RoundedBox, RootsAreWithinTheirUncertainty) {
  for (const double reference : {0.0, 1.0, 300.0}) {
    for (const double period : {1e-2, 1e-3, 1e-4}) {
      const analysis::ModeResult found = modesOf(rounded(period, reference)),
                                 truth = modesOf(exact(period, reference));
      ASSERT_TRUE(found.ok()) << messageOf(found.failure);
      ASSERT_EQ(found.modes.size(), truth.modes.size()) << period << " " << reference;
      for (const analysis::Mode& mode : found.modes) {
        const double size = std::abs(mode.eigenvalue);
        EXPECT_LE(distanceTo(truth, mode.eigenvalue), mode.uncertainty)
            << mode.eigenvalue << " " << period << " " << reference;
        EXPECT_LE(mode.uncertainty, 2e-2 * size)
            << mode.eigenvalue << " " << period << " " << reference;
      }
      EXPECT_TRUE(found.sampled);
      ASSERT_FALSE(found.notes.empty());
      EXPECT_TRUE(says(found.notes.back(), "a controller computes in single precision"));
    }
  }
}

}  // namespace
}  // namespace flexloop::test
