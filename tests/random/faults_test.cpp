// Every check finds a fault that is made on purpose: one number of one writing is wrong.
#include <algorithm>

#include <gtest/gtest.h>

#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "random/checks.hpp"
#include "random/exclusions.hpp"
#include "support/model_run.hpp"

namespace flexloop::random {
namespace {

// A pendulum of a hinge and a beam with a spring, a load and a controller.
Machine makeExample() {
  Machine machine;
  machine.seed = 1;
  machine.end = 0.3;
  machine.gravity = {1.0, -9.0, 2.0};
  machine.nodes = {{"ground", Vector3d::Zero()}, {"n1", {0.4, 0.1, 0.0}}, {"n2", {0.7, 0.2, 0.3}}};
  const auto add = [&](const char* section, const char* name) -> Item& {
    machine.items.push_back({section, name, {}, {}});
    return machine.items.back();
  };
  for (const int i : {1, 2}) {
    const std::string& node = machine.nodes[i].name;
    add("nodes", node.c_str())
        .with("position", ground(machine.nodes[i].position, kLength))
        .with("rotation", Rotation{Matrix3d::Identity()});
    add("bodies", i == 1 ? "b1" : "b2")
        .with("node", node)
        .with("mass", Number{1.5, kMass})
        .with("inertia", listOf({0.05, 0.06, 0.07}, kInertia));
    const std::vector<std::tuple<std::string, std::string, Dimension>> measures{
        {"x_", "position", kLength},
        {"v_", "velocity", kVelocity},
        {"a_", "acceleration", kAcceleration},
        {"w_", "angular_velocity", kRate},
        {"al_", "angular_acceleration", kRate * kRate}};
    for (const auto& [name, measure, dimension] : measures) {
      machine.outputs.push_back(
          {name + node, measure, dimension, true, "measure: " + measure + ", node: " + node});
    }
  }
  JointFacts joint{"j1", "hinge", 0, 1, {0, 0, 0}, {0, 0.6, 0.8}, {1, 0, 0}};
  machine.joints.push_back(joint);
  add("joints", "j1")
      .with("type", "hinge")
      .with("between", namesOf({"ground", "n1"}))
      .with("at", ground(joint.place, kLength))
      .with("axis", ground(joint.axis))
      .with("damping", Number{0.4, kTorque * kTime});
  add("springs", "s")
      .with("type", "bushing")
      .with("between", namesOf({"n1", "n2"}))
      .with("axes", Map{{"x", ground(Vector3d::UnitX())}, {"y", ground(Vector3d::UnitY())}})
      .with("stiffness", List{Number{500, kForce / kLength}, Number{600, kForce / kLength},
                              Number{400, kForce / kLength}, Number{30, kTorque},
                              Number{40, kTorque}, Number{50, kTorque}});
  add("sensors", "phi").with("measure", "angle").with("joint", "j1");
  machine.balanceItems.push_back(
      Item{"sensors", "rate", {}, {}}.with("measure", "rate").with("joint", "j1"));
  add("blocks", "law")
      .with("type", "pid")
      .with("input", "phi")
      .with("kp", Number{20, kTorque})
      .with("kd", Number{0.5, kTorque * kTime});
  add("actuators", "motor").with("type", "torque").with("joint", "j1").with("input", "law");
  machine.powers = {{"-@1*#1*#1", {"rate"}, {0.4}, {kTorque * kTime}},
                    {"#1*#2", {"motor", "rate"}, {}, {}}};
  machine.outputs.push_back({"law", "signal", kTorque, false, ""});
  return machine;
}

Item& itemOf(Machine& machine, const std::string& name) {
  return *std::find_if(machine.items.begin(), machine.items.end(),
                       [&](const Item& item) { return item.name == name; });
}
Value& valueOf(Machine& machine, const std::string& name, const std::string& key) {
  Item& item = itemOf(machine, name);
  return std::find_if(item.entries.begin(), item.entries.end(),
                      [&](const Entry& e) { return e.key == key; })
      ->value;
}

std::string failureOf(bool (*check)(Study&), Machine machine) {
  Study study(std::move(machine));
  try {
    EXPECT_TRUE(check(study));
    return "";
  } catch (const Failure& failure) {
    return failure.what();
  }
}

TEST(Faults, TheExampleHasNone) {
  for (const Check& check : allChecks()) {
    Study study(makeExample());
    if (isExcluded(check.name, study.machine())) continue;
    EXPECT_TRUE(check.run(study)) << check.name;
  }
}

TEST(Faults, AJointThatHoldsAnotherAxisIsNotConsistent) {
  Machine machine = makeExample();
  machine.joints[0].axis = {0, 0.8, 0.6};
  EXPECT_NE(failureOf(checkStart, machine), "");
}

// `sign` jumps without an event: order 1.
TEST(Faults, AForceThatJumpsUnseenIsNotOfOrderTwo) {
  Machine machine = makeExample();
  machine.items.push_back(Item{"blocks", "jump", {}, {}}
                              .with("type", "function")
                              .with("input", "phi.rate")
                              .with("function", "sign"));
  machine.items.push_back(Item{"actuators", "brake", {}, {}}
                              .with("type", "torque")
                              .with("joint", "j1")
                              .with("input", "jump")
                              .with("gain", Number{-4.0, kTorque}));
  itemOf(machine, "law").with("reference", 0.3);
  EXPECT_NE(failureOf(checkOrder, machine), "");
  EXPECT_NE(failureOf(checkUnequalSteps, machine), "");
}

TEST(Faults, AMissingPowerIsMissedInTheBalance) {
  Machine machine = makeExample();
  machine.powers.pop_back();
  EXPECT_NE(failureOf(checkEnergy, machine), "");
  machine = makeExample();
  machine.powers[0].factors[0] *= 1.001;
  EXPECT_NE(failureOf(checkEnergy, machine), "");
}

// A vector that does not turn along: gravity would do as well.
TEST(Faults, AnAxisThatStaysBehindIsNotTheSameMachine) {
  Machine machine = makeExample();
  valueOf(machine, "j1", "axis") = body(machine.joints[0].axis);
  EXPECT_NE(failureOf(checkRotated, machine), "");
}

TEST(Faults, ANumberInWrongUnitsIsNotTheSameMachine) {
  for (const auto& [item, key] : {std::pair{"law", "kd"}, {"j1", "damping"}, {"b1", "mass"}}) {
    Machine machine = makeExample();
    Value& value = valueOf(machine, item, key);
    value = Number{std::get<Number>(value.data).value, kNone};
    EXPECT_NE(failureOf(checkScaled, machine), "") << item << " " << key;
  }
}

// The first of two equal names would win or lose by its place; a duplicate stands for what depends on the order.
TEST(Faults, WhatDependsOnTheWritingIsFound) {
  Study study(makeExample());
  Writing other;
  other.noise = 3e-7;
  EXPECT_THROW(
      expectBelow(study, "noise", study.compare(study.base(), study.run(other)), study.floor()),
      Failure);
}

TEST(Faults, AnIdlePartThatActsIsFound) {
  Machine machine = makeExample();
  Study study(machine);
  Writing writing;
  writing.hasIdleParts = true;
  writing.more = "loads:\n  idle: {node: n2, force: [0, 5, 0], signal: idle_pulse}\n";
  const std::vector<double> error = study.compare(study.base(0), study.base(1));
  std::vector<double> allowed = study.floor();
  for (std::size_t i = 0; i < allowed.size(); ++i) allowed[i] += 8.0 / 3.0 * error[i];
  EXPECT_THROW(
      expectBelow(study, "idle", study.compare(study.base(0), study.run(writing)), allowed),
      Failure);
}

TEST(Faults, AModeThatIsNoneIsFound) {
  const Study study(makeExample());
  const model::Model model = study.build({});
  const analysis::OperatingState rest =
      analysis::findOperatingPoint(model, {model::OperatingPoint::Kind::kEquilibrium, 0.0});
  ASSERT_TRUE(rest.ok()) << messageOf(rest.failure);
  analysis::Mode mode = analysis::findModes(model, rest.state, {.count = 1}).modes.at(0);
  EXPECT_NO_THROW(expectMode(model, rest.state, mode, study.machine().rho));
  mode.eigenvalue *= 1.001;
  EXPECT_THROW(expectMode(model, rest.state, mode, study.machine().rho), Failure);
}

// Its memory is not in the checkpoint.
TEST(Faults, ABoxThatForgetsIsFound) {
  Machine machine = makeExample();
  machine.items.push_back(Item{"blocks", "box", {}, {}}
                              .with("type", "library")
                              .with("path", "./boxes/forgetful.so")
                              .with("inputs", namesOf({"phi"}))
                              .with("outputs", namesOf({"torque"}))
                              .with("sample", Number{0.02, kTime}));
  machine.items.push_back(Item{"actuators", "extra", {}, {}}
                              .with("type", "torque")
                              .with("joint", "j1")
                              .with("input", "box.torque"));
  EXPECT_NE(failureOf(checkRestart, machine), "");
}

}  // namespace
}  // namespace flexloop::random
