// Parts that become shorter as they bend, in machines: beam columns in closed form, and a spinning blade with a mass at its tip against
// a Ritz solution with polynomials of degree 10 of K + T and M, computed apart from this program with 60 digits.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

constexpr double kBending = 70e9 * 0.03 * 0.02 * 0.02 * 0.02 / 12.0;  // N m²

std::string column(const std::string& more) {
  return "materials: {alu: {E: 70 GPa, nu: 0, rho: 2700}}\n"
         "parts:\n"
         "  column:\n"
         "    block: {size: [1, 0.03, 0.02], elements: [12, 1, 1]}\n"
         "    material: alu\n"
         "    interfaces: {root: {set: x0}, tip: {set: x1}}\n"
         "    modes: 6\n" +
         more + "joints: {base: {type: weld, between: [ground, column.root]}}\n";
}

std::vector<double> findTip(const std::string& more, double axial, double across,
                            const std::string& output = "") {
  const model::Model model = buildModel(
      column(more) + "loads: {f: {node: column.tip, force: [" + std::to_string(axial) + ", 0, " +
      std::to_string(across) + "]}}\noutputs: [{name: d, measure: displacement, node: column.tip}" +
      output + "]\n");
  const analysis::EquilibriumResult result = analysis::findEquilibrium(model);
  EXPECT_TRUE(result.report.ok()) << base::messageOf(result.report.failure);
  return result.outputs;
}

// Half of Euler's load, pushing and pulling.
TEST(PartForeshortening, PressureMakesAColumnSofterAndTensionStiffer) {
  const std::string on = "    foreshortening: true\n";
  const double P = 0.5 * std::pow(0.5 * M_PI, 2) * kBending, F = 2.0, k = std::sqrt(P / kBending);
  const double plain = F / (3.0 * kBending);
  EXPECT_NEAR(findTip("", -P, F)[2] / plain, 1.0, 3e-3);
  EXPECT_NEAR(findTip(on, -P, F)[2] / (F * (std::tan(k) - k) / (k * P)), 1.0, 3e-3);
  EXPECT_NEAR(findTip(on, P, F)[2] / (F * (k - std::tanh(k)) / (k * P)), 1.0, 3e-3);
}

// A tip that is pushed aside comes nearer by 3 δ²/5L, and that is no strain: stresses are those of bending alone, as they are
// without foreshortening. E g/L would be 4 MPa.
TEST(PartForeshortening, ABentColumnIsShorter) {
  const std::string stress =
      ", {name: s, measure: stress, part: column, mesh_node: 25, component: xx}";
  const std::string on = "    foreshortening: true\n    recover: [x1]\n";
  const auto tip = findTip(on, 0.0, 40.0, stress);
  const auto plain = findTip("    recover: [x1]\n", 0.0, 40.0, stress);
  EXPECT_GT(tip[2], 0.005);
  EXPECT_NEAR(tip[0] / (-0.6 * tip[2] * tip[2]), 1.0, 5e-3);
  EXPECT_NEAR(plain[0], 0.0, 1e-9);
  EXPECT_NEAR(tip[3], plain[3], 2e4);
}

// Flap of a blade of 1 × 0.1 × 0.01 m with 1.5 kg at its tip, at 50 rad/s.
TEST(PartForeshortening, ATipMassStiffensASpinningBlade) {
  const model::Model model = buildModel(
      "materials: {alu: {E: 70 GPa, nu: 0, rho: 2700}}\n"
      "parts:\n"
      "  blade:\n"
      "    block: {size: [1, 0.1, 0.01], elements: [16, 2, 1]}\n"
      "    material: alu\n"
      "    position: [0, -0.05, 0]\n"
      "    angular_velocity: [0, 0, 50]\n"
      "    velocity: [2.5, 0, 0]\n"
      "    interfaces: {root: {set: x0}, tip: {set: x1}}\n"
      "    modes: 16\n"
      "    stiffening: true\n"
      "    foreshortening: true\n"
      "bodies: {mass: {node: blade.tip, mass: 1.5, inertia: [1e-9, 1e-9, 1e-9]}}\n"
      "joints: {hub: {type: hinge, between: [ground, blade.root], at: [0, 0, 0], axis: [0, 0, 1], "
      "drive: turn}}\n"
      "blocks: {turn: {type: ramp, slope: 50}}\n");
  model::OperatingPoint about;
  about.kind = model::OperatingPoint::Kind::kSteady;
  const analysis::OperatingState point = analysis::findOperatingPoint(model, about);
  ASSERT_TRUE(point.ok()) << base::messageOf(point.failure);
  const analysis::ModeResult result = analysis::findModes(model, point.state, {.count = 3});
  ASSERT_TRUE(result.ok()) << base::messageOf(result.failure);
  ASSERT_EQ(result.modes.size(), 3U);
  const auto hertz = [&](int i) { return result.modes[i].eigenvalue.imag() / (2.0 * M_PI); };
  // Without the mass's pull the first would be 7.9 Hz. The third mode is in the plane.
  EXPECT_NEAR(hertz(0) / 9.7076065629841, 1.0, 3e-3);
  EXPECT_NEAR(hertz(2) / 47.77175598181111, 1.0, 3e-3);
}

}  // namespace
}  // namespace flexloop::test
