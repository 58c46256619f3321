// Nodes without mass take no part of a force or of an impulse.
#include <array>

#include <gtest/gtest.h>

#include "base/text_format.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// A mass on a chain of sliders, the nodes of which have none: at the start, too, it has the acceleration of the force.
TEST(Massless, HasNoShareInTheAccelerationAtTheStart) {
  for (const auto& [mass, length, time] :
       {std::array{1.0, 1.0, 1.0}, {1e-9, 1e6, 1e-3}, {1e9, 1e-6, 1e3}}) {
    const double force = mass * length / time / time;
    const ModelRun run =
        runModel(base::formatText(R"(
nodes: {a: [0, 0, 0], b: [0, 0, 0]}
bodies: {b: {node: b, mass: %.17g, inertia: [%.17g, %.17g, %.17g]}}
joints: {s: {type: slider, between: [ground, a], axis: [1, 0, 0]}, w: {type: weld, between: [a, b]}}
loads: {f: {node: b, force: [%.17g, 0, 0]}}
sensors: {a: {measure: acceleration, node: b, direction: [1, 0, 0]}, R: {measure: force, joint: w}}
)",
                                  mass, mass * length * length, mass * length * length,
                                  mass * length * length, force),
                 "a, R", base::formatText("end: %.17g, step: %.17g", 0.02 * time, 0.01 * time));
    EXPECT_NEAR(run.column("a").front(), length / time / time, 1e-12 * length / time / time);
    EXPECT_NEAR(run.column("R.x").front(), 0.0, 1e-12 * force);
  }
}

// A rod of mass m with its middle on a slider, and a hinge with an inertia on that: an end of the rod hits a stop. The nodes in between have no mass. With the arm l the
// stop sees the mass 1/(1/m + l²/J).
TEST(Massless, HasNoShareInAnImpact) {
  const ModelRun run = runModel(R"(
nodes:
  carriage: [0, 0, 0]
  rod: [0, 0, 0]
  end: {position: [2, 0, 0]}
bodies: {rod: {node: rod, mass: 3, inertia: [3, 4, 3]}}
joints:
  lift: {type: slider, between: [ground, carriage], axis: [0, 0, 1], start_rate: -1}
  turn: {type: hinge, between: [carriage, rod], axis: [0, 1, 0]}
  tip: {type: weld, between: [rod, end]}
contacts: {stop: {type: sphere_plane, node: end, radius: 0.1, plane: {at: [0, 0, -0.2], normal: [0, 0, 1]}, restitution: 0.5}}
sensors:
  v: {measure: velocity, node: rod, direction: [0, 0, 1]}
  w: {measure: angular_velocity, node: rod, direction: [0, 1, 0]}
)",
                                "v, w", "end: 0.12, step: 10 ms");
  const double impulse = 1.5 / (1.0 / 3.0 + 4.0 / 4.0);
  EXPECT_NEAR(run.last("v"), -1.0 + impulse / 3.0, 1e-9);
  EXPECT_NEAR(run.last("w"), -2.0 * impulse / 4.0, 1e-9);
}

}  // namespace
}  // namespace flexloop::test
