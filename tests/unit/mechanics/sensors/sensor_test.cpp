// Sensors as signals, and what they measure, against mechanics by hand.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"
#include "system/assembler.hpp"

namespace flexloop::test {
namespace {

constexpr double kGravity = 9.81;

// A point mass on a massless rod, let go from the horizontal: along the rod the joint carries
// m g sin θ + m L θ'² = 3 m g sin θ, and nothing across it.
std::string pendulum(const std::string& analysis) {
  return R"(
gravity: [0, 0, -9.81]
nodes: {A: [1, 0, 0]}
bodies: {a: {node: A, mass: 2}}
joints: {h: {type: hinge, between: [ground, A], at: [0, 0, 0], axis: [0, 1, 0]}}
sensors:
  theta: {measure: angle, joint: h}
  f: {measure: force, joint: h, frame: body}
  m: {measure: torque, joint: h, frame: ground}
blocks:
  along: {type: gain, input: f.x, gain: 1}
  across: {type: gain, input: f.z, gain: 1}
  bend: {type: gain, input: m.x, gain: 1}
outputs: [theta, f, along, across, bend]
analysis: {time: {end: 1.2, step: 1 ms, )" +
         analysis + "}}\n";
}

TEST(Sensors, FeelTheForceInAHinge) {
  for (const char* form :
       {"rho: 0.9", "constraints: index2", "augmentation: {scale: 1e3, penalty: 1e4}"}) {
    const ModelRun run = runModel(pendulum(form));
    for (const double t : {0.0, 0.3, 0.7, 1.2}) {
      const double force = -3.0 * 2.0 * kGravity * std::sin(run.at(t, "theta"));
      EXPECT_NEAR(run.at(t, "along"), force, 2e-3) << form << " " << t;
      EXPECT_NEAR(run.at(t, "f.x"), force, 2e-3) << form << " " << t;
      EXPECT_NEAR(run.at(t, "across"), 0.0, 2e-3) << form << " " << t;
      EXPECT_NEAR(run.at(t, "bend"), 0.0, 1e-9) << form << " " << t;
    }
  }
}

// N = m₂ a of the second mass is fed back: (m₁ + m₂) a = F − g N, so a = F/(m₁ + m₂ + g m₂).
TEST(Sensors, CloseALoopThroughAJointForce) {
  const ModelRun run = runModel(R"(
nodes: {A: {position: [0, 0, 0], free: [x]}, B: {position: [1, 0, 0], free: [x]}}
bodies: {a: {node: A, mass: 2}, b: {node: B, mass: 3}}
joints: {tie: {type: point_on_plane, between: [A, B], axis: [1, 0, 0]}}
sensors:
  N: {measure: force, joint: tie, direction: [1, 0, 0]}
  x: {measure: displacement, node: B, direction: [1, 0, 0]}
blocks:
  F: {type: constant, value: 10}
  back: {type: gain, input: N, gain: 4}
  u: {type: sum, inputs: [F, -back]}
actuators: {push: {type: force, node: A, direction: [1, 0, 0], input: u}}
analysis: {time: {end: 1, step: 10 ms}}
)");
  const double a = 10.0 / (2.0 + 3.0 + 4.0 * 3.0);
  EXPECT_NEAR(run.at(0.0, "N"), 3.0 * a, 1e-9);
  EXPECT_NEAR(run.at(1.0, "N"), 3.0 * a, 1e-9);
  EXPECT_NEAR(run.at(1.0, "x"), 0.5 * a, 1e-9);
  EXPECT_NEAR(run.at(1.0, "push"), 10.0 - 4.0 * 3.0 * a, 1e-9);
}

// F − g a on the mass m: a = F/(m + g).
TEST(Sensors, CloseALoopThroughAnAcceleration) {
  const ModelRun run = runModel(R"(
nodes: {A: [0, 0, 0]}
bodies: {a: {node: A, mass: 2, inertia: [1, 1, 1]}}
joints: {s: {type: slider, between: [ground, A], axis: [0.6, 0.8, 0]}}
sensors: {a: {measure: acceleration, joint: s}, x: {measure: displacement, joint: s}}
blocks: {F: {type: constant, value: 10}, back: {type: gain, input: a, gain: 3}, u: {type: sum, inputs: [F, -back]}}
actuators: {push: {type: force, joint: s, input: u}}
analysis: {time: {end: 1, step: 10 ms}}
)");
  EXPECT_NEAR(run.at(0.0, "a"), 2.0, 1e-9);
  EXPECT_NEAR(run.at(1.0, "a"), 2.0, 1e-9);
  EXPECT_NEAR(run.at(1.0, "x"), 1.0, 1e-9);
}

// A rotor about an axis in space with the torque T: φ'' = T/J, seen by the joint and by the node.
TEST(Sensors, FollowTheCoordinateOfAHinge) {
  const ModelRun run = runModel(R"(
nodes: {A: {position: [1, 2, 3], angular_velocity: [0, 0, 2]}}
bodies: {a: {node: A, mass: 2, inertia: [0.3, 0.3, 0.5]}}
joints: {h: {type: hinge, between: [ground, A], axis: [0, 0, 1]}}
loads: {T: {node: A, torque: [0, 0, 4]}}
sensors:
  phi: {measure: angle, joint: h}
  rate: {measure: rate, joint: h}
  acceleration: {measure: acceleration, joint: h}
blocks:
  v: {type: gain, input: phi.rate, gain: 1}
  a: {type: gain, input: acceleration, gain: 1}
  b: {type: gain, input: rate.rate, gain: 1}
outputs: [phi, rate, acceleration, v, a, b]
analysis: {time: {end: 3, step: 10 ms}}
)");
  EXPECT_NEAR(run.at(3.0, "phi"), 2.0 * 3.0 + 0.5 * 8.0 * 9.0, 1e-8);
  for (const char* name : {"rate", "v"}) EXPECT_NEAR(run.at(3.0, name), 26.0, 1e-8) << name;
  for (const char* name : {"acceleration", "a", "b"}) {
    EXPECT_NEAR(run.at(3.0, name), 8.0, 1e-8) << name;
  }
}

// x = ½ sin 2t with k = 12: the spring pulls with −k x, whose rate is −k cos 2t.
TEST(Sensors, KnowTheRateOfASpringForce) {
  const ModelRun run = runModel(R"(
nodes: {cart: {position: [2, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {m: {node: cart, mass: 3}}
springs:
  k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 6}
  s: {type: distance, between: [ground, cart], stiffness: 6}
sensors:
  f: {measure: force, spring: k, direction: [1, 0, 0]}
  g: {measure: force, spring: s, direction: [1, 0, 0]}
  t: {measure: tension, spring: s}
blocks: {df: {type: gain, input: f.rate, gain: 1}, dg: {type: gain, input: g.rate, gain: 1}, dt: {type: gain, input: t.rate, gain: 1}}
outputs: [f, f.rate, df, dg, dt]
analysis: {time: {end: 1, step: 1 ms}}
)");
  EXPECT_NEAR(run.at(1.0, "f"), -3.0 * std::sin(2.0), 1e-4);
  for (const char* name : {"f.rate", "df", "dg"}) {
    EXPECT_NEAR(run.at(1.0, name), -6.0 * std::cos(2.0), 1e-4) << name;
  }
  EXPECT_NEAR(run.at(1.0, "dt"), 6.0 * std::cos(2.0), 1e-4);
}

// The rate of the force in a section is the slope of its record.
TEST(Sensors, KnowTheRateOfASectionForce) {
  const ModelRun run = runModel(R"(
gravity: [0, 0, -9.81]
materials: {soft: {E: 0.2 GPa, nu: 0.3, rho: 1000}}
sections: {bar: {type: rectangle, width: 20 mm, height: 20 mm}}
nodes: {root: {position: [0, 0, 0], free: []}, tip: [1, 0, 0]}
beams: {b: {from: root, to: tip, elements: 4, section: bar, material: soft, y_axis: [0, 1, 0]}}
sensors: {M: {measure: section_force, beam: b, at: 0.1, component: bending_y}}
blocks: {dM: {type: gain, input: M.rate, gain: 1}}
outputs: [M, dM]
analysis: {time: {end: 0.2, step: 0.2 ms, rho: 0.5}}
)");
  const std::vector<double>&t = run.times(), &M = run.column("M");
  double largest = 0.0;
  for (std::size_t i = 1; i + 1 < t.size(); ++i) {
    largest = std::max(largest, std::abs(run.column("dM")[i]));
  }
  ASSERT_GT(largest, 1.0);
  for (std::size_t i = 1; i + 1 < t.size(); ++i) {
    const double slope = (M[i + 1] - M[i - 1]) / (t[i + 1] - t[i - 1]);
    EXPECT_NEAR(run.column("dM")[i], slope, 5e-3 * largest) << t[i];
  }
}

// A fall of 2 kg from z = 3: potential m g z, and what it loses is kinetic.
TEST(Sensors, ReadEnergy) {
  const ModelRun run = runModel(R"(
gravity: [0, 0, -9.81]
nodes: {ball: {position: [0, 0, 3], free: [z]}, cart: {position: [1, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {ball: {node: ball, mass: 2}, cart: {node: cart, mass: 3}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 12}}
sensors:
  ball: {measure: energy, body: ball}
  cart: {measure: energy, body: cart, component: kinetic}
  k: {measure: energy, spring: k, component: potential}
  all: {measure: energy, component: total}
analysis: {time: {end: 0.5, step: 1 ms, rho: 1}}
)");
  const double t = 0.5, v = kGravity * t, z = 3.0 - 0.5 * kGravity * t * t;
  EXPECT_NEAR(run.at(t, "ball.kinetic"), v * v, 1e-9);
  EXPECT_NEAR(run.at(t, "ball.potential"), 2.0 * kGravity * z, 1e-9);
  EXPECT_NEAR(run.at(t, "ball.total"), 2.0 * kGravity * 3.0, 1e-9);
  EXPECT_NEAR(run.at(t, "cart"), 1.5 * std::pow(std::cos(2.0 * t), 2), 1e-5);
  EXPECT_NEAR(run.at(t, "k"), 1.5 * std::pow(std::sin(2.0 * t), 2), 1e-5);
  EXPECT_NEAR(run.at(t, "all"), 2.0 * kGravity * 3.0 + 1.5, 1e-9);
}

// A beam that turns as a rigid body about its end: ½ (ρ A L³/3) ω², with lumped inertia too.
TEST(Sensors, ReadTheEnergyOfABeam) {
  for (const char* inertia : {"order: 1", "order: 2", "order: 2, inertia: consistent"}) {
    const model::Model model = buildModel(std::string(R"(
materials: {m: {E: 200 GPa, nu: 0.3, rho: 8000}}
sections: {bar: {type: rectangle, width: 10 mm, height: 10 mm}}
nodes:
  A: {position: [0, 0, 0], angular_velocity: [0, 0, 3]}
  B: {position: [1, 0, 0], velocity: [0, 3, 0], angular_velocity: [0, 0, 3]}
bodies: {bar: {node: A, mass: 5}}
beams: {bar: {from: A, to: B, elements: 40, section: bar, material: m, y_axis: [0, 1, 0], )") +
                                          inertia + R"(}}
sensors: {e: {measure: energy, beam: bar}}
)");
    system::Assembler assembler(model.system());
    std::vector<double> values;
    model.outputs().calc(assembler.calcMotion(model.system().start()), values);
    ASSERT_EQ(values.size(), 3u);
    EXPECT_NEAR(values[0], 0.5 * (0.8 / 3.0) * 9.0, 2e-3) << inertia;
    EXPECT_NEAR(values[1], 0.0, 1e-6) << inertia;
    EXPECT_EQ(values[2], values[0] + values[1]) << inertia;
  }
}

std::string wrongSensor(const std::string& sensors) {
  return R"(
nodes: {A: [1, 0, 0], B: [2, 0, 0]}
bodies: {a: {node: A, mass: 2}, b: {node: B, mass: 2}}
joints:
  h: {type: hinge, between: [ground, A], at: [0, 0, 0], axis: [0, 1, 0]}
  ball: {type: spherical, between: [ground, B]}
springs: {s: {type: bushing, between: [A, B], stiffness: [1, 1, 1, 1, 1, 1]}}
sensors:
)" + sensors;
}

TEST(Sensors, SayWhatTheyCannotMeasure) {
  const auto expectTold = [](const std::string& sensors, const std::string& message) {
    EXPECT_TRUE(says(mistakesOf(wrongSensor(sensors)), message));
  };
  expectTold("  e: {measure: energy}\nblocks: {y: {type: gain, input: e, gain: 1}}\n",
             "'e' has several components");
  expectTold("  e: {measure: energy, body: a, spring: s}\n",
             "'body', 'beam' and 'spring' cannot be combined");
  expectTold(
      "  f: {measure: force, joint: h}\n"
      "blocks: {y: {type: gain, input: f.x.rate, gain: 1}}\n",
      "'f.x' has no exact rate");
  expectTold("  f: {measure: force}\n", "one of 'joint', 'spring' and 'contact' is needed");
  expectTold("  a: {measure: acceleration}\n", "either 'node' or 'joint' is needed");
  expectTold("  a: {measure: acceleration, joint: ball}\n", "a spherical has no coordinate");
  expectTold("  a: {measure: acceleration, joint: h, coordinate: translation}\n",
             "a hinge has no translation");
  expectTold("  a: {measure: acceleration, joint: h, direction: [1, 0, 0]}\n",
             "'direction' cannot be combined with 'joint'");
  expectTold("  a: {measure: acceleration, node: A, coordinate: rotation}\n",
             "'coordinate' cannot be combined with 'node'");
}

}  // namespace
}  // namespace flexloop::test
