// Gears against closed forms (reference J4): constraints, planetary sets, backlash, mesh stiffness, belts and racks.
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "support/machine_modes.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;

std::string text(double x) {
  std::ostringstream stream;
  stream.precision(17);
  stream << x;
  return stream.str();
}

// Rotors on hinges of ground, hinge1 and on, about z, with these inertias.
struct Train {
  std::string nodes, bodies, joints;

  explicit Train(const std::vector<double>& inertias) {
    for (std::size_t i = 0; i < inertias.size(); ++i) {
      const std::string n = std::to_string(i + 1), J = text(inertias[i]);
      nodes += "  N" + n + ": [" + text(0.3 * static_cast<double>(i)) + ", 0, 0]\n";
      bodies +=
          "  b" + n + ": {node: N" + n + ", mass: 1, inertia: [" + J + ", " + J + ", " + J + "]}\n";
      joints += "  hinge" + n + ": {type: hinge, between: [ground, N" + n + "], axis: [0, 0, 1]}\n";
    }
  }
  std::string with(const std::string& gears, const std::string& more = {}) const {
    return "nodes:\n" + nodes + "bodies:\n" + bodies + "joints:\n" + gears + joints + more;
  }
};

std::vector<double> frequenciesOf(const std::string& model) {
  analysis::ModeOptions options;
  options.count = 20;
  std::vector<double> hertz;
  for (const analysis::Mode& mode : modesOf(model, options).modes) {
    hertz.push_back(std::abs(mode.eigenvalue.imag()) / kTwoPi);
  }
  std::sort(hertz.begin(), hertz.end());
  return hertz;
}

void expectFrequencies(const std::string& model, const std::vector<double>& expected,
                       double tolerance) {
  const std::vector<double> hertz = frequenciesOf(model);
  ASSERT_EQ(hertz.size(), expected.size());
  const double largest = expected.back();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(hertz[i], expected[i], tolerance * (expected[i] > 0.0 ? expected[i] : largest));
  }
}

// J4.1, over 58 and more turns in steps of up to five turns.
TEST(Gear, PairHasTheReflectedInertia) {
  const std::string model =
      Train({0.01, 0.09})
          .with("  pair: {type: gear, between: [hinge1, hinge2], ratio: -3}\n",
                "loads: {a: {node: N1, torque: [0, 0, 2]}, b: {node: N2, torque: [0, 0, 0.5]}}\n"
                "sensors:\n"
                "  q1: {measure: angle, joint: hinge1}\n"
                "  q2: {measure: angle, joint: hinge2}\n"
                "  a1: {measure: acceleration, joint: hinge1}\n"
                "  t2: {measure: transmitted, joint: pair}\n");
  for (const char* form : {"index2", "index3"}) {
    const ModelRun run =
        runModel(model, "q1, q2, a1, t2", std::string("end: 20, step: 0.5, constraints: ") + form);
    const double a1 = 0.5 / 0.82;
    EXPECT_NEAR(run.last("q1"), 200.0 * a1, 1e-7);
    EXPECT_NEAR(run.last("q2"), -600.0 * a1, 3e-7);
    EXPECT_NEAR(run.last("a1"), 0.609756097561, 1e-9);
    EXPECT_NEAR(run.last("t2"), -0.664634146341, 1e-9);
  }
}

// A ratio that is no integer, driven beyond the speed at which angles can be told from positions.
TEST(Gear, CountsTurnsForAnyRatioAndStep) {
  const std::string model =
      Train({0.01, 0.09})
          .with("  pair: {type: gear, between: [hinge1, hinge2], ratio: 0.37}\n",
                "blocks: {turn: {type: ramp, slope: 500}}\n"
                "actuators: {motor: {type: motion, joint: hinge1, input: turn}}\n"
                "sensors: {q2: {measure: angle, joint: hinge2}}\n");
  for (const char* step : {"0.001", "0.1", "1"}) {
    const ModelRun run = runModel(model, "q2", std::string("end: 5, step: ") + step);
    EXPECT_NEAR(run.last("q2"), 0.37 * 2500.0, 1e-6) << step;
  }
}

TEST(Gear, StartFollowsTheRatio) {
  std::string model = Train({0.01, 0.09})
                          .with("  pair: {type: gear, between: [hinge1, hinge2], ratio: 2.5}\n",
                                "sensors: {q2: {measure: angle, joint: hinge2}, w2: {measure: "
                                "rate, joint: hinge2}}\n");
  model.replace(model.find("axis: [0, 0, 1]"), 15, "axis: [0, 0, 1], start: 7 rad, start_rate: 3");
  const ModelRun run = runModel(model, "q2, w2", "end: 0.1, step: 0.1");
  EXPECT_NEAR(run.at(0.0, "q2"), 17.5, 1e-9);
  EXPECT_NEAR(run.at(0.0, "w2"), 7.5, 1e-9);
}

// Sun, ring, carrier and four planets of J4.2: every hinge but the carrier's is on the carrier. Three of the eight meshes
// are redundant.
std::string planetary() {
  const double rc = 0.04806799943;
  std::string nodes = "  sun: [0, 0, 0]\n  ring: [0, 0, 0]\n  carrier: [0, 0, 0]\n";
  std::string bodies =
      "  sun: {node: sun, mass: 1, inertia: [4e-4, 4e-4, 4e-4]}\n"
      "  ring: {node: ring, mass: 1, inertia: [2e-3, 2e-3, 2e-3]}\n"
      "  carrier: {node: carrier, mass: 1, inertia: [3e-3, 3e-3, 3e-3]}\n";
  std::string joints =
      "  c: {type: hinge, between: [ground, carrier], axis: [0, 0, 1]}\n"
      "  s: {type: hinge, between: [carrier, sun], axis: [0, 0, 1]}\n"
      "  r: {type: hinge, between: [carrier, ring], axis: [0, 0, 1]}\n";
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i);
    const double x = i == 0 ? rc : (i == 2 ? -rc : 0.0), y = i == 1 ? rc : (i == 3 ? -rc : 0.0);
    nodes += "  p" + n + ": [" + text(x) + ", " + text(y) + ", 0]\n";
    bodies += "  p" + n + ": {node: p" + n + ", mass: 0.035, inertia: [1.5e-6, 1.5e-6, 1.5e-6]}\n";
    joints += "  h" + n + ": {type: hinge, between: [carrier, p" + n + "], axis: [0, 0, 1]}\n";
    joints += "  sp" + n + ": {type: gear, between: [s, h" + n + "], ratio: -4}\n";
    joints += "  rp" + n + ": {type: gear, between: [r, h" + n + "], ratio: 6}\n";
  }
  return "nodes:\n" + nodes + "bodies:\n" + bodies + "joints:\n" + joints;
}

TEST(Gear, PlanetarySetMovesAndLoadsItsMembers) {
  const std::string model =
      planetary() +
      "loads:\n"
      "  a: {node: sun, torque: [0, 0, -10]}\n"
      "  b: {node: ring, torque: [0, 0, -30]}\n"
      "  c: {node: carrier, torque: [0, 0, 60]}\n"
      "sensors:\n"
      "  as: {measure: angular_acceleration, node: sun, direction: [0, 0, 1]}\n"
      "  ar: {measure: angular_acceleration, node: ring, direction: [0, 0, 1]}\n"
      "  ac: {measure: angular_acceleration, node: carrier, direction: [0, 0, 1]}\n"
      "  ap: {measure: angular_acceleration, node: p2, direction: [0, 0, 1]}\n"
      "  ts: {measure: transmitted, joint: sp0}\n"
      "  tr: {measure: transmitted, joint: rp3}\n";
  const ModelRun run = runModel(model, "as, ar, ac, ap, ts, tr", "end: 1e-4, step: 1e-4");
  const double rp = 0.009613599886;
  EXPECT_NEAR(run.at(0.0, "as"), 16202.5230025, 1e-5);
  EXPECT_NEAR(run.at(0.0, "ar"), -1950.61885308, 1e-5);
  EXPECT_NEAR(run.at(0.0, "ac"), 5310.63788917, 1e-5);
  EXPECT_NEAR(run.at(0.0, "ap"), -38256.9025643, 1e-4);
  // A force along the positive turn of the carrier at the inner pitch point turns the planet backwards.
  EXPECT_NEAR(run.at(0.0, "ts"), 107.1464475 * rp, 1e-7);
  EXPECT_NEAR(run.at(0.0, "tr"), -113.1156322 * rp, 1e-7);
}

TEST(Gear, PlanetarySpeeds) {
  const auto speeds = [](const char* fixed, const char* driven) {
    const std::string model =
        planetary() +
        "blocks: {turn: {type: ramp, slope: 1}, none: {type: constant, value: 0}}\n"
        "sensors:\n"
        "  ws: {measure: angular_velocity, node: sun, direction: [0, 0, 1]}\n"
        "  wr: {measure: angular_velocity, node: ring, direction: [0, 0, 1]}\n"
        "  wc: {measure: angular_velocity, node: carrier, direction: [0, 0, 1]}\n"
        "  wp: {measure: angular_velocity, node: p1, direction: [0, 0, 1]}\n"
        "actuators: {motor: {type: motion, joint: drive, input: turn}}\n";
    std::string joined = model;
    joined.replace(joined.find("joints:\n"), 8,
                   std::string("joints:\n  hold: {type: weld, between: [ground, ") + fixed +
                       "]}\n  drive: {type: hinge, between: [ground, " + driven +
                       "], axis: [0, 0, 1]}\n");
    return runModel(joined, "ws, wr, wc, wp", "end: 1, step: 0.25");
  };
  const ModelRun ringFixed = speeds("ring", "carrier");
  EXPECT_NEAR(ringFixed.last("ws"), 2.5, 1e-9);
  EXPECT_NEAR(ringFixed.last("wp"), 1.0 - 4.0 * 1.5, 1e-9);
  EXPECT_NEAR(speeds("sun", "carrier").last("wr"), 5.0 / 3.0, 1e-9);
  EXPECT_NEAR(speeds("carrier", "ring").last("ws"), -1.5, 1e-9);
}

// J4.3: the state comes back after a period, and between goes as far as it should.
TEST(Gear, BacklashOscillatorHasItsPeriodicSolutions) {
  struct Case {
    double W, x, v, largest, least;
  };
  for (const Case& c : {Case{0.5, 1.16637168142, 0.00221238938053, 1.1665, 1.0335},
                        Case{0.8, 0.734078450908, 0.0977380786368, 1.3501, 0.7005},
                        Case{1.0, 0.905965374766, 0.0557744441304, 1.2693, 0.89529},
                        Case{1.2, 0.996122168333, 0.0320033683256, 1.2068, 0.99265}}) {
    const double period = kTwoPi / c.W;
    std::string model =
        Train({1.0, 1.0})
            .with(
                "  pair: {type: gear, between: [hinge1, hinge2], ratio: 1, stiffness: 1, damping: "
                "0.1, "
                "backlash: 2}\n",
                "blocks: {push: {type: sine, amplitude: 0.05, frequency: " + text(c.W / kTwoPi) +
                    " Hz, phase: 90 deg, offset: 0.1}}\n"
                    "actuators: {t: {type: torque, joint: hinge2, input: push}}\n"
                    "sensors: {x: {measure: angle, joint: hinge2}, v: {measure: rate, joint: "
                    "hinge2}}\n");
    const std::size_t first = model.find("axis: [0, 0, 1]");
    const std::size_t second = model.find("axis: [0, 0, 1]", first + 1);
    model.replace(second, 15,
                  "axis: [0, 0, 1], start: " + text(c.x) + ", start_rate: " + text(c.v));
    model.replace(first, 15, "axis: [0, 0, 1], locked: true");
    const ModelRun run = runModel(
        model, "x, v", "end: " + text(period) + ", step: " + text(period / 2000.0) + ", rho: 1");
    EXPECT_NEAR(run.last("x"), c.x, 2e-6) << c.W;
    EXPECT_NEAR(run.last("v"), c.v, 2e-6) << c.W;
    const auto& x = run.column("x");
    EXPECT_NEAR(*std::max_element(x.begin(), x.end()), c.largest, 1e-4) << c.W;
    EXPECT_NEAR(*std::min_element(x.begin(), x.end()), c.least, 1e-4) << c.W;
  }
}

// J4.4
TEST(Gear, MeshStiffnessHasItsModes) {
  const double k = 2e8, r1 = 0.05, r2 = 0.1;
  const std::string mesh =
      "  mesh: {type: gear, between: [hinge1, hinge2], ratio: " + text(-r1 / r2);
  const std::string elastic = mesh + ", stiffness: " + text(k * r2 * r2) + "}\n";
  expectFrequencies(Train({0.002, 0.03}).with(elastic), {0.0, 2832.18296932}, 1e-9);
  const std::string shafts =
      "springs:\n"
      "  motor: {type: torsional, between: [N3, N1], axis: [0, 0, 1], stiffness: 2e4}\n"
      "  load: {type: torsional, between: [N2, N4], axis: [0, 0, 1], stiffness: 5e4}\n";
  const Train train({0.002, 0.03, 0.01, 0.5});
  expectFrequencies(train.with(elastic, shafts), {0.0, 124.798691205, 349.444640958, 2869.19637558},
                    1e-9);
  expectFrequencies(train.with(mesh + "}\n", shafts), {0.0, 125.400223194, 352.313327762}, 1e-9);
}

// Motor, gear and load on an elastic shaft, twice in one model: the second with all inertias and stiffnesses much larger or smaller.
TEST(Gear, TwoDrivesOfAnySizeHaveTheModesOfReflectedInertia) {
  const double J1 = 0.01, J2 = 0.09, JL = 0.4, k = 3000.0, ratio = -3.0;
  const double J = J1 / (ratio * ratio) + J2;  // at the second wheel
  const double hertz = std::sqrt(k * (1.0 / J + 1.0 / JL)) / kTwoPi;
  for (const double scale : {1.0, 1e12, 1e-12}) {
    const Train train({J1, J2, JL, J1 * scale, J2 * scale, JL * scale});
    const std::string model = train.with(
        "  pair: {type: gear, between: [hinge1, hinge2], ratio: -3}\n"
        "  other: {type: gear, between: [hinge4, hinge5], ratio: -3}\n",
        "springs:\n"
        "  s1: {type: torsional, between: [N2, N3], axis: [0, 0, 1], stiffness: " +
            text(k) +
            "}\n"
            "  s2: {type: torsional, between: [N5, N6], axis: [0, 0, 1], stiffness: " +
            text(k * scale) + "}\n");
    expectFrequencies(model, {0.0, 0.0, hertz, hertz}, 1e-8);
  }
}

// J4.6, and the same for masses that are much larger and smaller.
TEST(Gear, BeltAndRackHaveTheirClosedForms) {
  expectFrequencies(
      Train({0.002, 0.02})
          .with("  belt: {type: belt, between: [hinge1, hinge2], radii: [50 mm, 100 mm], "
                "stiffness: = 2*4e5/0.6}\n"),
      {0.0, 243.11319131}, 1e-9);
  for (const double scale : {1.0, 1e12, 1e-12}) {
    const std::string J = text(2e-4 * scale), m = text(1.5 * scale);
    const std::string model =
        "nodes: {P: [0, 0, 0], R: [0, 0.02, 0]}\n"
        "bodies:\n  p: {node: P, mass: 1, inertia: [" +
        J + ", " + J + ", " + J +
        "]}\n"
        "  r: {node: R, mass: " +
        m + ", inertia: [" + J + ", " + J + ", " + J +
        "]}\n"
        "joints:\n"
        "  drive: {type: rack, between: [hinge1, slider1], radius: 20 mm}\n"
        "  hinge1: {type: hinge, between: [ground, P], axis: [0, 0, 1]}\n"
        "  slider1: {type: slider, between: [ground, R], axis: [1, 0, 0]}\n"
        "loads: {push: {node: R, force: [" +
        text(10.0 * scale) +
        ", 0, 0]}}\n"
        "sensors:\n"
        "  x: {measure: displacement, joint: slider1}\n"
        "  q: {measure: angle, joint: hinge1}\n"
        "  f: {measure: transmitted, joint: drive}\n";
    const ModelRun run = runModel(model, "x, q, f", "end: 1, step: 0.01");
    EXPECT_NEAR(run.last("x"), 2.5, 1e-8) << scale;
    EXPECT_NEAR(run.last("q"), 125.0, 1e-6) << scale;
    EXPECT_NEAR(run.last("f") / scale, 1.5 * 5.0 - 10.0, 1e-8) << scale;
  }
}

// J4.5: a helical pair whose bearings are springs; the wheels are free to turn.
std::string helicalPair(const std::string& mesh) {
  return "nodes: {A: [0, 0, 0], B: [0.12, 0, 0]}\n"
         "bodies:\n"
         "  a: {node: A, mass: 1.8, inertia: [9e-4, 9e-4, 1.44e-3]}\n"
         "  b: {node: B, mass: 7, inertia: [1.2e-2, 1.2e-2, 2.2e-2]}\n"
         "springs:\n"
         "  a: {type: bushing, between: [ground, A], stiffness: [2e8, 2e8, 1e8, 5e5, 5e5, 0]}\n"
         "  b: {type: bushing, between: [ground, B], stiffness: [2e8, 2e8, 1e8, 5e5, 5e5, 0]}\n"
         "joints:\n"
         "  mesh: {type: gear_pair, between: [A, B], axis: [0, 0, 1], radii: [40 mm, 80 mm], "
         "pressure_angle: 20 deg, helix_angle: 15 deg, stiffness: 3e8" +
         mesh + "}\n";
}

TEST(GearPair, HelicalWheelsOnElasticBearingsHaveTheirModes) {
  expectFrequencies(
      helicalPair(""),
      {0, 598.64759504, 791.489801005, 850.718954945, 1012.82958063, 1027.3407401, 1165.58781144,
       1412.78468313, 1677.64040348, 3423.7102163, 3751.31798399, 4297.88648097},
      1e-9);
}

TEST(GearPair, LoadsItsBearingsAndChangesTheFlank) {
  // The second wheel is held about its axis by a spring that is as good as rigid.
  const auto rest = [](const std::string& mesh, double torque) {
    std::string fixed = helicalPair(mesh);
    fixed.replace(fixed.find("5e5, 5e5, 0]}\njoints"), 13, "5e5, 5e5, 1e16]}");
    const model::Model machine =
        buildModel(fixed + "loads: {t: {node: A, torque: [0, 0, " + text(torque) +
                   "]}}\n"
                   "sensors:\n"
                   "  x: {measure: displacement, node: A}\n"
                   "  r: {measure: rotation, node: A, direction: [0, 0, 1]}\n"
                   "  q: {measure: transmitted, joint: mesh}\n"
                   "  f: {measure: force, spring: a}\n"
                   "outputs: [x, r, q, f]\n");
    const analysis::EquilibriumResult found = analysis::findEquilibrium(machine);
    EXPECT_TRUE(found.report.ok()) << messageOf(found.report.failure);
    return found.outputs;
  };
  // Small enough to be linear: a hundredth of a percent of the numbers of J4.5.
  const double share = 1e-4;
  const std::vector<double> front = rest("", 100.0 * share);
  EXPECT_NEAR(front[0], share * -4.71012142e-06, share * 1e-11);
  EXPECT_NEAR(front[1], share * -1.25e-05, share * 1e-11);
  EXPECT_NEAR(front[2], share * -6.69872981e-06, share * 1e-11);
  EXPECT_NEAR(front[3], share * 0.00112815502599, share * 1e-9);
  EXPECT_NEAR(front[4], share * 2754.29474892, share * 1e-3);
  EXPECT_NEAR(front[5], share * 942.024284785, share * 1e-2);
  EXPECT_NEAR(front[6], share * 2500.0, share * 1e-2);
  EXPECT_NEAR(front[7], share * 669.872981078, share * 1e-2);
  const std::vector<double> back = rest(", flank: back", -100.0 * share);
  EXPECT_NEAR(back[0], front[0], share * 1e-11);
  EXPECT_NEAR(back[1], -front[1], share * 1e-11);
  EXPECT_NEAR(back[2], -front[2], share * 1e-11);
  EXPECT_NEAR(back[4], share * 2754.29474892, share * 1e-3);
}

// A loop of gears that agree has one freedom; one that does not agree has none, and is stuck.
TEST(Gear, ClosedLoopsMayAgreeOrNot) {
  const auto loop = [](const char* last) {
    return Train({0.1, 0.2, 0.3})
        .with(
            "  g12: {type: gear, between: [hinge1, hinge2], ratio: -2}\n"
            "  g23: {type: gear, between: [hinge2, hinge3], ratio: -0.5}\n"
            "  g31: {type: gear, between: [hinge3, hinge1], ratio: " +
                std::string(last) + "}\n",
            "loads: {a: {node: N1, torque: [0, 0, 1]}}\n"
            "sensors: {q1: {measure: angle, joint: hinge1}}\n");
  };
  const ModelRun run = runModel(loop("1"), "q1", "end: 2, step: 0.01");
  EXPECT_NEAR(run.last("q1"), 2.0 / (0.1 + 4.0 * 0.2 + 0.3), 1e-7);
  EXPECT_NEAR(runModel(loop("1.1"), "q1", "end: 2, step: 0.01").last("q1"), 0.0, 1e-9);
}

}  // namespace
}  // namespace flexloop::test
