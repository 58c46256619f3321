// What sensors say of the force of a limit: it is part of that of its joint, and can be measured alone.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// A block of 2 kg under an inclined gravity leans on the lower of two stops.
std::string block(const std::string& limit, const std::string& sensors) {
  return R"(
gravity: [0, -3, -10]
nodes: {b: [0, 0, 0]}
bodies: {b: {node: b, mass: 2, inertia: [1, 1, 1]}}
joints: {s: {type: slider, between: [ground, b], axis: [0, 0, 1]}}
contacts:
  high: {type: limit, joint: s, upper: 0.2, restitution: 0}
  stop: {type: limit, joint: s, lower: 0, upper: 0.5, )" +
         limit + "}\nsensors:\n" + sensors;
}

const char* const kForces = R"(
  all: {measure: force, joint: s}
  stop: {measure: force, contact: stop}
  high: {measure: force, contact: high, direction: [0, 0, 1]}
)";

TEST(LimitSensors, OfAJointAndOfItsStops) {
  const std::string outputs = "all.x, all.y, all.z, stop.x, stop.y, stop.z, high";
  for (const char* limit : {"restitution: 0.5", "stiffness: 1e8, exponent: 1, damping: 1e3"}) {
    const ModelRun run = runModel(block(limit, kForces), outputs, "end: 0.5, step: 1 ms");
    EXPECT_NEAR(run.last("stop.z"), 20.0, 1e-6) << limit;
    EXPECT_NEAR(run.last("all.z"), 20.0, 1e-6) << limit;
    EXPECT_NEAR(run.last("all.y"), 6.0, 1e-9) << limit;
    for (const char* none : {"all.x", "stop.x", "stop.y", "high"}) {
      EXPECT_NEAR(run.last(none), 0.0, 1e-9) << limit << none;
    }
  }
}

TEST(LimitSensors, OfTorques) {
  const ModelRun run = runModel(R"(
gravity: [0, 0, -10]
nodes: {arm: [0.5, 0, 0]}
bodies: {arm: {node: arm, mass: 2, inertia: [0.1, 0.1, 0.1]}}
joints: {h: {type: hinge, between: [ground, arm], at: [0, 0, 0], axis: [0, -1, 0]}}
contacts: {stop: {type: limit, joint: h, lower: 0, restitution: 0}}
sensors:
  joint: {measure: torque, joint: h, direction: [0, 1, 0]}
  stop: {measure: torque, contact: stop, direction: [0, 1, 0]}
)",
                                "joint, stop", "end: 0.1, step: 1 ms");
  EXPECT_NEAR(run.last("stop"), -10.0, 1e-9);
  EXPECT_NEAR(run.last("joint"), -10.0, 1e-9);
}

// A force that carries the block as far as the stop does: half of the weight each.
TEST(LimitSensors, AreSignals) {
  const std::string model = block("restitution: 0", kForces) + R"(
blocks: {share: {type: gain, input: stop.z, gain: 1}}
actuators: {help: {type: force, node: b, direction: [0, 0, 1], input: share}}
)";
  const ModelRun run = runModel(model, "stop.z, share", "end: 0.1, step: 1 ms");
  EXPECT_NEAR(run.last("stop.z"), 10.0, 1e-6);
  EXPECT_NEAR(run.last("share"), 10.0, 1e-6);
}

TEST(LimitSensors, SayWhatALimitHasNot) {
  for (const char* measure : {"normal_force", "friction_force", "penetration", "sticking"}) {
    const std::string text = mistakesOf(
        block("restitution: 0", std::string("  n: {measure: ") + measure + ", contact: stop}\n"));
    EXPECT_TRUE(says(text, "'stop' is a limit of a joint")) << text;
    EXPECT_TRUE(says(text, "measure its 'force' or 'torque'")) << text;
    EXPECT_FALSE(says(text, "there is no sensor")) << text;
  }
  const std::string beam = mistakesOf(R"(
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7850}}
sections: {s: {type: rectangle, width: 60 mm, height: 120 mm}}
nodes: {l: {position: [0, 0, 0], free: []}, r: {position: [8, 0, 0], free: []}, t: {position: [1, 0, 0], free: [x, z]}}
bodies: {t: {node: t, mass: 400 kg}}
beams: {b: {from: l, to: r, elements: 4, section: s, material: steel, y_axis: [0, 1, 0]}}
joints: {run: {type: slide_on_beam, beam: b, node: t}}
contacts: {stop: {type: limit, joint: run, upper: 1, restitution: 0}}
sensors: {f: {measure: force, contact: stop}}
)");
  EXPECT_TRUE(says(beam, "measure the 'force' of its joint")) << beam;
}

}  // namespace
}  // namespace flexloop::test
