// Bodies that spin while they fly: the default step is exact for free flight at any spin, with any set
// of free motions, and finds in every axes what vectors in ground find (docs/theory/03_nodes.md,
// section 3.5).
#include <cmath>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// With all digits.
std::string text(double x) {
  std::ostringstream stream;
  stream.precision(17);
  stream << x;
  return stream.str();
}

std::string freeBody(const std::string& node, const std::string& more = "") {
  return "gravity: [0, 0, -9.81]\n"
         "nodes: {a: {position: [0.2, 0, 0], " +
         node +
         "}}\n"
         "bodies: {a: {node: a, mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
         "sensors: {p: {measure: position, node: a}, v: {measure: velocity, node: a},\n"
         "  w: {measure: angular_velocity, node: a}}\n"
         "outputs: [p, v, w]\n" +
         more;
}

std::string spin(double rate) {
  return "angular_velocity: [" + text(0.3 * rate) + ", " + text(-0.2 * rate) + ", " + text(rate) +
         "]";
}

void expectFall(const ModelRun& run, double tolerance) {
  for (const double t : {0.5, 1.0}) {
    EXPECT_NEAR(run.at(t, "p.x"), 0.2 + 3.0 * t, tolerance);
    EXPECT_NEAR(run.at(t, "p.z"), -0.5 * 9.81 * t * t, tolerance);
    EXPECT_NEAR(run.at(t, "v.z"), -9.81 * t, tolerance);
  }
}

// On SE(3) it is −2.864 m at 300 rad/s, and −0.0025 m at 1000.
TEST(SpinningBody, FallsAsIfItDidNotSpin) {
  for (const double rate : {0.0, 100.0, 300.0, 1000.0, 10000.0}) {
    for (const char* form : {"index2", "index3"}) {
      SCOPED_TRACE(text(rate) + " rad/s, " + form);
      const ModelRun run = runModel(freeBody(
          spin(rate) + ", velocity: [3, 0, 0]",
          std::string("analysis: {time: {end: 1, step: 1 ms, constraints: ") + form + "}}\n"));
      expectFall(run, 1e-8);
      EXPECT_NEAR(run.last("w.z"), rate, 1e-9 * (1.0 + rate));
    }
  }
}

// Steps of any length, also of whole turns and of many.
TEST(SpinningBody, FallsWithAnyStep) {
  const double turn = 2.0 * std::acos(-1.0);
  for (const double angle : {1.0, 3.1, 0.5 * turn, turn, 7.0, 2.0 * turn, 10.0, 100.0}) {
    SCOPED_TRACE(text(angle) + " rad in a step");
    const ModelRun run = runModel(
        freeBody("angular_velocity: [0, " + text(angle / 0.01) + ", 0], velocity: [3, 0, 0]",
                 "analysis: {time: {end: 1, step: 10 ms}}\n"));
    expectFall(run, 1e-8);
  }
}

TEST(SpinningBody, FallsWithAdaptiveSteps) {
  const ModelRun run =
      runModel(freeBody(spin(1000.0) + ", velocity: [3, 0, 0]",
                        "analysis: {time: {end: 1, step: 1 ms, adaptive: true}}\n"));
  EXPECT_NEAR(run.last("p.z"), -0.5 * 9.81, 1e-6);
  EXPECT_LT(run.report.steps, 200);  // nothing asks for short ones
}

// Nodes of which not all motions are free, whose translations are turned by their rotation.
TEST(SpinningBody, FallsInThePlaneOfItsRotation) {
  for (const char* free : {"[x, z, ry]", "[x, y, z, ry]", "[x, y, z, rx, ry, rz]"}) {
    SCOPED_TRACE(free);
    const ModelRun run =
        runModel(freeBody(std::string("angular_velocity: [0, 700, 0], velocity: [3, 0, 0], "
                                      "rotation: {axis: [1, 2, -1], angle: 40 deg}, free: ") +
                              free,
                          "analysis: {time: {end: 1, step: 1 ms}}\n"));
    expectFall(run, 1e-8);
    EXPECT_NEAR(run.last("w.y"), 700.0, 1e-6);
  }
}

// A node that runs on a circle about the centre of mass: its centre falls, whatever the spin.
TEST(SpinningBody, FallsWithItsCentreOfMass) {
  for (const char* free : {"[x, z, ry]", "[x, y, z, ry]", "[x, y, z, rx, ry, rz]"}) {
    for (const double rate : {100.0, 300.0, 5000.0}) {
      for (const char* time : {"", ", rho: 0", ", rho: 1", ", adaptive: true"}) {
        SCOPED_TRACE(std::string(free) + " " + text(rate) + " rad/s" + time);
        const ModelRun run = runModel(
            "gravity: [0, 0, -9.81]\n"
            "nodes: {a: {position: [0.2, 0, 0], angular_velocity: [0, " +
            text(rate) + ", 0], free: " + free +
            "}}\n"
            "bodies: {a: {node: a, mass: 2, inertia: [0.1, 0.1, 0.1], com: [0.1, 0.3, 0]}}\n"
            "sensors: {p: {measure: position, node: a}, c: {measure: position, node: a, offset: "
            "[0.1, 0.3, 0]}}\n"
            "outputs: [p, c]\n"
            "analysis: {time: {end: 1, step: 1 ms" +
            std::string(time) + "}}\n");
        EXPECT_NEAR(run.last("c.x"), 0.3, 1e-7);
        EXPECT_NEAR(run.last("c.z"), -0.1 * rate - 0.5 * 9.81, 1e-10 * rate + 1e-7);
        EXPECT_NEAR(run.last("p.x"), 0.3 - 0.1 * std::cos(rate), 1e-6);
      }
    }
  }
}

// Where the node of a body is makes no difference to its motion.
TEST(SpinningBody, KnowsNoReferencePoint) {
  const auto swing = [](const std::string& body, const std::string& time) {
    return runModel("gravity: [0, 0, -9.81]\nnodes: {a: {" + body + "\n" +
                    "springs: {s: {type: distance, between: [ground, a], at: [0.3, 0.8, 0], to: "
                    "[0.4, 0, 0.1], stiffness: 900, damping: 2}}\n"
                    "joints: {j: {type: spherical, between: [ground, a], at: [0, 0, 0]}}\n"
                    "blocks: {saw: {type: pulse, high: 30, period: 0.05, width: 0.02}}\n"
                    "actuators: {u: {type: torque, node: a, direction: [1, 2, 0], input: saw}}\n"
                    "sensors: {w: {measure: angular_velocity, node: a}, f: {measure: force, joint: "
                    "j}}\noutputs: [w, f]\n"
                    "analysis: {time: {end: 0.2, step: 1 ms, newton: {tolerance: 1e-11}" +
                    time + "}}\n");
  };
  const std::string spinning = "angular_velocity: [10, 20, 200]";
  for (const std::string time : {"", ", rho: 0", ", rho: 0.5, constraints: index3"}) {
    SCOPED_TRACE(time);
    const ModelRun centre =
        swing("position: [0.1, 0, 0.2], velocity: [4, 18, -2], " + spinning +
                  "}}\nbodies: {a: {node: a, mass: 2, inertia: [0.1, 0.3, 0.2]}}",
              time);
    // The same turn about the joint at the origin, ω × r.
    const ModelRun other = swing(
        "position: [0.2, -0.1, 0.5], velocity: [30, 35, -5], " + spinning +
            "}}\nbodies: {a: {node: a, mass: 2, inertia: [0.1, 0.3, 0.2], com: [-0.1, 0.1, -0.3]}}",
        time);
    for (const char* output : {"w.x", "w.y", "w.z"}) {
      EXPECT_NEAR(other.last(output), centre.last(output), 1e-6) << output;
    }
    for (const char* output : {"f.x", "f.y", "f.z"}) {
      EXPECT_NEAR(other.last(output), centre.last(output), 1e-4) << output;
    }
    EXPECT_LT(other.report.iterations, 1.1 * centre.report.iterations);
  }
}

// A tumbling body on a spring with a damper, pushed in body axes, and a second one that pulses push.
ModelRun runTumblers(const std::string& formulation, double pulse, const std::string& time) {
  return runModel(
      "formulation: " + formulation +
      "\n"
      "gravity: [0, 0, -9.81]\n"
      "nodes:\n"
      "  a: {position: [0.2, 0, 0], angular_velocity: [20, 150, 40], velocity: [1, 0, 2]}\n"
      "  b: {position: [1, 0.4, 0], free: [x, z, ry], angular_velocity: [0, 90, 0]}\n"
      "bodies:\n"
      "  a: {node: a, mass: 2, inertia: [0.1, 0.3, 0.2]}\n"
      "  b: {node: b, mass: 1, inertia: [0.1, 0.3, 0.2]}\n"
      "springs:\n"
      "  s: {type: distance, between: [a, b], at: [0.3, 0, 0], to: [0.9, 0.4, 0.1], stiffness: "
      "200,\n"
      "      damping: 3}\n"
      "loads: {push: {node: a, force: [4, 1, 0], frame: body}}\n"
      "blocks: {saw: {type: pulse, high: " +
      text(pulse) +
      ", period: 0.14, width: 0.05}}\n"
      "actuators: {u: {type: force, node: b, direction: [1, 0, 0], input: saw}}\n"
      "sensors: {a: {measure: position, node: a}, b: {measure: position, node: b},\n"
      "  acc: {measure: acceleration, node: a}}\n"
      "outputs: [a, b, acc]\n"
      "analysis: {time: {end: 0.3, step: 1 ms, newton: {tolerance: 1e-11}" +
      time + "}}\n");
}

// The default and the vectors in ground make the same motion, whatever drives it. What a step resolves of a jump
// (9.16) depends on tangents, which differ.
TEST(SpinningBody, MovesAsWithVelocitiesInGround) {
  for (const std::string time : {"", ", rho: 0", ", rho: 0.5, constraints: index3"}) {
    for (const double pulse : {0.0, 3.0}) {
      SCOPED_TRACE(text(pulse) + " N" + time);
      const ModelRun local = runTumblers("local", pulse, time);
      const ModelRun ground = runTumblers("r3xso3", pulse, time);
      const double same = pulse == 0.0 ? 1e-8 : 1e-5;
      for (const char* output : {"a.x", "a.y", "a.z", "b.x", "b.z"}) {
        EXPECT_NEAR(local.last(output), ground.last(output), same) << output;
      }
      for (const char* output : {"acc.x", "acc.y", "acc.z"}) {
        EXPECT_NEAR(local.last(output), ground.last(output), 1e3 * same) << output;
      }
    }
  }
}

// The old default remains for comparison.
TEST(SpinningBody, AlongScrewsItFallsTooSlowly) {
  const ModelRun run =
      runModel("formulation: se3\n" + freeBody("angular_velocity: [0, 300, 0]",
                                               "analysis: {time: {end: 1, step: 1 ms}}\n"));
  EXPECT_GT(run.last("p.z"), -3.5);
}

// A heavy top on a pivot, as in the literature but for its spin.
std::string heavyTop(const std::string& formulation, double spin, const std::string& time) {
  return "formulation: " + formulation +
         "\n"
         "gravity: [0, 0, -9.81]\n"
         "nodes: {top: {position: [0, 1, 0], angular_velocity: [0, " +
         text(spin) +
         ", -4.61538], velocity: [4.61538, 0, 0]}}\n"
         "bodies: {top: {node: top, mass: 15, inertia: [0.234375, 0.46875, 0.234375]}}\n"
         "joints: {pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}}\n"
         "outputs: []\n"
         "analysis: {time: {end: 0.05, " +
         time + "}}\n";
}

bool warnsOf(const ModelRun& run, const std::string& node) {
  for (const std::string& note : run.report.notes) {
    if (note.find("node '" + node + "' rotates by") != std::string::npos) return true;
  }
  return false;
}

// Its axis precesses, which steps of 10 rad cannot follow in any axes: they say so, with whatever constraints,
// or do not converge.
TEST(SpinningBody, WarnsWhereStepsTurnATopTooFar) {
  for (const char* formulation : {"local", "r3xso3", "se3"}) {
    for (const char* form : {"index2", "index3", "index3, augmentation: {scale: 10, penalty: 1}"}) {
      SCOPED_TRACE(std::string(formulation) + ", " + form);
      const std::string time = std::string("constraints: ") + form;
      for (const double rate : {2e3, 1e4}) {
        const ModelRun run = tryModel(heavyTop(formulation, rate, "step: 1 ms, " + time));
        EXPECT_TRUE(!run.report.ok() || warnsOf(run, "top")) << rate;
      }
      EXPECT_TRUE(
          runModel(heavyTop(formulation, 150.0, "step: 0.5 ms, " + time)).report.notes.empty());
    }
    EXPECT_TRUE(
        runModel(heavyTop(formulation, 2e3, "step: 1 ms, adaptive: true")).report.notes.empty());
  }
}

// No unit of time or length decides.
TEST(SpinningBody, WarnsInAllUnits) {
  for (const double time : {1e-9, 1.0, 1e9}) {
    for (const double length : {1e-9, 1.0, 1e9}) {
      SCOPED_TRACE(text(time) + " s, " + text(length) + " m");
      const auto model = [&](double turn) {
        const double J = length * length;
        return "nodes: {a: {position: [0, 0, 0], angular_velocity: [" + text(0.3 * turn / time) +
               ", " + text(0.9 * turn / time) + ", 0]}}\n" +
               "bodies: {a: {node: a, mass: 1, inertia: [" + text(J) + ", " + text(1.7 * J) + ", " +
               text(1.2 * J) + "]}}\noutputs: []\n" +
               "analysis: {time: {end: " + text(500.0 * time) + ", step: " + text(time) + "}}\n";
      };
      EXPECT_TRUE(warnsOf(tryModel(model(2.0)), "a"));
      EXPECT_FALSE(warnsOf(runModel(model(0.1)), "a"));
    }
  }
}

// Spin about a principal axis is right at any speed: free, falling, on a hinge, driven.
TEST(SpinningBody, DoesNotWarnOfSpinAboutAPrincipalAxis) {
  for (const double rate : {100.0, 1e3, 1e4, 1e5}) {
    SCOPED_TRACE(text(rate) + " rad/s");
    const std::string time = "analysis: {time: {end: 0.3, step: 1 ms}}\n";
    EXPECT_TRUE(runModel(freeBody(spin(rate), time)).report.notes.empty());
    const ModelRun hinged = runModel(
        "gravity: [0, 0, -9.81]\n"
        "nodes: {a: {position: [0.2, 0, 0.1], angular_velocity: [" +
        text(rate) +
        ", 0, 0]}}\n"
        "bodies: {a: {node: a, mass: 2, inertia: [0.1, 0.3, 0.2]}}\n"
        "joints: {h: {type: hinge, between: [ground, a], axis: [1, 0, 0]}}\n"
        "loads: {m: {node: a, torque: [50, 0, 0]}}\n"
        "outputs: []\n" +
        time);
    EXPECT_TRUE(hinged.report.notes.empty());
  }
}

TEST(SpinningBody, WarnsWhereScrewsFallTooSlowly) {
  const auto fall = [](const char* formulation, double rate) {
    return runModel(std::string("formulation: ") + formulation + "\n" +
                    freeBody("angular_velocity: [0, " + text(rate) + ", 0]",
                             "analysis: {time: {end: 1, step: 1 ms}}\n"));
  };
  EXPECT_TRUE(warnsOf(fall("se3", 300.0), "a"));
  EXPECT_TRUE(warnsOf(fall("se3", 1000.0), "a"));
  EXPECT_TRUE(fall("se3", 30.0).report.notes.empty());
  EXPECT_TRUE(fall("local", 1000.0).report.notes.empty());
}

}  // namespace
}  // namespace flexloop::test
