// Bodies in free flight keep their energy and exchange none: what the scheme changes of it is a share of all of it.
#include <cmath>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

ModelRun fly(const std::string& spin, const std::string& time, double mass = 1.0) {
  char body[200];
  std::snprintf(body, sizeof body, "bodies: {b: {node: n, mass: %g, inertia: [%g, %g, %g]}}\n",
                mass, 0.01 * mass, 0.02 * mass, 0.025 * mass);
  return tryModel(
      "nodes: {n: {position: [0, 0, 0], velocity: [0.1, 0.2, -0.9], angular_velocity: " + spin +
          "}}\n" + body,
      "", time);
}

TEST(FreeFlight, IsTrusted) {
  for (const double mass : {1e-12, 1.0, 1e12}) {
    const ModelRun run = fly("[0.3, -0.4, 0.5]", "end: 0.2, step: 1 ms", mass);
    EXPECT_TRUE(run.report.health.isTrusted()) << run.report.health.verdict();
    EXPECT_LT(std::abs(run.report.energy.dissipatedShare), 1e-6);
  }
}

TEST(FreeFlight, OfABodyThatTumblesErrsByAShareOfItsEnergy) {
  const ModelRun run = fly("[3, -4, 5]", "end: 10, step: 50 ms");
  EXPECT_TRUE(run.report.health.isTrusted()) << run.report.health.verdict();
  EXPECT_FALSE(run.report.health.energyError);
  const analysis::EnergyReport& energy = run.report.energy;
  EXPECT_NEAR(energy.dissipatedShare, (energy.start - energy.end) / energy.start,
              0.1 * std::abs(energy.dissipatedShare));
}

// Two geared wheels that turn steadily: their accelerations are round-off, which alternates.
TEST(SteadyTurning, DoesNotRing) {
  const ModelRun run = tryModel(R"(nodes: {m: [0, 0, 0], w: [0, 1, 0], v: [0, 2, 0]}
bodies:
  m: {node: m, mass: 1, inertia: [1, 1, 1]}
  w: {node: w, mass: 1, inertia: [1, 1, 1]}
  v: {node: v, mass: 1, inertia: [1, 1, 1]}
joints:
  hm: {type: hinge, between: [ground, m], axis: [0, 0, 1], start: -10 deg, start_rate: 1}
  hw: {type: hinge, between: [ground, w], axis: [0, 0, 1]}
  hv: {type: hinge, between: [ground, v], axis: [0, 0, 1]}
  g: {type: gear, between: [hm, hw], ratio: -3}
  g2: {type: gear, between: [hw, hv], ratio: -2}
)",
                                "", "end: 0.01, step: 1 ms");
  EXPECT_TRUE(run.report.health.isTrusted()) << run.report.health.verdict();
}

// With a spring beside it, what that dissipates is a share of what it exchanges, not of all that flies.
TEST(FreeFlight, HidesNoDissipationOfASpring) {
  const ModelRun run = tryModel(R"(nodes:
  n: {position: [0, 0, 0], velocity: [100, 0, 0]}
  c: {position: [1, 0, 0], free: [x], velocity: [1, 0, 0]}
bodies: {b: {node: n, mass: 1, inertia: [1, 1, 1]}, c: {node: c, mass: 2}}
springs: {k: {type: linear, between: [ground, c], direction: [1, 0, 0], stiffness: 200}}
)",
                                "", "end: 20, step: 0.1, rho: 0.5");
  EXPECT_TRUE(says(run.report.health.verdict(), "of the energy exchanged"));
}

}  // namespace
}  // namespace flexloop::test
