// What the program says about models that are wrong: exit code 2, the place, the name, and a hint.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

struct BadModel {
  const char* name;
  const char* text;                   // after the line `flexloop: 1`
  std::vector<const char*> expected;  // parts of the message
};

const std::vector<BadModel>& badModels() {
  static const std::vector<BadModel> models{
      {"UnknownSection", "joint: {}\n", {"bad.yaml:2:1:", "'joint'", "joints"}},
      {"UnknownKey",
       "nodes: {A: {positoin: [0, 0, 0]}}\n",
       {"bad.yaml:2:", "'positoin'", "did you mean 'position'?"}},
      {"UnknownType",
       "nodes: {A: [0, 0, 0]}\njoints: {j: {type: hige, between: [ground, A]}}\n",
       {"bad.yaml:3:", "joints.j", "'hige'", "hinge"}},
      {"UnknownNode",
       "nodes: {Arm: [0, 0, 0]}\nbodies: {b: {node: Am, mass: 1}}\n",
       {"bad.yaml:3:", "'Am'", "did you mean 'Arm'?"}},
      {"WrongDimension", "nodes: {A: [0, 0, 3 kg]}\n", {"bad.yaml:2:", "nodes.A", "kg", "length"}},
      {"NegativeMass",
       "nodes: {A: [0, 0, 0]}\nbodies: {b: {node: A, mass: -1}}\n",
       {"bad.yaml:3:", "bodies.b.mass"}},
      {"ZeroAxis",
       "nodes: {A: [0, 0, 0]}\njoints: {j: {type: hinge, between: [ground, A], axis: [0, 0, 0]}}\n",
       {"bad.yaml:3:", "joints.j.axis"}},
      {"RepeatedName", "nodes:\n  A: [0, 0, 0]\n  A: [1, 0, 0]\n", {"bad.yaml:4:3:", "A"}},
      {"CoincidentBeamEnds",
       "materials: {m: {E: 1e9, nu: 0.3, rho: 1000}}\nsections: {s: {type: circle, diameter: 1}}\n"
       "nodes: {A: [1, 0, 0], B: [1, 0, 0]}\n"
       "beams: {b: {from: A, to: B, elements: 2, section: s, material: m}}\n",
       {"bad.yaml:5:", "beams.b"}},
      {"SideAxisAlongTheBeam",
       "materials: {m: {E: 1e9, nu: 0.3, rho: 1000}}\n"
       "sections: {s: {type: rectangle, width: 1, height: 2}}\nnodes: {A: [0, 0, 0], B: [1, 0, "
       "0]}\n"
       "beams: {b: {from: A, to: B, elements: 2, section: s, material: m, y_axis: [1, 0, 0]}}\n",
       {"bad.yaml:5:", "beams.b", "y_axis"}},
      {"NoElements",
       "materials: {m: {E: 1e9, nu: 0.3, rho: 1000}}\nsections: {s: {type: circle, diameter: 1}}\n"
       "nodes: {A: [0, 0, 0], B: [1, 0, 0]}\n"
       "beams: {b: {from: A, to: B, elements: 0, section: s, material: m}}\n",
       {"bad.yaml:5:", "beams.b.elements"}},
      {"StepOfZero", "analysis: {time: {end: 1, step: 0}}\n", {"bad.yaml:2:", "step", "positive"}},
      {"NoFiniteNumber", "parameters: {a: = 1/0}\n", {"bad.yaml:2:", "a"}},
      {"UnknownOutput",
       "nodes: {A: [0, 0, 0]}\nsensors: {tip: {measure: position, node: A}}\noutputs: [tpi]\n",
       {"bad.yaml:4:", "'tpi'", "did you mean 'tip'?"}},
      {"UnknownComponent",
       "nodes: {A: [0, 0, 0]}\nsensors: {tip: {measure: position, node: A}}\noutputs: [tip.w]\n",
       {"bad.yaml:4:", "'tip.w'"}},
      {"NoYaml", "nodes: {A: [0, 0\n", {"bad.yaml:"}},
  };
  return models;
}

class BadModels : public ::testing::TestWithParam<std::size_t> {};

TEST_P(BadModels, IsToldWithPlaceNameAndHint) {
  const BadModel& model = badModels()[GetParam()];
  const testing::TemporaryFolder folder;
  folder.write("bad.yaml", std::string("flexloop: 1\n") + model.text);
  for (const char* command : {"check", "run"}) {
    const testing::ProgramResult result =
        testing::runProgram({command, "bad.yaml"}, folder.file(""));
    EXPECT_EQ(result.exitCode, 2) << result.errors;
    EXPECT_EQ(result.out, "");
    for (const char* part : model.expected) {
      EXPECT_NE(result.errors.find(part), std::string::npos) << part << "\n" << result.errors;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Language, BadModels, ::testing::Range<std::size_t>(0, badModels().size()),
                         [](const auto& test) { return badModels()[test.param].name; });

}  // namespace
}  // namespace flexloop
