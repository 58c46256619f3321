// A machine beside others that have nothing to do with it (docs/theory/09_time.md, section 9.9): its motion and its forces are
// those that it has alone, whatever the others weigh, wherever they are and however fast.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// A pendulum on a hinge that falls from the horizontal, and what is beside it.
ModelRun runBeside(const std::string& node, const std::string& body, const std::string& load,
                   const std::string& constraints) {
  const std::string none = node.empty() ? "" : ", ";
  return runModel(
      "gravity: [0, 0, -9.81]\n"
      "nodes: {p: [0.5, 0, 0]" +
      none + node +
      "}\n"
      "bodies: {p: {node: p, mass: 1, inertia: [0.02, 0.02, 0.02]}" +
      none + body +
      "}\n"
      "joints: {h: {type: hinge, between: [ground, p], at: [0, 0, 0], axis: [0, 1, 0]}}\n" +
      load +
      "sensors: {q: {measure: angle, joint: h}, F: {measure: force, joint: h}}\n"
      "outputs: [q, F]\n"
      "analysis: {time: {end: 0.6, step: 1 ms, constraints: " +
      constraints + "}}\n");
}

struct Neighbour {
  const char* node;
  const char* body;
  const char* load;
};

TEST(PartSizes, NeighboursDoNotSpoilAMachine) {
  const Neighbour neighbours[] = {
      {"z: {position: [9, 0, 0], free: [x]}", "z: {node: z, mass: 1}",
       "loads: {l: {node: z, force: [1e9, 0, 0]}}\n"},
      {"z: {position: [9, 0, 0], free: [x]}", "z: {node: z, mass: 1e-9}",
       "loads: {l: {node: z, force: [1, 0, 0]}}\n"},
      {"z: {position: [9, 0, 0], free: [x]}", "z: {node: z, mass: 1e12}",
       "loads: {l: {node: z, force: [1, 0, 0]}}\n"},
      {"z: {position: [1e9, 0, 0], velocity: [1e3, 0, 0]}",
       "z: {node: z, mass: 5, inertia: [1, 1, 1]}", ""},
      {"z: {position: [9, 0, 0], angular_velocity: [0, 0, 1e5]}",
       "z: {node: z, mass: 5, inertia: [1, 1, 1]}", ""}};
  for (const char* constraints : {"index2", "index3"}) {
    // With index 3, a neighbour far away has all forces recorded as those that belong to positions and velocities: they
    // differ by the error of the step, which is 4e-4 N here.
    const double tolerance = std::string(constraints) == "index3" ? 1e-3 : 1e-5;
    const ModelRun alone = runBeside("", "", "", constraints);
    for (const Neighbour& other : neighbours) {
      SCOPED_TRACE(std::string(constraints) + ": " + other.node + other.body);
      const ModelRun run = runBeside(other.node, other.body, other.load, constraints);
      for (const char* name : {"F.x", "F.z"}) {
        for (const double t : {0.1, 0.35, 0.6}) {
          EXPECT_NEAR(run.at(t, name), alone.at(t, name), tolerance) << name << " at " << t;
        }
      }
      EXPECT_NEAR(run.last("q"), alone.last("q"), 1e-8);
    }
  }
}

// A pendulum with a spring and a body beside it, either of which is hit by an impulse for 10 us.
ModelRun runHit(const std::string& node, double force, const std::string& springs,
                const std::string& constraints) {
  return runModel(
      "gravity: [0, 0, -9.81]\n"
      "nodes: {p: [0, 0, -0.5], z: {position: [3, 0, 0], free: [x]}}\n"
      "bodies: {p: {node: p, mass: 1, inertia: [0.02, 0.02, 0.02]}, z: {node: z, mass: 1}}\n"
      "joints: {h: {type: hinge, between: [ground, p], at: [0, 0, 0], axis: [0, 1, 0], start: "
      "0.3}}\n"
      "springs: {s: {type: torsional, between: [ground, p], axis: [0, 1, 0], stiffness: 3, "
      "damping: 0.1}" +
      springs +
      "}\n"
      "sensors: {q: {measure: angle, joint: h}, F: {measure: force, joint: h}}\n"
      "blocks: {w: {type: table, time: [0.0203, 0.0203001, 0.0203101, 0.0203102], value: [0, 1, 1, "
      "0]}}\n"
      "loads: {f: {node: " +
      node + ", force: [" + std::to_string(force) +
      ", 0, 0], signal: w}}\n"
      "outputs: [q, q.rate, F]\n"
      "analysis: {time: {end: 1, step: 1 ms, constraints: " +
      constraints + "}}\n");
}

// The force in the hinge, from angle and rate.
double calcHingeForce(double q, double w) {
  const double mass = 1.0, arm = 0.5, gravity = 9.81, inertia = 0.02 + mass * arm * arm;
  const double turn = (-mass * gravity * arm * std::sin(q) - 3.0 * q - 0.1 * w) / inertia;
  return std::hypot(mass * (arm * turn + gravity * std::sin(q)),
                    mass * (arm * w * w + gravity * std::cos(q)));
}

void expectHingeForces(const ModelRun& run, double tolerance) {
  for (const double t : {0.2, 0.31, 0.5, 0.77, 1.0}) {
    EXPECT_NEAR(std::hypot(run.at(t, "F.x"), run.at(t, "F.z")),
                calcHingeForce(run.at(t, "q"), run.at(t, "q.rate")), tolerance)
        << "at " << t;
  }
}

// Forces are 13 N; the errors of the steps in them are 2e-5 N and 9e-5 N.
TEST(PartSizes, ABlowIsForgotten) {
  for (const char* constraints : {"index2", "index3"}) {
    for (const double impulse : {1.0, 1e-3}) {
      SCOPED_TRACE(constraints);
      expectHingeForces(runHit("p", impulse / 1.01e-5, "", constraints), 5e-4);
    }
  }
}

// A spring that is too soft to be felt joins them to one part.
TEST(PartSizes, ABlowIsNotFeltThroughASoftSpring) {
  const std::string soft = ", k: {type: linear, between: [z, p], direction: [1, 0, 0], stiffness: ";
  for (const char* constraints : {"index2", "index3"}) {
    for (const double impulse : {1e2, 1e4}) {
      SCOPED_TRACE(std::string(constraints) + ' ' + std::to_string(impulse));
      const std::string springs = soft + (impulse > 1e3 ? "1e-8}" : "1e-6}");
      expectHingeForces(runHit("z", impulse / 1.01e-5, springs, constraints), 5e-4);
    }
  }
}

// A grain of a milligram on a spring, shaken by 1 N, hangs on the pendulum: it drifts by 4 km, which is a force of 4e-6 N.
TEST(PartSizes, AGrainThatIsShakenDoesNotBlurWhatItHangsOn) {
  const ModelRun run = runModel(
      "gravity: [0, 0, -9.81]\n"
      "nodes: {p: [0, 0, -0.5], z: {position: [0, 0, -0.6], free: [x]}}\n"
      "bodies: {p: {node: p, mass: 1, inertia: [0.02, 0.02, 0.02]}, z: {node: z, mass: 1e-6}}\n"
      "joints: {h: {type: hinge, between: [ground, p], at: [0, 0, 0], axis: [0, 1, 0], start: "
      "0.3}}\n"
      "springs: {s: {type: torsional, between: [ground, p], axis: [0, 1, 0], stiffness: 3, "
      "damping: 0.1}, k: {type: linear, between: [z, p], direction: [1, 0, 0], stiffness: 1e-9}}\n"
      "sensors: {q: {measure: angle, joint: h}, F: {measure: force, joint: h}}\n"
      "blocks: {w: {type: sine, amplitude: 1, frequency: 40 Hz}}\n"
      "loads: {f: {node: z, force: [1, 0, 0], signal: w}}\n"
      "outputs: [q, q.rate, F]\n"
      "analysis: {time: {end: 1, step: 1 ms, constraints: index3}}\n");
  expectHingeForces(run, 5e-3);
}

}  // namespace
}  // namespace flexloop::test
