// What `flexloop modes` says of growing, free and idle motions, whatever is asked for and however large the machine is.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using Complex = std::complex<double>;
using Json = nlohmann::json;
using testing::ProgramResult;
using testing::TemporaryFolder;

Json findModes(const std::string& model, std::vector<std::string> more = {}) {
  const TemporaryFolder folder;
  std::vector<std::string> words{"modes", folder.write("model.yaml", "flexloop: 1\n" + model),
                                 "--json", "modes.json"};
  words.insert(words.end(), more.begin(), more.end());
  const ProgramResult result = testing::runProgram(words, folder.file(""));
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  std::ifstream file(folder.file("modes.json"));
  return Json::parse(file);
}

Complex rootOf(const Json& mode) {
  return {mode["eigenvalue"][0].get<double>(), mode["eigenvalue"][1].get<double>()};
}

double distanceTo(const Json& modes, Complex root) {
  double nearest = HUGE_VAL;
  for (const Json& mode : modes["modes"])
    nearest = std::min(nearest, std::abs(rootOf(mode) - root));
  return nearest;
}

// Masses of 2 kg on springs of their own, k = 2 (2πf)², f = 1, 2, … Hz; those from `first` on are driven by their
// velocity, c = −0.4 N s/m: s² 2 − 0.4 s + k = 0.
std::string makeOscillators(int count, int first) {
  std::string nodes = "nodes:\n", bodies = "bodies:\n", springs = "springs:\n",
              sensors = "sensors:\n", actuators = "actuators:\n";
  for (int i = 1; i <= count; ++i) {
    const std::string n = std::to_string(i);
    const double omega = 2.0 * M_PI * i;
    nodes += "  n" + n + ": {position: [" + n + ", 0, 0], free: [x]}\n";
    bodies += "  b" + n + ": {node: n" + n + ", mass: 2}\n";
    springs += "  s" + n + ": {type: linear, between: [ground, n" + n +
               "], direction: [1, 0, 0], stiffness: " + std::to_string(2.0 * omega * omega) + "}\n";
    if (i < first) continue;
    sensors += "  v" + n + ": {measure: velocity, node: n" + n + ", direction: [1, 0, 0]}\n";
    actuators += "  f" + n + ": {type: force, node: n" + n + ", direction: [1, 0, 0], input: v" +
                 n + ", gain: 0.4}\n";
  }
  return nodes + bodies + springs + sensors + actuators;
}

// A chain of 300 carts, and on its end one of 1 g on 1e6 N/m that a positive feedback of its velocity drives. It moves against a
// cart of 1 kg that hardly does: s ≈ (0.5 − 0.01)/(2 · 0.001) ± i √(1e6/0.001).
TEST(GrowingModes, AreFoundWhereControllersActFarAboveAllSlowModes) {
  std::string nodes = "nodes:\n", bodies = "bodies:\n", springs = "springs:\n", last = "ground";
  for (int i = 1; i <= 300; ++i) {
    const std::string n = std::to_string(i);
    const bool isEnd = i == 300;
    nodes += "  n" + n + ": {position: [" + n + ", 0, 0], free: [x]}\n";
    bodies += "  b" + n + ": {node: n" + n + ", mass: " + (isEnd ? "1 g" : "1") + "}\n";
    springs += "  s" + n + ": {type: linear, between: [" + last + ", n" + n +
               "], direction: [1, 0, 0], damping: 0.01, stiffness: " + (isEnd ? "1e6" : "1e3") +
               "}\n";
    last = "n" + n;
  }
  const Json modes = findModes(
      nodes + bodies + springs +
          "sensors: {v: {measure: velocity, node: n300, direction: [1, 0, 0]}}\n"
          "actuators: {f: {type: force, node: n300, direction: [1, 0, 0], input: v, gain: 0.5}}\n",
      {"--count", "4"});
  const double omega = std::sqrt(1e6 / 1e-3);
  EXPECT_EQ(modes["stability"]["verdict"], "unstable");
  EXPECT_LT(distanceTo(modes, {245.0, omega}), 2e-3 * omega);
}

TEST(GrowingModes, AreListedWhateverTheCount) {
  const Json modes = findModes(makeOscillators(20, 14), {"--count", "3"});
  EXPECT_EQ(modes["stability"]["verdict"], "unstable");
  EXPECT_EQ(modes["stability"]["growing_modes"], 7);
  EXPECT_EQ(modes["modes"].size(), 3u + 7u);
  for (int i = 14; i <= 20; ++i) {
    const double omega = 2.0 * M_PI * i;
    EXPECT_LT(distanceTo(modes, Complex(0.1, std::sqrt(omega * omega - 0.01))), 1e-6 * omega) << i;
  }
}

// Too large for all roots: what grows beyond those that are asked for is found, or nothing is called stable.
TEST(GrowingModes, OfALargeMachineAreNotCalledStable) {
  const Json modes = findModes(makeOscillators(260, 12), {"--count", "8"});
  EXPECT_EQ(modes["stability"]["verdict"], "unstable");
  EXPECT_GE(modes["stability"]["growing_modes"].get<int>(), 1);
}

// A rod on a ball joint that is released 37 degrees from rest: about axes that turn faster and faster, its roots are those of an
// instant. Nothing is called unstable, and both text and JSON say why.
TEST(GrowingModes, OfAMachineThatStartsToFallAreDoubtful) {
  const Json modes = findModes(
      "gravity: [0, 0, -9.81]\n"
      "nodes: {a: [0.3, 0, -0.4]}\n"
      "bodies: {a: {node: a, mass: 2, inertia: [0.05, 0.06, 0.03]}}\n"
      "joints: {j: {type: spherical, between: [ground, a], at: [0, 0, 0]}}\n");
  EXPECT_EQ(modes["stability"]["verdict"], "unknown");
  EXPECT_EQ(modes["stability"]["growing_modes"], 0);
  EXPECT_GT(modes["stability"]["doubtful_modes"], 0);
  ASSERT_EQ(modes["notes"].size(), 1u);
  EXPECT_NE(modes["notes"][0].get<std::string>().find("the machine accelerates"),
            std::string::npos);
  for (const Json& mode : modes["modes"]) EXPECT_TRUE(mode["stable"]);
}

// A flywheel on soft supports that spins freely: its angle is a double root at zero that rounding must not split, at any
// speed and in any unit of length.
TEST(ZeroRoots, OfAFreeSpinAreNotUnstable) {
  for (const double speed : {0.0, 30.0, 700.0, 9000.0}) {
    for (const double length : {1e-6, 1.0, 1e6}) {
      const auto number = [](double x) {
        char text[40];
        std::snprintf(text, sizeof text, "%.17g", x);
        return std::string(text);
      };
      const auto at = [&](double x) { return number(x * length); };
      const double area = length * length;
      const std::string inertia = number(0.03 * area) + ", " + number(0.016 * area);
      const Json modes = findModes(
          "nodes: {R: {position: [0, 0, 0], angular_velocity: [" + number(speed) +
          ", 0, 0]}}\n"
          "bodies: {wheel: {node: R, mass: 7, inertia: [" +
          inertia + ", " + number(0.016 * area) +
          "]}}\n"
          "springs:\n"
          "  thrust: {type: linear, between: [ground, R], direction: [1, 0, 0], stiffness: 3e4}\n"
          "  left: {type: bushing, between: [ground, R], at: [" +
          at(-0.13) +
          ", 0, 0], stiffness: [0, 2e5, 2e5, 0, 0, 0]}\n"
          "  right: {type: bushing, between: [ground, R], at: [" +
          at(0.22) + ", 0, 0], stiffness: [0, 3e5, 3e5, 0, 0, 0]}\n");
      SCOPED_TRACE(number(speed) + " rad/s, " + number(length) + " m");
      EXPECT_EQ(modes["stability"]["verdict"], "stable");
      int zeros = 0;
      for (const Json& mode : modes["modes"]) {
        EXPECT_TRUE(mode["stable"].get<bool>()) << mode["eigenvalue"];
        if (rootOf(mode) == 0.0) ++zeros;
      }
      EXPECT_EQ(zeros, 1);
    }
  }
}

// K = [2000 −1200; −1200 1200] and M = 2: ω² = 800 ∓ √(200² + 600²).
TEST(ZeroRoots, OfIdleIntegratorsDoNotUseUpTheCount) {
  const std::string model =
      "nodes: {a: {position: [0, 0, 0], free: [x]}, b: {position: [1, 0, 0], free: [x]}}\n"
      "bodies: {a: {node: a, mass: 2}, b: {node: b, mass: 2}}\n"
      "springs:\n"
      "  s: {type: linear, between: [ground, a], direction: [1, 0, 0], stiffness: 800}\n"
      "  t: {type: linear, between: [a, b], direction: [1, 0, 0], stiffness: 1200}\n"
      "sensors: {p: {measure: displacement, node: a, direction: [1, 0, 0]},\n"
      "          q: {measure: displacement, node: b, direction: [1, 0, 0]}}\n"
      "blocks: {i: {type: integrator, input: p}, j: {type: integrator, input: q},\n"
      "         k: {type: integrator, input: i}}\n";
  const double mean = 800.0, half = std::sqrt(200.0 * 200.0 + 600.0 * 600.0);
  for (const std::string g : {"1", "1e9", "1e-9"}) {
    const Json modes = findModes(model, {"--count", "2", "--set", "blocks.i.gain=" + g});
    EXPECT_LT(distanceTo(modes, Complex(0.0, std::sqrt(mean - half))), 1e-9);
    EXPECT_LT(distanceTo(modes, Complex(0.0, std::sqrt(mean + half))), 1e-9);
    EXPECT_EQ(modes["stability"]["verdict"], "stable");
  }
}

// x' = u with u = −10 x held for 0.1 s is at rest after one sample: its multiplier is zero, and ln 0 is no number.
TEST(SampledModes, ThatAreDeadBeatAreNotWrittenAsNumbers) {
  for (const double sample : {1e-9, 0.1, 1e6}) {
    char gain[80];
    std::snprintf(gain, sizeof gain, "kp: %.17g, sample: %.17g", 1.0 / sample, sample);
    const Json modes =
        findModes("blocks: {x: {type: integrator, input: u}, u: {type: discrete_pid, input: x, " +
                  std::string(gain) + "}}\n");
    for (const Json& mode : modes["modes"]) {
      if (mode["eigenvalue"].is_null()) {
        EXPECT_TRUE(mode.value("dead_beat", false));
      } else {
        EXPECT_TRUE(mode["eigenvalue"][0].is_number());
      }
      EXPECT_FALSE(mode["damping_ratio"].is_null());
    }
    EXPECT_EQ(modes["stability"]["verdict"], "stable");
  }
}

// Two rotors that only a damper joins, c = 5 between 1 and 2 kg m²: −c (1/1 + 1/2), and −c (r² + 1/2) through a gear in its
// backlash. Friction that slides adds unknowns and no slope.
TEST(GrowingAndZeroRoots, ADamperBetweenSlidingRotorsIsNoFreeMotion) {
  const auto rotors = [](const std::string& rates, const std::string& friction) {
    return "nodes: {a: [0, 0, 0], b: [0, 0, 0]}\n"
           "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}, b: {node: b, mass: 1, inertia: [2, "
           "2, 2]}}\n"
           "joints:\n"
           "  h: {type: hinge, between: [ground, a], axis: [0, 0, 1], start_rate: 1" +
           friction +
           "}\n"
           "  k: {type: hinge, between: [ground, b], axis: [0, 0, 1], start_rate: " +
           rates + friction + "}\n";
  };
  const std::string damper =
      "springs: {s: {type: bushing, between: [a, b], stiffness: [0, 0, 0, 0, 0, 0], "
      "damping: [0, 0, 0, 0, 0, 5]}}\n";
  for (const char* friction : {"", ", friction: {torque: 0.3}", ", friction: {torque: 1e-9}",
                               ", friction: {torque: 30}"}) {
    for (const char* rate : {"0.5", "1", "-3"}) {
      const Json modes = findModes(rotors(rate, friction) + damper);
      EXPECT_LT(distanceTo(modes, -7.5), 1e-9) << friction << " " << rate;
      EXPECT_EQ(modes["modes"].size(), 3u);
      for (const Json& mode : modes["modes"]) EXPECT_LE(rootOf(mode).real(), 0.0);
    }
    const Json geared =
        findModes(rotors("0.2", friction) +
                  "  g: {type: gear, between: [h, k], ratio: -0.5, damping: 5, stiffness: 100, "
                  "backlash: 2 deg}\n");
    EXPECT_LT(distanceTo(geared, -3.75), 1e-9) << friction;
  }
}

}  // namespace
}  // namespace flexloop
