#include "analysis/modes/mode_description.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_comparison.hpp"
#include "support/model_run.hpp"

namespace flexloop {
namespace {

using analysis::ModeDescription;
using analysis::Share;

struct Described {
  std::vector<analysis::Mode> modes;
  std::vector<ModeDescription> texts;
};

Described describe(const std::string& text, const analysis::LinearView& view = {}, int count = 10) {
  const model::Model model = test::buildModel(text);
  const auto point = analysis::findOperatingPoint(model, {});
  EXPECT_TRUE(point.ok()) << messageOf(point.failure);
  analysis::ModeOptions options;
  options.view = view;
  options.count = count;
  const auto result = analysis::findModes(model, point.state, options);
  EXPECT_TRUE(result.ok()) << messageOf(result.failure);
  return {result.modes, analysis::describeModes(model, point.state, result.modes, true)};
}

double valueOf(const std::vector<Share>& shares, const std::string& name) {
  for (const Share& share : shares) {
    if (share.name == name) return share.value;
  }
  return 0.0;
}

double sumOf(const std::vector<Share>& shares) {
  return std::accumulate(shares.begin(), shares.end(), 0.0,
                         [](double sum, const Share& share) { return sum + share.value; });
}

std::string mass(const std::string& spring, const std::string& gains) {
  return "nodes: {cart: {position: [0, 0, 0], free: [x]}}\n"
         "bodies: {cart: {node: cart, mass: 1}}\n"
         "springs: {wall: {type: linear, between: [ground, cart], direction: [1, 0, 0], " +
         spring +
         "}}\n"
         "sensors: {x: {measure: displacement, node: cart, direction: [1, 0, 0]}}\n"
         "blocks: {law: {type: pid, input: x, " +
         gains +
         "}}\n"
         "actuators: {motor: {type: force, node: cart, direction: [1, 0, 0], input: law}}\n";
}

// Two masses of 1 and 3 on a stiff beam that float: each of the six free motions has no energy, whatever round-off is left
// of the strain, and however much their vectors are alike.
TEST(ModeDescription, OfAFreeMotionHasNoEnergies) {
  for (const char* x : {"0.2", "0.3", "0.31", "0.5", "0.7", "1"}) {
    const Described found = describe(
        "sections: {s: {type: stiffness, EA: 1e6, GAy: 1e6, GAz: 1e6, GJ: 1, EIy: 1e3, EIz: 7, "
        "rhoA: 1e-3, rhoJ: [1e-6, 1e-6, 1e-6]}}\n"
        "nodes: {A: [0, 0, 0], B: [" +
            std::string(x) +
            ", 0.4, 0.1]}\n"
            "bodies: {a: {node: A, mass: 1}, b: {node: B, mass: 3}}\n"
            "beams: {l: {from: A, to: B, elements: 7, section: s, y_axis: [0, 0, 1]}}\n",
        {}, 6);
    ASSERT_EQ(found.texts.size(), 6u);
    for (const ModeDescription& text : found.texts) {
      EXPECT_EQ(text.kinetic, 0.0);
      EXPECT_EQ(text.strain, 0.0);
      EXPECT_EQ(text.control, 0.0);
      EXPECT_TRUE(text.springs.empty());
      EXPECT_NEAR(sumOf(text.bodies), 1.0, 0.01);
      EXPECT_EQ(text.name.rfind("free motion of ", 0), 0u) << x << ": " << text.name;
    }
  }
}

// s² + (c + kd) s + k + kp: the parts of ζ are c/(2ω) and kd/(2ω), whatever kp is.
TEST(ModeDescription, DamperAndDerivativeGainShareTheDamping) {
  const Described found = describe(mass("stiffness: 100, damping: 7.2", "kp: 44, kd: 4.8"));
  ASSERT_EQ(found.modes.size(), 1U);
  const ModeDescription& text = found.texts.front();
  EXPECT_NEAR(valueOf(text.damping, "wall"), 7.2 / 24.0, 1e-13);
  EXPECT_NEAR(valueOf(text.damping, "motor"), 4.8 / 24.0, 1e-13);
  EXPECT_NEAR(sumOf(text.damping), found.modes.front().dampingRatio(), 1e-13);
  // |s|² : k : kp = 144 : 100 : 44
  EXPECT_NEAR(text.kinetic, 0.5, 1e-13);
  EXPECT_NEAR(text.strain, 100.0 / 288.0, 1e-13);
  EXPECT_NEAR(text.control, 44.0 / 288.0, 1e-13);
  EXPECT_EQ(text.name, "motion of cart + spring wall + motor servo");
  EXPECT_NEAR(valueOf(text.bodies, "cart"), 1.0, 1e-13);
  EXPECT_NEAR(valueOf(text.freedoms, "motion of cart x"), 1.0, 1e-13);
}

TEST(ModeDescription, OneDamperSuppliesAllOfIt) {
  const Described found = describe(mass("stiffness: 100, damping: 2", "kp: 44"));
  const ModeDescription& text = found.texts.front();
  EXPECT_NEAR(valueOf(text.damping, "wall"), 1.0 / 12.0, 1e-14);
  EXPECT_NEAR(valueOf(text.damping, "motor"), 0.0, 1e-14);
}

// s³ + 10 s² + 16 s + 160: at s = 4i the integral gain takes 160/16 = 10 of the damping away.
TEST(ModeDescription, IntegralGainTakesDampingAway) {
  const Described found = describe(mass("stiffness: 12, damping: 8", "kp: 4, ki: 160, kd: 2"));
  ASSERT_EQ(found.modes.size(), 2U);
  EXPECT_NEAR(valueOf(found.texts[1].damping, "wall"), 8.0 / 8.0, 1e-11);
  EXPECT_NEAR(valueOf(found.texts[1].damping, "motor"), (2.0 - 10.0) / 8.0, 1e-11);
  EXPECT_NEAR(sumOf(found.texts[0].damping), 1.0, 1e-11);  // of the real root −10
}

const char* const kChain =
    "nodes:\n"
    "  m1: {position: [1, 0, 0], free: [x]}\n"
    "  m2: {position: [2, 0, 0], free: [x]}\n"
    "  m3: {position: [3, 0, 0], free: [x]}\n"
    "bodies: {m1: {node: m1, mass: 1}, m2: {node: m2, mass: 1}, m3: {node: m3, mass: 1}}\n"
    "springs:\n"
    "  k1: {type: linear, between: [ground, m1], direction: [1, 0, 0], stiffness: 100, damping: "
    "1}\n"
    "  k2: {type: linear, between: [m1, m2], direction: [1, 0, 0], stiffness: 100, damping: 1}\n"
    "  k3: {type: linear, between: [m2, m3], direction: [1, 0, 0], stiffness: 100, damping: 1}\n"
    "sensors: {x1: {measure: displacement, node: m1, direction: [1, 0, 0]}}\n"
    "blocks: {law: {type: pid, input: x1, kp: 80, ki: 20, kd: 0.5}}\n"
    "actuators: {motor: {type: force, node: m3, direction: [1, 0, 0], input: law}}\n";

TEST(ModeDescription, PartsSumToTheDampingOfEveryMode) {
  const Described found = describe(kChain);
  ASSERT_EQ(found.modes.size(), 4U);
  for (std::size_t i = 0; i < found.modes.size(); ++i) {
    EXPECT_NEAR(sumOf(found.texts[i].damping), found.modes[i].dampingRatio(), 1e-9) << i;
    EXPECT_NEAR(sumOf(found.texts[i].bodies), 1.0, 2e-3) << i;
  }
  EXPECT_EQ(found.texts[0].name.substr(0, 16), "controller state") << found.texts[0].name;
}

// Two links of the reference, 45 degrees apart, with servos in place of the joints' springs.
const char* const kTwoLinks =
    "parameters: {L: 0.15, a: = pi/4}\n"
    "materials: {alu: {E: 65.7 GPa, nu: 0.33, rho: 2794}}\n"
    "sections: {strip: {type: rectangle, width: 18 mm, height: 0.5 mm}}\n"
    "nodes:\n"
    "  A: [0, 0, 0]\n"
    "  B1: [= L, 0, 0]\n"
    "  B2: [= L, 0, 0]\n"
    "  C: [= L + L*cos(a), 0, = L*sin(a)]\n"
    "beams:\n"
    "  link1: {from: A, to: B1, elements: 20, section: strip, material: alu, y_axis: [0, 1, 0]}\n"
    "  link2: {from: B2, to: C, elements: 20, section: strip, material: alu, y_axis: [0, 1, 0]}\n"
    "joints:\n"
    "  hinge1: {type: hinge, between: [ground, A], axis: [0, 1, 0]}\n"
    "  hinge2: {type: hinge, between: [B1, B2], axis: [0, 1, 0]}\n"
    "sensors:\n"
    "  theta1: {measure: angle, joint: hinge1}\n"
    "  theta2: {measure: angle, joint: hinge2}\n"
    "blocks:\n"
    "  servo1: {type: pid, input: theta1, kp: 0.1, kd: 0.001}\n"
    "  servo2: {type: pid, input: theta2, kp: 0.1}\n"
    "actuators:\n"
    "  motor1: {type: torque, joint: hinge1, input: servo1}\n"
    "  motor2: {type: torque, joint: hinge2, input: servo2}\n";

// Frequencies by an own program with Euler-Bernoulli beams, 20 elements per link: closed form would need
// 3-D beams at an angle.
TEST(ModeComparison, TwoLinksInThreeViews) {
  const model::Model model = test::buildModel(kTwoLinks);
  const auto point = analysis::findOperatingPoint(model, {});
  ASSERT_TRUE(point.ok()) << messageOf(point.failure);
  analysis::ModeOptions options;
  options.count = 3;
  const auto comparison = analysis::compareModes(model, point.state, options);
  ASSERT_TRUE(comparison.ok()) << messageOf(comparison.failure);
  ASSERT_GE(comparison.rows.size(), 3U);
  const auto frequency = [&](int row, int column) {
    const int mode = comparison.rows[row].modes[column];
    return mode < 0 ? -1.0 : comparison.columns[column].result.modes[mode].frequencyHz();
  };
  const double expected[3][3] = {
      {2.75998, 3.38901, 4.66062}, {12.24609, 15.49389, 21.75133}, {14.62866, -1.0, 14.62865}};
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      EXPECT_NEAR(frequency(row, column), expected[row][column],
                  2e-3 * std::abs(expected[row][column]))
          << row << ' ' << column;
    }
  }
  EXPECT_GT(comparison.rows[2].mac[2], 0.999);  // out of plane: the servos do not feel it
}

TEST(ModeDescription, ModesOfTwoLinksHaveNames) {
  const Described found = describe(kTwoLinks, {}, 3);
  const ModeDescription& first = found.texts[0];
  EXPECT_NE(first.name.find("link1 bending"), std::string::npos) << first.name;
  EXPECT_NE(first.name.find("hinge1 servo"), std::string::npos) << first.name;
  EXPECT_NEAR(valueOf(first.damping, "motor1"), found.modes[0].dampingRatio(), 1e-9);
  EXPECT_NE(found.texts[2].name.find("link1 torsion"), std::string::npos) << found.texts[2].name;
  const Described rigid =
      describe(kTwoLinks, {analysis::LoopView::kClosed, analysis::BodyView::kRigid});
  EXPECT_NE(rigid.texts[0].name.find("rigid swing of link2 about hinge"), std::string::npos)
      << rigid.texts[0].name;
}

// MAC with the mass: of different modes zero, of the same one.
TEST(ModeComparison, MacOfTheChainWithoutDamping) {
  const model::Model model = test::buildModel(kChain);
  const auto point = analysis::findOperatingPoint(model, {});
  analysis::ModeOptions options;
  options.view.loop = analysis::LoopView::kOpen;
  const auto modes = analysis::findModes(model, point.state, options).modes;
  ASSERT_EQ(modes.size(), 3U);
  const Eigen::MatrixXd mac =
      analysis::calcMac(analysis::makeMotionMass(model, point.state), modes, modes);
  EXPECT_LT((mac - Eigen::MatrixXd::Identity(3, 3)).cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace flexloop
