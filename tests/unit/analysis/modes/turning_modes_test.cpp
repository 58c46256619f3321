// Modes of what turns, against closed forms: the axes in which they are seen, and motions without resistance.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "support/machine_modes.hpp"

namespace flexloop::test {
namespace {

using analysis::Mode;
using analysis::ModeResult;
using Complex = std::complex<double>;

// A free body that spins about its third axis. In its own axes what stays in space turns backwards with Ω,
// and its axis nods with (I3 − I1) Ω/I1.
TEST(TurningModes, ASpinningBodyNods) {
  const ModeResult result = modesOf(
      "nodes: {A: {position: [0, 0, 0], angular_velocity: [0, 0, 5]}}\n"
      "bodies: {a: {node: A, mass: 2, inertia: [0.3, 0.3, 0.5]}}\n",
      {.count = 20});
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  EXPECT_NEAR(distanceTo(result, Complex(0.0, 5.0)), 0.0, 1e-6);
  EXPECT_NEAR(distanceTo(result, Complex(0.0, 5.0 * 0.2 / 0.3)), 0.0, 1e-9);
}

// A free body that a constant torque turns faster and faster: nothing resists a displacement or a turn. In axes that
// turn with it, its place would seem to run away with s² = ±iα.
TEST(TurningModes, ATorqueGivesAFreeBodyNoStiffness) {
  for (const std::string formulation : {"se3", "r3xso3"}) {
    const ModeResult result =
        modesOf("formulation: " + formulation +
                    "\n"
                    "nodes: {A: [0, 0, 0]}\n"
                    "bodies: {a: {node: A, mass: 2, inertia: [0.5, 0.5, 0.5]}}\n"
                    "loads: {l: {node: A, torque: [0, 0, 40]}}\n",
                {.count = 20});
    ASSERT_TRUE(result.ok()) << messageOf(result.failure);
    EXPECT_EQ(result.rigidMotions, 6);
    for (const Mode& mode : result.modes) EXPECT_EQ(mode.eigenvalue, Complex(0.0, 0.0));
  }
}

// A rotor on two bearings that are alike in all directions. For whirl with y + iz and its tilt, by hand:
//     m y'' + (k1 + k2) y + (k2 b − k1 a) γ = 0,  Jt γ'' − i Jp Ω γ' + (k2 b − k1 a) y + (k1 a² + k2 b²) γ = 0
// python3: m,Jt,Jp,W,k1,k2,a,b=10,.3,.5,300,4e5,6e5,.4,.6; e=k2*b-k1*a; import numpy as np
//     np.roots(np.polyadd(np.polymul([m,0,k1+k2],[Jt,-1j*Jp*W,k1*a*a+k2*b*b]),[-e*e]))
// gives ±i ω as below; in the axes of the rotor each is shifted by Ω.
TEST(TurningModes, ARotorIsSeenInItsOwnAxes) {
  const ModeResult result = modesOf(
      "nodes: {R: {position: [0, 0, 0], angular_velocity: [300, 0, 0]}}\n"
      "bodies: {rotor: {node: R, mass: 10, inertia: [0.5, 0.3, 0.3]}}\n"
      "joints: {thrust: {type: point_on_plane, between: [ground, R], axis: [1, 0, 0]}}\n"
      "springs:\n"
      "  b1: {type: bushing, between: [ground, R], at: [-0.4, 0, 0], stiffness: [0, 4e5, 4e5, 0, "
      "0, 0]}\n"
      "  b2: {type: bushing, between: [ground, R], at: [0.6, 0, 0], stiffness: [0, 6e5, 6e5, 0, 0, "
      "0]}\n",
      {.count = 20});
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_EQ(result.modes.size(), 5u);
  for (const double omega : {-761.730030543, -284.975417375, 294.252438311, 1252.453009608}) {
    EXPECT_NEAR(distanceTo(result, Complex(0.0, std::abs(omega - 300.0))), 0.0, 1e-6) << omega;
  }
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_NE(result.notes[0].find("modes in the axes of the bodies"), std::string::npos);
}

// The same rotor on bearings that differ by direction. By hand, for y, z and the tilts about z and y:
// python3: m,Jt,Jp,W,a,b=10,.3,.5,300,.4,.6; ky=(4e5,6e5); kz=(7e5,9e5); import numpy as np; from scipy.linalg import eigvals
//     def S(k): e=k[1]*b-k[0]*a; return np.array([[k[0]+k[1],e],[e,k[0]*a*a+k[1]*b*b]])
//     K=np.zeros((4,4)); K[:2,:2]=S(ky); K[2:,2:]=S(kz)   # y, tz; z, -ty
//     M=np.diag([m,Jt,m,Jt]); G=np.zeros((4,4)); G[1,3]=W*Jp; G[3,1]=-W*Jp
//     eigvals(np.block([[np.zeros((4,4)),np.eye(4)],[-np.linalg.solve(M,K),-np.linalg.solve(M,G)]]))
TEST(TurningModes, ARotorOnUnequalBearingsIsSeenFromTheGround) {
  for (const std::string formulation : {"se3", "r3xso3"}) {
    const ModeResult result = modesOf(
        "formulation: " + formulation +
            "\n"
            "nodes: {R: {position: [0, 0, 0], angular_velocity: [300, 0, 0]}}\n"
            "bodies: {rotor: {node: R, mass: 10, inertia: [0.5, 0.3, 0.3]}}\n"
            "joints: {thrust: {type: point_on_plane, between: [ground, R], axis: [1, 0, 0]}}\n"
            "springs:\n"
            "  b1: {type: bushing, between: [ground, R], at: [-0.4, 0, 0], stiffness: [0, 4e5, "
            "7e5, 0, "
            "0, 0]}\n"
            "  b2: {type: bushing, between: [ground, R], at: [0.6, 0, 0], stiffness: [0, 6e5, 9e5, "
            "0, 0, "
            "0]}\n",
        {.count = 20});
    ASSERT_TRUE(result.ok()) << messageOf(result.failure);
    for (const double omega : {289.711582127, 377.331087209, 849.281933652, 1396.092874291}) {
      EXPECT_NEAR(distanceTo(result, Complex(0.0, omega)), 0.0, 1e-6) << omega;
    }
    ASSERT_EQ(result.notes.size(), 1u);
    EXPECT_NE(result.notes[0].find("ground axes"), std::string::npos);
  }
}

// A rotor that spins on a hinge, its mass beside a slanted axis: its angle is the only freedom, and nothing resists it. Reactions turn with it, so
// that the double root zero comes with forces.
TEST(TurningModes, SpinningRotorTurnsFreely) {
  const ModeResult result = modesOf(
      "nodes: {rotor: {position: [0, 0, 0], angular_velocity: [-4.1, -4.3, -5.5]}}\n"
      "bodies: {rotor: {node: rotor, mass: 3.16, inertia: [0.5, 0.85, 1.13, -0.33, 0.054, 0.046], "
      "com: [0.0003, -0.0147, 0.0893]}}\n"
      "joints: {shaft: {type: hinge, between: [ground, rotor], axis: [4.1, 4.3, 5.5]}}\n");
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_EQ(result.modes.size(), 1u);
  EXPECT_EQ(result.modes[0].eigenvalue, Complex(0.0, 0.0));
  EXPECT_EQ(result.rigidMotions, 1);
}

// A point mass m on a lag hinge at the radius a of a free hub: in the axes of the hub nothing changes as it turns, and nothing is to be noted.
// ω² = (k + m Ω² a l) (J + m (a + l)²) / (J m l²), from 2T = J φ'² + m (a² φ'² + l² (φ' + β')² + 2 a l φ' (φ' + β') cos β).
TEST(TurningModes, PointMassOnAFreeHubIsSeenInTheAxesOfTheHub) {
  const double k = 6.0, m = 1.7, speed = 4.0, a = 0.3, l = 0.7, J = 0.4;
  const ModeResult result = modesOf(
      "nodes:\n"
      "  hub: {position: [0, 0, 0], angular_velocity: [0, 0, 4]}\n"
      "  mass: {position: [1, 0, 0], velocity: [0, 4, 0], angular_velocity: [0, 0, 4]}\n"
      "bodies: {hub: {node: hub, mass: 1, inertia: [0.4, 0.4, 0.4]}, mass: {node: mass, mass: "
      "1.7}}\n"
      "joints:\n"
      "  shaft: {type: hinge, between: [ground, hub], axis: [0, 0, 1]}\n"
      "  lag: {type: hinge, between: [hub, mass], at: [0.3, 0, 0], axis: [0, 0, 1], stiffness: "
      "6}\n");
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_EQ(result.modes.size(), 2u);
  EXPECT_EQ(result.modes[0].eigenvalue, Complex(0.0, 0.0));
  const double square =
      (k + m * speed * speed * a * l) * (J + m * (a + l) * (a + l)) / (J * m * l * l);
  EXPECT_NEAR(std::abs(result.modes[1].eigenvalue - Complex(0.0, std::sqrt(square))), 0.0, 1e-9);
  EXPECT_TRUE(result.notes.empty()) << result.notes.front();
}

// Each in its own axes, beside each other: a rotor whose supports differ by direction, at √(k/m) in those of the ground; a pendulum
// on its way through the lowest point, at √(m g l/(J + m l²)) in those of its body; and the hub with a mass of the test above.
TEST(TurningModes, PartsBesideEachOtherHaveAxesOfTheirOwn) {
  for (const double unit : {1e-6, 1.0, 1e6}) {  // of mass
    const ModeResult result = modesOf(
        "gravity: [0, 0, -9.81]\n"
        "parameters: {u: " +
            std::to_string(unit * 1e6) +
            "e-6}\n"
            "nodes:\n"
            "  disc: {position: [0, 0, 0], free: [x, y, rz], angular_velocity: [0, 0, 30]}\n"
            "  bob: {position: [5, 0, -1], velocity: [2, 0, 0], angular_velocity: [0, -2, 0]}\n"
            "  hub: {position: [0, 9, 0], angular_velocity: [0, 0, 4]}\n"
            "  mass: {position: [1, 9, 0], velocity: [0, 4, 0], angular_velocity: [0, 0, 4]}\n"
            "bodies:\n"
            "  disc: {node: disc, mass: = 2*u, inertia: [= 0.02*u, = 0.02*u, = 0.04*u]}\n"
            "  bob: {node: bob, mass: = u, inertia: [= 0.1*u, = 0.1*u, = 0.1*u]}\n"
            "  hub: {node: hub, mass: = u, inertia: [= 0.4*u, = 0.4*u, = 0.4*u]}\n"
            "  mass: {node: mass, mass: = 1.7*u}\n"
            "springs:\n"
            "  x: {type: linear, between: [ground, disc], direction: [1, 0, 0], stiffness: = "
            "800*u}\n"
            "  y: {type: linear, between: [ground, disc], direction: [0, 1, 0], stiffness: = "
            "3200*u}\n"
            "joints:\n"
            "  pivot: {type: hinge, between: [ground, bob], at: [5, 0, 0], axis: [0, 1, 0]}\n"
            "  shaft: {type: hinge, between: [ground, hub], axis: [0, 0, 1]}\n"
            "  lag: {type: hinge, between: [hub, mass], at: [0.3, 9, 0], axis: [0, 0, 1], "
            "stiffness: = "
            "6*u}\n",
        {.count = 20});
    ASSERT_TRUE(result.ok()) << messageOf(result.failure);
    const double lag = std::sqrt((6.0 + 1.7 * 16.0 * 0.21) * (0.4 + 1.7) / (0.4 * 1.7 * 0.49));
    for (const double omega : {20.0, 40.0, std::sqrt(9.81 / 1.1), lag}) {
      EXPECT_NEAR(distanceTo(result, Complex(0.0, omega)), 0.0, 1e-9 * omega) << unit;
    }
    for (const Mode& mode : result.modes) EXPECT_LT(mode.eigenvalue.real(), 1e-9) << unit;
  }
}

}  // namespace
}  // namespace flexloop::test
