// One machine is prepared for all analyses of a model, and what is found with it does not depend on what it was used for before.
#include "solve/prepared_machine.hpp"

#include <gtest/gtest.h>

#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "solve/initial_conditions.hpp"
#include "solve/machine_pool.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// Accelerations that are measured, filtered and fed back, on a linkage with one joint too many.
constexpr const char* kModel = R"(
gravity: [0, 0, -9.81]
nodes: {a: [1, 0, 0], b: [1, 1, 0]}
bodies:
  a: {node: a, mass: 1, inertia: [1, 1, 1]}
  b: {node: b, mass: 2, inertia: [1, 2, 3]}
joints:
  left: {type: hinge, between: [ground, a], axis: [0, 1, 0], at: [0, 0, 0]}
  right: {type: hinge, between: [ground, b], axis: [0, 1, 0], at: [0, 1, 0]}
  link: {type: weld, between: [a, b]}
sensors: {up: {measure: acceleration, node: a}}
blocks:
  slow: {type: low_pass, input: up.z, frequency: 3 Hz}
  both: {type: sum, inputs: [slow, up.z]}
  back: {type: gain, input: both, gain: -0.1}
actuators: {push: {type: force, node: a, direction: [0, 0, 1], input: back}}
analysis: {time: {end: 1 ms, step: 0.1 ms}}
)";

TEST(PreparedMachine, TasksDoNotDependOnEarlierOnes) {
  const model::Model model = buildModel(kModel);
  const auto start = [&](solve::PreparedMachine& machine, double speed) {
    system::State state = model.start();
    state.rate.setConstant(speed);
    machine.begin(state);
    EXPECT_TRUE(solve::makeConsistent(machine, state).ok());
    return state;
  };
  solve::PreparedMachine fresh(model.system()), used(model.system());
  start(used, 3.0);
  EXPECT_FALSE(start(used, -2.0) == start(used, 1.0));
  EXPECT_TRUE(start(used, 1.0) == start(fresh, 1.0));
}

TEST(PreparedMachine, RemembersDependenciesOfTheLastState) {
  const model::Model model = buildModel(kModel);
  solve::PreparedMachine machine(model.system());
  const auto first = machine.redundancy(model.start());
  EXPECT_GT(first->redundant(), 0);
  EXPECT_EQ(machine.redundancy(model.start()), first);
  system::State moved = model.start();
  moved.rate[0] += 1.0;
  EXPECT_NE(machine.redundancy(moved), first);
}

TEST(MachinePool, LendsAMachineAgainAndAnotherOneMeanwhile) {
  const model::Model model = buildModel(kModel);
  const solve::PreparedMachine* first = model.borrowMachine().get();
  {
    const solve::MachineLoan loan = model.borrowMachine(), other = model.borrowMachine();
    EXPECT_EQ(loan.get(), first);
    EXPECT_NE(other.get(), first);
  }
}

TEST(MachinePool, TakesMachinesBackAsTheyWere) {
  const model::Model model = buildModel(kModel);
  const Eigen::Index entries = model.borrowMachine()->assembler().pattern().nonZeros();
  {
    const solve::MachineLoan loan = model.borrowMachine();
    loan->assembler().setLoadFactor(0.5);
    loan->assembler().setAugmentation(2.0, 3.0);
    EXPECT_NE(loan->assembler().pattern().nonZeros(), entries);
  }
  system::Assembler& assembler = model.borrowMachine()->assembler();
  EXPECT_EQ(assembler.environment().loadFactor, 1.0);
  EXPECT_EQ(assembler.environment().gravity, model.system().gravity());
  EXPECT_EQ(assembler.environment().constraintScale, 1.0);
  EXPECT_EQ(assembler.pattern().nonZeros(), entries);
}

// An analysis in the middle of a run has a machine of its own: the run goes on as if nobody had asked.
TEST(MachinePool, ARunDoesNotFeelWhoAsksMeanwhile) {
  const model::Model model = buildModel(kModel);
  std::vector<system::State> alone, asked;
  for (const bool asks : {false, true}) {
    const auto visit = [&](const system::State& state) {
      if (asks) {
        EXPECT_TRUE(analysis::findModes(model, state, {}).ok());
      }
      (asks ? asked : alone).push_back(state);
    };
    ASSERT_TRUE(analysis::visitStates(model, {2.5e-4, 5e-4, 1e-3}, visit).ok());
  }
  EXPECT_TRUE(alone == asked);
}

}  // namespace
}  // namespace flexloop::test
