// Losses of gears, threads and worms, and friction whose load is a signal (docs/theory/41_losses_and_latches.md; reference J4).
#include <array>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "analysis/modes/mode_analysis.hpp"
#include "support/machine_modes.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

constexpr double kPi = std::numbers::pi;

std::string text(double x) {
  std::ostringstream stream;
  stream.precision(17);
  stream << x;
  return stream.str();
}

// Two shafts about z with inertias of 0.01 and 0.09, torques T1 and T2, and a pair between them.
std::string pair(const std::string& gear, double T1, double T2, const std::string& rate = "0",
                 double unit = 1.0) {
  const auto body = [&](const char* node, double J) {
    const std::string I = text(unit * J);
    return std::string("{node: ") + node + ", mass: " + text(unit) + ", inertia: [" + I + ", " + I +
           ", " + I + "]}";
  };
  return "nodes: {N1: [0, 0, 0], N2: [0.3, 0, 0]}\nbodies: {b1: " + body("N1", 0.01) +
         ", b2: " + body("N2", 0.09) +
         "}\n"
         "joints:\n"
         "  h1: {type: hinge, between: [ground, N1], axis: [0, 0, 1], start_rate: " +
         rate +
         "}\n"
         "  h2: {type: hinge, between: [ground, N2], axis: [0, 0, 1]}\n"
         "  pair: {type: gear, between: [h1, h2], " +
         gear +
         "}\n"
         "loads: {a: {node: N1, torque: [0, 0, " +
         text(unit * T1) + "]}, b: {node: N2, torque: [0, 0, " + text(unit * T2) +
         "], signal: later}}\n"
         "blocks: {later: {type: step, at: 1, from: 1, to: -1}}\n"
         "sensors:\n"
         "  q1: {measure: angle, joint: h1}\n  w1: {measure: rate, joint: h1}\n"
         "  y: {measure: friction, joint: pair}\n  t2: {measure: transmitted, joint: pair}\n"
         "  sticks: {measure: sticks, joint: pair}\n  e: {measure: energy}\n";
}

// q1'' of (41.3) with X = i² J2 q1'' − i T2: the share e of X is felt at shaft 1.
double acceleration(double e, double T1, double T2) {
  constexpr double i = -3.0;
  return (T1 + e * i * T2) / (0.01 + e * i * i * 0.09);
}

TEST(GearLosses, FollowThePowerInBothDirections) {
  for (const char* form : {"index2", "index3"}) {
    const std::string time = std::string("end: 0.5, step: 10 ms, constraints: ") + form;
    const std::string gear = "ratio: -3, efficiency: 0.8, back_efficiency: 0.7";
    const ModelRun forward = runModel(pair(gear, 2.0, 0.5), "q1, y, t2", time);
    const double a = acceleration(1.0 / 0.8, 2.0, 0.5);
    EXPECT_NEAR(forward.last("q1"), 0.125 * a, 1e-9) << form;
    EXPECT_NEAR(forward.last("y"), 0.25 * (0.81 * a + 1.5), 1e-7) << form;
    EXPECT_NEAR(forward.last("t2"), -3.0 * 0.09 * a - 0.5, 1e-7) << form;
    const ModelRun back = runModel(pair(gear, 0.0, 0.5), "q1, y", time);
    const double b = acceleration(0.7, 0.0, 0.5);
    EXPECT_NEAR(back.last("q1"), 0.125 * b, 1e-8) << form;
    EXPECT_NEAR(back.last("y"), -0.3 * (0.81 * b + 1.5), 1e-7) << form;
  }
}

// Between the torque that lifts and the one that no longer holds, the pair rests, for ever and exactly.
TEST(GearLosses, HoldAtRest) {
  const auto run = [](double T1) {
    return runModel(pair("ratio: -3, efficiency: 0.8, back_efficiency: 0.7", T1, 0.5),
                    "q1, w1, sticks", "end: 0.9, step: 10 ms");
  };
  for (const double held : {1.0501, 1.3, 1.5, 1.8749}) {
    EXPECT_NEAR(run(held).last("w1"), 0.0, 1e-25) << held;
    EXPECT_NEAR(run(held).last("q1"), 0.0, 1e-15) << held;
    EXPECT_EQ(run(held).last("sticks"), 1.0) << held;
  }
  EXPECT_LT(run(1.0499).last("w1"), 0.0);
  EXPECT_GT(run(1.8751).last("w1"), 0.0);
}

// The load changes its sign while the pair turns: the direction of power changes with it, and energy falls at the right rate.
TEST(GearLosses, ChangeWithThePowerWhileItTurns) {
  const ModelRun run =
      runModel(pair("ratio: -3, efficiency: 0.8, back_efficiency: 0.7", 0.0, 0.5, "20"),
               "w1, e.kinetic", "end: 1.5, step: 5 ms, rho: 0.9");
  const double slow = acceleration(1.0 / 0.8, 0.0, 0.5), fast = acceleration(0.7, 0.0, -0.5);
  ASSERT_GT(20.0 + slow, 0.0);
  EXPECT_NEAR(run.at(0.9, "w1"), 20.0 + 0.9 * slow, 1e-7);
  EXPECT_NEAR(run.last("w1"), 20.0 + slow + 0.5 * fast, 1e-6);
}

// A load that this pair cannot drive back, of any size and in any units.
TEST(GearLosses, LockThemselves) {
  for (const double unit : {1e-12, 1.0, 1e12}) {
    for (const double load : {0.5, -0.5, 1e6}) {
      const ModelRun run =
          runModel(pair("ratio: -3, efficiency: 0.3, back_efficiency: -0.01", 0.0, load, "0", unit),
                   "w1, q1, sticks", "end: 100, step: 10");
      EXPECT_NEAR(run.last("w1"), 0.0, 1e-25) << unit << " " << load;
      EXPECT_NEAR(run.last("q1"), 0.0, 1e-12) << unit << " " << load;
      EXPECT_EQ(run.last("sticks"), 1.0);
    }
    const ModelRun moves =
        runModel(pair("ratio: -3, efficiency: 0.3, back_efficiency: 0.01", 0.0, 0.5, "0", unit),
                 "w1", "end: 0.5, step: 10 ms");
    EXPECT_NEAR(moves.last("w1"), 0.5 * acceleration(0.01, 0.0, 0.5), 1e-6) << unit;
  }
}

// A drive that passes through rest moves the pair on: it does not stick there, and the loss turns with the direction of power.
TEST(GearLosses, FollowADriveThroughItsRest) {
  std::string model = pair("ratio: -3, efficiency: 0.8", 0.0, 0.0);
  model.replace(model.find("start_rate: 0"), 13, "drive: turn");
  model += "  q: {measure: angle, joint: h1}\n";
  const std::string turn = "blocks: {turn: {type: sine, amplitude: 0.5, frequency: 1 Hz}, ";
  model.replace(model.find("blocks: {"), 9, turn);
  const ModelRun run = runModel(model, "q, y, t2", "end: 0.9, step: 2 ms, rho: 0.9");
  for (const double t : {0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8}) {
    const double w = 2.0 * kPi, phase = w * t, a = -0.5 * w * w * std::sin(phase);
    const double X = 0.81 * a, s = std::cos(phase) > 0.0 ? 1.0 : -1.0;
    EXPECT_NEAR(run.at(t, "q"), 0.5 * std::sin(phase), 1e-6) << t;
    EXPECT_NEAR(run.at(t, "y"), s * std::abs(X) * (s * X > 0.0 ? 0.25 : 0.2), 0.01) << t;
  }
}

// A heavy side that a pair which locks itself cannot stop in any time: no acceleration agrees with its friction.
TEST(GearLosses, NameAPairThatJams) {
  const ModelRun run =
      tryModel(pair("ratio: -3, efficiency: 0.3, back_efficiency: -0.5", 0.0, 2.0, "-5"), "w1",
               "end: 1, step: 1 ms");
  ASSERT_TRUE(run.report.failure);
}

// Efficiencies of a planetary set with the fixed-carrier efficiency 0.97: with the torque of that efficiency nothing accelerates.
struct Planetary {
  const char* name;
  const char* held;  // ring or sun
  bool fromCarrier;  // it drives
  double efficiency;
};

TEST(GearLosses, OfAPlanetarySet) {
  const std::array<Planetary, 4> all{{{"sun to carrier", "ring", false, 0.982},
                                      {"carrier to sun", "ring", true, 0.9817813765},
                                      {"ring to carrier", "sun", false, 0.988},
                                      {"carrier to ring", "sun", true, 0.9877800407}}};
  for (const Planetary& c : all) {
    const bool ringHeld = std::string(c.held) == "ring";
    const double speedUp = ringHeld ? 2.5 : 5.0 / 3.0;  // of the other member, carrier 1
    const double T = 10.0, wc = 8.0;
    const double carrier = c.fromCarrier ? T : -c.efficiency * speedUp * T;
    const double other = c.fromCarrier ? -c.efficiency * T / speedUp : T;
    const std::string member = ringHeld ? "sun" : "ring";
    const std::string model =
        "nodes: {sun: [0, 0, 0], ring: [0, 0, 0], carrier: [0, 0, 0]}\n"
        "bodies:\n  sun: {node: sun, mass: 1, inertia: [4e-4, 4e-4, 4e-4]}\n"
        "  ring: {node: ring, mass: 1, inertia: [2e-3, 2e-3, 2e-3]}\n"
        "  carrier: {node: carrier, mass: 1, inertia: [3e-3, 3e-3, 3e-3]}\n"
        "joints:\n  hold: {type: weld, between: [ground, " +
        std::string(c.held) +
        "]}\n"
        "  c: {type: hinge, between: [ground, carrier], axis: [0, 0, 1], start_rate: " +
        text(wc) +
        "}\n"
        "  s: {type: hinge, between: [carrier, sun], axis: [0, 0, 1]}\n"
        "  r: {type: hinge, between: [carrier, ring], axis: [0, 0, 1]}\n"
        "  mesh: {type: gear, between: [s, r], teeth: [36, 54], efficiency: 0.97}\n"
        "loads: {a: {node: carrier, torque: [0, 0, " +
        text(carrier) + "]}, b: {node: " + member + ", torque: [0, 0, " + text(other) +
        "]}}\n"
        "sensors: {w: {measure: rate, joint: c}}\n";
    const ModelRun run = runModel(model, "w", "end: 1, step: 10 ms");
    // An efficiency that is off by 1e-4 would change the speed by 0.3 rad/s and more.
    EXPECT_NEAR(run.last("w"), wc, 3e-6) << c.name;
  }
}

// A worm along x above a wheel along y.
std::string worm(double lead, double mu, double onWorm, double onWheel, double rate,
                 const std::string& more = {}) {
  return "nodes: {W: [0, 0, 0], Z: [0, 0, -0.1]}\n"
         "bodies: {w: {node: W, mass: 1, inertia: [0.01, 0.01, 0.01]}, z: {node: Z, mass: 1, "
         "inertia: [0.01, 0.01, 0.01]}}\n"
         "joints:\n"
         "  shaft: {type: hinge, between: [ground, W], axis: [1, 0, 0], start_rate: " +
         text(rate) +
         "}\n"
         "  wheel: {type: hinge, between: [ground, Z], axis: [0, 1, 0]}\n"
         "  pair: {type: worm, between: [shaft, wheel], starts: 2, teeth: 40, lead_angle: " +
         text(lead) + " deg, friction: " + text(mu) + more +
         "}\n"
         "loads: {a: {node: W, torque: [" +
         text(onWorm) + ", 0, 0]}, b: {node: Z, torque: [0, " + text(onWheel) +
         ", 0]}}\n"
         "sensors: {w1: {measure: rate, joint: shaft}, w2: {measure: rate, joint: wheel}}\n";
}

struct WormCase {
  double lead, mu, forward, backward;
};
constexpr std::array<WormCase, 8> kWorms{{{3, 0.05, 0.4948237631, -0.01524356923},
                                          {3, 0.1, 0.3281304091, -1.024856407},
                                          {5, 0.05, 0.6189261092, 0.390004083},
                                          {5, 0.1, 0.446989348, -0.2143649474},
                                          {10, 0.05, 0.760981945, 0.6917473115},
                                          {10, 0.1, 0.6119240729, 0.3891722401},
                                          {20, 0.05, 0.8555591657, 0.8375886597},
                                          {20, 0.1, 0.7437957639, 0.6812334121}}};

// With the torques of its efficiency nothing accelerates, in both directions; at rest it holds or not.
TEST(GearLosses, OfAWorm) {
  for (const WormCase& c : kWorms) {
    const double T = 2.0, ratio = -0.05;  // right-handed
    const double lifted = -T * c.forward / ratio;
    const ModelRun forward =
        runModel(worm(c.lead, c.mu, T, lifted, 5.0), "w1, w2", "end: 1, step: 10 ms");
    EXPECT_NEAR(forward.last("w1"), 5.0, 1e-6) << c.lead << " " << c.mu;
    EXPECT_NEAR(forward.last("w2"), 5.0 * ratio, 1e-7);
    const double load = 40.0, atWorm = -c.backward * ratio * load;
    const ModelRun back =
        runModel(worm(c.lead, c.mu, atWorm, load, -5.0), "w1", "end: 1, step: 10 ms");
    EXPECT_NEAR(back.last("w1"), -5.0, 1e-6) << c.lead << " " << c.mu;
    const ModelRun rest = runModel(worm(c.lead, c.mu, 0.0, load, 0.0), "w1", "end: 1, step: 10 ms");
    EXPECT_EQ(std::abs(rest.last("w1")) < 1e-25, c.backward < 0.0) << c.lead << " " << c.mu;
  }
}

// A weight on a screw: the torque that lifts it and the one that lets it down at a constant speed.
TEST(GearLosses, OfAScrew) {
  const auto run = [](const std::string& efficiency, double torque, double rate) {
    return runModel(
        "gravity: [0, 0, -9.81]\n"
        "nodes: {nut: [0, 0, 0]}\nbodies: {nut: {node: nut, mass: 10, inertia: [0.1, 0.1, 0.1]}}\n"
        "joints: {s: {type: screw, between: [ground, nut], axis: [0, 0, 1], pitch: 20 mm, "
        "start_rate: " +
            text(rate) + ", " + efficiency +
            "}}\n"
            "loads: {t: {node: nut, torque: [0, 0, " +
            text(torque) +
            "]}}\n"
            "sensors: {w: {measure: rate, joint: s}, y: {measure: friction, joint: s}}\n",
        "w, y", "end: 1, step: 10 ms");
  };
  const double ideal = 98.1 * 0.02 / (2.0 * kPi);
  EXPECT_NEAR(run("efficiency: 0.7", ideal / 0.7, 3.0).last("w"), 3.0, 1e-8);
  EXPECT_NEAR(run("efficiency: 0.7", ideal * (2.0 - 1.0 / 0.7), -3.0).last("w"), -3.0, 1e-8);
  EXPECT_NEAR(run("efficiency: 0.7, back_efficiency: 0.2", ideal * 0.2, -3.0).last("w"), -3.0,
              1e-8);
  EXPECT_NEAR(run("efficiency: 0.49", 0.0, 0.0).last("w"), 0.0, 1e-25);
  EXPECT_LT(run("efficiency: 0.51", 0.0, 0.0).last("w"), 0.0);
}

// A pinion lifts a rack.
TEST(GearLosses, OfARack) {
  const double weight = 2.0 * 9.81, r = 0.02;
  const std::string model =
      "gravity: [0, -9.81, 0]\n"
      "nodes: {P: [0, 0, 0], R: [0.02, 0, 0]}\n"
      "bodies: {p: {node: P, mass: 1, inertia: [1e-3, 1e-3, 1e-3]}, r: {node: R, mass: 2, inertia: "
      "[0.1, 0.1, 0.1]}}\n"
      "joints:\n  h: {type: hinge, between: [ground, P], axis: [0, 0, 1], start_rate: 4}\n"
      "  s: {type: slider, between: [ground, R], axis: [0, 1, 0]}\n"
      "  k: {type: rack, between: [h, s], radius: 20 mm, efficiency: 0.9}\n"
      "loads: {t: {node: P, torque: [0, 0, " +
      text(weight * r / 0.9) + "]}}\nsensors: {w: {measure: rate, joint: h}}\n";
  EXPECT_NEAR(runModel(model, "w", "end: 1, step: 10 ms").last("w"), 4.0, 1e-7);
}

// A spindle lifts 10 kg through a nut that yields: the torques of its efficiency keep its speed in both directions, and the nut is behind by W/k.
TEST(GearLosses, OfABallScrewThatYields) {
  const auto run = [](const std::string& efficiency, double torque, double rate) {
    return runModel(
        "gravity: [0, 0, -9.81]\n"
        "nodes: {spindle: [0, 0, 0], nut: [0, 0, 0.1]}\n"
        "bodies: {spindle: {node: spindle, mass: 1, inertia: [1e-3, 1e-3, 1e-3]}, nut: {node: nut, "
        "mass: 10, inertia: [0.1, 0.1, 0.1]}}\n"
        "joints:\n  s: {type: hinge, between: [ground, spindle], axis: [0, 0, 1], start_rate: " +
            text(rate) + "}\n  n: {type: slider, between: [ground, nut], axis: [0, 0, 1], start: " +
            text(-98.1 / 5e5) + ", start_rate: " + text(rate * 0.02 / (2.0 * kPi)) +
            "}\n"
            "  pair: {type: ball_screw, between: [s, n], lead: 20 mm, stiffness: 5e5, damping: "
            "200, " +
            efficiency +
            "}\n"
            "loads: {t: {node: spindle, torque: [0, 0, " +
            text(torque) +
            "]}}\n"
            "sensors: {w: {measure: rate, joint: s}, q: {measure: angle, joint: s}, x: {measure: "
            "displacement, joint: n}, y: {measure: friction, joint: pair}}\n",
        "w, q, x, y", "end: 1, step: 10 ms");
  };
  const double ideal = 98.1 * 0.02 / (2.0 * kPi);
  const ModelRun up = run("efficiency: 0.7", ideal / 0.7, 3.0);
  EXPECT_NEAR(up.last("w"), 3.0, 1e-7);
  EXPECT_NEAR(up.last("x") - up.last("q") * 0.02 / (2.0 * kPi), -98.1 / 5e5, 1e-10);
  EXPECT_NEAR(std::abs(up.last("y")), ideal * (1.0 / 0.7 - 1.0), 1e-7);
  EXPECT_NEAR(run("efficiency: 0.7", ideal * (2.0 - 1.0 / 0.7), -3.0).last("w"), -3.0, 1e-7);
  EXPECT_NEAR(run("efficiency: 0.7, back_efficiency: 0.2", ideal * 0.2, -3.0).last("w"), -3.0,
              1e-7);
  EXPECT_NEAR(run("efficiency: 0.49", 0.0, 0.0).last("w"), 0.0, 1e-25);
  EXPECT_LT(run("efficiency: 0.51", 0.0, 0.0).last("w"), 0.0);
}

// Teeth that are stiff lose what rigid ones lose, while both directions of power follow each other.
TEST(GearLosses, OfStiffTeethAreThoseOfRigidOnes) {
  const auto run = [](const char* teeth) {
    std::string model = pair(
        std::string("ratio: -3, efficiency: 0.8, back_efficiency: 0.7") + teeth, 2.0, 0.5, "20");
    const std::string second = "between: [ground, N2], axis: [0, 0, 1]";
    model.insert(model.find(second) + second.size(), ", start_rate: -60");
    return runModel(model, "w1, y", "end: 2, step: 1 ms");
  };
  const ModelRun rigid = run(""), stiff = run(", stiffness: 3e4, damping: 30");
  for (const double t : {0.3, 0.9, 1.2, 2.0}) {
    EXPECT_NEAR(stiff.at(t, "w1"), rigid.at(t, "w1"), 2e-3 * std::abs(rigid.at(t, "w1")) + 1e-2)
        << t;
    EXPECT_NEAR(stiff.at(t, "y"), rigid.at(t, "y"), 2e-3) << t;
  }
}

// A disc in a brake whose clamping force is a signal.
TEST(FrictionLoad, BrakesAsItIsPressed) {
  const std::string model =
      "nodes: {D: [0, 0, 0]}\nbodies: {d: {node: D, mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {h: {type: hinge, between: [ground, D], axis: [0, 0, 1], start_rate: 10,\n"
      "  friction: {coefficient: 0.3, radius: 100 mm, load: clamp}}}\n"
      "loads: {t: {node: D, torque: [0, 0, 0.5], signal: pull}}\n"
      "blocks:\n  press: {type: step, at: 0.5, from: -5, to: 100}\n  free: {type: step, at: 2, to: "
      "100}\n"
      "  clamp: {type: sum, inputs: [press, -free]}\n"
      "  pull: {type: step, at: 1.5}\n"
      "sensors: {w: {measure: rate, joint: h}, q: {measure: angle, joint: h}, y: {measure: "
      "friction, "
      "joint: h}}\n";
  const ModelRun run = runModel(model, "w, q, y", "end: 2.5, step: 10 ms");
  EXPECT_NEAR(run.at(0.4, "w"), 10.0, 1e-12);  // a negative force presses nothing
  EXPECT_NEAR(run.at(0.7, "w"), 10.0 - 0.2 * 30.0, 1e-9);
  EXPECT_NEAR(run.at(0.9, "w"), 0.0, 1e-25);
  EXPECT_NEAR(run.at(0.9, "q"), 5.0 + 50.0 / 30.0, 1e-8);
  EXPECT_NEAR(run.at(1.9, "w"), 0.0, 1e-25);
  EXPECT_NEAR(run.at(1.9, "y"), 0.5, 1e-10);
  EXPECT_NEAR(run.last("w"), 0.5 * 5.0, 1e-8);
}

// Two shafts become one after t = J1 J2/(J1 + J2) Δω/T, and transmit what drives them from then on.
TEST(FrictionLoad, EngagesAClutch) {
  const std::string model =
      "nodes: {A: [0, 0, 0], B: [0, 0, 0.1]}\n"
      "bodies: {a: {node: A, mass: 1, inertia: [0.2, 0.2, 0.2]}, b: {node: B, mass: 1, inertia: "
      "[0.6, 0.6, 0.6]}}\n"
      "joints:\n  h: {type: hinge, between: [ground, A], axis: [0, 0, 1], start_rate: 100}\n"
      "  k: {type: hinge, between: [ground, B], axis: [0, 0, 1]}\n"
      "  disc: {type: hinge, between: [A, B], at: [0, 0, 0], axis: [0, 0, 1],\n"
      "    friction: {coefficient: 0.4, radius: 80 mm, load: 1500}}\n"
      "sensors: {a: {measure: rate, joint: h}, b: {measure: rate, joint: k}}\n";
  const ModelRun run = runModel(model, "a, b", "end: 0.5, step: 5 ms");
  const double T = 0.4 * 0.08 * 1500.0, t = 0.15 * 100.0 / T;
  EXPECT_NEAR(run.at(0.1, "a"), 100.0 - 0.1 * T / 0.2, 1e-7);
  ASSERT_LT(t, 0.45);
  EXPECT_NEAR(run.last("a"), 25.0, 1e-8);
  EXPECT_NEAR(run.last("b"), 25.0, 1e-8);
}

TEST(GearLosses, MistakesAreNamed) {
  const auto wrong = [](const std::string& gear) { return mistakesOf(pair(gear, 0.0, 0.0)); };
  EXPECT_EQ(wrong("ratio: -3, efficiency: 0.8"), "");
  EXPECT_TRUE(says(wrong("ratio: -3, efficiency: 1.2"), "must be at most 1"));
  EXPECT_TRUE(says(wrong("ratio: -3, efficiency: 0"), "must be positive"));
  EXPECT_TRUE(says(wrong("ratio: -3, teeth: [10, 30]"), "'ratio' and 'teeth' exclude each other"));
  EXPECT_TRUE(says(wrong("efficiency: 0.9"), "a gear needs 'ratio' or 'teeth'"));
  EXPECT_TRUE(says(wrong("ratio: -3 deg"), "an angle is no pure number here"));
  EXPECT_TRUE(says(mistakesOf(worm(60, 0.6, 0, 0, 0)), "cannot drive"));
  EXPECT_TRUE(says(
      mistakesOf("nodes: {A: [0, 0, 0]}\nbodies: {a: {node: A, mass: 1, inertia: [1, 1, 1]}}\n"
                 "joints: {s: {type: screw, between: [ground, A], axis: [0, 0, 1], pitch: 1 mm, "
                 "efficiency: 0.5, friction: {torque: 1}}}\n"),
      "'efficiency' cannot be combined with 'friction'"));
  EXPECT_TRUE(
      says(mistakesOf("nodes: {A: [0, 0, 0]}\nbodies: {a: {node: A, mass: 1, inertia: [1, 1, 1]}}\n"
                      "joints: {s: {type: hinge, between: [ground, A], axis: [0, 0, 1], "
                      "friction: {torque: 1, load: 3}}}\n"),
           "'load' has no meaning beside 'torque'"));
}

}  // namespace
}  // namespace flexloop::test
