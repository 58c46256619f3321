// Edges of an encoder (docs/theory/15_discontinuous_blocks.md, section 15.7): where only sampled blocks read them they cost
// nothing, and what is read is that of the instant; where anything else does, all of them are located.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// A body goes by 1 m/s past an encoder, with 10 or 300 edges in a step of 1 ms.
std::string machine(const std::string& encoder, const std::string& more) {
  return "nodes: {a: {position: [0, 0, 0], velocity: [1, 0, 0], free: [x]}}\n"
         "bodies: {a: {node: a, mass: 1}}\n"
         "sensors: {x: {measure: displacement, node: a, direction: [1, 0, 0]}}\n"
         "blocks:\n"
         "  e: {type: quantizer, input: x, rounding: down, " +
         encoder + "}\n" + more;
}

TEST(IdleEvents, WhatIsSampledIsThatOfTheInstant) {
  for (const char* events : {"true", "false"}) {
    const ModelRun run = runModel(machine(std::string("step: 1.0001e-4, events: ") + events,
                                          "  g: {type: gain, input: e, gain: 2}\n"
                                          "  h: {type: zero_order_hold, input: g, sample: 2 ms}\n"),
                                  "h, e", "end: 0.1, step: 1 ms");
    EXPECT_EQ(run.report.events, 0) << events;
    for (int k = 1; k < 50; ++k) {
      const double t = 2e-3 * k;
      const double level = 1.0001e-4 * std::floor(t / 1.0001e-4);
      EXPECT_NEAR(run.at(t, "h"), 2.0 * level, 1e-12) << events << " " << t;
      EXPECT_NEAR(run.at(t, "e"), level, 1e-12) << events << " " << t;
    }
  }
}

// x of the integrator is the sum of levels times the time that each of them lasts.
TEST(IdleEvents, WhatAnythingElseReadsIsLocated) {
  for (const char* text : {"1.01e-4", "3.37e-6"}) {
    const double step = std::stod(text);
    const ModelRun run = runModel(machine(std::string("step: ") + text + ", events: true",
                                          "  i: {type: integrator, input: e}\n"),
                                  "i", "end: 0.0105, step: 1 ms");
    const double levels = std::floor(0.0105 / step);
    EXPECT_NEAR(static_cast<double>(run.report.events), levels, 1.0) << step;
    EXPECT_EQ(run.report.chatteringSteps, 0) << step;
    const double exact =
        step * (step * levels * (levels - 1.0) / 2.0 + levels * (0.0105 - step * levels));
    EXPECT_NEAR(run.last("i"), exact, 1e-6 * exact) << step;
  }
}

}  // namespace
}  // namespace flexloop::test
