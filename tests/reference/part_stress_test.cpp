// Stresses of parts as signals: sides of shells, and principal stresses.
#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::test {
namespace {

// 16 × 2 shells, 0.2 × 0.02 m, the normal along z.
std::string makeStrip() {
  std::ostringstream text;
  text << "*NODE\n";
  for (int i = 0; i <= 16; ++i) {
    for (int j = 0; j <= 2; ++j) {
      text << 1 + 3 * i + j << ", " << 0.0125 * i << ", " << 0.01 * (j - 1) << ", 0\n";
    }
  }
  text << "*ELEMENT, TYPE=S4, ELSET=ALL\n";
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 2; ++j) {
      const int a = 1 + 3 * i + j;
      text << 1 + 2 * i + j << ", " << a << ", " << a + 3 << ", " << a + 4 << ", " << a + 1 << "\n";
    }
  }
  text << "*NSET, NSET=x0\n1, 2, 3\n*NSET, NSET=x1\n49, 50, 51\n";
  return text.str();
}

// A moment M at the end of a strip of 20 × 1 mm: σ = ±6M/(b t²) far from the ends, where it is free to curve across; Poisson's
// ratio zero, so that the held end does not matter either.
TEST(PartStress, OfAShellHasTwoSides) {
  const testing::TemporaryFolder folder;
  const std::string mesh = folder.write("strip.inp", makeStrip());
  const model::Model model = buildModel(
      "materials: {alu: {E: 70 GPa, nu: 0, rho: 2700}}\n"
      "parts: {strip: {mesh: " +
      mesh +
      ", material: alu, thickness: {ALL: 1 mm}, recover: [26], modes: 2,\n"
      "  interfaces: {root: {set: x0}, tip: {set: x1}}}}\n"
      "joints: {base: {type: weld, between: [ground, strip.root]}}\n"
      "loads: {bend: {node: strip.tip, torque: [0, 0.01, 0]}}\n"
      "sensors:\n"
      "  top: {measure: stress, part: strip, mesh_node: 26, component: xx}\n"
      "  below: {measure: stress, part: strip, mesh_node: 26, component: xx, side: bottom}\n"
      "  pull: {measure: stress, part: strip, mesh_node: 26, component: principal_1}\n"
      "  push: {measure: stress, part: strip, mesh_node: 26, component: principal_3, side: "
      "bottom}\n"
      "outputs: [top, below, pull, push]\n");
  const analysis::EquilibriumResult rest = analysis::findEquilibrium(model);
  ASSERT_TRUE(rest.report.ok());
  const double stress = 6.0 * 0.01 / (0.02 * 1e-6);
  // A positive moment about y at the tip pulls where z is positive.
  EXPECT_NEAR(rest.outputs[0] / stress, 1.0, 2e-3);
  EXPECT_NEAR(rest.outputs[1] / stress, -1.0, 2e-3);
  EXPECT_NEAR(rest.outputs[2] / rest.outputs[0], 1.0, 1e-6);
  EXPECT_NEAR(rest.outputs[3] / rest.outputs[1], 1.0, 1e-6);
}

TEST(PartStress, OfASolidHasNoSides) {
  EXPECT_TRUE(
      says(mistakesOf("materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}\n"
                      "parts: {a: {block: {size: [0.1, 0.01, 0.01], elements: [2, 1, 1]}, "
                      "material: alu, recover: [5], modes: 0,\n"
                      "  interfaces: {root: {set: x0}}}}\n"
                      "sensors: {s: {measure: stress, part: a, mesh_node: 5, side: bottom}}\n"
                      "blocks: {y: {type: sum, inputs: [s.xx]}}\n"),
           "a part without shells has no bottom side"));
}

}  // namespace
}  // namespace flexloop::test
