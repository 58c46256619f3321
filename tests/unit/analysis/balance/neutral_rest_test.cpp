// Machines that rest wherever some of their motions are, and machines that fall from where they start to where they hang
// (docs/theory/10_equilibrium.md, sections 10.5 and 10.8).
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "linalg/roots/neutral_directions.hpp"
#include "support/equilibrium_search.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using analysis::EquilibriumResult;
using solve::Stability;

std::string writeVector(const Eigen::Vector3d& x) {
  return "[" + writeNumber(x[0]) + ", " + writeNumber(x[1]) + ", " + writeNumber(x[2]) + "]";
}

// Discs of 4 kg at the ends of light shafts of 0.6 m, each on a hinge that is free about the shaft; anywhere, in any units.
struct Rotor {
  int order = 1, elements = 4, rotors = 1;
  double length = 1.0, mass = 1.0, time = 1.0;  // units
  double gravity = 0.0;
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  bool isTurned = false;
  double torque = 0.0;

  Eigen::Matrix3d axes() const {
    if (!isTurned) return Eigen::Matrix3d::Identity();
    return Eigen::AngleAxisd(1.1, Eigen::Vector3d(0.3, -0.7, 0.64).normalized()).toRotationMatrix();
  }
  std::string place(double x, double y) const {
    const Eigen::Vector3d origin =
        isTurned ? Eigen::Vector3d(3.0, -2.0, 5.0) : Eigen::Vector3d::Zero().eval();
    return writeVector(length * (origin + axes() * Eigen::Vector3d(x, y, 0.0)));
  }
  std::string model() const {
    const double force = mass * length / (time * time), moment = force * length * length;
    const auto n = [](double value) { return writeNumber(value); };
    const Eigen::Vector3d g = axes() * Eigen::Vector3d(0.0, 0.0, -gravity * length / (time * time));
    std::string nodes, bodies, beams, joints, sensors, loads;
    for (int k = 0; k < rotors; ++k) {
      const std::string i = std::to_string(k), sep = k > 0 ? ", " : "";
      nodes += sep + "A" + i + ": " + place(0.0, 0.3 * k) + ", B" + i + ": " + place(0.6, 0.3 * k);
      bodies += sep + "d" + i + ": {node: B" + i + ", mass: " + n(4.0 * mass) +
                ", com: " + writeVector(length * (axes() * com)) + ", inertia: " +
                writeVector(mass * length * length * Eigen::Vector3d(0.035, 0.02, 0.02)) + "}";
      beams += sep + "w" + i + ": {from: A" + i + ", to: B" + i +
               ", elements: " + std::to_string(elements) + ", order: " + std::to_string(order) +
               ", section: s, y_axis: " + writeVector(axes().col(1)) + "}";
      joints += sep + "h" + i + ": {type: hinge, between: [ground, A" + i +
                "], axis: " + writeVector(axes().col(0)) + "}";
      sensors += sep + "q" + i + ": {measure: angle, joint: h" + i + "}, p" + i +
                 ": {measure: position, node: B" + i +
                 ", direction: " + writeVector(axes().col(2)) + "}";
    }
    if (torque != 0.0) {
      loads =
          "loads: {m: {node: B0, torque: " + writeVector(torque * force * length * axes().col(0)) +
          "}}\n";
    }
    return "gravity: " + writeVector(g) +
           "\nsections: {s: {type: stiffness, EA: " + n(1e9 * force) + ", GAy: " + n(1e9 * force) +
           ", GAz: " + n(1e9 * force) + ", GJ: " + n(1e6 * moment) + ", EIy: " + n(200.0 * moment) +
           ", EIz: " + n(200.0 * moment) + ", rhoA: " + n(1e-6 * mass / length) +
           ", rhoJ: " + writeVector(mass * length * Eigen::Vector3d(2e-9, 1e-9, 1e-9)) +
           "}}\nnodes: {" + nodes + "}\nbodies: {" + bodies + "}\nbeams: {" + beams +
           "}\njoints: {" + joints + "}\nsensors: {" + sensors + "}\noutputs: [q0, p0]\n" + loads;
  }
  std::string name() const {
    return "order " + std::to_string(order) + ", " + std::to_string(elements) + " elements, " +
           std::to_string(rotors) + " rotors, units " + writeNumber(length) + " " +
           writeNumber(mass) + " " + writeNumber(time) + (isTurned ? ", turned" : "");
  }
};

EquilibriumResult restOf(const std::string& text) {
  return analysis::findEquilibrium(buildModel(text));
}

void expectIdle(const Rotor& rotor, double turn = 1e-9) {
  const EquilibriumResult result = restOf(rotor.model());
  ASSERT_TRUE(result.report.ok()) << messageOf(result.report.failure) << ": " << rotor.name();
  EXPECT_EQ(result.report.stability, Stability::kStable) << rotor.name();
  EXPECT_NEAR(result.outputs[0], 0.0, turn) << rotor.name();
  EXPECT_FALSE(result.report.neutral.empty()) << rotor.name();
}

// Nothing acts on it, and it rests wherever it is.
TEST(NeutralRest, OfAnIdleRotorIsWhereItStarts) {
  for (const int order : {1, 2, 3}) {
    for (const int elements : {1, 4, 30}) {
      for (const bool isTurned : {false, true}) {
        expectIdle({.order = order, .elements = elements, .isTurned = isTurned});
      }
    }
  }
  expectIdle({.order = 1, .elements = 300});
  expectIdle({.order = 3, .elements = 100, .isTurned = true});
}

TEST(NeutralRest, OfSeveralRotorsInAnyUnitsIsWhereTheyStart) {
  for (const int order : {1, 3}) {
    for (const double length : {1e-9, 1e9}) {
      for (const double time : {1e-9, 1e9}) {
        expectIdle(
            {.order = order, .length = length, .mass = 1e9, .time = time, .isTurned = order == 3});
      }
    }
    for (const int rotors : {2, 3}) {
      expectIdle({.order = order, .elements = 12, .rotors = rotors, .isTurned = rotors == 3});
    }
  }
}

// Its shaft sags by F L³/3EI, a little less for the turn of its end, and it may be turned as one likes: one of its nodes keeps a component
// of its turn, which at the end of the shaft is that of the bent shaft as well, F L²/2EI.
TEST(NeutralRest, OfABalancedRotorUnderGravityLeavesItsAngleAsItIs) {
  const double sag = 4.0 * 9.81 * 0.6 * 0.6 * 0.6 / (3.0 * 200.0);
  const double turn = 4.0 * 9.81 * 0.6 * 0.6 / (2.0 * 200.0);
  for (const int order : {1, 2, 3}) {
    for (const int elements : {1, 4, 30}) {
      const Rotor rotor{.order = order, .elements = elements, .gravity = 9.81, .isTurned = true};
      expectIdle(rotor, turn);
      const double start =
          5.0 * rotor.axes()(2, 2) + 3.0 * rotor.axes()(0, 2) - 2.0 * rotor.axes()(1, 2);
      EXPECT_NEAR(restOf(rotor.model()).outputs[1] - start, -sag, 2e-3 * sag) << rotor.name();
    }
  }
}

// The disc's centre is 10 mm beside the axis: it falls to where it hangs.
TEST(NeutralRest, OfAnUnbalancedRotorUnderGravityIsWhereItHangs) {
  for (const int order : {1, 2, 3}) {
    for (const bool isTurned : {false, true}) {
      const Rotor rotor{
          .order = order, .gravity = 9.81, .com = {0.0, 0.01, 0.0}, .isTurned = isTurned};
      const EquilibriumResult result = restOf(rotor.model());
      ASSERT_TRUE(result.report.ok()) << messageOf(result.report.failure) << ": " << rotor.name();
      EXPECT_EQ(result.report.stability, Stability::kStable) << rotor.name();
      EXPECT_NEAR(result.outputs[0], -M_PI / 2.0, 1e-3) << rotor.name();
      EXPECT_TRUE(result.report.neutral.empty()) << result.report.neutral;
    }
  }
}

// A torque turns it on and on, however small.
TEST(NeutralRest, IsNoneWhereALoadDrivesTheFreeMotion) {
  for (const double torque : {1.0, 1e-6}) {
    const EquilibriumResult result = restOf(Rotor{.gravity = 9.81, .torque = torque}.model());
    EXPECT_FALSE(result.report.ok()) << torque;
    EXPECT_NE(messageOf(result.report.failure).find("nothing holds"), std::string::npos)
        << messageOf(result.report.failure);
  }
}

// An arm of beams on a free hinge, which starts horizontal, with a second arm on a controlled hinge. Nothing but gravity holds the first.
std::string makeArm(double length, double time, const std::string& blocks, double start) {
  const double mass = 1.0, force = mass * length / (time * time), moment = force * length * length;
  const auto n = [](double value) { return writeNumber(value); };
  const auto at = [&](double x) { return writeVector(length * Eigen::Vector3d(x, 0.0, 0.0)); };
  return "gravity: [0, 0, " + n(-9.81 * length / (time * time)) +
         "]\nsections: {s: {type: stiffness, EA: " + n(2e4 * force) + ", GAy: " + n(1e4 * force) +
         ", GAz: " + n(1e4 * force) + ", GJ: " + n(8.0 * moment) + ", EIy: " + n(5.0 * moment) +
         ", EIz: " + n(6.0 * moment) + ", rhoA: " + n(0.5 / length) +
         ", rhoJ: " + writeVector(length * Eigen::Vector3d(2e-3, 1e-3, 1e-3)) +
         "}}\nnodes: {A: [0, 0, 0], B: " + at(1.0) + ", c: " + at(1.5) +
         "}\nbodies: {b: {node: B, mass: 0.3, inertia: " +
         writeVector(length * length * Eigen::Vector3d(0.01, 0.01, 0.01)) +
         "}, c: {node: c, mass: 0.5, inertia: " +
         writeVector(length * length * Eigen::Vector3d(0.02, 0.03, 0.03)) +
         "}}\nbeams: {w: {from: A, to: B, elements: 3, order: 1, section: s, y_axis: [0, 1, 0]}}\n"
         "joints:\n  h: {type: hinge, between: [ground, A], axis: [0.1, 1, 0], start: " +
         n(start) + "}\n  h2: {type: hinge, between: [B, c], at: " + at(1.1) +
         ", axis: [0, 1, 0.2]}\nsensors: {q: {measure: angle, joint: h}, q2: {measure: angle, "
         "joint: "
         "h2}, p: {measure: position, node: c, direction: [0, 0, 1]}}\noutputs: [q, q2, p]\n"
         "actuators: {m: {type: torque, joint: h2, input: u, gain: " +
         n(moment / length) + "}}\nblocks:\n" + blocks;
}

const char* const kControllers[] = {
    "  u: {type: pid, input: q2, kp: 3.0, kd: 0.2}\n",
    "  u: {type: pid, input: q2, kp: 3.0, ki: 1.0, kd: 0.2}\n",
    "  u: {type: discrete_pid, input: q2, kp: 3.0, kd: 0.02, sample: 1 ms}\n",
    "  u: {type: pid, input: q2, kp: 3.0, kd: 0.2}\n  k: {type: hold, input: q, sample: 13.7 ms}\n",
};

void expectHanging(const std::string& text, double length) {
  const EquilibriumResult result = restOf(text);
  ASSERT_TRUE(result.report.ok()) << messageOf(result.report.failure) << "\n" << text;
  EXPECT_LT(result.outputs[2], -1.4 * length) << text;
  EXPECT_NEAR(std::remainder(result.outputs[0], 2.0 * M_PI), 1.571, 0.02) << text;
}

// In units that differ, rounding differs; it must not decide where the arm ends.
TEST(LoadPath, LeadsAFlexibleArmWithAControllerToWhereItHangs) {
  for (const char* blocks : kControllers) {
    for (const double length : {1.0, 3.0, 7.0}) {
      for (const double time : {1.0, 3.0}) {
        expectHanging(makeArm(length, time, blocks, 0.0), length);
      }
    }
  }
}

TEST(LoadPath, LeadsAFlexibleArmToWhereItHangsFromEveryStart) {
  for (const double start : {-1.5, -0.5, 0.5, 1.5, 2.5}) {
    expectHanging(makeArm(1.0, 1.0, kControllers[0], start), 1.0);
    expectHanging(makeArm(1.0, 1.0, kControllers[2], start), 1.0);
  }
}

// What is asked to be stable is, with sampled controllers too.
TEST(LoadPath, FindsNothingUnstableWhereAStableEquilibriumIsAsked) {
  const std::string upright = R"(gravity: [0, 0, -9.81]
nodes: {a: [0, 0, 0.5]}
bodies: {a: {node: a, mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {h: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}}
sensors: {q: {measure: angle, joint: h}}
outputs: [q]
actuators: {m: {type: torque, joint: h, input: u}}
)";
  for (const char* blocks :
       {"blocks: {u: {type: pid, input: q, kp: 1, kd: 1}}\n",
        "blocks: {u: {type: discrete_pid, input: q, kp: 1, kd: 1, sample: 1 ms}}\n"}) {
    const EquilibriumResult stable =
        restOf(upright + blocks + "analysis: {equilibrium: {find: stable}}\n");
    ASSERT_TRUE(stable.report.ok()) << messageOf(stable.report.failure);
    // q = 4.905 sin q away from the upright position
    const double q = std::abs(stable.outputs[0]);
    EXPECT_GT(q, 1.0) << blocks;
    EXPECT_NEAR(q, 4.905 * std::sin(q), 1e-9) << blocks;
    const EquilibriumResult loaded = restOf(upright + blocks);
    ASSERT_TRUE(loaded.report.ok()) << messageOf(loaded.report.failure);
    EXPECT_NEAR(loaded.outputs[0], 0.0, 1e-12) << "in balance it stays where it starts";
  }
}

linalg::SparseMatrix sparse(const Eigen::MatrixXd& A) {
  return A.sparseView();
}

// A chain of springs with free ends, as stiff as is given, has one neutral motion; a spring at its end that is 1e-13 of the others
// holds it, or drives it away.
TEST(SignCount, TellsWhatIsNeutralFromWhatIsSoft) {
  for (const int n : {3, 50, 200}) {
    for (const double end : {0.0, 1e-13, -1e-13}) {
      Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
      for (int k = 0; k + 1 < n; ++k) {
        A(k, k) += 1.0;
        A(k + 1, k + 1) += 1.0;
        A(k, k + 1) -= 1.0;
        A(k + 1, k) -= 1.0;
      }
      A(0, 0) += end * n;
      const auto signs = linalg::countSigns(sparse(A), {}, std::vector<bool>(n, false), {});
      ASSERT_TRUE(signs);
      EXPECT_EQ(signs->neutral.cols(), end == 0.0 ? 1 : 0) << n << ", " << end;
      EXPECT_EQ(signs->negative, end < 0.0 ? 1 : 0) << n << ", " << end;
    }
  }
}

// A constraint that a motion without stiffness is in holds it; one that is in none is neutral.
TEST(SignCount, KnowsConstraintsAndEmptyRows) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(4, 4);
  A(0, 0) = 1.0;
  A(1, 3) = A(3, 1) = 1.0;
  const auto signs = linalg::countSigns(sparse(A), {}, {false, false, false, true}, {});
  ASSERT_TRUE(signs);
  EXPECT_EQ(signs->negative, 1);
  ASSERT_EQ(signs->neutral.cols(), 1);
  EXPECT_GT(std::abs(signs->neutral(2, 0)), 0.99);
}

}  // namespace
}  // namespace flexloop::test
