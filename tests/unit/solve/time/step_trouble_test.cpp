// What is measured of the equations of a step that has failed (docs/theory/27_trust.md, section 27.5), where it is known in
// closed form.
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "solve/initial_conditions.hpp"
#include "solve/time/time_stepper.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

constexpr double kStep = 1e-3, kMass = 2.0;

// A mass on a line after a step, which is as good as one that fails.
solve::StepTrouble examine(const std::string& more) {
  const model::Model model = buildModel(
      "nodes: {a: {position: [0.1, 0, 0], free: [x]}}\n"
      "bodies: {a: {node: a, mass: 2}}\n"
      "sensors: {x: {measure: displacement, node: a, direction: [1, 0, 0]}}\n" +
      more);
  const solve::MachineLoan machine = model.borrowMachine();
  system::State state = model.system().start();
  machine->begin(state);
  EXPECT_TRUE(solve::makeConsistent(*machine, state).ok());
  solve::StepperOptions options;
  // The trapezoidal rule: S = m + h²k/4.
  options.scheme = {solve::makeChungHulbert(1.0), solve::makeJansenWhitingHulbert(1.0)};
  solve::TimeStepper stepper(*machine, options, state);
  stepper.start(state, kStep);
  const solve::StepReport report = stepper.step(state, kStep);
  EXPECT_TRUE(report.converged()) << messageOf(report.failure);
  return stepper.examine(0);
}

// With ρ = 1 the scheme has αm = αf = 1/2 and β = 1/4.
TEST(StepTrouble, OfASpringIsItsStiffnessInTheStep) {
  for (const double stiffness : {1.0, 8e6, 8e9}) {
    const solve::StepTrouble trouble = examine(
        "springs: {s: {type: linear, between: [ground, a], direction: [1, 0, 0], "
        "stiffness: " +
        std::to_string(stiffness) + "}}\n");
    const double ratio = 1.0 + 0.25 * kStep * kStep * stiffness / kMass;
    ASSERT_TRUE(trouble.isKnown);
    EXPECT_NEAR(trouble.stiffness / ratio, 1.0, 1e-9) << stiffness;
    EXPECT_NEAR(trouble.answer * ratio, 1.0, 1e-9) << stiffness;
  }
}

// A force that grows with the motion leaves of the inertia the share `rest`.
TEST(StepTrouble, OfAForceThatCancelsTheInertiaIsLarge) {
  for (const double rest : {0.5, 1e-3, 1e-6}) {
    const double gain = (1.0 - rest) * kMass / (0.25 * kStep * kStep);
    char text[256];
    std::snprintf(text, sizeof text,
                  "blocks: {f: {type: expression, inputs: [x], value: \"= %.17g*x\"}}\n"
                  "actuators: {m: {type: force, node: a, direction: [1, 0, 0], input: f}}\n",
                  gain);
    const solve::StepTrouble trouble = examine(text);
    ASSERT_TRUE(trouble.isKnown);
    EXPECT_NEAR(trouble.answer * rest, 1.0, 1e-6) << rest;
    EXPECT_NEAR(trouble.stiffness, 1.0, 1e-9) << rest;
  }
}

}  // namespace
}  // namespace flexloop::test
