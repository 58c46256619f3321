// FMUs as blocks of a model: both versions, both kinds, events, types and units.
#include <cmath>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

constexpr const char* kCart = R"(
nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 1}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 100, damping: 1}}
sensors: {p: {measure: position, node: cart, direction: [1, 0, 0]}}
loads: {push: {node: cart, force: [1, 0, 0], signal: force}}
)";

// A cart under a controller that is an FMU, or the same equations as a block.
std::string closedLoop(const std::string& controller) {
  return std::string(kCart) +
         "blocks:\n"
         "  e: {type: sum, inputs: [0.1, -p]}\n"
         "  pid: {type: state_space, inputs: [e], A: [[0, 0], [0, -100]], B: [[1], [100]], "
         "C: [[50, -300]], D: [[340]]}\n"
         "  vendor: " +
         controller + "\n";
}
std::string fmu(const std::string& file, const std::string& more) {
  return "{type: fmu, path: boxes/" + file +
         ".fmu, inputs: {e: e}, parameters: {Kp: 40, Ki: 50, Kd: 3, T: 10 ms}" + more + "}";
}

// Its states are unknowns of the same step: not one digit less than the block has.
TEST(FmuBlock, ModelExchangeIsTheSameEquations) {
  const char* more = "  force: {type: gain, input: vendor, gain: 1}\n";
  for (const char* file : {"pid2_me", "pid3_me"}) {
    for (const char* isolate : {"", ", isolate: false"}) {
      const ModelRun foreign = runModel(closedLoop(fmu(file, isolate)) + more,
                                        "p, vendor, vendor.u, pid", "end: 0.3, step: 1 ms");
      const ModelRun own = runModel(closedLoop("{type: gain, input: pid, gain: 1}") + more,
                                    "p, pid", "end: 0.3, step: 1 ms");
      for (std::size_t i = 0; i < own.times().size(); ++i) {
        EXPECT_NEAR(foreign.column("p")[i], own.column("p")[i], 1e-12) << file << i;
        EXPECT_NEAR(foreign.column("vendor.u")[i], foreign.column("pid")[i], 1e-9) << file << i;
      }
      EXPECT_EQ(foreign.column("vendor"), foreign.column("vendor.u"));
    }
  }
}

// (37.3): y_k follows from the inputs before it, so that the loop differs from the continuous one by the first power
// of the communication step.
TEST(FmuBlock, CoSimulationComesToTheSameWithItsStep) {
  const char* more = "  force: {type: gain, input: vendor, gain: 1}\n";
  const ModelRun own = runModel(closedLoop("{type: gain, input: pid, gain: 1}") + more, "p",
                                "end: 0.3, step: 0.25 ms");
  for (const char* file : {"pid2_cs", "pid3_cs", "pid2_both", "pid2_once"}) {
    std::vector<double> errors;
    for (const char* sample : {"0.5 ms", "0.25 ms"}) {
      const ModelRun run =
          runModel(closedLoop(fmu(file, std::string(", sample: ") + sample)) + more, "p",
                   "end: 0.3, step: 0.25 ms");
      errors.push_back(std::abs(run.last("p") - own.last("p")));
    }
    EXPECT_NEAR(errors[0] / errors[1], 2.0, 0.1) << file;
    EXPECT_LT(errors[1], 1e-3) << file;
  }
}

// The outputs at an instant are those of the FMU after its step, and the inputs at that instant count from then on.
TEST(FmuBlock, CoSimulationHoldsItsInputsOverAStep) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  u: {type: ramp, slope: 1}\n"
      "  y: {type: fmu, path: boxes/pid2_cs.fmu, inputs: {e: u}, parameters: {Kp: 0, Ki: 1}, "
      "sample: "
      "0.1}\n",
      "y", "end: 1, step: 0.1");
  // Σ 0.1 · 0.1 k for k < n.
  for (int n = 0; n <= 10; ++n) EXPECT_NEAR(run.column("y")[n], 0.005 * n * (n - 1), 1e-13) << n;
}

TEST(FmuBlock, OutputsAtTheStartFollowFromTheInputsOrTheirStartValues) {
  const auto start = [](const std::string& more) {
    return runModel(
               "blocks:\n  y: {type: fmu, path: boxes/pid2_cs.fmu, inputs: {e: 3}, sample: 0.1" +
                   more + "}\n",
               "y", "end: 0.2, step: 0.1")
        .column("y");
  };
  EXPECT_EQ(start(""), (std::vector<double>{3, 3, 3}));
  EXPECT_EQ(start(", feedthrough: false"), (std::vector<double>{0, 3, 3}));
}

// h = 1 − g t²/2 until it is zero, and parabolas between bounces.
TEST(FmuBlock, EventsOfStatesAreLocatedAndStatesJump) {
  const double g = 9.81, e = 0.7;
  for (const char* file : {"ball2_me", "ball3_me"}) {
    const ModelRun run = runModel(std::string("blocks: {ball: {type: fmu, path: boxes/") + file +
                                      ".fmu, parameters: {h: 1}}}\n",
                                  "ball.height, ball.speed, ball.bounces", "end: 1.5, step: 10 ms");
    double bounce = std::sqrt(2.0 / g), speed = g * bounce, last = 0.0, from = 1.0, with = 0.0;
    int bounces = 0;
    for (std::size_t i = 0; i < run.times().size(); ++i) {
      const double t = run.times()[i];
      while (t > bounce) {
        ++bounces;
        speed *= e;
        last = bounce, from = 0.0, with = speed;
        bounce += 2.0 * speed / g;
      }
      const double s = t - last;
      // The scheme integrates a parabola exactly; the bounces are found to 1e-9 of a step or so.
      EXPECT_NEAR(run.column("ball.height")[i], from + with * s - 0.5 * g * s * s, 1e-8)
          << file << t;
      EXPECT_NEAR(run.column("ball.speed")[i], with - g * s, 1e-8) << file << t;
      EXPECT_EQ(run.column("ball.bounces")[i], bounces) << file << t;
    }
    EXPECT_EQ(bounces, 2);
  }
}

// With and without functions for its state; the integral of the relay has kinks at known times.
TEST(FmuBlock, EventsOfInputsAndOfTimeAreHit) {
  const double t1 = std::asin(0.5) / 7.0, t2 = (M_PI + std::asin(0.5)) / 7.0,
               t3 = t1 + 2.0 * M_PI / 7.0;
  for (const char* file : {"relay2_me", "relay3_me"}) {
    const ModelRun run = runModel(std::string("blocks:\n  u: {type: sine, amplitude: 1, omega: 7}\n"
                                              "  r: {type: fmu, path: boxes/") +
                                      file + ".fmu, inputs: {u: u}}\n",
                                  "r.on, r.sum, r.wave", "end: 1, step: 10 ms");
    EXPECT_NEAR(run.last("r.sum"), -t1 + (t2 - t1) - (t3 - t2) + (1.0 - t3), 1e-10) << file;
    for (std::size_t i = 0; i < run.times().size(); ++i) {
      const double t = run.times()[i] + 1e-9;
      EXPECT_EQ(run.column("r.wave")[i], static_cast<int>(t / 0.25) % 2 == 0 ? 1.0 : -1.0) << t;
      EXPECT_EQ(run.column("r.on")[i], t < t1 || (t > t2 && t < t3) ? -1.0 : 1.0) << t;
    }
  }
}

// One equation with our own expression, derivatives by differences, and the end of each step reported.
// What it calculates at its start follows from the inputs that it has there, not from their start values: it is at rest
// at 5, follows a jump to 6 with x = 6 − exp(−(t − 0.2)/T), and the input has never been below one.
TEST(FmuBlock, ModelExchangeIsInitializedWithItsInputs) {
  for (const char* file : {"balance2_me", "balance3_me"}) {
    for (const char* isolate : {"true", "false"}) {
      const ModelRun run =
          runModel(std::string("blocks:\n  u: {type: step, at: 0.2, from: 5, to: 6}\n"
                               "  v: {type: fmu, path: boxes/") +
                       file + ".fmu, inputs: {u: u}, isolate: " + isolate + "}\n",
                   "v.y, v.alarm", "end: 0.5, step: 1 ms");
      for (std::size_t i = 0; i < run.times().size(); ++i) {
        const double late = run.times()[i] - 0.2;
        const double expected = late > 0.0 ? 6.0 - std::exp(-late / 0.1) : 5.0;
        EXPECT_NEAR(run.column("v.y")[i], expected, late > 0.0 ? 1e-5 : 1e-12) << file << i;
        EXPECT_EQ(run.column("v.alarm")[i], 0.0) << file << i;
      }
    }
  }
}

TEST(FmuBlock, NonlinearEquationsWithoutDerivativesOfTheirOwn) {
  for (const char* file : {"plant2_me", "plant3_me"}) {
    const ModelRun run = runModel(std::string("blocks:\n"
                                              "  u: {type: sine, amplitude: 1, omega: 3}\n"
                                              "  box: {type: fmu, path: boxes/") +
                                      file +
                                      ".fmu, inputs: {u: u}, parameters: {x: 0.4}}\n"
                                      "  v: {type: integrator, input: a}\n"
                                      "  x: {type: integrator, input: v, initial: 0.4}\n"
                                      "  a: {type: expression, value: \"= -4*sin(x) - 0.5*v + u\", "
                                      "inputs: [x, v, u]}\n",
                                  "box.position, box.square, x, u", "end: 2, step: 10 ms");
    for (std::size_t i = 0; i < run.times().size(); ++i) {
      const double x = run.column("x")[i];
      EXPECT_NEAR(run.column("box.position")[i], x, 1e-10) << file << i;
      EXPECT_NEAR(run.column("box.square")[i], x * x + run.column("u")[i], 1e-9) << file << i;
    }
  }
}

TEST(FmuBlock, VariablesOfAllTypes) {
  const ModelRun two = runModel(
      "blocks:\n"
      "  y: {type: fmu, path: boxes/types2_cs.fmu, sample: 0.1, inputs: {u: 3, whole: 6.7, flag: "
      "0.9, turn: 90 deg}, "
      "parameters: {gain: 2 rpm, n: 5, b: true, s: hundred}}\n",
      "y.y, y.whole_again, y.flag_again, y.turn_again", "end: 0.1, step: 0.1");
  EXPECT_EQ(two.last("y.y"), 2.0 * 3.0 + 5.0 + 10.0 + 100.0);
  EXPECT_EQ(two.last("y.whole_again"), 7.0);
  EXPECT_EQ(two.last("y.flag_again"), 1.0);
  // 90 degrees inside, π/2 outside.
  EXPECT_NEAR(two.last("y.turn_again"), 0.5 * M_PI, 1e-15);
  const ModelRun three = runModel(
      "blocks:\n"
      "  y: {type: fmu, path: boxes/types3_cs.fmu, sample: 0.1, inputs: {u: 3, whole: 300, flag: "
      "0.1}, "
      "parameters: {gain: 2, n: -5, b: true, s: \"hundred\"}}\n",
      "y.y, y.whole_again, y.flag_again", "end: 0.1, step: 0.1");
  EXPECT_EQ(three.last("y.y"), 2.0 * 3.0 - 5.0 + 10.0 + 100.0);
  EXPECT_EQ(three.last("y.whole_again"), 255.0) << "the largest of its type";
  EXPECT_EQ(three.last("y.flag_again"), 0.0);
}

// Adaptive steps go back: the FMU does too, to the same numbers.
TEST(FmuBlock, TwoOfThemAtOnceDoNotDisturbEachOther) {
  const std::string one = "  a: {type: fmu, path: boxes/relay3_me.fmu, inputs: {u: u}}\n";
  const std::string other =
      "  b: {type: fmu, path: boxes/relay3_me.fmu, inputs: {u: -u}, parameters: {width: 0.2}}\n";
  const std::string source = "blocks:\n  u: {type: sine, amplitude: 1, omega: 7}\n";
  const ModelRun alone = runModel(source + one, "a.sum", "end: 1, step: 10 ms");
  const ModelRun both = runModel(source + other + one, "a.sum, b.sum", "end: 1, step: 10 ms");
  EXPECT_NEAR(alone.last("a.sum"), both.last("a.sum"), 1e-10);
  EXPECT_GT(std::abs(both.last("b.sum") - both.last("a.sum")), 0.01);
}

}  // namespace
}  // namespace flexloop::test
