#include "view/scene/changeables.hpp"

#include <map>

#include <gtest/gtest.h>

#include "api/registry.hpp"
#include "language/model_reader.hpp"
#include "support/model_run.hpp"

namespace flexloop::view {
namespace {

constexpr const char* kModel = R"(
parameters: {k: 20, c: 3}
nodes: {A: [0, 0, 0]}
bodies: {mass: {node: A, mass: 2, inertia: [0.1, 0.2, = k/100]}}
springs:
  wall: {type: linear, between: [ground, A], direction: [1, 0, 0], stiffness: 12 N/mm, damping: = c}
loads: {push: {node: A, force: [0, 0, 5]}}
sensors: {x: {measure: displacement, node: A, direction: [1, 0, 0]}}
diagrams:
  servo:
    inputs: [in]
    outputs: [law]
    parameters: {kp: 7}
    blocks: {law: {type: pid, input: in, kp: = kp, ki: 0.5}}
blocks:
  filter: {type: transfer_function, input: x, numerator: [1, 40], denominator: [0.02, 1]}
  half: {type: gain, input: filter, gain: 0.5}
  mix: {type: gain, inputs: [x, half], gain: [[2, = k]]}
  pid: {type: pid, input: x, reference: 1.5, kp: 4}
  loop: {type: servo, inputs: {in: half}, parameters: {kp: 9}}
actuators: {motor: {type: force, node: A, direction: [1, 0, 0], input: pid}}
)";

std::string wholeText() {
  return std::string("flexloop: 1") + kModel;
}

std::vector<Changeable> listAll() {
  const system::Registry registry = api::makeRegistry();
  language::ErrorList errors;
  language::RawModel raw = language::readRawText(wholeText(), "m.yaml", registry, errors);
  return listChangeables(test::buildModel(kModel), raw, registry);
}

// All numbers that are written down, and no formula, place or direction.
TEST(Changeables, AreTheNumbersThatTheFileWrites) {
  std::map<std::string, double> found;
  for (const Changeable& entry : listAll()) found[entry.path] = entry.value;
  const std::map<std::string, double> expected{{"k", 20},
                                               {"c", 3},
                                               {"bodies.mass.mass", 2},
                                               {"bodies.mass.inertia.1", 0.1},
                                               {"bodies.mass.inertia.2", 0.2},
                                               {"springs.wall.stiffness", 12000},
                                               {"loads.push.force.1", 0},
                                               {"loads.push.force.2", 0},
                                               {"loads.push.force.3", 5},
                                               {"diagrams.servo.parameters.kp", 7},
                                               {"diagrams.servo.blocks.law.ki", 0.5},
                                               {"blocks.filter.numerator.1", 1},
                                               {"blocks.filter.numerator.2", 40},
                                               {"blocks.filter.denominator.1", 0.02},
                                               {"blocks.filter.denominator.2", 1},
                                               {"blocks.half.gain", 0.5},
                                               {"blocks.mix.gain.1.1", 2},
                                               {"blocks.pid.reference", 1.5},
                                               {"blocks.pid.kp", 4},
                                               {"blocks.loop.parameters.kp", 9}};
  EXPECT_EQ(found, expected);
}

TEST(Changeables, HaveUnitsWhereTheyAreKnown) {
  std::map<std::string, std::string> units;
  for (const Changeable& entry : listAll()) units[entry.path] = entry.unit;
  EXPECT_EQ(units.at("bodies.mass.mass"), "kg");
  EXPECT_EQ(units.at("bodies.mass.inertia.2"), "kg*m^2");
  EXPECT_EQ(units.at("springs.wall.stiffness"), "N/m");
  EXPECT_EQ(units.at("loads.push.force.3"), "N");
  EXPECT_EQ(units.at("blocks.half.gain"), "");
}

// What is listed can be set: the model is read again with each number in turn.
TEST(Changeables, CanBeSet) {
  const system::Registry registry = api::makeRegistry();
  for (const Changeable& entry : listAll()) {
    if (entry.group == "parameters") continue;
    const language::Overrides overrides{{}, {entry.path + "=0.25"}};
    EXPECT_NO_THROW(language::readModelText(wholeText(), "m.yaml", registry, overrides))
        << entry.path;
  }
  const language::Overrides overrides{{},
                                      {"blocks.filter.numerator.2=8", "blocks.mix.gain.1.1=-3"}};
  const model::Description changed =
      language::readModelText(wholeText(), "m.yaml", registry, overrides);
  for (const system::Item& item : changed.items) {
    if (item.name() == "filter") {
      EXPECT_EQ(item.numbers("numerator"), (std::vector<double>{1, 8}));
    }
    if (item.name() == "mix") {
      EXPECT_EQ(item.matrix("gain")(0, 0), -3.0);
      EXPECT_EQ(item.matrix("gain")(0, 1), 20.0);
    }
  }
}

}  // namespace
}  // namespace flexloop::view
