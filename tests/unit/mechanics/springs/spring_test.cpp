// Springs, loads and measures against mechanics by hand.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "support/matrix_matchers.hpp"
#include "support/moving_machine.hpp"

namespace flexloop::test {
namespace {

using Eigen::Vector3d;

constexpr double kPi = std::numbers::pi;

TEST(Springs, PullWhereTheyAreStretched) {
  MovingMachine machine(R"(flexloop: 1
nodes: {B: {position: [0, 3, 4], free: [x, y, z]}}
bodies: {b: {node: B, mass: 2}}
springs:
  s: {type: distance, between: [ground, B], stiffness: 10, length: 4, preload: 1}
sensors:
  t: {measure: tension, spring: s}
  f: {measure: force, spring: s}
  a: {measure: acceleration, node: B}
)");
  EXPECT_NEAR(machine.measure("t"), 11.0, 1e-12);
  EXPECT_TRUE(isNear(machine.vector("f"), Vector3d(0, -6.6, -8.8), 1e-12));
  EXPECT_TRUE(isNear(machine.vector("a"), Vector3d(0, -3.3, -4.4), 1e-12));
}

// x'' = −(k/m) x − (c/m) x'  with x(0) = 0, x'(0) = 1.
TEST(Springs, OscillateAsTheFormulaSays) {
  MovingMachine machine(R"(flexloop: 1
nodes: {cart: {position: [0.7, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {m: {node: cart, mass: 2}}
springs: {k: {type: linear, between: [ground, cart], direction: [2, 0, 0], stiffness: 50, damping: 2}}
sensors:
  x: {measure: displacement, node: cart, direction: [1, 0, 0]}
  f: {measure: force, spring: k, direction: [1, 0, 0]}
)");
  const double delta = 2.0 / (2 * 2), omega = std::sqrt(50.0 / 2 - delta * delta);
  const double end = 1.0;
  machine.run(end, 1e-3);
  const double decay = std::exp(-delta * end);
  const double x = decay * std::sin(omega * end) / omega;
  const double v = decay * (std::cos(omega * end) - delta / omega * std::sin(omega * end));
  EXPECT_NEAR(machine.measure("x"), x, 1e-6);
  EXPECT_NEAR(machine.measure("f"), -50 * x - 2 * v, 1e-4);
  EXPECT_NEAR(machine.rate("f"), -50 * v - 2 * (-25 * x - v), 1e-3);
}

TEST(Springs, DampAlongALineOrADirection) {
  for (const char* damper :
       {"between: [ground, cart], direction: [1, 0, 0]", "between: [ground, cart]"}) {
    MovingMachine machine(std::string(R"(flexloop: 1
nodes: {cart: {position: [0.7, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {m: {node: cart, mass: 2}}
springs: {d: {type: damper, damping: 3, )") +
                          damper + R"(}}
sensors: {v: {measure: velocity, node: cart, direction: [1, 0, 0]}}
)");
    machine.run(0.5, 1e-3);
    EXPECT_NEAR(machine.measure("v"), std::exp(-1.5 * 0.5), 1e-6) << damper;
  }
}

// A torsional spring on a rotor, wound by its initial velocity beyond half a turn and back.
TEST(Springs, WindAndUnwind) {
  MovingMachine machine(R"(flexloop: 1
nodes: {B: {position: [1, 2, 3], free: [rz], angular_velocity: [0, 0, 20]}}
bodies: {b: {node: B, mass: 2, inertia: [0.3, 0.3, 0.5]}}
springs: {t: {type: torsional, between: [ground, B], axis: [0, 0, 1], stiffness: 8}}
sensors:
  angle: {measure: rotation, node: B, direction: [0, 0, 1]}
  m: {measure: torque, spring: t, direction: [0, 0, 1]}
)");
  const double omega = 4.0;
  machine.run(0.25 * 2 * kPi / omega, 2 * kPi / omega / 2000);
  EXPECT_NEAR(machine.measure("angle"), 5.0, 1e-4);
  EXPECT_NEAR(machine.measure("m"), -40.0, 1e-3);
  machine.run(0.75 * 2 * kPi / omega, 2 * kPi / omega / 2000);
  EXPECT_NEAR(machine.measure("angle"), -5.0, 1e-3);
}

// A body of revolution that tumbles while it is wound: which way it tips makes no difference to what it does about its axis.
TEST(Springs, TwistTheSameWhicheverWayTheBodyTips) {
  const auto speedAfterTipping = [](double direction) {
    char velocity[100];
    std::snprintf(velocity, sizeof velocity, "[%.17g, %.17g, 2]", std::cos(direction),
                  std::sin(direction));
    MovingMachine machine(std::string(R"(flexloop: 1
nodes: {B: {position: [0, 0, 0], angular_velocity: )") +
                          velocity + R"(}}
bodies: {b: {node: B, mass: 2, inertia: [0.03, 0.03, 0.04]}}
springs: {t: {type: torsional, between: [ground, B], axis: [0, 0, 1], stiffness: 0.2}}
sensors: {w: {measure: angular_velocity, node: B, direction: [0, 0, 1]}}
)");
    machine.run(1.0, 1e-3);
    return machine.measure("w");
  };
  const double speed = speedAfterTipping(0.0);
  for (const double direction : {0.7, 1.6, 3.5}) {
    EXPECT_NEAR(speedAfterTipping(direction), speed, 1e-9) << direction;
  }
}

TEST(Springs, AreStiffInTheirOwnAxes) {
  MovingMachine machine(R"(flexloop: 1
nodes: {B: [0.1, 0.2, 0.3]}
bodies: {b: {node: B, mass: 2, inertia: [0.1, 0.1, 0.1]}}
springs:
  b: {type: bushing, between: [ground, B], stiffness: [100, 200, 400, 1, 2, 3],
      axes: {x: [0, 1, 0], y: [0, 0, 1]}}
loads: {l: {node: B, force: [1, 1, 1], torque: [1, 1, 1]}}
sensors: {a: {measure: acceleration, node: B}, f: {measure: force, spring: b}}
)");
  EXPECT_TRUE(isNear(machine.vector("a"), Vector3d(0.5, 0.5, 0.5), 1e-12));
  EXPECT_TRUE(isNear(machine.vector("f"), Vector3d(0, 0, 0), 1e-12));
}

TEST(Loads, FollowTheNodeOrGround) {
  const auto accelerate = [](const char* options) {
    MovingMachine machine(std::string(R"(flexloop: 1
nodes: {B: {position: [0, 0, 0], rotation: {axis: [0, 0, 1], angle: 90 deg}}}
bodies: {b: {node: B, mass: 2, inertia: [0.1, 0.1, 0.1]}}
blocks: {s: {type: constant, value: 3}}
loads: {l: {node: B, force: [4, 0, 0], torque: [0, 0.2, 0], )") +
                          options + R"(}}
sensors: {a: {measure: acceleration, node: B}, e: {measure: angular_acceleration, node: B}}
)");
    Eigen::Matrix<double, 6, 1> both;
    both << machine.vector("a"), machine.vector("e");
    return both;
  };
  Eigen::Matrix<double, 6, 1> ground, body;
  ground << 2, 0, 0, 0, 2, 0;
  body << 0, 2, 0, -2, 0, 0;
  EXPECT_TRUE(isNear(accelerate("frame: ground"), ground, 1e-12));
  EXPECT_TRUE(isNear(accelerate("frame: body"), body, 1e-12));
  EXPECT_TRUE(isNear(accelerate("follower: true, signal: s"), (3 * body).eval(), 1e-12));
  EXPECT_TRUE(isNear(accelerate("signal: -0.5"), (-0.5 * ground).eval(), 1e-12));
}

// A node that turns: centripetal acceleration of a point off its axis, in several axes.
TEST(Measures, KnowPointsAndAxes) {
  MovingMachine machine(R"(flexloop: 1
nodes:
  B: {position: [1, 0, 0], rotation: {axis: [0, 0, 1], angle: 90 deg}, angular_velocity: [0, 0, 3],
      velocity: [0.5, 0, 0]}
bodies: {b: {node: B, mass: 2, inertia: [0.1, 0.1, 0.1]}}
sensors:
  p: {measure: position, node: B, offset: [2, 0, 0]}
  v: {measure: velocity, node: B, offset: [2, 0, 0]}
  a: {measure: acceleration, node: B, offset: [2, 0, 0]}
  b: {measure: acceleration, node: B, offset: [2, 0, 0], frame: body}
  vb: {measure: velocity, node: B, frame: B}
  w: {measure: angular_velocity, node: B}
)");
  EXPECT_TRUE(isNear(machine.vector("p"), Vector3d(1, 2, 0), 1e-12));
  EXPECT_TRUE(isNear(machine.vector("v"), Vector3d(0.5 - 6, 0, 0), 1e-12));
  EXPECT_TRUE(isNear(machine.vector("a"), Vector3d(0, -18, 0), 1e-12));
  EXPECT_TRUE(isNear(machine.vector("b"), Vector3d(-18, 0, 0), 1e-12));
  EXPECT_TRUE(isNear(machine.vector("vb"), Vector3d(0, -0.5, 0), 1e-12));
  EXPECT_TRUE(isNear(machine.vector("w"), Vector3d(0, 0, 3), 1e-12));
  EXPECT_NEAR(machine.rate("v.y"), -18.0, 1e-12);
}

}  // namespace
}  // namespace flexloop::test
