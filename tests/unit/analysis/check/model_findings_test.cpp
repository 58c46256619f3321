// What `check` must not complain about: massless nodes that something determines, and items in use. What it must find
// is in tests/sick.
#include "analysis/check/model_findings.hpp"

#include <string>

#include <gtest/gtest.h>

#include "analysis/check/massless_motion.hpp"
#include "api/registry.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// The names of the freedoms that nothing determines.
std::string massless(const std::string& text) {
  const model::Model model = buildModel(text);
  std::string names;
  for (const auto& motion : analysis::findMasslessMotions(*model.borrowMachine(), model.start())) {
    for (const int u : motion.freedoms) {
      names += model.system().unknownName(system::UnknownIndex{u}).substr(10) + "; ";
    }
  }
  return names;
}

constexpr const char* kCart =
    "nodes: {cart: {position: [1, 0, 0], free: [x]}, mid: {position: [0.5, 0, 0], free: [x]}}\n"
    "bodies: {cart: {node: cart, mass: 1}}\n";

TEST(MasslessMotions, AreHeldBySpringsAndDampersInSeries) {
  const std::string spring =
      "springs:\n  k: {type: linear, between: [ground, mid], direction: [1, 0, 0], stiffness: "
      "100}\n";
  const std::string damper =
      "  c: {type: linear, between: [mid, cart], direction: [1, 0, 0], stiffness: 0, damping: 1}\n";
  EXPECT_EQ(massless(kCart + spring + damper), "");
  EXPECT_EQ(massless(kCart + ("springs:\n" + damper)), "");
  EXPECT_EQ(massless(kCart), "mid x; ");
}

std::string beamWith(const std::string& body) {
  return "materials: {m: {E: 2e11, nu: 0.3, rho: 0}}\nsections: {s: {type: circle, diameter: "
         "0.01}}\n"
         "nodes: {A: {position: [0, 0, 0], free: []}, B: [1, 0, 0]}\n"
         "beams: {b: {from: A, to: B, elements: 3, section: s, material: m}}\n" +
         body;
}

TEST(MasslessMotions, AreHeldByBeamsWithoutDensity) {
  EXPECT_EQ(massless(beamWith("")), "");
  EXPECT_EQ(massless(beamWith("bodies: {tip: {node: B, mass: 1}}\n")), "");
}

constexpr const char* kPair =
    "nodes: {A: [0, 0, 0], B: [0.5, 0.2, 0.1]}\n"
    "bodies: {a: {node: A, mass: 1, inertia: [1, 2, 1.5], com: [0.1, 0.2, 0]}}\n";

TEST(MasslessMotions, AreHeldByJoints) {
  const auto with = [](const std::string& joint) {
    return massless(kPair + ("joints: {j: {between: [A, B], " + joint + "}}\n"));
  };
  EXPECT_EQ(with("type: weld"), "");
  EXPECT_EQ(with("type: hinge, axis: [1, 2, 3], stiffness: 10"), "");
  EXPECT_EQ(with("type: hinge, axis: [1, 2, 3], damping: 10"), "");
  EXPECT_EQ(with("type: hinge, axis: [1, 2, 3], locked: true"), "");
  EXPECT_EQ(with("type: hinge, axis: [0, 0, 1]"), "B rz; ");
  EXPECT_EQ(with("type: spherical"), "B rx; B ry; B rz; ");
}

// A link without mass between two balls spins as it likes; a cardan joint at one end holds it.
TEST(MasslessMotions, OfALinkBetweenTwoBodies) {
  const auto link = [](const std::string& second) {
    return massless(
        "nodes: {A: [0, 0, 0], L: [0.5, 0, 0], B: [1, 0, 0]}\n"
        "bodies: {a: {node: A, mass: 1, inertia: [1, 1, 1]}, b: {node: B, mass: 1, inertia: [1, 1, "
        "1]}}\n"
        "joints:\n  one: {type: spherical, between: [A, L], at: [0, 0, 0]}\n  two: {between: [B, "
        "L], at: [1, 0, 0], " +
        second + "}\n");
  };
  EXPECT_EQ(link("type: spherical"), "L rx; ");
  EXPECT_EQ(link("type: universal, axis: [0, 1, 0], second_axis: [0, 0, 1]"), "");
}

// The mass sits on the axis, the node beside it: the motion of the node is a rotation about the centre of mass.
TEST(MasslessMotions, OfAPointMassOnItsAxis) {
  EXPECT_EQ(massless("nodes: {A: [1, 0, 0]}\nbodies: {a: {node: A, mass: 3, com: [-1, 0, 0]}}\n"
                     "joints: {j: {type: hinge, between: [ground, A], at: [0, 0, 0], axis: [0, 0, "
                     "1]}}\n"),
            "A y; A rz; ");
  EXPECT_EQ(massless("nodes: {A: [1, 0, 0]}\nbodies: {a: {node: A, mass: 3}}\n"
                     "joints: {j: {type: hinge, between: [ground, A], at: [0, 0, 0], axis: [0, 0, "
                     "1]}}\n"),
            "");
}

// A node in a rope of rigid links is held across by the tension, if there is any.
TEST(MasslessMotions, AreHeldByTheTensionOfARope) {
  const std::string rope =
      "nodes: {A: {position: [0, 0, -1], free: [x, z]}, B: {position: [0, 0, -2], free: [x, z]}}\n"
      "bodies: {b: {node: B, mass: 2}}\n"
      "joints: {one: {type: distance, between: [ground, A]}, two: {type: distance, between: [A, "
      "B]}}\n";
  EXPECT_EQ(massless("gravity: [0, 0, -9.81]\n" + rope), "");
  EXPECT_EQ(massless(rope), "A x; ");
}

TEST(MasslessMotions, AreHeldByControllers) {
  const std::string text =
      "nodes: {A: {position: [0, 0, 0], free: [x]}}\n"
      "sensors: {x: {measure: position, node: A, direction: [1, 0, 0]}}\n"
      "actuators: {f: {type: force, node: A, direction: [1, 0, 0], input: c}}\n";
  EXPECT_EQ(massless(text + "blocks: {c: {type: pid, input: x, kp: 5, ki: 1}}\n"), "");
  EXPECT_EQ(massless(text + "blocks: {c: {type: constant, value: 5}}\n"), "A x; ");
}

// Small machines have as much inertia as large ones.
TEST(MasslessMotions, AreNotThoseOfSmallMasses) {
  EXPECT_EQ(massless("nodes: {A: [1e-6, 0, 0]}\n"
                     "bodies: {a: {node: A, mass: 1e-15, inertia: [1e-28, 1e-28, 1e-28]}}\n"),
            "");
}

std::string doubts(const std::string& text) {
  const model::Model model = buildModel(text);
  return analysis::findDoubts(model, api::makeRegistry(), 1).toText();
}

TEST(ModelFindings, AreNoneForWhatIsUsed) {
  const std::string machine =
      "nodes: {A: {position: [0, 0, 0], free: [x]}}\nbodies: {a: {node: A, mass: 1}}\n"
      "sensors: {x: {measure: position, node: A, direction: [1, 0, 0]}}\n";
  const std::string actuator =
      "actuators: {f: {type: force, node: A, direction: [1, 0, 0], input: c}}\n";
  const std::string loop = "blocks: {c: {type: pid, input: x, kp: 5, ki: 1}}\n";
  EXPECT_EQ(doubts(machine + loop + actuator), "");
  EXPECT_EQ(doubts(machine + loop + "outputs: [c]\n"), "");
  EXPECT_EQ(doubts(machine + loop + "loads: {l: {node: A, force: [1, 0, 0], signal: c}}\n"), "");
  EXPECT_EQ(
      doubts(machine + "blocks: {e: {type: expression, value: \"= x^2 + r\", inputs: [x, r]},\n"
                       "  r: {type: sine, amplitude: 1, frequency: 1}}\noutputs: [e]\n"),
      "");
  // Limits on both sides of a path: the integral stops where they are.
  EXPECT_EQ(doubts(machine + actuator +
                   "blocks: {p: {type: pid, input: x, kp: 5, ki: 1, limits: [-1, 1]},\n"
                   "  c: {type: saturation, input: p, lower: -1, upper: 1}}\n"),
            "");
}

// A diagram that is used twice, once without effect, is in use.
TEST(ModelFindings, AreThoseOfDiagramsWithoutEffect) {
  const std::string text =
      "nodes: {A: {position: [0, 0, 0], free: [x]}}\nbodies: {a: {node: A, mass: 1}}\n"
      "sensors: {x: {measure: position, node: A, direction: [1, 0, 0]}}\n"
      "diagrams: {twice: {inputs: [u], outputs: {y: g}, blocks: {g: {type: gain, input: u, gain: "
      "2}}}}\n"
      "blocks: {one: {type: twice, inputs: {u: x}}, two: {type: twice, inputs: {u: x}}}\n";
  EXPECT_EQ(doubts(text + "outputs: [one, two]\n"), "");
  const std::string found = doubts(text + "outputs: [one]\n");
  EXPECT_NE(found.find("blocks.two: its output reaches no actuator, drive, load or output"),
            std::string::npos)
      << found;
  EXPECT_EQ(found.find("blocks.one"), std::string::npos) << found;
}

}  // namespace
}  // namespace flexloop::test
