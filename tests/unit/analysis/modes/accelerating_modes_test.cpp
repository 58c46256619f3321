// Modes about a start at which a machine accelerates (docs/theory/18_eigenproblem.md, section 18.1): they do not depend on where its
// nodes are placed.
#include <cmath>
#include <complex>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "support/machine_modes.hpp"

namespace flexloop::test {
namespace {

using analysis::ModeResult;
using Complex = std::complex<double>;

constexpr double kFirst = 0.9, kSecond = 0.35;  // rad from the vertical

std::string point(double x, double z) {
  char text[80];
  std::snprintf(text, sizeof text, "[%.17g, 0, %.17g]", x, z);
  return text;
}

// Two links of 2 kg and 1.5 kg that hang on each other, released from rest. Their nodes are the given shares of the distances from
// joint to centre of mass along the links, and so far beside them.
std::string makeLinks(double along, double beside, const std::string& more) {
  const double l1 = 0.3, L1 = 0.7, l2 = 0.25;
  const double x1 = std::sin(kFirst), z1 = -std::cos(kFirst);
  const double x2 = std::sin(kSecond), z2 = -std::cos(kSecond);
  const auto placeOf = [&](double x, double z, double l) {
    return std::pair(along * l * x - beside * z, along * l * z + beside * x);
  };
  const auto [ax, az] = placeOf(x1, z1, l1);
  const auto [bx, bz] = placeOf(x2, z2, l2);
  const std::string free = more.empty() ? "" : ", free: " + more;
  return "gravity: [0, 0, -9.81]\n"
         "nodes:\n  a: {position: " +
         point(ax, az) + free + "}\n  b: {position: " + point(L1 * x1 + bx, L1 * z1 + bz) + free +
         "}\nbodies:\n  a: {node: a, mass: 2, inertia: [0.05, 0.05, 0.05], com: " +
         point(l1 * x1 - ax, l1 * z1 - az) +
         "}\n  b: {node: b, mass: 1.5, inertia: [0.04, 0.04, 0.04], com: " +
         point(l2 * x2 - bx, l2 * z2 - bz) +
         "}\njoints:\n"
         "  j: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
         "  k: {type: hinge, between: [a, b], at: " +
         point(L1 * x1, L1 * z1) + ", axis: [0, 1, 0]}\n";
}

// In coordinates in which the kinetic energy has no first derivatives at the start, as those of centres of mass before joints hold
// them: (H + aᵏ Γₖ − ω² M) z = 0 with the second derivatives H of the potential, the accelerations a = −M⁻¹ V' and the Christoffel
// symbols Γ of M, in any coordinates.
// python3: import numpy as np; from scipy.linalg import eigh; g=9.81; m1,J1,l1,L1=2,.05,.3,.7; m2,J2,l2=1.5,.04,.25; p,q=.9,.35
//     b=m2*L1*l2; c=np.cos(p-q); s=np.sin(p-q); M=np.array([[J1+m1*l1**2+m2*L1**2,b*c],[b*c,J2+m2*l2**2]])
//     k=g*np.array([m1*l1+m2*L1,m2*l2]); a=-np.linalg.solve(M,k*np.sin([p,q])); d=np.array([[0,1],[1,0]])
//     dM=[-b*s*d,b*s*d]; G=lambda k,i,j:.5*(dM[i][k,j]+dM[j][k,i]-dM[k][i,j])
//     eigh(np.diag(k*np.cos([p,q]))+[[sum(a[k]*G(k,i,j) for k in (0,1)) for j in (0,1)] for i in (0,1)],M)[0]
TEST(AcceleratingModes, DoNotDependOnThePlacesOfNodes) {
  for (const std::string formulation : {"local", "se3", "r3xso3"}) {
    for (const auto& [along, beside] : {std::pair(1.0, 0.0), {0.0, 0.0}, {0.4, 0.2}, {-3.0, 5.0}}) {
      for (const std::string free : {"", "[x, z, ry]"}) {
        SCOPED_TRACE(formulation + " " + std::to_string(along) + " " + free);
        const ModeResult result =
            modesOf("formulation: " + formulation + "\n" + makeLinks(along, beside, free));
        ASSERT_TRUE(result.ok()) << messageOf(result.failure);
        ASSERT_EQ(result.modes.size(), 2u);
        for (const double square : {4.61791476, 19.87463075}) {
          EXPECT_LT(distanceTo(result, Complex(0.0, std::sqrt(square))), 1e-8);
        }
      }
    }
  }
}

// Within the time of its mode it turns far, or hardly at all, in any units.
TEST(AcceleratingModes, AreSaidToBeThoseOfAnInstant) {
  for (const double unit : {1e-9, 1.0, 1e9}) {
    for (const double angle : {0.05, 0.7, 0.5 * M_PI}) {
      const auto number = [&](double x) {
        char text[40];
        std::snprintf(text, sizeof text, "%.17g", x * unit);
        return std::string(text);
      };
      const ModeResult result = modesOf(
          "gravity: [0, 0, -" + number(9.81) +
          "]\nnodes: {a: [0, 0, 0]}\nbodies: {a: {node: a, mass: 1, inertia: [0, 0, 0], com: [" +
          number(std::sin(angle)) + ", 0, " + number(-std::cos(angle)) +
          "]}}\njoints: {j: {type: hinge, between: [ground, a], axis: [0, 1, 0]}}\n");
      ASSERT_TRUE(result.ok()) << messageOf(result.failure);
      const bool isFar = angle > 0.3;
      ASSERT_EQ(result.notes.size(), isFar ? 1u : 0u) << angle;
      EXPECT_EQ(isFar, !result.notes.empty() && result.notes[0].find("accelerates") == 12);
    }
  }
}

// Two links that swing without friction: at an instant of a run the real parts of their roots are what is left of velocities along
// joints, 1e-8 1/s, beside roots that change by themselves within a period.
TEST(AcceleratingModes, OfAnInstantDoNotGrowByRounding) {
  for (const double time : {0.5, 0.9}) {
    const ModeResult result =
        modesOf(makeLinks(1.0, 0.0, "") + "analysis: {time: {end: 1, step: 1 ms}}\n", {},
                {.kind = model::OperatingPoint::Kind::kTime, .time = time});
    ASSERT_TRUE(result.ok()) << messageOf(result.failure);
    for (const analysis::Mode& mode : result.modes) {
      EXPECT_TRUE(mode.isStable() || mode.eigenvalue.real() > 1.0) << mode.eigenvalue;
    }
    EXPECT_FALSE(result.notes.empty());
  }
}

// All roots of both are zero: of a point mass on a rod that is released from the horizontal, which soon swings, and of a body that
// falls, whose node is not its centre of mass.
TEST(AcceleratingModes, OfAPendulumFromTheHorizontalAreNotThoseOfAFreeMachine) {
  const ModeResult swings = modesOf(
      "gravity: [0, 0, -9.81]\n"
      "nodes: {a: [0.7, 0, 0]}\nbodies: {a: {node: a, mass: 2}}\n"
      "joints: {j: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}}\n");
  ASSERT_TRUE(swings.ok()) << messageOf(swings.failure);
  EXPECT_EQ(swings.notes.size(), 1u);
  const ModeResult falls = modesOf(
      "gravity: [1, 2, -9.81]\n"
      "nodes: {a: [0.7, 0.1, 0.4]}\n"
      "bodies: {a: {node: a, mass: 2, inertia: [0.1, 0.2, 0.15], com: [0.3, -0.2, 0.1]}}\n");
  ASSERT_TRUE(falls.ok()) << messageOf(falls.failure);
  EXPECT_EQ(falls.rigidMotions, 6);
  EXPECT_TRUE(falls.notes.empty()) << falls.notes.front();
}

}  // namespace
}  // namespace flexloop::test
