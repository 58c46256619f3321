// Motion along beams: a bead on a turning wire (reference J5.2), and the energy of one that slides down a soft beam.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "base/text_format.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// A wire that is nearly rigid and hardly has mass turns about one end at 2 rad/s and carries a bead of 0.3 kg.
std::string turningWire(const std::string& gravity, const std::string& axis,
                        const std::string& joint) {
  return gravity +
         "sections: {wire: {type: stiffness, EA: 1e9, GAy: 1e9, GAz: 1e9, GJ: 1e7, EIy: 1e7, EIz: "
         "1e7, "
         "rhoA: 1e-3, rhoJ: [1e-5, 1e-5, 1e-5]}}\n"
         "beams: {wire: {from: A, to: B, section: wire, y_axis: [0, 1, 0], elements: 13}}\n"
         "nodes: {A: [0, 0, 0], B: [1, 0, 0], bead: [0.1, 0, 0]}\n"
         "bodies: {bead: {node: bead, mass: 0.3, inertia: [1e-3, 1e-3, 1e-3]}}\n"
         "joints:\n"
         "  h: {type: hinge, between: [ground, A], axis: " +
         axis +
         ", drive: turn}\n"
         "  run: {type: slide_on_beam, beam: wire, node: bead" +
         joint +
         "}\n"
         "blocks: {turn: {type: ramp, slope: 2}}\n"
         "sensors:\n"
         "  r: {measure: displacement, joint: run}\n"
         "  f: {measure: force, joint: run, frame: A, direction: [0, 1, 0]}\n";
}

TEST(SlideOnBeam, BeadOnATurningWire) {
  for (const char* joint : {"", ", clamp: true"}) {
    const ModelRun run =
        runModel(turningWire("", "[0, 0, 1]", joint), "r, f", "end: 1, step: 1 ms, rho: 0.9");
    EXPECT_NEAR(run.at(0.5, "r"), 0.154308063482 - 0.1, 2e-5) << joint;
    EXPECT_NEAR(run.at(1.0, "r"), 0.376219569108 - 0.1, 1e-4) << joint;
    if (*joint == '\0') {
      EXPECT_NEAR(run.at(1.0, "f"), 0.870446497883, 2e-3);
    }
  }
  // In a vertical plane, until it comes near to the axis.
  const ModelRun run = runModel(turningWire("gravity: [0, 0, -9.81]\n", "[0, -1, 0]", ""), "r",
                                "end: 0.25, step: 0.5 ms, rho: 0.9");
  EXPECT_NEAR(run.last("r"), 0.0616650448723 - 0.1, 2e-5);
}

// A bead slides down a soft beam through all its pieces; the beam swings, and no energy is lost on the way.
TEST(SlideOnBeam, TakesNoEnergyFromPieceToPiece) {
  for (const char* mesh : {"elements: 16", "elements: 8, order: 2", "elements: 5, order: 3"}) {
    const std::string model =
        std::string(
            "gravity: [0, 0, -9.81]\n"
            "sections: {soft: {type: stiffness, EA: 1e5, GAy: 4e4, GAz: 4e4, GJ: 20, EIy: 30, EIz: "
            "30, "
            "rhoA: 0.5, rhoJ: [1e-3, 1e-3, 1e-3]}}\n"
            "nodes:\n  A: {position: [0, 0, 0], free: []}\n  B: [1, 0, -0.5]\n"
            "  bead: [0.1, 0, -0.05]\n"
            "bodies: {bead: {node: bead, mass: 0.4, inertia: [1e-4, 1e-4, 1e-4]}}\n"
            "joints: {run: {type: slide_on_beam, beam: link, node: bead, clamp: true}}\n"
            "sensors: {r: {measure: displacement, joint: run}, e: {measure: energy}}\n"
            "beams: {link: {from: A, to: B, section: soft, y_axis: [0, 1, 0], ") +
        mesh + "}}\n";
    const ModelRun run =
        runModel(model, "r, e.total, e.kinetic", "end: 0.55, step: 0.5 ms, rho: 1");
    EXPECT_GT(run.last("r"), 0.6) << mesh;
    const auto& e = run.column("e.total");
    const double exchanged =
        *std::max_element(run.column("e.kinetic").begin(), run.column("e.kinetic").end());
    for (const double total : e) ASSERT_NEAR(total, e.front(), 2e-3 * exchanged) << mesh;
  }
}

// A beam with ρA = EI = 1 that is drawn out of a fixed guide, or into it, while a force pushes its tip; its free length is 1 − q m. The truth is a Galerkin solution with seven modes of
// the free length, with the axial force of the acceleration, by DOP853 (scipy); without the force and with the starts of J5.4 it gives the numbers of that table.
struct Drawn {
  double speed;               // q = −speed (t − sin(2πt)/2π)
  std::array<double, 6> tip;  // at 0.25, 0.5, … 1.5 s
};

TEST(DrawnBeam, VibratesWithItsFreeLength) {
  const std::array<Drawn, 2> cases{
      Drawn{0.5, {0.00126272, 0.00427163, 0.00702495, 0.00969763, 0.01311931, 0.01743641}},
      Drawn{-0.3, {0.00119361, 0.00370784, 0.00399807, -0.00083658, -0.00065445, 0.0032353}}};
  for (const Drawn& c : cases) {
    double last = 1.0;
    for (const int elements : {22, 44}) {
      const ModelRun run = runModel(base::formatText(R"(
sections: {strip: {type: stiffness, EA: 1e5, GAy: 1e5, GAz: 1e5, GJ: 1, EIy: 1, EIz: 1, rhoA: 1, rhoJ: [1e-5, 5e-6, 5e-6]}}
nodes: {root: {position: [-1.2, 0, 0], free: [x, y, rz]}, tip: {position: [1, 0, 0], free: [x, y, rz]}, mouth: {position: [0, 0, 0], free: []}}
beams: {strip: {from: root, to: tip, elements: %d, section: strip, y_axis: [0, 1, 0]}}
joints: {guide: {type: slide_on_beam, beam: strip, node: mouth, clamp: true, drive: out}}
blocks: {out: {type: expression, value: "= %.17g*(t - sin(2*pi*t)/(2*pi)) "}}
loads: {push: {node: tip, force: [0, 0.01, 0]}}
sensors: {w: {measure: position, node: tip}}
)",
                                                     elements, -c.speed),
                                    "w", "end: 1.5, step: 5 ms");
      double error = 0.0, largest = 0.0;
      for (int i = 0; i < 6; ++i) {
        const double t = 0.25 * (i + 1), turn = 2.0 * std::numbers::pi * t;
        error = std::max(error, std::abs(run.at(t, "w.y") - c.tip[i]));
        largest = std::max(largest, std::abs(c.tip[i]));
        EXPECT_NEAR(run.at(t, "w.x"),
                    1.0 + c.speed * (turn - std::sin(turn)) / (2.0 * std::numbers::pi), 3e-4);
      }
      EXPECT_LT(error, (elements == 22 ? 0.07 : 0.03) * largest) << c.speed << " " << elements;
      EXPECT_LT(error, 0.6 * last) << c.speed << " " << elements;
      last = error;
    }
  }
}

}  // namespace
}  // namespace flexloop::test
