// Friction in impacts against closed forms (docs/theory/33_impacts.md, section 2). A block A of 2 kg on a rail carries a guide, along which B of 1 kg runs against a
// stop with restitution e. The guide falls by the angle θ, so that the blow presses A on its rail with the impulse N = (1 + e) v sin θ and drives it with (1 + e) v cos θ.
#include <cmath>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

std::string blocks(double slope, const std::string& friction, double restitution, double speed) {
  const double c = std::cos(slope), s = std::sin(slope);
  std::ostringstream text;
  text.precision(17);
  text << "gravity: [0, 0, -1]\n"
       << "nodes:\n  a: {position: [0, 0, 0], velocity: [" << speed << ", 0, 0]}\n"
       << "  b: {position: [0, 0, 0], velocity: [" << speed + c << ", 0, " << -s << "]}\n"
       << "bodies:\n  a: {node: a, mass: 2, inertia: [1, 1, 1]}\n"
       << "  b: {node: b, mass: 1, inertia: [1, 1, 1]}\n"
       << "joints:\n  rail: {type: slider, between: [ground, a], axis: [1, 0, 0], friction: {"
       << friction << "}}\n"
       << "  guide: {type: slider, between: [a, b], axis: [" << c << ", 0, " << -s << "]}\n"
       << "loads: {up: {node: a, force: [0, 0, 2]}, lift: {node: b, force: [0, 0, 1]}}\n"
       << "contacts: {stop: {type: limit, joint: guide, upper: 0.1, restitution: " << restitution
       << "}}\n"
       << "sensors:\n  va: {measure: velocity, node: a, direction: [1, 0, 0]}\n"
       << "  away: {measure: rate, joint: guide}\n";
  return text.str();
}

double velocityAfter(const std::string& text) {
  const ModelRun run = runModel(text, "va, away", "end: 0.1005, step: 0.5 ms");
  return run.last("va");
}

// However strong: it is bounded, the blow is not.
TEST(ImpactFriction, WithAGivenLevelIsKnockedLoose) {
  for (const double e : {0.0, 0.5, 1.0}) {
    const ModelRun run =
        runModel(blocks(0.0, "force: 1", e, 0.0), "va, away", "end: 0.15, step: 0.5 ms");
    EXPECT_NEAR(run.at(0.099, "va"), 0.0, 1e-15);
    // 1 N brakes what moves: both blocks where they stay together.
    const double after = (1.0 + e) / 3.0, braked = 0.05 / (e > 0.0 ? 2.0 : 3.0);
    EXPECT_NEAR(run.at(0.15, "va"), after - braked, 1e-9) << e;
    EXPECT_NEAR(run.at(0.15, "away"), e > 0.0 ? -e + braked : 0.0, 1e-9) << e;
  }
}

// It holds up to the impulse that presses it.
TEST(ImpactFriction, FromTheReactionHoldsOrSlipsWithItsImpulse) {
  for (const double slope : {0.3, 0.8, 1.2}) {
    for (const double e : {0.0, 0.5}) {
      const double drive = (1.0 + e) * std::cos(slope), press = (1.0 + e) * std::sin(slope);
      for (const double mu : {0.3, 0.6, 4.0}) {
        const double after = drive <= mu * press ? 0.0 : (drive - mu * press) / 3.0;
        std::ostringstream friction;
        friction << "coefficient: " << mu;
        EXPECT_NEAR(velocityAfter(blocks(slope, friction.str(), e, 0.0)), after, 1e-9)
            << slope << " " << e << " " << mu;
      }
    }
  }
}

// What slips is braked by the blow, to rest at most.
TEST(ImpactFriction, BrakesWhatSlips) {
  const double slope = 0.8, e = 0.5, speed = 0.5;
  for (const double mu : {0.3, 2.0, 4.0}) {
    const double push = (1.0 + e) * (std::cos(slope) - mu * std::sin(slope)) / 3.0;
    std::ostringstream friction;
    friction << "coefficient: " << mu;
    EXPECT_NEAR(velocityAfter(blocks(slope, friction.str(), e, speed)), std::max(speed + push, 0.0),
                1e-9)
        << mu;
  }
}

// A latch that closes is a blow, too.
TEST(ImpactFriction, LetsALatchTakeAlongWhatStuck) {
  const ModelRun run = runModel(R"(
nodes: {a: {position: [0, 0, 0], free: [x], velocity: [2, 0, 0]}, b: {position: [5, 0, 0], free: [x]}}
bodies: {a: {node: a, mass: 1}, b: {node: b, mass: 3}}
joints:
  rail: {type: slider, between: [ground, b], axis: [1, 0, 0], friction: {force: 1}}
  grip: {type: latch, between: [a, b], when: held}
blocks: {held: {type: step, at: 0.5}}
sensors: {v: {measure: velocity, node: b, direction: [1, 0, 0]}}
)",
                                "v", "end: 1, step: 10 ms");
  EXPECT_NEAR(run.at(0.4, "v"), 0.0, 1e-15);
  EXPECT_NEAR(run.last("v"), 0.5 - 0.5 * 0.25, 1e-9);
}

// Beside a ball that bounces, what it does not touch sticks on as if it were alone.
TEST(ImpactFriction, LeavesWhatABlowDoesNotReach) {
  const std::string ball = R"(
gravity: [0, 0, -9.81]
nodes: {ball: {position: [0, 0, 1], free: [z]}, arm: [0.5, 2, 0], hand: [1, 2, 0]}
bodies: {ball: {node: ball, mass: 0.5}, arm: {node: arm, mass: 1, inertia: [0.1, 0.1, 0.1]}, hand: {node: hand, mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints:
  fall: {type: slider, between: [ground, ball], axis: [0, 0, 1]}
  shoulder: {type: hinge, between: [ground, arm], at: [0, 2, 0], axis: [0, 1, 0], friction: {torque: 20}}
  wrist: {type: hinge, between: [arm, hand], at: [1, 2, 0], axis: [0.6, 0.8, 0], friction: {torque: 9}}
contacts: {floor: {type: limit, joint: fall, lower: -1, restitution: 0.6}}
sensors: {z: {measure: position, node: hand, direction: [0, 0, 1]}}
)";
  const ModelRun run = runModel(ball, "z", "end: 1.2, step: 5 ms");
  EXPECT_NEAR(run.last("z"), 0.0, 1e-15);
  EXPECT_EQ(run.report.events, 2);
}

// A cart that its pendulum throws from stop to stop, and that friction holds against one of them in between: what rests there arrives at no speed, whatever round-off says.
// Against an integration with events of its own (relative accuracy 1e-10).
TEST(ImpactFriction, RestsAtAStopInAMovingMachine) {
  for (const char* time : {"", ", constraints: index3", ", rho: 0"}) {
    const ModelRun run = runModel(R"(
gravity: [0, 0, -9.81]
nodes: {a: [0, 0, 0], b: [0.5, 0, 0]}
bodies: {a: {node: a, mass: 2, inertia: [1, 1, 1]}, b: {node: b, mass: 1, inertia: [0.02, 0.02, 0.02]}}
joints:
  s: {type: slider, between: [ground, a], axis: [1, 0, 0], friction: {coefficient: 0.1}}
  h: {type: hinge, between: [a, b], at: [0, 0, 0], axis: [0, 1, 0], friction: {coefficient: 0.05, radius: 30 mm}}
contacts: {l: {type: limit, joint: s, upper: 20 mm, lower: -20 mm, restitution: 0.4}}
sensors: {x: {measure: displacement, joint: s}, q: {measure: angle, joint: h}, e: {measure: energy}}
)",
                                  "x, q, e.total", std::string("end: 1.2, step: 0.5 ms") + time);
    EXPECT_NEAR(run.last("x"), -0.02, 1e-9) << time;
    EXPECT_NEAR(run.at(0.4, "q"), 1.35226328, 3e-5) << time;
    EXPECT_NEAR(run.at(0.6, "x"), 0.00157862574, 1e-5) << time;
    EXPECT_NEAR(run.at(0.6, "q"), 2.42227386, 3e-5) << time;
    EXPECT_NEAR(run.last("q"), 2.01979079, 1e-4) << time;
    const std::vector<double>& energy = run.column("e.total");
    for (std::size_t i = 1; i < energy.size(); ++i) {
      ASSERT_LE(energy[i], energy[i - 1] + 1e-6) << run.times()[i] << time;
    }
  }
}

}  // namespace
}  // namespace flexloop::test
