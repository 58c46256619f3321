// Actuators against mechanics by hand.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

constexpr double kPi = std::numbers::pi;

// A rotor with J = 0.5 about an axis in general position.
std::string rotor(const std::string& more) {
  return R"(
nodes: {A: {position: [1, 2, 3], rotation: {axis: [1, 2, 3], angle: 40 deg}}}
bodies: {a: {node: A, mass: 2, inertia: [0.5, 0.5, 0.5]}}
joints: {h: {type: hinge, between: [ground, A], axis: [1, 2, 2])" +
         more;
}

TEST(Actuators, ConstantTorqueOnAHinge) {
  const ModelRun run = runModel(rotor(R"(}}
sensors: {phi: {measure: angle, joint: h}, omega: {measure: rate, joint: h}, e: {measure: energy}}
actuators: {motor: {type: torque, joint: h, input: 2, gain: 1.5}}
analysis: {time: {end: 2, step: 10 ms}}
)"));
  EXPECT_NEAR(run.at(2.0, "phi"), 0.5 * (3.0 / 0.5) * 4.0, 1e-8);
  EXPECT_NEAR(run.at(2.0, "omega"), 12.0, 1e-8);
  // The work of the torque is the energy.
  EXPECT_NEAR(run.at(2.0, "e.kinetic"), 3.0 * run.at(2.0, "phi"), 1e-7);
}

// Without `outputs` every sensor and every actuator is recorded.
TEST(Actuators, AreRecorded) {
  const ModelRun run = runModel(rotor(R"(}}
sensors: {phi: {measure: angle, joint: h}}
blocks: {u: {type: gain, input: phi, gain: -4}}
actuators: {motor: {type: torque, joint: h, input: u, limits: [-1, 2 N*m]}}
analysis: {time: {end: 0.01, step: 10 ms}}
)"));
  EXPECT_NEAR(run.at(0.0, "motor"), 0.0, 1e-14);
  EXPECT_NEAR(run.at(0.0, "phi"), 0.0, 1e-14);
  EXPECT_THROW((void)run.column("u"), std::out_of_range);
}

// A servo made of sensors, blocks and an actuator is the joint's own spring and damper.
TEST(Actuators, AServoIsASpringAndADamper) {
  const char* rest = R"(
sensors: {phi: {measure: angle, joint: h}, omega: {measure: rate, joint: h}}
blocks: {p: {type: gain, input: phi, gain: 30}, d: {type: gain, input: omega, gain: 0.4}, u: {type: sum, inputs: [-p, -d]}}
loads: {push: {node: A, torque: [3, 6, 6]}}
outputs: [phi, omega]
analysis: {time: {end: 2, step: 10 ms, newton: {tolerance: 1e-12}}}
)";
  const ModelRun servo =
      runModel(rotor("}}\nactuators: {motor: {type: torque, joint: h, input: u}}") + rest);
  const ModelRun spring = runModel(rotor(", stiffness: 30, damping: 0.4}}") + rest);
  for (std::size_t i = 0; i < servo.times().size(); ++i) {
    EXPECT_NEAR(servo.column("phi")[i], spring.column("phi")[i], 1e-9);
    EXPECT_NEAR(servo.column("omega")[i], spring.column("omega")[i], 1e-8);
  }
  EXPECT_GT(spring.at(0.3, "phi"), 0.1);
}

// m₁ x₁'' = −F, m₂ x₂'' = F along a line in space: the common centre stays, the work is F Δl.
TEST(Actuators, PushMassesApart) {
  const ModelRun run = runModel(R"(
nodes: {A: [0, 0, 0], B: [2, 1, 2]}
bodies: {a: {node: A, mass: 2, inertia: [1, 1, 1]}, b: {node: B, mass: 3, inertia: [1, 1, 1]}}
sensors:
  l: {measure: distance, between: [A, B]}
  xA: {measure: position, node: A}
  xB: {measure: position, node: B}
  e: {measure: energy, component: kinetic}
actuators: {ram: {type: force, between: [A, B], input: 6}}
analysis: {time: {end: 1, step: 10 ms}}
)");
  EXPECT_NEAR(run.at(1.0, "l"), 3.0 + 0.5 * (6.0 / 2 + 6.0 / 3), 1e-8);
  EXPECT_NEAR(run.at(1.0, "e"), 6.0 * (run.at(1.0, "l") - 3.0), 1e-7);
  for (const char* axis : {"x", "y", "z"}) {
    const std::string a = std::string("xA.") + axis, b = std::string("xB.") + axis;
    const double start = 2 * run.at(0.0, a) + 3 * run.at(0.0, b);
    EXPECT_NEAR(2 * run.at(1.0, a) + 3 * run.at(1.0, b), start, 1e-8);
  }
}

// Two rotors in space: the angular momentum stays zero.
TEST(Actuators, TurnNodesAgainstEachOther) {
  const ModelRun run = runModel(R"(
nodes: {A: [0, 0, 0], B: [1, 0, 0]}
bodies: {a: {node: A, mass: 2, inertia: [2, 2, 2]}, b: {node: B, mass: 3, inertia: [1, 1, 1]}}
sensors: {wA: {measure: angular_velocity, node: A}, wB: {measure: angular_velocity, node: B}}
actuators: {wheel: {type: torque, between: [A, B], axis: [0, 3, 4], input: 0.5, gain: 2}}
analysis: {time: {end: 1, step: 10 ms}}
)");
  EXPECT_NEAR(run.at(1.0, "wB.y"), 0.6, 1e-9);
  EXPECT_NEAR(run.at(1.0, "wB.z"), 0.8, 1e-9);
  EXPECT_NEAR(run.at(1.0, "wA.y"), -0.3, 1e-9);
  EXPECT_NEAR(run.at(1.0, "wA.z"), -0.4, 1e-9);
}

// A force that turns with the body keeps a spinning body's velocity on a circle:
// v = (F/(m ω)) (sin ωt, 1 − cos ωt).
TEST(Actuators, PushInTheAxesOfTheBody) {
  const ModelRun run = runModel(R"(
nodes: {A: {position: [0, 0, 0], free: [x, y, rz], angular_velocity: [0, 0, 3]}}
bodies: {a: {node: A, mass: 2, inertia: [1, 1, 1]}}
sensors: {v: {measure: velocity, node: A}}
actuators:
  jet: {type: force, node: A, direction: [10, 0, 0], frame: body, input: 5}
  fan: {type: force, node: A, direction: [0, 0.1, 0], input: 1}
  spin: {type: torque, node: A, direction: [0, 0, 1], input: 0}
analysis: {time: {end: 1, step: 1 ms}}
)");
  EXPECT_NEAR(run.at(1.0, "v.x"), 5.0 / 6.0 * std::sin(3.0), 1e-5);
  EXPECT_NEAR(run.at(1.0, "v.y"), 5.0 / 6.0 * (1 - std::cos(3.0)) + 0.5, 1e-5);
}

// With the pitch h per radian: (J + m h²) φ'' = T, and for a force along the axis over h.
TEST(Actuators, DriveAScrewOnBothCoordinates) {
  const auto screw = [](const std::string& actuator) {
    return runModel(R"(
nodes: {A: [0, 0, 0]}
bodies: {a: {node: A, mass: 2, inertia: [0.5, 0.5, 0.5]}}
joints: {s: {type: screw, between: [ground, A], axis: [0, 0, 1], pitch: 0.4}}
sensors: {x: {measure: displacement, joint: s}}
actuators: {u: )" + actuator +
                        "}\n",
                    "x", "end: 1, step: 10 ms")
        .last("x");
  };
  const double h = 0.4 / (2 * kPi), inertia = 0.5 + 2 * h * h;
  EXPECT_NEAR(screw("{type: torque, joint: s, input: 3}"), 0.5 * h * 3 / inertia, 1e-8);
  EXPECT_NEAR(screw("{type: force, joint: s, coordinate: translation, input: 3}"),
              0.5 * h * h * 3 / inertia, 1e-8);
}

// Steps of first and second order: 1 − e^(−t/T) and 1 − e^(−ζωt) (cos ω_d t + ζω/ω_d sin ω_d t).
TEST(Actuators, HaveDynamicsOfTheirOwn) {
  const ModelRun run = runModel(R"(
nodes: {A: {position: [0, 0, 0], free: [x]}}
bodies: {a: {node: A, mass: 2}}
actuators:
  slow: {type: force, node: A, direction: [1, 0, 0], input: 3, gain: 2, limits: [-4, 4], time_constant: 0.1}
  wavy: {type: force, node: A, direction: [1, 0, 0], input: 3, frequency: 2 Hz, damping: 0.3}
  usual: {type: force, node: A, direction: [1, 0, 0], input: 3, frequency: 2}
analysis: {time: {end: 0.4, step: 0.5 ms}}
)");
  const auto second = [](double t, double zeta) {
    const double omega = 4 * kPi, damped = omega * std::sqrt(1 - zeta * zeta);
    return 1 - std::exp(-zeta * omega * t) *
                   (std::cos(damped * t) + zeta * omega / damped * std::sin(damped * t));
  };
  for (const double t : {0.05, 0.2, 0.4}) {
    EXPECT_NEAR(run.at(t, "slow"), 4 * (1 - std::exp(-t / 0.1)), 1e-4) << t;
    EXPECT_NEAR(run.at(t, "wavy"), 3 * second(t, 0.3), 1e-4) << t;
    EXPECT_NEAR(run.at(t, "usual"), 3 * second(t, 0.7), 1e-4) << t;
  }
}

// 2 sin(2πt) between ±1: it is cut from t = 1/12 to 5/12, so over half a period the momentum is
// 2·(2/2π)(1 − cos 30°) + 1/3.
TEST(Actuators, AreLimited) {
  const ModelRun run = runModel(R"(
nodes: {A: {position: [0, 0, 0], free: [x]}}
bodies: {a: {node: A, mass: 1}}
sensors: {v: {measure: velocity, node: A, direction: [1, 0, 0]}}
blocks: {u: {type: sine, amplitude: 1, frequency: 1 Hz}}
actuators: {f: {type: force, node: A, direction: [1, 0, 0], input: u, gain: 2, limits: [-1, 1]}}
analysis: {time: {end: 1, step: 7 ms}}
)");
  const double half = 2 * (2 / (2 * kPi)) * (1 - std::cos(kPi / 6)) + 1.0 / 3;
  EXPECT_NEAR(run.at(0.5, "v"), half, 1e-4);
  EXPECT_NEAR(run.at(1.0, "v"), 0.0, 1e-4);
  for (const double f : run.column("f")) EXPECT_LE(std::abs(f), 1.0);
  EXPECT_EQ(run.at(0.25, "f"), 1.0);
}

// An actuator of type motion is the drive of the joint.
TEST(Actuators, PrescribeAMotion) {
  const char* rest = R"(
blocks: {u: {type: sine, amplitude: 0.3, frequency: 1 Hz}}
sensors: {phi: {measure: angle, joint: h}, M: {measure: torque, joint: h}}
outputs: [phi, M]
analysis: {time: {end: 0.5, step: 5 ms}}
)";
  const ModelRun drive = runModel(rotor(", drive: u}}") + rest);
  const ModelRun motion =
      runModel(rotor("}}\nactuators: {servo: {type: motion, joint: h, input: u}}") + rest);
  for (std::size_t i = 0; i < drive.times().size(); ++i) {
    EXPECT_NEAR(motion.column("phi")[i], 0.3 * std::sin(2 * kPi * motion.times()[i]), 1e-7);
    EXPECT_NEAR(motion.column("M.x")[i], drive.column("M.x")[i], 1e-7);
  }
}

// m g = k x within the limits, and the limit beyond them, where a spring carries the rest.
TEST(Actuators, HoldAnEquilibrium) {
  const auto sag = [](const char* limits) {
    const model::Model model = buildModel(std::string(R"(
gravity: [10, 0, 0]
nodes: {A: {position: [0, 0, 0], free: [x]}}
bodies: {a: {node: A, mass: 2}}
springs: {k: {type: linear, between: [ground, A], direction: [1, 0, 0], stiffness: 10}}
sensors: {x: {measure: displacement, node: A, direction: [1, 0, 0]}}
blocks: {u: {type: gain, input: x, gain: -40}}
actuators: {f: {type: force, node: A, direction: [1, 0, 0], input: u, time_constant: 1)") +
                                          limits + "}}\n");
    const analysis::EquilibriumResult result = analysis::findEquilibrium(model);
    EXPECT_TRUE(result.report.ok()) << messageOf(result.report.failure);
    return result.outputs;
  };
  EXPECT_NEAR(sag("")[0], 20.0 / 50.0, 1e-9);
  EXPECT_NEAR(sag("")[1], -16.0, 1e-9);
  EXPECT_NEAR(sag(", limits: [-5, 5]")[0], 15.0 / 10.0, 1e-9);
  EXPECT_NEAR(sag(", limits: [-5, 5]")[1], -5.0, 1e-9);
}

std::string wrongActuator(const std::string& actuator) {
  return R"(
nodes: {A: [1, 0, 0], B: [2, 0, 0], base: {position: [0, 0, 0], free: []}}
bodies: {a: {node: A, mass: 2}, b: {node: B, mass: 2}}
joints:
  h: {type: hinge, between: [ground, A], axis: [0, 1, 0]}
  s: {type: slider, between: [ground, B], axis: [1, 0, 0], drive: 0.2}
  ball: {type: spherical, between: [A, B]}
actuators: {a: )" +
         actuator + "}\n";
}

TEST(Actuators, SayWhatIsWrong) {
  const auto expectTold = [](const std::string& actuator, const std::string& message) {
    EXPECT_TRUE(says(mistakesOf(wrongActuator(actuator)), message));
  };
  expectTold("{type: torque, joint: hinge, input: 1}", "unknown joint 'hinge'");
  expectTold("{type: torque, joint: s, input: 1}", "a slider has no rotation");
  expectTold("{type: force, joint: h, input: 1}", "a hinge has no translation");
  expectTold("{type: force, joint: ball, input: 1}", "a spherical has no translation");
  expectTold("{type: motion, joint: ball, input: 1}", "a spherical has no rotation");
  expectTold("{type: torque, joint: h, coordinate: translation, input: 1}",
             "a torque cannot act on a translation");
  expectTold("{type: motion, joint: s, input: 1}", "'s' is already locked or driven");
  expectTold("{type: force, node: A, joint: h, direction: [1, 0, 0], input: 1}",
             "'node' and 'joint' cannot be combined");
  expectTold("{type: force, input: 1}", "it has no target");
  expectTold("{type: force, node: A, input: 1}", "'direction' is missing");
  expectTold("{type: force, node: A, direction: [0, 0, 0], input: 1}", "must not be zero");
  expectTold("{type: force, node: A, direction: [1, 0, 0]}", "'input' is missing");
  expectTold("{type: torque, joint: h, direction: [1, 0, 0], input: 1}",
             "'direction' cannot be combined with 'joint'");
  expectTold("{type: force, between: [A, B], frame: body, input: 1}",
             "'frame' cannot be combined with 'between'");
  expectTold("{type: force, between: [A, A], input: 1}", "'A' is given twice");
  expectTold("{type: torque, between: [A, B], input: 1}", "'axis' is missing");
  expectTold("{type: torque, joint: h, input: 1, limits: [2, -2]}",
             "the lower limit is not below the upper one");
  expectTold("{type: torque, joint: h, input: 1, limits: [2]}", "limits");
  expectTold("{type: torque, joint: h, input: 1, limits: [-2 mm, 2]}", "limits");
  expectTold("{type: torque, joint: h, input: 1, time_constant: 1, frequency: 2}",
             "'time_constant' and 'frequency' cannot be combined");
  expectTold("{type: torque, joint: h, input: 1, damping: 1}", "'damping' needs 'frequency'");
  expectTold("{type: torque, joint: h, input: 1, time_constant: 0}", "time_constant");
  expectTold("{type: torque, joint: h, input: nothing}", "unknown signal 'nothing'");
}

TEST(Actuators, WarnIfTheyMoveNothing) {
  const auto warning = [](const std::string& actuator) {
    const model::Model model = buildModel(wrongActuator(actuator));
    const auto& warnings = model.warnings().warnings();
    return warnings.empty() ? std::string() : warnings.front().message;
  };
  EXPECT_EQ(warning("{type: torque, joint: h, input: 1}"), "");
  EXPECT_TRUE(says(warning("{type: force, node: base, direction: [1, 0, 0], input: 1}"),
                   "'base' cannot move"));
  EXPECT_TRUE(says(warning("{type: force, joint: s, input: 1}"), "is locked or driven"));
}

// The stabilised index-2 form closes velocities too, so it needs the rate of the driving signal.
TEST(PrescribedMotion, FollowsTheRateOfItsSignalInBothForms) {
  for (const char* form : {"index3", "index2"}) {
    const ModelRun run = runModel(
        R"(
nodes: {arm: [0.5, 0, 0]}
bodies: {arm: {node: arm, mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {hinge: {type: hinge, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0], drive: ref}}
sensors: {angle: {measure: angle, joint: hinge}}
blocks: {ref: {type: sine, amplitude: 0.5, omega: 7 rad/s}}
)",
        "angle, angle.rate", "end: 1, step: 1 ms, rho: 0.8, constraints: " + std::string(form));
    EXPECT_NEAR(run.at(1.0, "angle"), 0.5 * std::sin(7.0), 1e-12) << form;
    const double tolerance = form == std::string("index2") ? 1e-10 : 1e-4;
    EXPECT_NEAR(run.at(1.0, "angle.rate"), 3.5 * std::cos(7.0), tolerance) << form;
  }
}

}  // namespace
}  // namespace flexloop::test
