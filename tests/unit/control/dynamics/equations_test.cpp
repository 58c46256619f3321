// Equations of one's own against closed forms and against the blocks that do the same.
#include <cmath>
#include <complex>
#include <string>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// As in the contract of the language.
constexpr const char* kPlant = R"(
blocks:
  motor_command: {type: step, at: 0, from: 0, to: 1}
  plant: {type: equations, inputs: {u: motor_command}, states: {x: 0, v: 0}, derivatives: {x: "= v", v: "= -4*x - v + u"}, outputs: {y: "= x", a: "= -4*x - v + u"}}
)";

TEST(EquationsTest, StepResponse) {
  const ModelRun run = runModel(kPlant, "plant.y, plant.a", "end: 3, step: 1 ms");
  // x'' + x' + 4x = 1 from rest: roots -1/2 ± i sqrt(15)/2.
  const double w = std::sqrt(15.0) / 2.0;
  for (const double t : {0.5, 1.0, 2.0, 3.0}) {
    const double e = std::exp(-0.5 * t);
    const double x = 0.25 * (1.0 - e * (std::cos(w * t) + 0.5 / w * std::sin(w * t)));
    const double a = e * (std::cos(w * t) - 0.5 / w * std::sin(w * t));
    EXPECT_NEAR(run.at(t, "plant.y"), x, 1e-6) << t;
    EXPECT_NEAR(run.at(t, "plant.a"), a, 4e-6) << t;
  }
}

TEST(EquationsTest, ParametersTimeFunctionsAndStarts) {
  const ModelRun run =
      runModel(R"m(
parameters: {rate: 3, x0: 2}
blocks:
  decay: {type: equations, states: {x: = 2*x0}, derivatives: {x: = -rate*x}, outputs: {y: = x}}
  clock: {type: equations, outputs: {s: "= sin(2*t)", big: "= max(t, 0.5)"}}
  chain: {type: equations, inputs: [decay.y, clock.s], outputs: {p: "= decay.y*clock.s"}}
  only: {type: gain, input: decay, gain: 2}
)m",
               "decay, decay.y, clock.s, clock.big, chain.p, only", "end: 1, step: 1 ms");
  EXPECT_NEAR(run.last("decay.y"), 4.0 * std::exp(-3.0), 1e-6);
  EXPECT_EQ(run.last("decay"), run.last("decay.y"));
  EXPECT_NEAR(run.last("clock.s"), std::sin(2.0), 1e-12);
  EXPECT_NEAR(run.last("clock.big"), 1.0, 1e-12);
  EXPECT_NEAR(run.last("chain.p"), run.last("decay.y") * std::sin(2.0), 1e-12);
  EXPECT_NEAR(run.last("only"), 2.0 * run.last("decay.y"), 1e-12);
}

TEST(EquationsTest, AStateMayBeNamedLikeAParameter) {
  const ModelRun run = runModel(
      "parameters: {x: 7}\nblocks: {b: {type: equations, states: {x: 1}, derivatives: {x: = -x}, "
      "outputs: {y: = x}}}\n",
      "b.y", "end: 1, step: 1 ms");
  EXPECT_NEAR(run.last("b.y"), std::exp(-1.0), 1e-6);
}

std::string mistakesOfBlock(const std::string& values) {
  return mistakesOf("blocks: {b: {type: equations, " + values + "}}\n");
}

TEST(EquationsTest, Mistakes) {
  EXPECT_TRUE(
      says(mistakesOfBlock("states: {x: 0, v: 0}, derivatives: {x: = v}, outputs: {y: = x}"),
           "the state 'v' has no derivative"));
  EXPECT_TRUE(
      says(mistakesOfBlock("states: {speed: 0}, derivatives: {sped: = 1}, outputs: {y: = speed}"),
           "did you mean 'speed'"));
  EXPECT_TRUE(says(mistakesOfBlock("states: {x: 0}, derivatives: {x: = xx}, outputs: {y: = x}"),
                   "derivatives.x: unknown name 'xx'"));
  EXPECT_TRUE(says(mistakesOfBlock("states: {x: 0}, derivatives: {x: = 1}, outputs: {y: = longer}"),
                   "a formula may use t, the states, the inputs and the parameters"));
  EXPECT_TRUE(says(
      mistakesOfBlock("inputs: {x: 1}, states: {x: 0}, derivatives: {x: = 1}, outputs: {y: = x}"),
      "'x' is the name of an input and of a state"));
  EXPECT_TRUE(says(mistakesOfBlock("states: {t: 0}, derivatives: {t: = 1}, outputs: {y: = t}"),
                   "'t' is the time"));
  EXPECT_TRUE(
      says(mistakesOfBlock("states: {x: 0}, derivatives: {x: = 1}"), "'outputs' is missing"));
  EXPECT_TRUE(says(mistakesOfBlock("outputs: {}"), "it has no outputs"));
  EXPECT_TRUE(says(mistakesOfBlock("states: {1x: 0}, derivatives: {1x: = 1}, outputs: {y: = t}"),
                   "cannot be the name of a state"));
  EXPECT_TRUE(
      says(mistakesOf("blocks: {b: {type: equations, outputs: {y: = t, z: = t}}, c: {type: gain, "
                      "input: b.yy, gain: 1}}\n"),
           "'b' has no output 'yy'"));
}

}  // namespace
}  // namespace flexloop::test
