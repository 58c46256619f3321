// Functions of time that are faster than the steps (docs/theory/09_time.md, section 9.11).
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

const double kPi = std::acos(-1.0);

// A mass of 2 kg on a slider that a signal 'u' pushes.
std::string pushed(const std::string& blocks, const std::string& time) {
  return "nodes: {a: [0, 0, 0]}\n"
         "bodies: {a: {node: a, mass: 2, inertia: [1, 1, 1]}}\n"
         "joints: {s: {type: slider, between: [ground, a], axis: [1, 0, 0]}}\n"
         "sensors: {x: {measure: displacement, joint: s}, v: {measure: rate, joint: s}}\n"
         "blocks:\n" +
         blocks +
         "actuators: {f: {type: force, joint: s, input: u}}\n"
         "outputs: [v]\n"
         "analysis: {time: {end: 1, " +
         time + "}}\n";
}

// Share of a period in which a sine is above a level.
double calcShareAbove(double level) {
  return 0.5 - std::asin(level) / kPi;
}

bool warnsOf(const ModelRun& run, const std::string& source) {
  for (const std::string& note : run.report.notes) {
    if (note.find("'" + source + "' changes too fast for steps of") != std::string::npos) {
      return true;
    }
  }
  return false;
}

// Where both ends of a step are off, a comparison may be on between them.
TEST(SourceSteps, FindSwitchesInsideOfSteps) {
  for (const int frequency : {100, 400, 440, 1000, 1300}) {
    SCOPED_TRACE(frequency);
    const std::string hertz = std::to_string(frequency);
    const ModelRun sine = runModel(pushed("  c: {type: sine, frequency: " + hertz +
                                              "}\n  u: {type: comparison, input: c, to: 0.9, "
                                              "relation: greater}\n",
                                          "step: 1 ms"));
    EXPECT_NEAR(sine.last("v"), 0.5 * calcShareAbove(0.9), 1e-8);
    const ModelRun formula = runModel(
        pushed("  c: {type: expression, inputs: [x], value: \"= sin(2*pi*" + hertz +
                   "*t) + 0*x\"}\n  u: {type: relay, input: c, on_above: 0.9, on_value: 3}\n",
               "step: 1 ms"));
    EXPECT_NEAR(formula.last("v"), 1.5 * calcShareAbove(0.9), 1e-8);
  }
}

// A machine at rest has no error, however long the step is.
TEST(SourceSteps, KeepAdaptiveStepsShort) {
  for (const int frequency : {7, 40, 400}) {
    SCOPED_TRACE(frequency);
    const ModelRun run =
        runModel(pushed("  c: {type: sine, frequency: " + std::to_string(frequency) +
                            "}\n  u: {type: relay, input: c, on_above: 0.99, on_value: 7}\n",
                        "step: 1 ms, adaptive: true"));
    EXPECT_NEAR(run.last("v"), 3.5 * calcShareAbove(0.99), 1e-7);
    EXPECT_FALSE(warnsOf(run, "c"));
  }
}

// At every end of a step the sine has the same value.
TEST(SourceSteps, WarnOfSourcesBetweenThem) {
  for (const char* source :
       {"{type: sine, frequency: 1000, phase: 90 deg}", "{type: sine, frequency: 2000}",
        "{type: sine, frequency: 5000 Hz}", "{type: sine, frequency: 400}",
        "{type: sine, frequency: 400, amplitude: 1e-12, offset: 1}",
        "{type: chirp, from: 1, to: 400, duration: 1}",
        "{type: expression, inputs: [x], value: \"= abs(1e3*t - floor(1e3*t + 0.5)) + x\"}"}) {
    SCOPED_TRACE(source);
    EXPECT_TRUE(warnsOf(runModel(pushed(std::string("  u: ") + source + "\n", "step: 1 ms")), "u"));
  }
}

// Steps end at edges and at clocks.
TEST(SourceSteps, AreLongEnoughForMostSources) {
  for (const char* source :
       {"{type: sine, frequency: 100}", "{type: sine, frequency: 0.01}",
        "{type: constant, value: 3}", "{type: pulse, period: 0.3 ms, duty: 30 %}",
        "{type: noise, period: 0.7 ms, shape: hold}", "{type: step, at: 0.5}",
        "{type: table, time: [0, 0.3, 0.3001, 1], value: [0, 0, 1, 0]}",
        "{type: expression, inputs: [x], value: \"= t^2 + exp(-t) + x\"}"}) {
    SCOPED_TRACE(source);
    EXPECT_FALSE(
        warnsOf(runModel(pushed(std::string("  u: ") + source + "\n", "step: 1 ms")), "u"));
  }
  const ModelRun clocked = runModel(pushed(
      "  u: {type: sine, frequency: 400}\n  h: {type: zero_order_hold, input: x, sample: 0.1 ms}\n",
      "step: 1 ms"));
  EXPECT_FALSE(warnsOf(clocked, "u"));
}

}  // namespace
}  // namespace flexloop::test
