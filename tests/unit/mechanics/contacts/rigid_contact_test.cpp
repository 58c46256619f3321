// Contacts with restitution: closed forms and J2.1, J2.6 and J2.7 of the reference tables.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "base/text_format.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// In other units of mass, length and time; the ball has a place of its own.
std::string makeBall(double restitution, double mass, double length, double time) {
  return base::formatText(R"(
gravity: [0, 0, %.17g]
nodes: {ball: {position: [%.17g, 0, %.17g], free: [x, y, z]}}
bodies: {ball: {node: ball, mass: %.17g}}
contacts: {floor: {type: sphere_plane, node: ball, radius: %.17g, plane: {normal: [0, 0, 1]}, restitution: %.17g}}
sensors:
  z: {measure: position, node: ball, direction: [0, 0, 1]}
  v: {measure: velocity, node: ball, direction: [0, 0, 1]}
  N: {measure: force, contact: floor, direction: [0, 0, 1]}
  size: {measure: normal_force, contact: floor}
)",
                          -9.81 * length / time / time, 3.0 * length, 1.05 * length, mass,
                          0.05 * length, restitution);
}

// J2.1: impacts that accumulate, and a ball that lies still with the force m g.
TEST(RigidContact, BouncesToRest) {
  const std::vector<double> impacts{0.45152364099, 1.1739614666, 1.751911727,  2.2142719354,
                                    2.5841601021,  2.8800706354, 3.1167990621, 3.3061818035};
  constexpr double kRest = 4.06371276887;
  for (const auto& [mass, length, time] :
       {std::array{1.0, 1.0, 1.0}, {1e-9, 1e-6, 1e3}, {1e9, 1e6, 1e-3}}) {
    const ModelRun run =
        runModel(makeBall(0.8, mass, length, time), "z, v, N, size",
                 base::formatText("end: %.17g, step: %.17g", 5.0 * time, 0.01 * time));
    const std::vector<double> events = run.interruptions();
    ASSERT_GT(events.size(), impacts.size());
    for (std::size_t i = 0; i < impacts.size(); ++i) {
      EXPECT_NEAR(events[i], impacts[i] * time, 1e-8 * time) << i;
    }
    EXPECT_NEAR(events.back(), kRest * time, 1e-3 * time);
    EXPECT_NEAR(run.last("z"), 0.05 * length, 1e-12 * length);
    EXPECT_NEAR(run.last("v"), 0.0, 1e-12 * length / time);
    const double weight = 9.81 * mass * length / time / time;
    EXPECT_NEAR(run.last("N"), weight, 1e-9 * weight);
    EXPECT_NEAR(run.last("size"), weight, 1e-9 * weight);
    EXPECT_TRUE(run.report.notes.empty()) << run.report.notes.front();
  }
}

// Three equal balls in a row, the first of which arrives at the others, which touch: Moreau's simultaneous law (J2.6).
TEST(RigidContact, StrikesARowOfBallsAllAtOnce) {
  for (const double e : {0.0, 0.5, 1.0}) {
    for (const double gap : {0.0, 0.05}) {
      const ModelRun run = runModel(base::formatText(R"(
nodes:
  a: {position: [%.17g, 0, 0], velocity: [1, 0, 0], free: [x, y, z]}
  b: {position: [0, 0, 0], free: [x, y, z]}
  c: {position: [2, 0, 0], free: [x, y, z]}
bodies: {a: {node: a, mass: 2}, b: {node: b, mass: 2}, c: {node: c, mass: 2}}
contacts:
  ab: {type: sphere_sphere, first: {node: a, radius: 1}, second: {node: b, radius: 1}, restitution: %.17g}
  bc: {type: sphere_sphere, first: {node: b, radius: 1}, second: {node: c, radius: 1}, restitution: %.17g}
sensors:
  a: {measure: velocity, node: a, direction: [1, 0, 0]}
  b: {measure: velocity, node: b, direction: [1, 0, 0]}
  c: {measure: velocity, node: c, direction: [1, 0, 0]}
)",
                                                     -2.0 - gap, e, e),
                                    "a, b, c", "end: 0.3, step: 0.02");
      EXPECT_NEAR(run.last("a"), (1.0 - 2.0 * e) / 3.0, 1e-10) << e << " " << gap;
      EXPECT_NEAR(run.last("b"), (1.0 + e) / 3.0, 1e-10) << e << " " << gap;
      EXPECT_NEAR(run.last("c"), (1.0 + e) / 3.0, 1e-10) << e << " " << gap;
    }
  }
}

// J2.7: a double pendulum that hits a wall with its tip, a ball without size to speak of.
TEST(RigidContact, LetsADoublePendulumHitAWall) {
  const ModelRun run = runModel(R"(
gravity: [0, 0, -9.81]
parameters: {a: -1.2, b: -0.8}
nodes:
  first: {position: [= sin(a), 0, = -cos(a)], free: [x, z]}
  tip: {position: [= sin(a) + sin(b), 0, = -cos(a) - cos(b)], free: [x, z]}
bodies: {first: {node: first, mass: 1}, tip: {node: tip, mass: 1}}
joints:
  upper: {type: distance, between: [ground, first]}
  lower: {type: distance, between: [first, tip]}
contacts:
  wall: {type: sphere_plane, node: tip, radius: 0.25, plane: {at: [0.75, 0, 0], normal: [-1, 0, 0]}, restitution: 0.7}
sensors: {tip: {measure: position, node: tip}, speed: {measure: velocity, node: tip}}
)",
                                "tip, speed", "end: 3, step: 0.25 ms");
  const std::vector<double> events = run.interruptions();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_NEAR(events[0], 0.789108700388, 1e-6);
  EXPECT_NEAR(events[1], 2.41205434806, 1e-6);
  EXPECT_NEAR(run.last("tip.x"), -0.8460918784, 1e-5);
  EXPECT_NEAR(run.last("tip.z"), -1.8108884803, 1e-5);
}

// Without loss the energy stays for ever, and with loss it never grows; balls of many sizes in a box.
TEST(RigidContact, NeverGainsEnergy) {
  for (const double e : {1.0, 0.7}) {
    std::string text = "nodes:\n", bodies = "bodies:\n", contacts = "contacts:\n";
    const std::vector<std::string> names{"a", "b", "c"};
    const std::vector<std::string> places{"[0.3, 0.4, 0.5]", "[-0.4, 0.1, -0.2]", "[0.2, -0.5, 0]"};
    const std::vector<std::string> speeds{"[-3, -2, 1]", "[2, 4, 0.3]", "[1, 2, -5]"};
    const std::vector<double> radii{0.2, 0.15, 0.25};
    for (std::size_t i = 0; i < names.size(); ++i) {
      text += "  " + names[i] + ": {position: " + places[i] + ", velocity: " + speeds[i] + "}\n";
      bodies += "  " + names[i] + ": {node: " + names[i] +
                base::formatText(", mass: %g, inertia: [0.1, 0.1, 0.1]}\n", 1.0 + 1.5 * double(i));
      for (int wall = 0; wall < 6; ++wall) {
        const int axis = wall / 2, side = wall % 2 == 0 ? 1 : -1;
        const int n[3] = {axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0};
        contacts += base::formatText(
            "  %s%d: {type: sphere_plane, node: %s, radius: %g, plane: {at: [%d, %d, %d], normal: "
            "[%d, %d, %d]}, restitution: %g}\n",
            names[i].c_str(), wall, names[i].c_str(), radii[i], -n[0], -n[1], -n[2], n[0], n[1],
            n[2], e);
      }
      for (std::size_t j = 0; j < i; ++j) {
        contacts += base::formatText(
            "  %s%s: {type: sphere_sphere, first: {node: %s, radius: %g}, second: {node: %s, "
            "radius: %g}, restitution: %g}\n",
            names[i].c_str(), names[j].c_str(), names[i].c_str(), radii[i], names[j].c_str(),
            radii[j], e);
      }
    }
    const ModelRun run =
        runModel(text + bodies + contacts + "sensors: {E: {measure: energy, component: total}}\n",
                 "E", "end: 3, step: 5 ms");
    const std::vector<double>& energy = run.column("E");
    for (std::size_t i = 1; i < energy.size(); ++i) {
      ASSERT_LE(energy[i], energy[i - 1] * (1.0 + 1e-9)) << e << " " << run.times()[i];
    }
    if (e == 1.0) {
      EXPECT_NEAR(energy.back(), energy.front(), 1e-8 * energy.front());
    }
    EXPECT_GT(run.report.events, 10);
  }
}

// What lies on the plane is held by it, and no more than that.
TEST(RigidContact, IsAConstraintAtRest) {
  const model::Model model = buildModel(makeBall(0.5, 1.0, 1.0, 1.0) + "outputs: [z, N]\n");
  const auto rest = analysis::findEquilibrium(model);
  ASSERT_TRUE(rest.report.ok()) << rest.report.failure->message;
  EXPECT_NEAR(rest.outputs[0], 0.05, 1e-12);
  EXPECT_NEAR(rest.outputs[1], 9.81, 1e-9);
  EXPECT_EQ(analysis::findModes(model, rest.state, {}).modes.size(), 2u);
}

// The force that carries the ball as far as the floor does: half of its weight each.
TEST(RigidContact, HasAForceThatIsASignalWithoutARate) {
  const std::string model = R"(
gravity: [0, 0, -10]
nodes: {b: {position: [0, 0, 0.05], free: [x, y, z]}}
bodies: {b: {node: b, mass: 2}}
contacts: {c: {type: sphere_plane, node: b, radius: 50 mm, plane: {normal: [0, 0, 1]}, restitution: 0}}
sensors: {n: {measure: normal_force, contact: c}}
actuators: {help: {type: force, node: b, direction: [0, 0, 1], input: n}}
)";
  EXPECT_NEAR(runModel(model, "n", "end: 0.05, step: 1 ms").last("n"), 10.0, 1e-9);
  EXPECT_TRUE(says(mistakesOf(model + "blocks: {k: {type: gain, input: n.rate, gain: 1}}\n"),
                   "'n' has no exact rate"));
}

TEST(RigidContact, NamesWhatItHasNot) {
  const auto complaintAbout = [](const std::string& law) {
    return mistakesOf(R"(
nodes: {ball: [0, 0, 1]}
bodies: {ball: {node: ball, mass: 1, inertia: [1, 1, 1]}}
contacts: {floor: {type: sphere_plane, node: ball, radius: 0.1, plane: {normal: [0, 0, 1]}, )" +
                      law + "}}\n");
  };
  EXPECT_EQ(complaintAbout("restitution: 0"), "");
  const auto expectTold = [&](const std::string& law, const std::string& words) {
    const std::string said = complaintAbout(law);
    EXPECT_NE(said.find(words), std::string::npos) << law << "\n" << said;
  };
  expectTold("restitution: 0.5, stiffness: 1e6", "exclude each other");
  expectTold("restitution: 0.5, friction: 0.3, viscous: 0.1", "'viscous' has no meaning");
  expectTold("restitution: 0.5, friction: 0.3, static: 0.2", "'static' is less than 'friction'");
  expectTold("restitution: 0.5, friction: 0.3, regularization: 0.2",
             "'regularization' has no meaning");
  expectTold("stiffness: 1e6, regularization: 0.2", "needs a 'friction' above zero");
  expectTold("stiffness: 1e6, friction: 0.3, static: 0.4, regularization: 0.2",
             "'static' has no meaning beside 'regularization'");
  expectTold("restitution: 0.5, damping: 0.3", "'damping' has no meaning");
  expectTold("restitution: 1.2", "restitution");
  expectTold("restitution: -0.2", "restitution");
}

// At one instant: two balls with restitutions of their own, a bar that lands on both ends, and a cart that reaches the end of its rail.
TEST(RigidContact, StrikesSeveralAtOneInstant) {
  const double v = 9.81 * std::sqrt(2.0 / 9.81);  // after 1 m
  const double arrival = std::sqrt(2.0 / 9.81);
  const ModelRun run = runModel(base::formatText(R"(
gravity: [0, 0, -9.81]
nodes:
  a: {position: [0, 0, 1.1], free: [x, y, z]}
  b: {position: [1, 0, 1.1], free: [x, y, z]}
  bar: {position: [3, 0, 1.1]}
  cart: {position: [6, 0, 0], velocity: [%.17g, 0, 0]}
bodies: {a: {node: a, mass: 1}, b: {node: b, mass: 1e-3}, bar: {node: bar, mass: 2, inertia: [0.1, 0.2, 0.2]}, cart: {node: cart, mass: 3, inertia: [1, 1, 1]}}
joints: {rail: {type: slider, between: [ground, cart], axis: [1, 0, 0]}}
contacts:
  ca: {type: sphere_plane, node: a, radius: 0.1, plane: {normal: [0, 0, 1]}, restitution: 0.3}
  cb: {type: sphere_plane, node: b, radius: 0.1, plane: {normal: [0, 0, 1]}, restitution: 0.8}
  left: {type: sphere_plane, node: bar, at: [2.5, 0, 1.1], radius: 0.1, plane: {normal: [0, 0, 1]}, restitution: 0.5}
  right: {type: sphere_plane, node: bar, at: [3.5, 0, 1.1], radius: 0.1, plane: {normal: [0, 0, 1]}, restitution: 0.5}
  end: {type: limit, joint: rail, upper: 1, restitution: 0.6}
sensors:
  a: {measure: velocity, node: a, direction: [0, 0, 1]}
  b: {measure: velocity, node: b, direction: [0, 0, 1]}
  bar: {measure: velocity, node: bar, direction: [0, 0, 1]}
  turn: {measure: angular_velocity, node: bar, direction: [0, 1, 0]}
  cart: {measure: rate, joint: rail}
)",
                                                 1.0 / arrival),
                                "a, b, bar, turn, cart",
                                base::formatText("end: %.17g, step: 10 ms", arrival + 0.02));
  const double since = 9.81 * 0.02;
  EXPECT_NEAR(run.last("a"), 0.3 * v - since, 1e-8);
  EXPECT_NEAR(run.last("b"), 0.8 * v - since, 1e-8);
  EXPECT_NEAR(run.last("bar"), 0.5 * v - since, 1e-8);
  EXPECT_NEAR(run.last("turn"), 0.0, 1e-10);
  EXPECT_NEAR(run.last("cart"), -0.6 / arrival, 1e-8);
}

}  // namespace
}  // namespace flexloop::test
