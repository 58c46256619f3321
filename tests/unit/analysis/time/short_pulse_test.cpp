// Pulses far shorter than a step: whatever they are like, the momentum they bring is ∫F dt (docs/theory/09_time.md, section 9.12).
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/equilibrium_search.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

constexpr double kAt = 0.3004;  // between two steps

std::string number(double value) {
  return writeNumber(value);
}

std::string pulse(double width, double impulse) {
  return "{type: pulse, start: " + number(kAt) + ", width: " + number(width) +
         ", period: 10, high: " + number(impulse / width) + "}";
}

// The same impulse as a triangle, and as the difference of two steps.
std::string triangle(double width, double impulse) {
  return "{type: table, time: [0, " + number(kAt) + ", " + number(kAt + 0.5 * width) + ", " +
         number(kAt + width) + ", 2], value: [0, 0, " + number(2.0 * impulse / width) + ", 0, 0]}";
}

std::string withTime(const std::string& settings) {
  return "analysis: {time: {end: 1, step: 1 ms" + settings + "}}\n";
}

// A cart of 1 kg, and a pendulum (1 kg, 1 kg m²) of 1 m that falls from the horizontal, with the same force and torque.
std::string makeMachine(const std::string& source, const std::string& settings) {
  return "gravity: [0, 0, -9.81]\n"
         "nodes: {a: {position: [0, 0, 0], free: [x]}, b: [1, 0, 0]}\n"
         "bodies: {a: {node: a, mass: 1}, b: {node: b, mass: 1, inertia: [1, 1, 1]}}\n"
         "joints: {p: {type: hinge, between: [ground, b], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
         "sensors:\n"
         "  v: {measure: velocity, node: a, direction: [1, 0, 0]}\n"
         "  x: {measure: displacement, node: a, direction: [1, 0, 0]}\n"
         "  w: {measure: rate, joint: p}\n"
         "  q: {measure: angle, joint: p}\n"
         "blocks: {u: " +
         source +
         "}\n"
         "actuators:\n"
         "  f: {type: force, node: a, direction: [1, 0, 0], input: u}\n"
         "  g: {type: torque, joint: p, input: u}\n"
         "outputs: [v, x, w, q]\n" +
         withTime(settings);
}

// The pendulum 2 q'' = 9.81 cos q with q' + 1/2 at 0.3004 s, by scipy.integrate.solve_ivp (RK45, rtol 1e-12).
constexpr double kRate = 2.985975298656872, kAngle = 2.31751451974381;

TEST(ShortPulse, BringsItsImpulse) {
  for (const char* settings : {"", ", constraints: index3", ", adaptive: true", ", rho: 0.3",
                               ", rho: 0.3, constraints: index3"}) {
    for (const double width : {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12}) {
      for (const std::string& source : {pulse(width, 1.0), triangle(width, 1.0)}) {
        SCOPED_TRACE(source + settings);
        const ModelRun run = runModel(makeMachine(source, settings));
        ASSERT_TRUE(run.report.ok()) << messageOf(run.report.failure);
        // The times of both edges are rounded.
        const double rounding = 2e-16 / width;
        EXPECT_NEAR(run.last("v"), 1.0, 1e-7 + rounding);
        EXPECT_NEAR(run.last("x"), 1.0 - kAt - 0.5 * width, 1e-7 + rounding);
        EXPECT_NEAR(run.last("w"), kRate, 3e-5 + rounding);
        EXPECT_NEAR(run.last("q"), kAngle, 5e-5 + rounding);
      }
    }
  }
}

// A mass on a spring (and a lag between signal and force) under 1000 pulses of 1 mN s, each a millisecond after the last: by the
// exponential of the matrix of (x, v, F) from pulse to pulse.
struct Train {
  const char* spring;
  const char* lag;
  double x, v;  // of pulses without a width
};

std::string makeTrain(const Train& train, double duty, const std::string& settings) {
  return std::string("nodes: {a: {position: [0, 0, 0], free: [x]}}\n") +
         "bodies: {a: {node: a, mass: 1}}\n"
         "springs: {k: {type: linear, between: [ground, a], direction: [1, 0, 0], " +
         train.spring +
         "}}\n"
         "sensors:\n"
         "  v: {measure: velocity, node: a, direction: [1, 0, 0]}\n"
         "  x: {measure: displacement, node: a, direction: [1, 0, 0]}\n"
         "blocks: {u: {type: pulse, period: 1 ms, duty: " +
         number(duty) + ", high: " + number(1.0 / duty) +
         "}}\n"
         "actuators: {f: {type: force, node: a, direction: [1, 0, 0], input: u" +
         train.lag + "}}\noutputs: [v, x]\n" + withTime(settings);
}

TEST(ShortPulse, ATrainOfThemMovesASpringAsItsMeanForce) {
  const std::vector<Train> trains = {
      {"stiffness: 0, damping: 0", "", 0.5005000000000005, 1.0000000000000007},
      {"stiffness: 400, damping: 2", "", 0.0020704906647004456, 0.016190988058367453},
      {"stiffness: 0, damping: 0", ", time_constant: 0.01", 0.4905950833194458, 0.9904916680552256},
      {"stiffness: 400, damping: 2", ", time_constant: 0.003", 0.0020219305693229724,
       0.016186698459153322},
      {"stiffness: 0, damping: 0", ", time_constant: 0.0001", 0.5004000000045374,
       0.9999999545980098}};
  for (const Train& train : trains) {
    for (const double duty : {1e-2, 1e-3, 1e-5, 1e-8}) {
      for (const char* settings : {"", ", adaptive: true"}) {
        SCOPED_TRACE(std::string(train.spring) + train.lag + settings + number(duty));
        const ModelRun run = runModel(makeTrain(train, duty, settings));
        const double size = std::hypot(train.x, 0.05 * train.v);
        EXPECT_NEAR(run.last("x"), train.x, 5e-3 * size);
        EXPECT_NEAR(0.05 * run.last("v"), 0.05 * train.v, 5e-3 * size);
      }
    }
  }
}

// What blocks make of a pulse counts, not its own impulse.
TEST(ShortPulse, PassesLimitsAndRelays) {
  const auto push = [](const std::string& block) {
    const std::string u = "{type: gain, input: s, gain: 1}";
    std::string text = makeMachine(u, "");
    const std::string signal = "blocks: {s: " + triangle(2e-8, 2.0) + ", u: " + block + "}\n";
    const std::string old = "blocks: {u: " + u + "}\n";
    return runModel(text.replace(text.find(old), old.size(), signal)).last("v");
  };
  EXPECT_NEAR(push("{type: saturation, input: s, lower: 0, upper: 1e8}"), 1.5, 1e-3);
  EXPECT_NEAR(push("{type: gain, input: s, gain: -3}"), -6.0, 1e-6);
}

TEST(ShortPulse, BeginsWithTheRun) {
  for (const char* settings : {"", ", constraints: index3", ", adaptive: true"}) {
    SCOPED_TRACE(settings);
    const ModelRun run =
        runModel(makeMachine("{type: pulse, width: 1e-9, period: 10, high: 1e9}", settings));
    EXPECT_NEAR(run.last("v"), 1.0, 1e-6);
    EXPECT_NEAR(run.last("w"), 2.686686711479875, 3e-5);
    EXPECT_NEAR(run.last("q"), 2.3516332216252698, 5e-5);
  }
}

// Just before the end, where no step of the grid is left.
TEST(ShortPulse, EndsWithTheRun) {
  for (const double before : {4e-5, 1e-6, 1e-9}) {
    const ModelRun run =
        runModel(makeMachine("{type: step, at: " + number(1.0 - before) + ", to: 1000}", ""));
    EXPECT_NEAR(run.last("v"), 1000.0 * before, 1e-6 * 1000.0 * before + 2e-13);
  }
}

// A body on a steel beam that no step resolves, at first at rest, under a load that grows and stays, with a filter that reads nothing
// but its signal.
std::string makeStiffMachine(const std::string& idle) {
  return "materials: {s: {E: 2.1e11, nu: 0.3, rho: 7850}}\n"
         "sections: {q: {type: rectangle, width: 12 mm, height: 29 mm}}\n"
         "nodes: {b: [0.4, 0.1, 0.05]}\n"
         "bodies: {b: {node: b, mass: 1, inertia: [0.07, 0.07, 0.07]}}\n"
         "beams: {w: {from: ground, to: b, elements: 2, section: q, material: s, y_axis: [0, 0, "
         "1]}}\n"
         "loads: {f: {node: b, force: [0, 3, 1], torque: [0.1, 0.2, 0.3], signal: p}}\n"
         "sensors: {x: {measure: displacement, node: b, direction: [0, 1, 0]},\n"
         "  d: {measure: distance_rate, between: [ground, b]}}\n"
         "blocks:\n"
         "  p: {type: polynomial, distance: 1, duration: 0.2, start: 0.03, order: 7}\n"
         "  l: {type: state_space, inputs: [d], A: [[-20]], B: [[1]], C: [[1]], D: [[0]]}\n" +
         idle +
         "outputs: [x, l]\n"
         "analysis: {time: {end: 0.4, step: 8 ms, record: {interval: 8 ms}}}\n";
}

// What holds a stiff part in balance is known to its last digits only, and is no blow where something else is switched.
TEST(ShortPulse, WithoutEffectIsNoBlow) {
  const ModelRun still = runModel(makeStiffMachine(""));
  const ModelRun beside = runModel(
      makeStiffMachine("  idle: {type: pulse, period: 27.8 ms, width: 0.55 ms, start: 7.9 ms}\n"
                       "  wave: {type: sine, omega: 300}\n  clock: {type: hold, input: wave, "
                       "sample: 27.8 ms, offset: 8.1 ms}\n"));
  ASSERT_TRUE(still.report.ok()) << messageOf(still.report.failure);
  ASSERT_TRUE(beside.report.ok()) << messageOf(beside.report.failure);
  // At rest under the load, 3 N with its torques.
  EXPECT_NEAR(beside.last("x") / still.last("x"), 1.0, 1e-3);
  EXPECT_NEAR(beside.last("l"), still.last("l"), 1e-8);
}

}  // namespace
}  // namespace flexloop::test
