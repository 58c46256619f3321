// The equilibrium is the end of the path of growing loads, also where others are near; against closed forms.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "support/equilibrium_search.hpp"

namespace flexloop {
namespace {

using solve::Stability;
using solve::Wanted;

using Found = test::FoundEquilibrium;

// A pendulum above its hinge with a spring: k (q − rest) = m g l sin q. Below the load at which the upright one becomes
// unstable there is one solution; it is followed to the full load here in small steps.
struct Pendulum {
  double k = 3.0, rest = 0.0;
  double length = 0.5, mass = 1.0;

  double moment() const { return 9.81 * mass * length; }
  std::string model() const {
    const std::string I = test::writeNumber(0.1 * mass * length * length);
    return "flexloop: 1\ngravity: [0, 0, -9.81]\nnodes: {a: [0, 0, " + test::writeNumber(length) +
           "]}\nbodies: {a: {node: a, mass: " + test::writeNumber(mass) + ", inertia: [" + I +
           ", " + I + ", " + I +
           "]}}\njoints: {h: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], "
           "stiffness: " +
           test::writeNumber(k * mass * length / 0.5) + ", rest: " + test::writeNumber(rest) +
           "}}\n";
  }
  double endOfPath() const {
    const double stiffness = k * mass * length / 0.5;
    double q = rest;
    for (int step = 0; step <= 20000; ++step) {
      const double load = moment() * step / 20000.0;
      for (int i = 0; i < 50; ++i) {
        const double move =
            (load * std::sin(q) - stiffness * (q - rest)) / (stiffness - load * std::cos(q));
        q += std::clamp(move, -0.02, 0.02);
        if (std::abs(move) < 1e-14) break;
      }
    }
    return q;
  }
};

double angleOf(const Found& found) {
  const Eigen::Vector3d& x = found.state.frames[1].x;
  return std::atan2(x[0], x[2]);
}

// Newton's method at the full load goes to the unstable one near the upright position, at the other side of it.
TEST(LoadPath, LeadsAPendulumToTheSideOfItsSpring) {
  for (const double rest : {0.5, 0.1, 0.01, -0.3, -1e-5}) {
    for (const double k : {2.0, 3.0, 4.0, 4.8}) {
      const Pendulum pendulum{k, rest};
      const Found found = test::findEquilibriumOf(pendulum.model());
      ASSERT_TRUE(found.report.ok()) << messageOf(found.report.failure);
      EXPECT_NEAR(angleOf(found), pendulum.endOfPath(), 1e-6) << k << ", " << rest;
      EXPECT_EQ(found.report.stability, Stability::kStable) << k << ", " << rest;
    }
  }
}

TEST(LoadPath, LeadsToTheSameEndInAllScales) {
  for (const double mass : {1e-12, 1e12}) {
    for (const double length : {1e-9, 1e9}) {
      const Found found = test::findEquilibriumOf(Pendulum{3.0, 0.1, length, mass}.model());
      ASSERT_TRUE(found.report.ok()) << messageOf(found.report.failure);
      EXPECT_NEAR(angleOf(found), (Pendulum{3.0, 0.1}.endOfPath()), 1e-6) << mass << ", " << length;
    }
  }
}

// Nothing but gravity acts on it; friction would let it rest where it hangs.
TEST(LoadPath, OfAMachineThatFloatsIsWhereItFalls) {
  for (const double start : {1.0, -1.0, 1e-3, 1.5707963267948966, 3.0}) {
    const Found found =
        test::findEquilibriumOf("flexloop: 1\ngravity: [0, 0, -9.81]\nnodes: {a: [" +
                                test::writeNumber(0.5 * std::sin(start)) + ", 0, " +
                                test::writeNumber(0.5 * std::cos(start)) +
                                R"(]}
bodies: {a: {node: a, mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {h: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}}
)");
    ASSERT_TRUE(found.report.ok()) << messageOf(found.report.failure) << " from " << start;
    EXPECT_NEAR(std::abs(angleOf(found)), M_PI, 1e-9) << start;
    EXPECT_EQ(found.report.stability, Stability::kStable) << start;
  }
}

// A lever of length 1 below a spring from (0, 0, 1.5) that is compressed while it is upright: without loads it falls to the
// side where it starts, and only then does a load grow that would turn it over at the start. In balance,
// k (1 − l)/l · 1.5 tan q = F with l² = 3.25 − 3 cos q; it can bear up to 2.868 N, at q = 0.3284.
TEST(LoadPath, OfAMachineThatFallsOverWithoutLoadsBeginsWhereItRests) {
  const double k = 10.0, F = 2.6;
  const auto bear = [&](double q) {
    const double l = std::sqrt(3.25 - 3.0 * std::cos(q));
    return k * (1.0 - l) / l * 1.5 * std::tan(q);
  };
  ASSERT_LT(bear(0.2), F);
  const Found found = test::findEquilibriumOf(R"(
flexloop: 1
nodes: {a: [= sin(0.2), 0, = cos(0.2)]}
bodies: {a: {node: a, mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {h: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}}
springs: {s: {type: distance, between: [ground, a], at: [0, 0, 1.5], stiffness: 10, length: 1}}
loads: {push: {node: a, force: [-2.6, 0, 0]}}
)");
  ASSERT_TRUE(found.report.ok()) << messageOf(found.report.failure);
  EXPECT_NEAR(angleOf(found), test::bisect([&](double q) { return bear(q) - F; }, 0.3284, 0.7227),
              1e-9);
  EXPECT_EQ(found.report.stability, Stability::kStable);
}

// A column beyond Euler's load with a side force however small is bent to that side, round or not. The straight one
// nearby is in balance as well. Truth: the shooting method, EI = 1, inextensible.
TEST(LoadPath, LeadsAnImperfectColumnToItsSide) {
  for (const double EIz : {1.0, 2.0}) {
    for (const double side : {1e-3, -1e-6}) {
      const Found found = test::findEquilibriumOf(
          "flexloop: 1\nsections: {s: {type: stiffness, EA: 1e6, GAy: 1e6, GAz: 1e6, GJ: 2, EIy: "
          "1, EIz: " +
          test::writeNumber(EIz) + R"(}}
nodes: {root: {position: [0, 0, 0], free: []}, tip: [0, 0, 1]}
beams: {c: {from: root, to: tip, elements: 8, order: 3, section: s, y_axis: [0, 1, 0]}}
loads: {push: {node: tip, force: [)" +
          test::writeNumber(side) + ", 0, -3]}}\n");
      ASSERT_TRUE(found.report.ok()) << messageOf(found.report.failure);
      // x = 0.66363 without a side force, by elliptic integrals.
      EXPECT_NEAR(found.state.frames[2].x[0] / std::copysign(0.66363, side), 1.0, 1e-3) << side;
      EXPECT_EQ(found.report.stability, Stability::kStable) << EIz << ", " << side;
    }
  }
}

void expectRunaway(const std::string& model, const std::string& words) {
  const Found found = test::findEquilibriumOf(model);
  EXPECT_FALSE(found.report.ok());
  EXPECT_NE(messageOf(found.report.failure).find(words), std::string::npos)
      << messageOf(found.report.failure);
  EXPECT_NE(messageOf(found.report.failure).find("there is no equilibrium"), std::string::npos)
      << messageOf(found.report.failure);
  EXPECT_LT(found.report.iterations, 400);
}

// What nothing holds and the loads drive has no equilibrium; the search ends soon and names it.
TEST(FreeRun, OfABeamThatIsPushedIsNamed) {
  const std::string beam = R"(
flexloop: 1
sections: {s: {type: stiffness, EA: 1e4, GAy: 1e4, GAz: 1e4, GJ: 500, EIy: 500, EIz: 500, rhoA: 1, rhoJ: [20, 10, 10]}}
nodes: {a: [6, 0, 0], b: [0, 8, 0]}
beams: {rod: {from: a, to: b, elements: 4, order: 3, section: s, y_axis: [0, 0, 1]}}
)";
  expectRunaway(beam + "loads: {push: {node: a, force: [8, 0, 0], torque: [0, 0, -80]}}\n",
                "nothing holds the ");
  expectRunaway(beam + "loads: {turn: {node: b, torque: [0, 0, 80]}}\n", "nothing holds the ");
  expectRunaway(beam + "gravity: [0, 0, -9.81]\n", "push it along [0, 0, -1]");
}

TEST(FreeRun, OfOnePartIsNamedBesideOthersThatRest) {
  const std::string machine = R"(
flexloop: 1
gravity: [0, 0, -9.81]
nodes: {bob: [1, 0, 0], cart: {position: [0, 3, 0], free: [x]}, rotor: [0, 0, 5]}
bodies:
  bob: {node: bob, mass: 1, inertia: [0.1, 0.1, 0.1]}
  cart: {node: cart, mass: 2}
  rotor: {node: rotor, mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  pivot: {type: hinge, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0]}
  bearing: {type: hinge, between: [ground, rotor], axis: [0, 0, 1]}
)";
  expectRunaway(machine + "loads: {push: {node: cart, force: [1, 0, 0]}}\n", "motion of cart x");
  expectRunaway(machine + "loads: {turn: {node: rotor, torque: [0, 0, 1]}}\n",
                "motion of rotor rz");
}

}  // namespace
}  // namespace flexloop
