// A node that slides along a beam (docs/theory/36_guides.md): a hoop, counts, units, ends and mistakes.
#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "solve/prepared_machine.hpp"
#include "support/machine_modes.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

std::string text(double x) {
  std::ostringstream stream;
  stream.precision(17);
  stream << x;
  return stream.str();
}

// At the bottom of a stiff hoop a bead swings as a pendulum does.
TEST(SlideOnBeam, SwingsInAHoop) {
  const std::string model =
      "gravity: [0, 0, -9.81]\n"
      "sections: {hoop: {type: stiffness, EA: 1e8, GAy: 1e8, GAz: 1e8, GJ: 1e6, EIy: 1e6, EIz: "
      "1e6, rhoA: 1, rhoJ: [1e-3, 1e-3, 1e-3]}}\n"
      "beams: {hoop: {from: A, to: B, via: [0, 0, -0.5], section: hoop, y_axis: [0, 1, 0], "
      "elements: 9}}\n"
      "nodes:\n  A: {position: [-0.5, 0, 0], free: []}\n  B: {position: [0.5, 0, 0], free: []}\n"
      "  bead: {position: [0.3, 0, -0.4], free: [x, y, z]}\n"
      "bodies: {bead: {node: bead, mass: 0.3}}\n"
      "joints: {run: {type: slide_on_beam, beam: hoop, node: bead}}\n";
  model::OperatingPoint about;
  about.kind = model::OperatingPoint::Kind::kEquilibrium;
  const double omega = std::sqrt(9.81 / 0.5);
  analysis::ModeOptions options;
  options.count = 3;
  const analysis::ModeResult result = modesOf(model, options, about);
  EXPECT_FALSE(result.failure) << messageOf(result.failure);
  EXPECT_LT(distanceTo(result, {0.0, omega}), 1e-3 * omega);
}

std::string onBeam(const std::string& cart, const std::string& joint, double length = 1.0,
                   double mass = 1.0) {
  const std::string L = text(length), stiffness = text(mass * length),
                    bending = text(mass * std::pow(length, 3));
  return "sections: {s: {type: stiffness, EA: " + stiffness + ", GAy: " + stiffness +
         ", GAz: " + stiffness + ", GJ: " + bending + ", EIy: " + bending + ", EIz: " + bending +
         ", rhoA: " + text(mass / length) + ", rhoJ: [" + text(mass * length * 1e-3) + ", " +
         text(mass * length * 1e-3) + ", " + text(mass * length * 1e-3) +
         "]}}\n"
         "beams: {link: {from: A, to: B, section: s, y_axis: [0, 1, 0], elements: 4}}\n"
         "nodes:\n  A: {position: [0, 0, 0], free: []}\n  B: [" +
         L + ", 0, 0]\n  cart: " + cart +
         "\n"
         "  second: [" +
         text(0.3 * length) +
         ", 0, 0]\n"
         "bodies:\n"
         "  cart: {node: cart, mass: " +
         text(mass) + ", inertia: [" + text(mass * length * length) + ", " +
         text(mass * length * length) + ", " + text(mass * length * length) +
         "]}\n"
         "  second: {node: second, mass: " +
         text(mass) + ", inertia: [" + text(mass * length * length) + ", " +
         text(mass * length * length) + ", " + text(mass * length * length) +
         "]}\n"
         "joints:\n"
         "  other: {type: slide_on_beam, beam: link, node: second, locked: true}\n"
         "  run: {type: slide_on_beam, beam: link, node: cart, " +
         joint + "}\n";
}

TEST(SlideOnBeam, TakesTwoFreedomsOrFive) {
  const auto mobility = [](const char* joint) {
    const model::Model model = buildModel(onBeam("[0.6, 0, 0]", joint));
    const auto report = model.borrowMachine()->redundancy(model.start());
    EXPECT_EQ(report->rank, report->constraints);
    return report->freedoms - report->rank;
  };
  // Four free nodes of the beam, two carts with six freedoms each, of which the second has three left.
  EXPECT_EQ(mobility(""), 24 + 3 + 4);
  EXPECT_EQ(mobility("clamp: true"), 24 + 3 + 1);
  EXPECT_EQ(mobility("clamp: true, locked: true"), 24 + 3);
}

// Nothing is large or small by itself: with all stiffnesses in proportion, frequencies are the same.
TEST(SlideOnBeam, ModesDoNotDependOnUnits) {
  const auto modes = [](double length, double mass) {
    return modesOf(
        onBeam("[" + text(0.6 * length) + ", 0, 0]", "locked: true, clamp: true", length, mass));
  };
  const analysis::ModeResult one = modes(1.0, 1.0);
  for (const double scale : {1e12, 1e-12}) {
    for (const analysis::ModeResult& other : {modes(scale, 1.0), modes(1.0, scale)}) {
      ASSERT_EQ(other.modes.size(), one.modes.size()) << scale;
      for (const analysis::Mode& mode : one.modes) {
        EXPECT_LT(distanceTo(other, mode.eigenvalue), 1e-6 * std::abs(mode.eigenvalue) + 1e-7)
            << scale;
      }
    }
  }
}

TEST(SlideOnBeam, StopsAtTheEndWithAMessage) {
  const std::string model = onBeam("{position: [0.6, 0, 0], velocity: [1, 0, 0]}", "");
  const ModelRun run = tryModel(model, "", "end: 1, step: 10 ms");
  ASSERT_TRUE(run.report.failure);
  EXPECT_TRUE(says(run.report.failure->message,
                   "joints.run: the node 'cart' has left beam 'link' at its second end"));
  EXPECT_TRUE(says(run.report.failure->hint, "make the beam longer"));
}

TEST(SlideOnBeam, MistakesAreNamed) {
  EXPECT_EQ(mistakesOf(onBeam("[0.6, 0, 0]", "")), "");
  EXPECT_TRUE(says(mistakesOf(onBeam("[0.6, 0.1, 0]", "")),
                   "joints.run: the node 'cart' is 0.1 m away from beam 'link'"));
  EXPECT_TRUE(says(mistakesOf(onBeam("[0.6, 0.1, 0]", "")), "at 0.6 of its length"));
  EXPECT_TRUE(says(mistakesOf(onBeam("[1.2, 0, 0]", "")), "is 0.2 m away"));
  EXPECT_TRUE(says(mistakesOf(onBeam("[0.6, 0, 0]", "locked: true, drive: 0.1")),
                   "'locked' cannot be combined with 'drive'"));
  std::string model = onBeam("[0.6, 0, 0]", "");
  model.replace(model.find("beam: link, node: cart"), 22, "beam: lonk, node: cart");
  EXPECT_TRUE(says(mistakesOf(model), "unknown beam 'lonk'"));
  EXPECT_TRUE(says(mistakesOf(model), "did you mean 'link'"));
  model = onBeam("[0.6, 0, 0]", "");
  model.replace(model.find("beam: link, node: cart"), 22, "beam: link, node: link.2");
  EXPECT_TRUE(says(mistakesOf(model), "is a node of the beam itself"));
}

}  // namespace
}  // namespace flexloop::test
