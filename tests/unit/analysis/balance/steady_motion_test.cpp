// Machines that go on as they start, against closed forms.
#include "analysis/balance/steady_motion.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop {
namespace {

using analysis::EquilibriumResult;
using analysis::findSteadyMotion;

// Without gravity unless the text says so; the outputs of the text.
EquilibriumResult goOn(const std::string& text) {
  EquilibriumResult result = findSteadyMotion(test::buildModel(text));
  EXPECT_TRUE(result.report.ok()) << messageOf(result.report.failure);
  return result;
}

EquilibriumResult expectRefused(const std::string& text) {
  EquilibriumResult result = findSteadyMotion(test::buildModel(text));
  EXPECT_FALSE(result.report.ok());
  EXPECT_NE(result.report.failure->hint, "");
  return result;
}

// A mass that slides on a spoke: k u = m Ω² (L + u), with m = 2, Ω = 5, L = 0.8, k = 500.
const char* const kSpoke = R"(
nodes:
  hub: {position: [0, 0, 0], angular_velocity: [0, 0, 5]}
  mass: {position: [0.8, 0, 0], velocity: [0, 4, 0], angular_velocity: [0, 0, 5]}
bodies:
  hub: {node: hub, mass: 1, inertia: [1, 1, 1]}
  mass: {node: mass, mass: 2, inertia: [0.01, 0.01, 0.01]}
joints:
  shaft: {type: hinge, between: [ground, hub], axis: [0, 0, 1]}
  spoke: {type: slider, between: [hub, mass], axis: [1, 0, 0], stiffness: 500}
sensors: {u: {measure: displacement, joint: spoke}}
outputs: [u]
)";

TEST(SteadyMotion, StretchesASpringBetweenAHubAndAMass) {
  for (const char* formulation : {"se3", "r3xso3"}) {
    const EquilibriumResult result =
        goOn(std::string("formulation: ") + formulation + "\n" + kSpoke);
    EXPECT_NEAR(result.outputs.at(0), 2.0 * 25.0 * 0.8 / (500.0 - 50.0), 1e-12) << formulation;
  }
}

// The same with a sampled controller that pulls by g u along the spoke: (k + g) u = m Ω² (L + u). Its outputs would be
// those of the start if they were held.
std::string holdSpoke(double gain) {
  return std::string(kSpoke) +
         "blocks: {law: {type: discrete_pid, input: u, kp: " + std::to_string(gain) +
         ", sample: 1 ms}}\nactuators: {motor: {type: force, joint: spoke, input: law}}\n";
}

TEST(SteadyMotion, HoldsForSampledControllersToo) {
  for (const double gain : {100.0, -200.0, 400.0, 5000.0}) {
    const EquilibriumResult result = goOn(holdSpoke(gain));
    EXPECT_NEAR(result.outputs.at(0), 2.0 * 25.0 * 0.8 / (500.0 + gain - 50.0), 1e-9) << gain;
  }
}

// An integral in which the spring has no part: u = r in the end, and the force is what that asks for.
TEST(SteadyMotion, FillsTheIntegralOfASampledController) {
  const EquilibriumResult result =
      goOn(std::string(kSpoke) +
           "blocks: {law: {type: discrete_pid, input: u, reference: 0.2, kp: 30, ki: 700, "
           "sample: 1 ms}}\nactuators: {motor: {type: force, joint: spoke, input: law}}\n");
  EXPECT_NEAR(result.outputs.at(0), 0.2, 1e-9);
}

// A sum of what is not zero goes on for ever.
TEST(SteadyMotion, IsRefusedWhereASampledControllerGoesOnChanging) {
  const EquilibriumResult result = expectRefused(
      std::string(kSpoke) +
      "blocks: {law: {type: discrete_pid, input: 3, kp: 1, ki: 700, sample: 1 ms}}\n"
      "actuators: {motor: {type: force, node: mass, direction: [0, 0, 1], input: law}}\n");
  EXPECT_TRUE(test::says(messageOf(result.report.failure), "'law' keeps changing"))
      << messageOf(result.report.failure);
}

// A bob on a hinge that turns with a shaft: cos θ = g/(Ω² L) from the vertical. The start is 40° from it.
TEST(SteadyMotion, LiftsAConicalPendulum) {
  const double speed = 5.0, length = 0.6, start = 40.0 * 3.14159265358979323846 / 180.0;
  const auto number = [](double x) { return std::to_string(x); };
  const double x = length * std::sin(start), z = -length * std::cos(start);
  const EquilibriumResult result = goOn(
      "gravity: [0, 0, -9.81]\n"
      "nodes:\n"
      "  shaft: {position: [0, 0, 0], angular_velocity: [0, 0, 5]}\n"
      "  bob: {position: [" +
      number(x) + ", 0, " + number(z) + "], velocity: [0, " + number(speed * x) +
      ", 0], angular_velocity: [0, 0, 5]}\n"
      "bodies: {shaft: {node: shaft, mass: 1, inertia: [1, 1, 1]}, bob: {node: bob, mass: 3}}\n"
      "joints:\n"
      "  bearing: {type: hinge, between: [ground, shaft], axis: [0, 0, 1], drive: turn}\n"
      "  pivot: {type: hinge, between: [shaft, bob], at: [0, 0, 0], axis: [0, 1, 0]}\n"
      "blocks: {turn: {type: ramp, slope: 5}}\n"
      "outputs: [{name: bob, measure: position, node: bob}]\n");
  EXPECT_NEAR(result.outputs.at(2) / length, -9.81 / (speed * speed * length), 1e-6);
}

// A blade on a lag hinge at the radius a, with a spring that is relaxed at -0.3 rad, on a hub that nothing holds:
// k (β + 0.3) + m Ω² a l sin β = 0. The hub stays where it is, and turns at its speed.
TEST(SteadyMotion, KeepsTheAngleOfAFreeHub) {
  const EquilibriumResult result = goOn(R"(
nodes:
  hub: {position: [0, 0, 0], angular_velocity: [0, 0, 4]}
  mass: {position: [1, 0, 0], velocity: [0, 4, 0], angular_velocity: [0, 0, 4]}
bodies: {hub: {node: hub, mass: 1, inertia: [0.4, 0.4, 0.4]}, mass: {node: mass, mass: 1.7}}
joints:
  shaft: {type: hinge, between: [ground, hub], axis: [0, 0, 1]}
  lag: {type: hinge, between: [hub, mass], at: [0.3, 0, 0], axis: [0, 0, 1], stiffness: 600, rest: -0.3}
sensors: {beta: {measure: angle, joint: lag}}
outputs: [beta]
)");
  const double beta = result.outputs.at(0);
  EXPECT_NEAR(600.0 * (beta + 0.3) + 1.7 * 16.0 * 0.3 * 0.7 * std::sin(beta), 0.0, 1e-9);
}

// A governor with an integral holds the speed against a bearing that drags: its torque is c Ω. Its state has no equation of its own,
// since the error is zero whatever the state is.
TEST(SteadyMotion, FillsTheIntegralOfAGovernor) {
  const EquilibriumResult result = goOn(R"(
nodes:
  hub: {position: [0, 0, 0], angular_velocity: [0, 0, 4]}
  mass: {position: [1, 0, 0], velocity: [0, 4, 0], angular_velocity: [0, 0, 4]}
bodies: {hub: {node: hub, mass: 1, inertia: [0.4, 0.4, 0.4]}, mass: {node: mass, mass: 1.7}}
joints:
  shaft: {type: hinge, between: [ground, hub], axis: [0, 0, 1], damping: 0.7}
  lag: {type: hinge, between: [hub, mass], at: [0.3, 0, 0], axis: [0, 0, 1], stiffness: 600, rest: -0.3}
sensors: {beta: {measure: angle, joint: lag}, speed: {measure: rate, joint: shaft}}
blocks: {governor: {type: pid, input: speed, reference: 4, kp: 3, ki: 5}}
actuators: {motor: {type: torque, joint: shaft, input: governor}}
outputs: [motor, beta]
)");
  EXPECT_NEAR(result.outputs.at(0), 0.7 * 4.0, 1e-9);
  const double beta = result.outputs.at(1);
  EXPECT_NEAR(600.0 * (beta + 0.3) + 1.7 * 16.0 * 0.3 * 0.7 * std::sin(beta), 0.0, 1e-9);
}

// A tower at rest gets velocities of round-off from blades that are turned by 120°. A root pulls with ½ ρA Ω² (4.1² − 0.1²) m².
TEST(SteadyMotion, OfThreeBladesOnATower) {
  const EquilibriumResult result = goOn(R"(
sections:
  s: {type: stiffness, EA: 1e8, GAy: 4e7, GAz: 4e7, GJ: 3e5, EIy: 4e5, EIz: 6e5, rhoA: 5, rhoJ: [0.02, 0.01, 0.01]}
nodes:
  base: {position: [0, 0, 0], free: []}
  top: [0, 0, 8]
  hub: {position: [0.4, 0, 8], angular_velocity: [2, 0, 0]}
bodies: {hub: {node: hub, mass: 15, inertia: [3, 2, 2]}}
beams: {tower: {from: base, to: top, elements: 2, section: s, y_axis: [0, 1, 0]}}
joints: {main: {type: hinge, between: [top, hub], at: [0.4, 0, 8], axis: [1, 0, 0]}}
assemblies:
  blade:
    nodes:
      root: {position: [0, 0, 0.1], angular_velocity: [2, 0, 0], velocity: [0, -0.2, 0]}
      tip: {position: [0, 0, 4.1], angular_velocity: [2, 0, 0], velocity: [0, -8.2, 0]}
    joints: {pitch: {type: weld, between: [hub, root]}}
    beams: {b: {from: root, to: tip, elements: 2, section: s, y_axis: [0, 1, 0]}}
    sensors: {pull: {measure: force, joint: pitch, direction: [0, 0, 1]}}
instances:
  b1: {of: blade, position: [0.4, 0, 8]}
  b2: {of: blade, position: [0.4, 0, 8], rotation: {axis: [1, 0, 0], angle: 120 deg}}
  b3: {of: blade, position: [0.4, 0, 8], rotation: {axis: [1, 0, 0], angle: 240 deg}}
outputs: [b1.pull]
)");
  EXPECT_NEAR(result.outputs[0], -168.0, 1e-4 * 168.0);
}

// The base is pushed by F/k, and the rotor on it goes along: its mass stays on its axis.
TEST(SteadyMotion, CarriesARotorWithItsBearing) {
  const EquilibriumResult result = goOn(R"(
nodes:
  base: {position: [0, 0, 0], free: [x]}
  rotor: {position: [0, 0, 0], angular_velocity: [0, 0, 30]}
bodies:
  base: {node: base, mass: 1}
  rotor: {node: rotor, mass: 4, inertia: [1, 1, 2]}
joints: {bearing: {type: hinge, between: [base, rotor], axis: [0, 0, 1]}}
springs: {mount: {type: linear, between: [ground, base], direction: [1, 0, 0], stiffness: 8000}}
loads: {wind: {node: base, force: [40, 0, 0]}}
outputs: [{name: rotor, measure: position, node: rotor}]
)");
  EXPECT_NEAR(result.outputs.at(0), 40.0 / 8000.0, 1e-12);
}

// Two masses that travel, drawn apart by F = 30 on a spring of 1000.
TEST(SteadyMotion, TravelsStraight) {
  const EquilibriumResult result = goOn(R"(
nodes:
  tractor: {position: [2, 0, 0], free: [x], velocity: [20, 0, 0]}
  trailer: {position: [0, 0, 0], free: [x], velocity: [20, 0, 0]}
bodies: {tractor: {node: tractor, mass: 3}, trailer: {node: trailer, mass: 2}}
springs: {hitch: {type: linear, between: [trailer, tractor], direction: [1, 0, 0], stiffness: 1000}}
loads: {pull: {node: tractor, force: [30, 0, 0]}, drag: {node: trailer, force: [-30, 0, 0]}}
sensors: {gap: {measure: distance, between: [trailer, tractor]}}
outputs: [gap]
)");
  EXPECT_NEAR(result.outputs.at(0), 2.03, 1e-11);
}

std::string shaft(const char* gravity) {
  return std::string("gravity: ") + gravity + R"(
sections:
  rod: {type: stiffness, EA: 1e7, GAy: 1e7, GAz: 1e7, GJ: 1e3, EIy: 400, EIz: 400, rhoA: 2, rhoJ: [2e-4, 1e-4, 1e-4]}
nodes:
  left: {position: [0, 0, 0], angular_velocity: [60, 0, 0]}
  right: {position: [2, 0, 0], angular_velocity: [60, 0, 0]}
beams: {shaft: {from: left, to: right, elements: 8, section: rod, y_axis: [0, 1, 0]}}
joints:
  a: {type: spherical, between: [ground, left]}
  b: {type: point_on_line, between: [ground, right], axis: [1, 0, 0]}
outputs: [{name: middle, measure: position, node: shaft@0.5}]
)";
}

// A shaft that turns in its bearings sags as one that stands still: 5 w L⁴/(384 EI) and the shear w L²/(8 GA). If the sag
// whirled, it would point upwards: Ω = 60 rad/s is above the critical speed, π² √(EI/(ρA L⁴)) = 34.9 rad/s.
TEST(SteadyMotion, SpinsInPlaceWhereGravityDoesNotTurnAlong) {
  const EquilibriumResult result = goOn(shaft("[0, 0, -9.81]"));
  const double w = 2.0 * 9.81;
  EXPECT_NEAR(result.outputs.at(2), -(5.0 * w * 16.0 / (384.0 * 400.0) + w * 4.0 / 8e7), 2e-5);
}

TEST(SteadyMotion, DoesNotExistWhereForcesTurn) {
  const EquilibriumResult result = expectRefused(std::string("gravity: [0, -9.81, 0]\n") + kSpoke);
  EXPECT_TRUE(test::says(messageOf(result.report.failure), "not in steady motion"))
      << messageOf(result.report.failure);
}

TEST(SteadyMotion, OfAMachineAtRestIsItsEquilibrium) {
  const EquilibriumResult result = goOn(R"(
gravity: [0, 0, -9.81]
nodes: {cart: {position: [0, 0, 1], free: [z]}}
bodies: {cart: {node: cart, mass: 2}}
springs: {k: {type: linear, between: [ground, cart], direction: [0, 0, 1], stiffness: 100}}
outputs: [{name: cart, measure: position, node: cart, direction: [0, 0, 1]}]
)");
  EXPECT_FALSE(result.isSteady);
  EXPECT_NEAR(result.outputs.at(0), 1.0 - 2.0 * 9.81 / 100.0, 1e-12);
}

// A blade on a hub.
std::string makeBlade(const std::string& hub, const std::string& joint) {
  return R"(
sections:
  rod: {type: stiffness, EA: 1e5, GAy: 1e5, GAz: 1e5, GJ: 10, EIy: 1, EIz: 1, rhoA: 1, rhoJ: [2e-5, 1e-5, 1e-5]}
nodes: {root: )" +
         hub + R"(, tip: [1, 0, 0]}
beams: {blade: {from: root, to: tip, elements: 2, order: 3, section: rod, y_axis: [0, 1, 0]}}
joints: {shaft: {type: hinge, between: [ground, root], axis: [0, 0, 1])" +
         joint + R"(}}
blocks: {turn: {type: ramp, slope: 3}}
outputs: [{name: tip, measure: position, node: tip}]
)";
}

TEST(SteadyMotion, NeedsVelocitiesOfAWholeBeam) {
  const EquilibriumResult result =
      expectRefused(makeBlade("{position: [0, 0, 0], angular_velocity: [0, 0, 3]}", ""));
  EXPECT_TRUE(test::says(messageOf(result.report.failure), "do not move as one"))
      << messageOf(result.report.failure);
  EXPECT_TRUE(test::says(result.report.failure->hint, "'angular_velocity'"));
}

// A drive gives the whole blade its velocity. EA u'' + μ Ω² (x + u) = 0, u(0) = 0, u'(1) = 0, with the length 1:
// x + u = sin kx/(k cos k), k² = μ Ω²/EA.
TEST(SteadyMotion, IsTakenOverFromADrive) {
  const EquilibriumResult result = goOn(makeBlade("[0, 0, 0]", ", drive: turn"));
  EXPECT_TRUE(result.isSteady);
  const double k = 3.0 / std::sqrt(1e5);
  EXPECT_NEAR(result.outputs.at(0) - 1.0, std::tan(k) / k - 1.0, 1e-8);
}

// The hinge holds a part, whatever modes it has, on its circle: m Ω² times the distance of its centre from the axis, 0.3 m, which
// the strain changes by a hundred-thousandth.
TEST(SteadyMotion, OfAPartHasTheWholeCentrifugalForce) {
  for (const char* modes : {"{modes: 0", "{modes: 20", "{modes: 20, method: free_interface",
                            "{modes: 8, method: hintz_constraint"}) {
    const EquilibriumResult result =
        goOn(R"(
materials: {alu: {E: 70 GPa, nu: 0.33, rho: 2700}}
parts:
  blade: )" + std::string(modes) +
             R"(, material: alu, interfaces: {root: {set: x0}, tip: {set: x1}},
          block: {size: [400 mm, 40 mm, 20 mm], elements: [4, 1, 1]}, position: [0.1, -0.02, -0.01],
          velocity: [2, 10, 0], angular_velocity: [0, 0, 100]}
joints: {shaft: {type: hinge, between: [ground, blade.root], at: [0, 0, 0], axis: [0, 0, 1]}}
outputs: [{name: force, measure: force, joint: shaft, direction: [1, 0, 0]}]
)");
    const double mass = 2700.0 * 0.4 * 0.04 * 0.02;
    EXPECT_NEAR(result.outputs.at(0), -mass * 1e4 * 0.3, 2e-4 * mass * 1e4 * 0.3) << modes;
  }
}

}  // namespace
}  // namespace flexloop
