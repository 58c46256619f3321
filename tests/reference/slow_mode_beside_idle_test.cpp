// A slow mode of a stiff mesh beside a motion that nothing resists: seen from the fast roots both look like zero.
#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "support/machine_modes.hpp"

namespace flexloop::test {
namespace {

// J5.3: a cantilever with a mass at its tip, 2.3803682362 Hz; the mass is free to turn on a ball joint, which changes nothing.
std::string cantilever(const std::string& mesh) {
  return R"(
sections:
  steel: {type: stiffness, EA: 2e7, GAy: 1e9, GAz: 1e9, GJ: 1e3, EIy: 43.75, EIz: 700, rhoA: 0.785, rhoJ: [1e-9, 1e-9, 1e-9]}
nodes:
  A: {position: [0, 0, 0], free: []}
  B: [1, 0, 0]
  mass: {position: [1, 0, 0], free: [x, z, ry]}
bodies: {mass: {node: mass, mass: 0.4, inertia: [1e-9, 1e-9, 1e-9]}}
joints: {ball: {type: spherical, between: [B, mass]}}
beams: {link: {from: A, to: B, section: steel, y_axis: [0, 1, 0], )" +
         mesh + "}}\n";
}

TEST(SlowModeBesideIdleMotion, IsNotTakenForZero) {
  for (const char* mesh : {"elements: 4, order: 3", "elements: 7, order: 3",
                           "elements: 12, order: 3", "elements: 14, order: 2", "elements: 30"}) {
    analysis::ModeOptions options;
    options.count = 3;
    const auto modes = modesOf(cantilever(mesh), options).modes;
    ASSERT_EQ(modes.size(), 3U) << mesh;
    EXPECT_EQ(std::abs(modes[0].eigenvalue), 0.0) << mesh;
    const double hertz = modes[1].eigenvalue.imag() / (2.0 * std::numbers::pi);
    EXPECT_NEAR(hertz, 2.3803682362, 1e-5 * 2.38) << mesh;
  }
}

}  // namespace
}  // namespace flexloop::test
