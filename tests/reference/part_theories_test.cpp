// One machine built in several ways, and parts beside and behind other parts: what must not depend on how a machine is described.
#include <algorithm>
#include <cmath>
#include <complex>
#include <sstream>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "support/model_run.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::test {
namespace {

using Roots = std::vector<std::complex<double>>;

Roots rootsOf(const std::string& text, int count) {
  const model::Model model = buildModel(text);
  const analysis::OperatingState point = analysis::findOperatingPoint(model, {});
  EXPECT_TRUE(point.ok()) << base::messageOf(point.failure);
  const analysis::ModeResult result = analysis::findModes(model, point.state, {.count = count});
  EXPECT_TRUE(result.ok()) << base::messageOf(result.failure);
  Roots roots;
  for (const analysis::Mode& mode : result.modes) roots.push_back(mode.eigenvalue);
  return roots;
}

std::vector<double> frequenciesOf(const std::string& text, int count) {
  std::vector<double> frequencies;
  for (const auto& root : rootsOf(text, count)) {
    frequencies.push_back(std::abs(root.imag()) / (2.0 * M_PI));
  }
  std::sort(frequencies.begin(), frequencies.end());
  return frequencies;
}

constexpr const char* kAlu = "materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}\n";

std::string listOf(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    text += std::to_string(numbers[i]) + (i % 8 == 7 ? ",\n" : ", ");
  }
  return text + "\n";
}

// A strip of shells about the x axis, with the sets x0 and x1.
std::string makeStrip(int nx, int ny, double length, double width) {
  std::ostringstream text;
  text.precision(17);
  const auto node = [&](int i, int j) { return 1 + i * (ny + 1) + j; };
  text << "*NODE\n";
  for (int i = 0; i <= nx; ++i) {
    for (int j = 0; j <= ny; ++j) {
      text << node(i, j) << ", " << length * i / nx << ", " << width * (double(j) / ny - 0.5)
           << ", 0\n";
    }
  }
  text << "*ELEMENT, TYPE=S4, ELSET=ALL\n";
  for (int i = 0; i < nx; ++i) {
    for (int j = 0; j < ny; ++j) {
      text << 1 + i * ny + j << ", " << node(i, j) << ", " << node(i + 1, j) << ", "
           << node(i + 1, j + 1) << ", " << node(i, j + 1) << "\n";
    }
  }
  std::vector<int> first, last;
  for (int j = 0; j <= ny; ++j) {
    first.push_back(node(0, j));
    last.push_back(node(nx, j));
  }
  text << "*NSET, NSET=x0\n" << listOf(first) << "*NSET, NSET=x1\n" << listOf(last);
  return text.str();
}

// A bar of bricks about the x axis, with sets s0, s1, … at these numbers of elements from its end.
std::string makeBar(int nx, double length, const std::vector<int>& sets) {
  constexpr int kAcross = 2, kUp = 1;
  constexpr double kWidth = 0.04, kHeight = 0.02;
  std::ostringstream text;
  text.precision(17);
  const auto node = [&](int i, int j, int k) {
    return 1 + (i * (kAcross + 1) + j) * (kUp + 1) + k;
  };
  text << "*NODE\n";
  for (int i = 0; i <= nx; ++i) {
    for (int j = 0; j <= kAcross; ++j) {
      for (int k = 0; k <= kUp; ++k) {
        text << node(i, j, k) << ", " << length * i / nx << ", "
             << kWidth * (double(j) / kAcross - 0.5) << ", " << kHeight * (double(k) / kUp - 0.5)
             << "\n";
      }
    }
  }
  text << "*ELEMENT, TYPE=C3D8I, ELSET=ALL\n";
  int element = 0;
  for (int i = 0; i < nx; ++i) {
    for (int j = 0; j < kAcross; ++j) {
      text << ++element;
      for (int k = 0; k < 2; ++k) {
        text << ", " << node(i, j, k) << ", " << node(i + 1, j, k) << ", " << node(i + 1, j + 1, k)
             << ", " << node(i, j + 1, k);
      }
      text << "\n";
    }
  }
  for (std::size_t s = 0; s < sets.size(); ++s) {
    std::vector<int> members;
    for (int j = 0; j <= kAcross; ++j) {
      for (int k = 0; k <= kUp; ++k) members.push_back(node(sets[s], j, k));
    }
    text << "*NSET, NSET=s" << s << "\n" << listOf(members);
  }
  return text.str();
}

std::string servo(const std::string& root, const std::string& tip) {
  return "bodies:\n"
         "  hub: {node: " +
         root +
         ", mass: 0.1, inertia: [1e-4, 1e-4, 1e-4]}\n"
         "  load: {node: " +
         tip +
         ", mass: 0.01, inertia: [1e-8, 1e-8, 1e-8]}\n"
         "joints: {hinge: {type: hinge, between: [ground, " +
         root +
         "], axis: [0, 1, 0]}}\n"
         "sensors: {theta: {measure: angle, joint: hinge}}\n"
         "blocks: {servo: {type: pid, input: theta, reference: 0, kp: 0.2, ki: 0.02, kd: 6e-3}}\n"
         "actuators: {motor: {type: torque, joint: hinge, input: servo}}\n";
}

// An arm of 600 × 8 × 1 mm with a load at its tip, turned by a servo, as beam, as solid and as shell. It is slender, so that
// theories agree: no end is near another, and its torsion, in which they do not, is far above. The modes are the integral of
// the servo, the servo against the arm, bending in the plane of the servo and across.
TEST(PartTheories, AServoArmHasTheSameModesAsBeamSolidAndShell) {
  const testing::TemporaryFolder folder;
  const std::string mesh = folder.write("strip.inp", makeStrip(60, 2, 0.6, 0.008));
  const std::string beam = std::string(kAlu) +
                           "sections: {strip: {type: rectangle, width: 8 mm, height: 1 mm}}\n"
                           "nodes: {root: [0, 0, 0], tip: [0.6, 0, 0]}\n"
                           "beams: {arm: {from: root, to: tip, elements: 24, section: strip, "
                           "material: alu, y_axis: [0, 1, 0]}}\n" +
                           servo("root", "tip");
  const std::string part =
      "    material: alu\n"
      "    interfaces: {root: {set: x0}, tip: {set: x1}}\n    modes: 16\n";
  const std::string solid = std::string(kAlu) +
                            "parts:\n  arm:\n"
                            "    block: {size: [600 mm, 8 mm, 1 mm], elements: [40, 2, 1]}\n"
                            "    position: [0, -4 mm, -0.5 mm]\n" +
                            part + servo("arm.root", "arm.tip");
  const std::string shell = std::string(kAlu) + "parts:\n  arm:\n    mesh: " + mesh +
                            "\n    thickness: {ALL: 1 mm}\n" + part + servo("arm.root", "arm.tip");
  constexpr int kModes = 7;
  const Roots asBeam = rootsOf(beam, kModes);
  ASSERT_EQ(asBeam.size(), std::size_t{kModes});
  for (const std::string& text : {solid, shell}) {
    const Roots asPart = rootsOf(text, kModes);
    ASSERT_EQ(asPart.size(), asBeam.size());
    for (int i = 0; i < kModes; ++i) {
      EXPECT_LT(std::abs(asPart[i] - asBeam[i]), 0.01 * std::abs(asBeam[i]))
          << "mode " << i + 1 << ": " << asPart[i] << " and " << asBeam[i];
    }
  }
}

std::string chain(const std::string& mesh, int modes) {
  std::string text = std::string(kAlu) + "parts:\n";
  for (int i = 0; i < 3; ++i) {
    text += "  p" + std::to_string(i) + ": {mesh: " + mesh + ", material: alu, position: [" +
            std::to_string(0.2 * i) +
            ", 0, 0], interfaces: {a: {set: s0}, b: {set: s1}}, modes: " + std::to_string(modes) +
            "}\n";
  }
  return text +
         "joints:\n"
         "  base: {type: weld, between: [ground, p0.a]}\n"
         "  first: {type: weld, between: [p0.b, p1.a]}\n"
         "  second: {type: weld, between: [p1.b, p2.a]}\n";
}

// Three parts one behind the other, against the mesh of all three with the same rigid faces, and with so many modes that nothing
// of it is left out below 20 kHz. Sets are projections: frequencies come from above, and the error falls with more modes.
TEST(PartTheories, AChainOfThreeIsTheWhole) {
  const testing::TemporaryFolder folder;
  const std::string whole = folder.write("whole.inp", makeBar(18, 0.6, {0, 6, 12, 18}));
  const std::string third = folder.write("third.inp", makeBar(6, 0.2, {0, 6}));
  const std::vector<double> full = frequenciesOf(
      std::string(kAlu) + "parts: {all: {mesh: " + whole +
          ", material: alu, modes: 120, interfaces: {a: {set: s0}, b: {set: s1}, c: {set: s2}, d: "
          "{set: s3}}}}\njoints: {base: {type: weld, between: [ground, all.a]}}\n",
      6);
  std::vector<double> before(6, 1.0);
  for (const int modes : {2, 6, 12}) {
    const std::vector<double> found = frequenciesOf(chain(third, modes), 6);
    ASSERT_EQ(found.size(), full.size());
    for (std::size_t i = 0; i < full.size(); ++i) {
      const double error = found[i] / full[i] - 1.0;
      EXPECT_GT(error, -1e-8) << i;
      EXPECT_LT(error, before[i] + 1e-8) << i;
      before[i] = error;
    }
  }
  for (const double error : before) EXPECT_LT(error, 1e-4);
}

std::string arm(const std::string& name, double y, const std::string& unit = "1") {
  return "  " + name +
         ":\n"
         "    block: {size: [= 0.4*" +
         unit + ", = 0.03*" + unit + ", = 0.02*" + unit +
         "], elements: [6, 1, 1]}\n"
         "    material: alu\n"
         "    position: [0, " +
         std::to_string(y) +
         ", 0]\n"
         "    interfaces: {root: {set: x0}, tip: {set: x1}}\n"
         "    modes: 4\n";
}

std::string weld(const std::string& name) {
  return "  w_" + name + ": {type: weld, between: [ground, " + name + ".root]}\n";
}

// Twice the same, and each as if it were alone.
TEST(PartTheories, TwoEqualPartsHaveEveryModeTwice) {
  const std::vector<double> one =
      frequenciesOf(std::string(kAlu) + "parts:\n" + arm("a", 0.0) + "joints:\n" + weld("a"), 4);
  const std::vector<double> two =
      frequenciesOf(std::string(kAlu) + "parts:\n" + arm("a", 0.0) + arm("b", 1.0) + "joints:\n" +
                        weld("a") + weld("b"),
                    8);
  ASSERT_EQ(two.size(), 8u);
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(two[i] / one[i / 2], 1.0, 1e-9) << i;
}

// Beside a mass of 1e9 kg on a spring of 1e10 N/m, and one of 1e-12 kg on one of 1e-6 N/m.
TEST(PartTheories, APartIsNotDisturbedByThingsOfAnotherScale) {
  const std::string plain =
      std::string(kAlu) + "parts:\n" + arm("a", 0.0) + "joints:\n" + weld("a");
  const std::string push =
      "loads: {push: {node: a.tip, force: [0, 0, 5], signal: hit}}\n"
      "blocks: {hit: {type: table, time: [0, 1 ms, 2 ms], value: [0, 1, 0]}}\n"
      "sensors: {w: {measure: displacement, node: a.tip, direction: [0, 0, 1]}}\n";
  const std::string beside =
      "nodes: {big: {position: [1e4, 0, 0], free: [x]}, small: {position: [0, 1e-5, 0], free: [x], "
      "velocity: [1e-6, 0, 0]}}\n"
      "bodies: {big: {node: big, mass: 1e9}, small: {node: small, mass: 1e-12}}\n"
      "springs:\n"
      "  s1: {type: linear, between: [ground, big], direction: [1, 0, 0], stiffness: 1e10}\n"
      "  s2: {type: linear, between: [ground, small], direction: [1, 0, 0], stiffness: 1e-6}\n";
  const std::string time = "end: 10 ms, step: 0.1 ms";
  const ModelRun alone = runModel(plain + push, "w", time);
  const ModelRun together = runModel(plain + push + beside, "w", time);
  const std::vector<double>&a = alone.column("w"), &b = together.column("w");
  ASSERT_EQ(a.size(), b.size());
  double largest = 0.0;
  for (const double x : a) largest = std::max(largest, std::abs(x));
  EXPECT_GT(largest, 1e-5);
  // Each step is solved to its tolerance; what is beside may change at which of them tangents are renewed.
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6 * largest) << i;
}

// A load that rises and falls within a thousandth of a step, so that steps of a thousandth come between whole ones. The motion
// is that of a load that jumps: its edges are later by half of their length, the response by less than a hundredth of its
// change per step. (With steps of 0.1 ms the error of the scheme at a jump shows, of a beam as of a part.)
TEST(PartTheories, StepsOfAThousandthDoNotDisturbAPart) {
  const auto run = [&](const std::string& blocks) {
    return runModel(std::string(kAlu) + "parts:\n" + arm("a", 0.0) + "joints:\n" + weld("a") +
                        "loads: {push: {node: a.tip, force: [0, 0, 5], signal: hit}}\n"
                        "blocks:\n" +
                        blocks +
                        "sensors: {w: {measure: displacement, node: a.tip, direction: [0, 0, 1]}, "
                        "E: {measure: energy}}\n",
                    "w, E", "end: 10 ms, step: 0.02 ms, rho: 1");
  };
  const ModelRun jumps =
      run("  up: {type: step, at: 1 ms, from: 0, to: 1}\n"
          "  down: {type: step, at: 3 ms, from: 0, to: 1}\n"
          "  hit: {type: sum, inputs: [up, -down]}\n");
  const ModelRun edges =
      run("  hit: {type: table, time: [0, 1 ms, 1.00002 ms, 3 ms, 3.00002 ms], "
          "value: [0, 0, 1, 1, 0]}\n");
  EXPECT_GE(edges.interruptions().size(), 2u);
  const std::vector<double>&a = jumps.column("w"), &b = edges.column("w");
  ASSERT_EQ(a.size(), b.size());
  double change = 0.0;
  for (std::size_t i = 1; i < a.size(); ++i) change = std::max(change, std::abs(a[i] - a[i - 1]));
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-2 * change) << i;
  // After the load the machine is left alone: its energy stays.
  const std::vector<double>& E = edges.column("E.total");
  for (std::size_t i = 160; i < E.size(); ++i) EXPECT_NEAR(E[i] / E[160], 1.0, 1e-6) << i;
}

// A part a billion times smaller or larger vibrates a billion times faster or slower.
TEST(PartTheories, PartsOfAnySizeVibrateInTheirOwnTime) {
  const auto text = [](const std::string& unit) {
    return "parameters: {s: " + unit + "}\n" + kAlu + "parts:\n" + arm("a", 0.0, "s") +
           "joints:\n" + weld("a");
  };
  const std::vector<double> usual = frequenciesOf(text("1 m"), 4);
  for (const double size : {1e-9, 1e9}) {
    const std::vector<double> scaled = frequenciesOf(text(size < 1.0 ? "1e-9 m" : "1e9 m"), 4);
    ASSERT_EQ(scaled.size(), usual.size());
    for (std::size_t i = 0; i < usual.size(); ++i) {
      EXPECT_NEAR(scaled[i] * size / usual[i], 1.0, 1e-6) << size << " mode " << i;
    }
  }
}

}  // namespace
}  // namespace flexloop::test
