// Motions and states that are over long before the first step is: at a start, and after a jump. They have a closed form, and
// what steps make of them must not depend on how fast they are (docs/theory/09_time.md, sections 9.4 and 9.5).
#include <cmath>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

std::string number(double x) {
  std::ostringstream stream;
  stream.precision(17);
  stream << x;
  return stream.str();
}

// m v' = −c v: the mass comes to rest after m v0/c.
TEST(StiffStart, ABrakedMassTravelsForOneStepAtMost) {
  constexpr double kStep = 1e-3, kSpeed = 1.0;
  for (const double c : {1e2, 1e4, 1e5, 1e6, 1e8, 1e12}) {
    for (const char* scheme :
         {"rho: 0", "rho: 0.8", "rho: 0.95", "rho: 0.8, constraints: index3"}) {
      SCOPED_TRACE(number(c) + " " + scheme);
      const ModelRun run = runModel(
          "nodes: {a: {position: [0, 0, 0], velocity: [1, 0, 0], free: [x]}}\n"
          "bodies: {a: {node: a, mass: 1}}\n"
          "springs: {s: {type: linear, between: [ground, a], direction: [1, 0, 0], stiffness: 0,\n"
          "  damping: " +
          number(c) +
          "}}\n"
          "sensors: {x: {measure: position, node: a, direction: [1, 0, 0]}}\n"
          "outputs: [x]\n"
          "analysis: {time: {end: 0.5, step: 1 ms, " +
          scheme + "}}\n");
      EXPECT_NEAR(run.last("x"), kSpeed / c, kSpeed * kStep);
    }
  }
}

TEST(StiffStart, ABrakedRotorOnAHingeTurnsForOneStepAtMost) {
  for (const double damping : {1e-3, 1.0, 1e4, 1e8}) {
    SCOPED_TRACE(damping);
    const ModelRun run = runModel(
        "nodes: {a: [0, 0, 0]}\n"
        "bodies: {a: {node: a, mass: 0.1, inertia: [1e-5, 1e-5, 1e-5]}}\n"
        "joints: {h: {type: hinge, between: [ground, a], axis: [0, 0, 1], start_rate: 100, "
        "damping: " +
        number(damping) +
        "}}\n"
        "sensors: {q: {measure: angle, joint: h}}\n"
        "outputs: [q]\n"
        "analysis: {time: {end: 0.1, step: 1 ms}}\n");
    EXPECT_NEAR(run.last("q"), 1e-5 * 100.0 / damping, 0.1);
  }
}

// The derivative of a unit step, filtered, pushes a mass of 1 kg: v = 1 and x = t − T afterwards.
ModelRun runKick(double filter, const std::string& scheme) {
  return runModel(
      "nodes: {a: {position: [0, 0, 0], free: [x]}}\n"
      "bodies: {a: {node: a, mass: 1}}\n"
      "sensors: {x: {measure: position, node: a, direction: [1, 0, 0]},\n"
      "  v: {measure: velocity, node: a, direction: [1, 0, 0]}}\n"
      "blocks:\n"
      "  s: {type: step, at: 0.1003, to: 1}\n"
      "  u: {type: derivative, input: s, filter: " +
      number(filter) +
      "}\n"
      "actuators: {f: {type: force, node: a, direction: [1, 0, 0], input: u}}\n"
      "outputs: [x, v]\n"
      "analysis: {time: {end: 0.5, step: 1 ms, " +
      scheme + "}}\n");
}

TEST(StiffStart, AKickThroughAFastFilterMovesByOneStepAtMost) {
  const double t = 0.5 - 0.1003;
  for (const double T : {1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-12}) {
    for (const char* scheme : {"rho: 0", "rho: 0.8", "rho: 0.95"}) {
      SCOPED_TRACE(number(T) + " " + scheme);
      const ModelRun run = runKick(T, scheme);
      EXPECT_NEAR(run.last("v"), 1.0, 1e-8);
      EXPECT_NEAR(run.last("x"), t - T, 1.5e-3);
    }
  }
  // A slow filter jumps in full: the error is that of order 2.
  EXPECT_NEAR(runKick(0.01, "rho: 0.8").last("x"), t - 0.01, 1e-6);
}

// Steps are cut down to the shortest, and their lag with them.
TEST(StiffStart, AdaptiveStepsFollowAKick) {
  for (const double T : {1e-2, 1e-5, 1e-7, 3e-8, 1e-8, 1e-9, 1e-10, 1e-13}) {
    SCOPED_TRACE(T);
    const ModelRun run = runKick(T, "adaptive: true");
    EXPECT_NEAR(run.last("v"), 1.0, 1e-6);
    EXPECT_NEAR(run.last("x"), 0.5 - 0.1003 - T, 1e-5);
  }
}

// A relay that switches a brake on: the slopes that change are not its own. The mass stops after v0/gain.
TEST(StiffStart, AdaptiveStepsFollowABrake) {
  for (const double end : {0.102, 0.2, 10.0}) {
    for (const double gain : {1e4, 1e6, 1e9}) {
      SCOPED_TRACE(number(end) + " s, " + number(gain));
      const ModelRun run = runModel(
          "nodes: {a: {position: [0, 0, 0], velocity: [1, 0, 0], free: [x]}}\n"
          "bodies: {a: {node: a, mass: 1}}\n"
          "sensors: {x: {measure: position, node: a, direction: [1, 0, 0]},\n"
          "  v: {measure: velocity, node: a, direction: [1, 0, 0]}}\n"
          "blocks:\n"
          "  r: {type: relay, input: x, on_above: 0.1003}\n"
          "  u: {type: product, inputs: [r, -v]}\n"
          "actuators: {f: {type: force, node: a, direction: [1, 0, 0], input: u, gain: " +
          number(gain) +
          "}}\n"
          "outputs: [x, v]\n"
          "analysis: {time: {step: 1 ms, adaptive: true, end: " +
          number(end) + "}}\n");
      EXPECT_NEAR(run.last("x"), 0.1003 + 1.0 / gain, 2e-6);
      EXPECT_NEAR(run.last("v"), 0.0, 1e-4);
    }
  }
}

// Two links on the ground, and a strong damper in the hinge between them, which turns at the start. It stops that hinge, and
// the angular momentum about the other one stays.
TEST(StiffStart, AStrongDamperBetweenLinksKeepsTheirMomentum) {
  constexpr double kMass = 1.0, kInertia = 0.1, kNear = 0.5, kFar = 1.5, kAt = 1.0;
  const double locked = 2.0 * kInertia + kMass * (kNear * kNear + kFar * kFar);
  const double momentum = kInertia + kMass * kFar * (kFar - kAt);
  for (const double speed : {4.0, 40.0}) {
    for (const double c : {3e3, 1e4, 1e6, 1e9}) {
      for (const char* scheme : {"rho: 0", "rho: 0.8", "rho: 0.95"}) {
        SCOPED_TRACE(number(speed) + " rad/s, " + number(c) + " " + scheme);
        const ModelRun run = runModel(
            "nodes: {a: [0.5, 0, 0], b: [1.5, 0, 0]}\n"
            "bodies:\n"
            "  a: {node: a, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
            "  b: {node: b, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
            "joints:\n"
            "  h: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
            "  k: {type: hinge, between: [a, b], at: [1, 0, 0], axis: [0, 1, 0], damping: " +
            number(c) + ", start_rate: " + number(speed) +
            "}\n"
            "sensors: {q: {measure: rate, joint: h}}\n"
            "outputs: [q]\n"
            "analysis: {time: {end: 0.05, step: 1 ms, newton: {tolerance: 1e-12}, " +
            scheme + "}}\n");
        // The links turn by half a step of the hinge, which changes their inertia by its square.
        const double turn = 1e-3 * speed;
        EXPECT_NEAR(run.last("q"), momentum / locked * speed, turn * turn * speed);
      }
    }
  }
}

// A brake that is released again after some steps. While it holds, velocities are of the size v0/(hc), and so is what is left
// of them: what rings in the scheme beside the brake must not be passed on without it.
TEST(StiffStart, ABrakeThatIsReleasedLeavesTheMassAtRest) {
  constexpr double kStep = 1e-3;
  for (const double c : {1e6, 1e7, 1e8}) {
    for (const char* width : {"0.1 ms", "1 ms", "2.1 ms", "3.1 ms", "5 ms"}) {
      for (const char* scheme : {"rho: 0", "rho: 0.8", "rho: 0.95"}) {
        SCOPED_TRACE(number(c) + " " + width + " " + scheme);
        const ModelRun run = runModel(
            "nodes: {a: {position: [0, 0, 0], velocity: [1, 0, 0], free: [x]}}\n"
            "bodies: {a: {node: a, mass: 1}}\n"
            "sensors: {v: {measure: velocity, node: a, direction: [1, 0, 0]}}\n"
            "blocks:\n"
            "  s: {type: pulse, period: 10, start: 20.3 ms, width: " +
            std::string(width) +
            "}\n"
            "  u: {type: product, inputs: [s, -v]}\n"
            "actuators: {m: {type: force, node: a, direction: [1, 0, 0], input: u, gain: " +
            number(c) +
            "}}\n"
            "outputs: [v]\n"
            "analysis: {time: {end: 0.08, step: 1 ms, " +
            scheme + "}}\n");
        EXPECT_NEAR(run.last("v"), 0.0, 10.0 / (c * kStep));
      }
    }
  }
}

// A brake that acts for a small part of a step, but for many times as long as it needs: the mass stops, and does not bounce.
TEST(StiffStart, AShortBrakeLeavesTheMassAtRest) {
  for (const char* width : {"0.001 ms", "0.01 ms", "0.05 ms", "0.0999 ms", "0.3 ms"}) {
    for (const char* scheme : {"rho: 0", "rho: 0.8", "rho: 0.95", "constraints: index3"}) {
      SCOPED_TRACE(std::string(width) + " " + scheme);
      const ModelRun run = runModel(
          "nodes: {a: {position: [0, 0, 0], velocity: [1, 0, 0], free: [x]}}\n"
          "bodies: {a: {node: a, mass: 1}}\n"
          "sensors: {v: {measure: velocity, node: a, direction: [1, 0, 0]}}\n"
          "blocks:\n"
          "  s: {type: pulse, period: 10, start: 20.3 ms, width: " +
          std::string(width) +
          "}\n"
          "  u: {type: product, inputs: [s, -v]}\n"
          "actuators: {m: {type: force, node: a, direction: [1, 0, 0], input: u, gain: 1e9}}\n"
          "outputs: [v]\n"
          "analysis: {time: {end: 0.08, step: 1 ms, " +
          scheme + "}}\n");
      EXPECT_NEAR(run.last("v"), 0.0, 1e-2);
    }
  }
}

// The last digits of a position are no force where nothing but a brake holds the mass: it stops at any speed alike, wherever it is.
TEST(StiffStart, ABrakeLeavesAMassOfAnySpeedAtRest) {
  for (const char* place : {"0", "1e-9", "0.5"}) {
    for (const double v : {1e-12, 1e-9, 1e-6, 1.0}) {
      for (const double c : {1e5, 1e8}) {
        SCOPED_TRACE(std::string(place) + " " + number(v) + " " + number(c));
        const ModelRun run = runModel(
            "nodes: {a: {position: [" + std::string(place) + ", 0, 0], velocity: [" + number(v) +
                ", 0, 0], free: [x]}}\n"
                "bodies: {a: {node: a, mass: 1}}\n"
                "sensors: {v: {measure: velocity, node: a, direction: [1, 0, 0]}}\n"
                "blocks:\n"
                "  s: {type: pulse, period: 10, start: 20.3 ms, width: 2.1 ms}\n"
                "  u: {type: product, inputs: [s, -v]}\n"
                "actuators: {m: {type: force, node: a, direction: [1, 0, 0], input: u, gain: " +
                number(c) + "}}\n",
            "v", "end: 0.08, step: 1 ms");
        EXPECT_NEAR(run.last("v") / v, 0.0, 1.0 / (c * 1e-3));
      }
    }
  }
}

}  // namespace
}  // namespace flexloop::test
