// What a step must not do: allocate, and differ from one time to the next.
#include <gtest/gtest.h>

#include "conformance/element_checks.hpp"
#include "solve/initial_conditions.hpp"
#include "solve/time/time_stepper.hpp"
#include "support/built_sample.hpp"

namespace flexloop {
namespace {

const char* const kBeamPendulum = R"(
flexloop: 1
gravity: [0, 0, -9.81]
materials: {soft: {E: 2.1 GPa, nu: 0.3, rho: 7800}}
sections: {bar: {type: rectangle, width: 10 mm, height: 10 mm}}
nodes: {root: [0, 0, 0], tip: [1, 0, 0], cart: {position: [1, 0, -1], free: [x, z, ry]}}
beams: {bar: {from: root, to: tip, elements: 20, section: bar, material: soft, y_axis: [0, 1, 0]}}
bodies: {cart: {node: cart, mass: 1, inertia: [1, 1, 1]}}
joints: {hinge: {type: hinge, between: [ground, root], axis: [0, 1, 0]}}
springs: {rope: {type: distance, between: [tip, cart], stiffness: 100, damping: 1}}
)";

solve::StepperOptions makeOptions() {
  solve::StepperOptions options;
  options.scheme.motion = solve::makeChungHulbert(0.8);
  options.scheme.state = solve::makeJansenWhitingHulbert(0.8);
  options.tolerance = 1e-9;
  return options;
}

struct SteppedMachine {
  explicit SteppedMachine(const char* text)
      : built(test::buildSample(text)),
        machine(built.system),
        stepper(machine, makeOptions(), built.system.start()),
        state(built.system.start()) {
    EXPECT_TRUE(solve::makeConsistent(machine, state).ok());
    stepper.start(state, kStep);
  }

  int step(int count) {
    int factorizations = 0;
    for (int k = 0; k < count; ++k) {
      const solve::StepReport report = stepper.step(state, kStep);
      EXPECT_TRUE(report.converged()) << messageOf(report.failure);
      factorizations += report.factorizations;
    }
    return factorizations;
  }

  static constexpr double kStep = 1e-3;
  test::BuiltSample built;
  solve::PreparedMachine machine;
  solve::TimeStepper stepper;
  system::State state;
};

TEST(Step, AllocatesNothing) {
  SteppedMachine run(kBeamPendulum);
  // The second factorisation lays out the panels of all later ones (docs/decisions/0021).
  int first = run.step(20);
  for (int k = 0; k < 1000 && first < 2; ++k) first += run.step(1);
  const long before = test::allocationCount();
  const int factorizations = run.step(400);
  EXPECT_EQ(test::allocationCount(), before);
  EXPECT_GT(factorizations, 0) << "the steps must include new tangents to show anything";
}

TEST(Step, GivesTheSameBitsTwice) {
  SteppedMachine first(kBeamPendulum), second(kBeamPendulum);
  first.step(200);
  second.step(200);
  EXPECT_TRUE(first.state == second.state);
}

TEST(Step, CanBeTakenBack) {
  SteppedMachine straight(kBeamPendulum), back(kBeamPendulum);
  straight.step(30);
  back.step(29);
  ASSERT_TRUE(back.stepper.step(back.state, 2.0 * SteppedMachine::kStep).converged());
  back.stepper.reject(back.state);
  back.step(1);
  // The matrix was renewed on the way, so only the tolerance of Newton's method is the same.
  EXPECT_EQ(straight.state.time, back.state.time);
  EXPECT_LT((straight.state.rate - back.state.rate).cwiseAbs().maxCoeff(), 1e-7);
}

}  // namespace
}  // namespace flexloop
