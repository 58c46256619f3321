// Modes of machines against closed forms.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "linalg/roots/shift_invert.hpp"
#include "support/linear_machine.hpp"
#include "support/machine_modes.hpp"

namespace flexloop::test {
namespace {

using analysis::Mode;
using analysis::ModeResult;
using Complex = std::complex<double>;

// Timoshenko's beam with free ends (exact transfer matrix: 263.439974127 Hz), and six motions without
// resistance, small and large.
TEST(Modes, AFloatingBeamHasSixMotionsWithoutResistance) {
  for (const int elements : {20, 200}) {
    const ModeResult result = modesOf(
        "materials: {s: {E: 210 GPa, nu: 0.3, rho: 7850}}\n"
        "sections: {q: {type: rectangle, width: 50 mm, height: 50 mm}}\n"
        "nodes: {A: [0, 0, 0], B: [1, 0, 0]}\n"
        "beams: {b: {from: A, to: B, elements: " +
            std::to_string(elements) + ", section: q, material: s, y_axis: [0, 1, 0]}}\n",
        {.count = 8});
    ASSERT_TRUE(result.ok()) << messageOf(result.failure);
    ASSERT_EQ(result.modes.size(), 8u);
    EXPECT_EQ(result.rigidMotions, 6);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(result.modes[i].eigenvalue, Complex(0.0, 0.0));
    for (int i = 6; i < 8; ++i) {
      EXPECT_NEAR(result.modes[i].frequencyHz(), 263.439974127, elements == 20 ? 0.02 : 0.001);
    }
  }
}

// A ball that slides on a beam, which a motor tilts until the ball is in the middle. With rho = 1 its accelerations swing
// by 0.5 m/s² at 3 s, where it moves by a millimetre only. By hand, with r, r', θ, θ' about rest:
// python3: m,J,g,d=.11,.02,9.81,.02; import numpy as np
//     np.linalg.eigvals([[0,1,0,0],[0,-d/m,g,0],[0,0,0,1],[(m*g-75)/J,-48/J,-30/J,-3/J]])
TEST(Modes, AboutATimeDoNotSeeSwingsOfTheScheme) {
  const ModeResult result = modesOf(R"(
gravity: [0, 0, -9.81]
nodes: {beam: [0, 0, 0], ball: [0.1, 0, 0]}
bodies: {beam: {node: beam, mass: 0.5, inertia: [0.01, 0.02, 0.02]}, ball: {node: ball, mass: 0.11}}
joints:
  pivot: {type: hinge, between: [ground, beam], axis: [0, 1, 0]}
  rail: {type: slider, between: [beam, ball], axis: [1, 0, 0], damping: 0.02}
sensors: {th: {measure: angle, joint: pivot}, s: {measure: displacement, joint: rail}}
blocks:
  r: {type: sum, inputs: [s, 0.1]}
  law: {type: gain, inputs: [r, s.rate, th, th.rate], gain: [[-75, -48, -30, -3]]}
actuators: {motor: {type: torque, joint: pivot, input: law}}
analysis: {time: {end: 3, step: 1 ms, rho: 1}}
)",
                                    {}, {model::OperatingPoint::Kind::kTime, 3.0});
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  for (const Complex root :
       {Complex(-140.50530315, 0.0), Complex(-4.00195462, 11.7587424), Complex(-1.6726058, 0.0)}) {
    EXPECT_LT(distanceTo(result, root), 1e-3) << root;
  }
}

// Two stiff links that hinges let turn freely: seen as rigid, nothing of their stiffness is left, and nothing grows.
TEST(Modes, RigidLinksThatTurnFreelyHaveNoStiffness) {
  const ModeResult result = modesOf(
      "sections: {s: {type: stiffness, EA: 1e8, GAy: 1e8, GAz: 1e8, GJ: 1, EIy: 1e3, EIz: 7, "
      "rhoA: 0.2, rhoJ: [2e-5, 1e-5, 1e-5]}}\n"
      "nodes: {A: [0, 0, 0], B: [0.3, 0.4, 0.1], C: [0.3, 0.4, 0.1], D: [0.9, 0.1, 0.1]}\n"
      "beams:\n"
      "  l1: {from: A, to: B, elements: 7, section: s, y_axis: [0, 0, 1]}\n"
      "  l2: {from: C, to: D, elements: 9, section: s, y_axis: [0, 0, 1]}\n"
      "joints:\n"
      "  j1: {type: hinge, between: [ground, A], axis: [0, 0, 1]}\n"
      "  j2: {type: hinge, between: [B, C], axis: [0, 0, 1]}\n",
      {.count = 20, .view = {.bodies = analysis::BodyView::kRigid}});
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  EXPECT_EQ(result.rigidMotions, 2);
  for (const Mode& mode : result.modes) EXPECT_EQ(mode.eigenvalue, Complex(0.0, 0.0));
}

// A portal that is welded to a body at both feet, and the body on a spring: as rigid, one mass of 3 + 0.6 kg, whose
// second weld follows from the first. A parallelogram with hinges about one axis, as rigid, turns with
// 2 m l²/3 + m l² = 5/3 m l² against its spring.
TEST(Modes, RigidViewsLeaveOutWhatRigidityImplies) {
  const std::string section =
      "sections: {s: {type: stiffness, EA: 1e6, GAy: 1e6, GAz: 1e6, GJ: 1e2, EIy: 1e3, EIz: 1e3, "
      "rhoA: "
      "0.2, rhoJ: [2e-5, 1e-5, 1e-5]}}\n";
  const ModeResult portal =
      modesOf(section +
                  "nodes: {T: {position: [0, 0, 0], free: [x]}, A: [0, 0, 0], B: [0, 0, 1], C: [1, "
                  "0, 1], D: "
                  "[1, 0, 0]}\n"
                  "bodies: {t: {node: T, mass: 3}}\n"
                  "beams:\n"
                  "  a: {from: A, to: B, elements: 3, section: s, y_axis: [0, 1, 0]}\n"
                  "  b: {from: B, to: C, elements: 3, section: s, y_axis: [0, 1, 0]}\n"
                  "  c: {from: C, to: D, elements: 3, section: s, y_axis: [0, 1, 0]}\n"
                  "joints: {w1: {type: weld, between: [T, A]}, w2: {type: weld, between: [T, D]}}\n"
                  "springs: {k: {type: linear, between: [ground, T], direction: [1, 0, 0], "
                  "stiffness: 90}}\n",
              {.count = 20, .view = {.bodies = analysis::BodyView::kRigid}});
  ASSERT_TRUE(portal.ok()) << messageOf(portal.failure);
  ASSERT_EQ(portal.modes.size(), 1u);
  EXPECT_NEAR(portal.modes[0].eigenvalue.imag(), 5.0, 1e-9);
  const ModeResult linkage =
      modesOf(section +
                  "nodes: {A: [0, 0, 0], B1: [0, 0, 1], B2: [0, 0, 1], C2: [1, 0, 1], C3: [1, 0, "
                  "1], D: [1, 0, "
                  "0]}\n"
                  "beams:\n"
                  "  a: {from: A, to: B1, elements: 3, section: s, y_axis: [0, 1, 0]}\n"
                  "  b: {from: B2, to: C2, elements: 3, section: s, y_axis: [0, 1, 0]}\n"
                  "  c: {from: C3, to: D, elements: 3, section: s, y_axis: [0, 1, 0]}\n"
                  "joints:\n"
                  "  a: {type: hinge, between: [ground, A], axis: [0, 1, 0], stiffness: 12}\n"
                  "  b: {type: hinge, between: [B1, B2], axis: [0, 1, 0]}\n"
                  "  c: {type: hinge, between: [C2, C3], axis: [0, 1, 0]}\n"
                  "  d: {type: hinge, between: [ground, D], axis: [0, 1, 0]}\n",
              {.count = 20, .view = {.bodies = analysis::BodyView::kRigid}});
  ASSERT_TRUE(linkage.ok()) << messageOf(linkage.failure);
  ASSERT_EQ(linkage.modes.size(), 1u);
  // The cranks have 0.2/3 + 1e-5 kg m² each about their pivots, with the inertia of their sections.
  EXPECT_NEAR(linkage.modes[0].eigenvalue.imag(), std::sqrt(12.0 / (0.4 / 3.0 + 2e-5 + 0.2)), 1e-9);
}

TEST(Modes, ARigidLinkThatTurnsFreelyStandsStill) {
  const ModeResult result = modesOf(
      "sections: {s: {type: stiffness, EA: 1e5, GAy: 1e6, GAz: 1e6, GJ: 1, EIy: 1e3, EIz: 0.25, "
      "rhoA: 0.13, rhoJ: [1e-8, 1e-10, 1e-10]}}\n"
      "nodes: {hub: [0, 0, 0], tip: [0.45, 0, 0]}\n"
      "bodies: {hub: {node: hub, mass: 0, inertia: [2e-3, 2e-3, 2e-3]}, tip: {node: tip, mass: "
      "0.05}}\n"
      "beams: {b: {from: hub, to: tip, elements: 8, order: 3, section: s, y_axis: [0, 1, 0]}}\n"
      "joints: {j: {type: hinge, between: [ground, hub], axis: [0, 0, 1]}}\n",
      {.count = 20, .view = {.bodies = analysis::BodyView::kRigid}});
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_EQ(result.modes.size(), 1u);
  EXPECT_EQ(result.modes[0].eigenvalue, Complex(0.0, 0.0));
  EXPECT_LT(result.modes[0].residual, 1e-12);
}

// A flexible arm with a damped servo at its hinge takes energy out and never puts any in, so that none of all its roots
// grows: rounding must not leave a root at infinity on the wrong side.
TEST(Modes, AllRootsOfAStiffArmWithAServoDecay) {
  for (const double kp : {10.0, 19.98, 20.0, 20.02, 33.3}) {
    const ModeResult result = modesOf(
        "sections: {s: {type: stiffness, EA: 1e6, GAy: 4e5, GAz: 4e5, GJ: 40, EIy: 60, EIz: 60, "
        "rhoA: 0.8, "
        "rhoJ: [1e-4, 5e-5, 5e-5]}}\n"
        "nodes: {a: [0, 0, 0], b: [1, 0, 0]}\n"
        "beams: {arm: {from: a, to: b, elements: 8, section: s, damping: 1e-5, y_axis: [0, 1, "
        "0]}}\n"
        "bodies: {tip: {node: b, mass: 0.4, inertia: [1e-3, 1e-3, 1e-3]}}\n"
        "joints: {h: {type: hinge, between: [ground, a], axis: [0, 0, 1]}}\n"
        "sensors: {q: {measure: angle, joint: h}}\n"
        "actuators: {m: {type: torque, joint: h, input: u}}\n"
        "blocks:\n"
        "  p: {type: gain, input: q, gain: -" +
            std::to_string(kp) +
            "}\n"
            "  d: {type: gain, input: q.rate, gain: -2}\n"
            "  u: {type: sum, inputs: [p, d]}\n",
        {.count = 300});
    ASSERT_TRUE(result.ok()) << messageOf(result.failure);
    for (const Mode& mode : result.modes) EXPECT_TRUE(mode.isStable()) << kp << mode.eigenvalue;
  }
}

// A pendulum: ω² = g L m/(m L² + I), about the equilibrium that it falls into.
TEST(Modes, APendulumHangsDown) {
  const ModeResult result = modesOf(
      "gravity: [0, 0, -9.81]\n"
      "nodes: {A: [0, 0, -0.7]}\n"
      "bodies: {a: {node: A, mass: 2, inertia: [0.1, 0.2, 0.1]}}\n"
      "joints: {h: {type: hinge, between: [ground, A], at: [0, 0, 0], axis: [0, 1, 0]}}\n",
      {}, {model::OperatingPoint::Kind::kEquilibrium, 0.0});
  ASSERT_EQ(result.modes.size(), 1u);
  EXPECT_NEAR(result.modes[0].eigenvalue.imag(), std::sqrt(2 * 9.81 * 0.7 / (2 * 0.49 + 0.2)),
              1e-9);
}

// Upside down it falls: the same root, real, with both signs.
TEST(Modes, APendulumUpsideDownIsUnstable) {
  const ModeResult result = modesOf(
      "gravity: [0, 0, -9.81]\n"
      "nodes: {A: [0, 0, 0.7]}\n"
      "bodies: {a: {node: A, mass: 2, inertia: [0.1, 0.2, 0.1]}}\n"
      "joints: {h: {type: hinge, between: [ground, A], at: [0, 0, 0], axis: [0, 1, 0]}}\n");
  ASSERT_EQ(result.modes.size(), 2u);
  const double rate = std::sqrt(2 * 9.81 * 0.7 / (2 * 0.49 + 0.2));
  EXPECT_NEAR(distanceTo(result, rate), 0.0, 1e-9);
  EXPECT_NEAR(distanceTo(result, -rate), 0.0, 1e-9);
  EXPECT_EQ(std::count_if(result.modes.begin(), result.modes.end(),
                          [](const Mode& mode) { return mode.isStable(); }),
            1);
}

// A spring and a servo in parallel; the servo cut, and the joint that it holds locked.
TEST(Modes, ViewsLeaveOutWhatOthersDo) {
  const std::string text =
      "nodes: {A: {position: [0, 0, 0], free: [x]}, B: {position: [1, 0, 0], free: [x]}}\n"
      "bodies: {a: {node: A, mass: 1}, b: {node: B, mass: 1}}\n"
      "springs:\n"
      "  k1: {type: linear, between: [ground, A], direction: [1, 0, 0], stiffness: 9}\n"
      "  k2: {type: linear, between: [A, B], direction: [1, 0, 0], stiffness: 16}\n"
      "sensors: {x: {measure: displacement, node: A, direction: [1, 0, 0]}}\n"
      "blocks: {u: {type: pid, input: x, kp: 7}}\n"
      "actuators: {f: {type: force, node: A, direction: [1, 0, 0], input: u}}\n";
  const auto calcPair = [](double k) {  // of K = [k + 16, −16; −16, 16]
    const double half = 0.5 * (k + 32.0), root = std::sqrt(half * half - 16.0 * k);
    return std::pair{std::sqrt(half - root), std::sqrt(half + root)};
  };
  for (const auto& [loop, k] :
       {std::pair{analysis::LoopView::kClosed, 16.0}, std::pair{analysis::LoopView::kOpen, 9.0}}) {
    const ModeResult result = modesOf(text, {.view = {.loop = loop}});
    const auto [slow, fast] = calcPair(k);
    ASSERT_EQ(result.modes.size(), 2u);
    EXPECT_NEAR(distanceTo(result, Complex(0.0, slow)), 0.0, 1e-12);
    EXPECT_NEAR(distanceTo(result, Complex(0.0, fast)), 0.0, 1e-12);
  }
  const ModeResult locked = modesOf(text, {.view = {.loop = analysis::LoopView::kLocked}});
  ASSERT_EQ(locked.modes.size(), 1u);
  EXPECT_NEAR(locked.modes[0].eigenvalue.imag(), 4.0, 1e-12);
}

// 60,000 unknowns with a controller in the loop. Sideways nothing is controlled, and the frequencies are those of
// Timoshenko's beam (exact transfer matrix).
TEST(Modes, OfALargeMachineAreFoundNearZero) {
  const ModeResult result = modesOf(
      "materials: {s: {E: 210 GPa, nu: 0.3, rho: 7850}}\n"
      "sections: {q: {type: rectangle, width: 50 mm, height: 50 mm}}\n"
      "nodes: {A: {position: [0, 0, 0], free: []}, B: [1, 0, 0]}\n"
      "beams: {b: {from: A, to: B, elements: 10000, section: q, material: s, y_axis: [0, 1, 0]}}\n"
      "sensors: {a: {measure: acceleration, node: B, direction: [0, 0, 1]}}\n"
      "blocks: {lag: {type: transfer_function, input: a, numerator: [-0.5], denominator: [0.001, "
      "1]}}\n"
      "actuators: {f: {type: force, node: B, direction: [0, 0, 1], input: lag}}\n");
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_EQ(result.modes.size(), 10u);
  for (const Mode& mode : result.modes) EXPECT_LT(mode.residual, 1e-8);
  for (const double hz : {41.6927962022, 258.241234693, 710.046452677}) {
    const double omega = 2.0 * std::numbers::pi * hz;
    EXPECT_LT(distanceTo(result, Complex(0.0, omega)), 1e-5 * omega);
  }
}

// A planar four-bar closed by hinges has three redundant constraints; they add no roots, and its swing is
// the one root that there is.
TEST(Modes, RedundantConstraintsAddNoRoots) {
  const ModeResult result = modesOf(
      "nodes: {A: [0, 0, 0.5], B: [0.5, 0, 1], C: [1, 0, 0.5]}\n"
      "bodies:\n"
      "  a: {node: A, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
      "  b: {node: B, mass: 2, inertia: [0.1, 0.1, 0.1]}\n"
      "  c: {node: C, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
      "joints:\n"
      "  h1: {type: hinge, between: [ground, A], at: [0, 0, 0], axis: [0, 1, 0], stiffness: 20}\n"
      "  h2: {type: hinge, between: [A, B], at: [0, 0, 1], axis: [0, 1, 0]}\n"
      "  h3: {type: hinge, between: [B, C], at: [1, 0, 1], axis: [0, 1, 0]}\n"
      "  h4: {type: hinge, between: [C, ground], at: [1, 0, 0], axis: [0, 1, 0]}\n");
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_EQ(result.modes.size(), 1u);
  // Both cranks turn by θ and the coupler moves by L θ: 2 (I + m L²/4) + 2 L².
  const double inertia = 2.0 * (0.1 + 0.25) + 2.0;
  EXPECT_NEAR(result.modes[0].eigenvalue.imag(), std::sqrt(20.0 / inertia), 1e-9);
}

// Freedoms that the slider holds have stiffnesses of round-off only, from 1e-18 to 1e-20 N/m with these numbers; they say
// nothing about how fast the machine is. m s² + c s + k = 0.
TEST(Modes, HeldFreedomsDoNotHideTheMotion) {
  const ModeResult result = modesOf(
      "nodes: {A: {position: [0.5018280467397334, 2.3625954843876147, 0.44104604030177635],\n"
      "  velocity: [0, -1.3260142843485903, 0], formulation: r3xso3,\n"
      "  rotation: {axis: [0.07992309425322004, 2.471384008303433, -0.07250767409096634],\n"
      "    angle: 0.36386733468575905}}}\n"
      "bodies: {b: {node: A, mass: 1.5, inertia: [0.16, 0.162, 0.151]}}\n"
      "joints: {j: {type: slider, between: [ground, A], axis: [0, 1.7302518412282508, 0],\n"
      "  stiffness: 480, damping: 0.6}}\n");
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_EQ(result.modes.size(), 1u);
  const Complex root(-0.2, std::sqrt(480.0 / 1.5 - 0.04));
  EXPECT_LT(std::abs(result.modes[0].eigenvalue - root), 1e-12 * std::abs(root));
}

// Two actuators on one freedom, and one on a joint that is locked anyhow, hold no more than one: B is left.
TEST(Modes, ActuatorsMayHoldTheSameFreedom) {
  const ModeResult result = modesOf(
      "nodes: {A: {position: [0, 0, 0], free: [x]}, B: {position: [1, 0, 0], free: [x]},\n"
      "        C: [0, 1, 0]}\n"
      "bodies: {a: {node: A, mass: 2}, b: {node: B, mass: 3},\n"
      "         c: {node: C, mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {j: {type: slider, between: [A, C], axis: [1, 0, 0], locked: true}}\n"
      "springs:\n"
      "  k1: {type: linear, between: [ground, A], direction: [1, 0, 0], stiffness: 100}\n"
      "  k2: {type: linear, between: [A, B], direction: [1, 0, 0], stiffness: 48}\n"
      "actuators:\n"
      "  f1: {type: force, node: A, direction: [1, 0, 0], input: 1}\n"
      "  f2: {type: force, node: A, direction: [-2, 0, 0], input: 0.5}\n"
      "  f3: {type: force, joint: j, input: 0.1}\n",
      {.view = {.loop = analysis::LoopView::kLocked}});
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_EQ(result.modes.size(), 1u);
  EXPECT_LT(std::abs(result.modes[0].eigenvalue - Complex(0.0, 4.0)), 1e-12);
}

// m x'' + c x' = 0 moves freely beside a mass on a spring. All terms at its root of zero are round-off.
TEST(Modes, AMassOnADamperMovesFreely) {
  const ModeResult result = modesOf(
      "nodes: {A: {position: [0, 0, 0], free: [x]}, B: {position: [1, 0, 0], free: [x]}}\n"
      "bodies: {a: {node: A, mass: 0.5082335379932077}, b: {node: B, mass: 4.8450489666649155}}\n"
      "springs:\n"
      "  d: {type: damper, between: [ground, A], direction: [1, 0, 0], damping: "
      "10.245567364396178}\n"
      "  k: {type: linear, between: [ground, B], direction: [1, 0, 0], stiffness: 131}\n");
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_EQ(result.modes.size(), 3u);
  EXPECT_EQ(result.modes[0].eigenvalue, 0.0);
  EXPECT_EQ(result.rigidMotions, 1);
  EXPECT_NEAR(result.modes[1].eigenvalue.real(), -10.245567364396178 / 0.5082335379932077, 1e-10);
}

// The norm of the operator of such a loop is far above its eigenvalues. That puts all roots in doubt, and each took up to six
// factorisations to be told from an infinite one.
TEST(Modes, OfABeamWithALoopOfAccelerationsTakeOneFactorisation) {
  const Machine machine(
      "materials: {s: {E: 210 GPa, nu: 0.3, rho: 7850}}\n"
      "sections: {q: {type: rectangle, width: 50 mm, height: 50 mm}}\n"
      "nodes: {A: {position: [0, 0, 0], free: []}, B: [1, 0, 0]}\n"
      "beams: {b: {from: A, to: B, elements: 1000, section: q, material: s, y_axis: [0, 1, 0]}}\n"
      "sensors: {a: {measure: acceleration, node: B, direction: [0, 0, 1]}}\n"
      "blocks: {lag: {type: transfer_function, input: a, numerator: [-0.5], denominator: "
      "[0.001, 1]}}\n"
      "actuators: {f: {type: force, node: B, direction: [0, 0, 1], input: lag}}\n",
      {{"f"}, {"a"}, ""});
  const linalg::NearestResult nearest =
      linalg::findNearest(machine.linear.pencil, {.groups = machine.linear.groups});
  ASSERT_TRUE(nearest.converged());
  EXPECT_EQ(nearest.pairs.size(), 10u);
  // Fewer than one for each root.
  EXPECT_LE(nearest.factorizations, 6);
}

// A cantilever with a pid at its tip, about a start that gravity accelerates: its weight adds small entries, and pivots
// must stay where they lose no digits. scipy.sparse.linalg.eigs of the same pencil, and meshes of order 2.
TEST(Modes, OfFineMeshesUnderGravityAreThoseOfCoarseOnes) {
  for (const int elements : {150, 400}) {
    const ModeResult result = modesOf(
        "gravity: [0, 0, -9.81]\n"
        "materials: {st: {E: 210e9, nu: 0.3, rho: 7850}}\n"
        "sections: {s: {type: rectangle, width: 20 mm, height: 10 mm}}\n"
        "nodes: {A: {position: [0, 0, 0], free: []}, B: [2, 0, 0]}\n"
        "beams: {w: {from: A, to: B, section: s, material: st, y_axis: [0, 1, 0], elements: " +
            std::to_string(elements) +
            "}}\n"
            "sensors: {z: {measure: displacement, node: B, direction: [0, 0, 1]}}\n"
            "blocks: {u: {type: pid, input: z, kp: 20, ki: 3, kd: 2}}\n"
            "actuators: {m: {type: force, node: B, direction: [0, 0, 1], input: u}}\n",
        {.count = 7});
    ASSERT_TRUE(result.ok()) << messageOf(result.failure);
    const Complex roots[] = {{-0.0198402, 0.0},    {-1.254107, 14.00733}, {0.0, 26.24644},
                             {-1.280721, 82.3499}, {0.0, 164.4053},       {-1.27495, 230.2509}};
    for (const Complex& root : roots) {
      double nearest = INFINITY;
      for (const Mode& mode : result.modes) {
        nearest = std::min(nearest, std::abs(mode.eigenvalue - root));
      }
      EXPECT_LE(nearest, 1e-5 * std::abs(root)) << root << ", " << elements;
    }
    for (const Mode& mode : result.modes) EXPECT_TRUE(mode.isStable()) << mode.eigenvalue;
  }
}

}  // namespace
}  // namespace flexloop::test
