// `design --tune` beside closed forms: critical damping, the best position feedback, and a margin that another program (scipy)
// found on a grid of gains.
#include <cmath>

#include <gtest/gtest.h>

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using testing::ProgramResult;

class DesignTune : public ::testing::Test {
 protected:
  ProgramResult tune(std::vector<std::string> words) {
    const std::vector<std::string> front{"design", "m.yaml", "--json", "-", "--quiet"};
    words.insert(words.begin(), front.begin(), front.end());
    return testing::runProgram(words, folder_.file(""));
  }

  // After the last place of `from`.
  static double numberAfter(const ProgramResult& result, const std::string& from,
                            const std::string& key) {
    const std::size_t start = result.out.rfind(from);
    const std::size_t place = result.out.find("\"" + key + "\":", start);
    EXPECT_NE(place, std::string::npos) << key << result.out << result.errors;
    return place == std::string::npos ? NAN : std::stod(result.out.substr(place + key.size() + 3));
  }

  void expectRefused(const ProgramResult& result, const std::string& part) {
    EXPECT_EQ(result.exitCode, 2) << result.errors;
    EXPECT_NE(result.errors.find(part), std::string::npos) << result.errors;
  }

  void writeMass(const std::string& scale) {
    folder_.write("m.yaml", "flexloop: 1\nparameters: {u: " + scale + R"(, c: = u}
nodes: {m: {position: [0, 0, 0], free: [x]}}
bodies: {m: {node: m, mass: = u}}
springs: {k: {type: linear, between: [ground, m], direction: [1, 0, 0], stiffness: = 4*u, damping: =c}}
)");
  }

  testing::TemporaryFolder folder_;
};

// x'' + c x' + 4 x: nothing decays faster than with c = 4, where both roots are −2; in any unit of mass.
TEST_F(DesignTune, CriticalDamping) {
  for (const char* scale : {"1", "1e9", "1e-9"}) {
    writeMass(scale);
    const ProgramResult result = tune({"--tune", "c", "--goal", "settling"});
    ASSERT_EQ(result.exitCode, 0) << result.errors;
    EXPECT_NEAR(numberAfter(result, "\"parameters\"", "after") / std::stod(scale), 4.0, 0.01);
    EXPECT_NEAR(numberAfter(result, "\"after\":{", "value"), std::log(50.0) / 2.0, 0.05);
  }
}

// Positive position feedback with the gain g = 0.1 on a motion of 1 rad/s: the filter with √g and 1/√(1 − g) gives both pairs of
// roots the damping ratio ½ √(g/(1 − g)) = 1/6, and no other one gives more.
TEST_F(DesignTune, PositionFeedback) {
  folder_.write("m.yaml", R"(flexloop: 1
parameters: {wf: 1.2, zf: 0.2, g: 0.1}
nodes: {m: {position: [0, 0, 0], free: [x]}}
bodies: {m: {node: m, mass: 1}}
springs: {k: {type: linear, between: [ground, m], direction: [1, 0, 0], stiffness: 1}}
sensors: {x: {measure: displacement, node: m, direction: [1, 0, 0]}}
blocks:
  filter: {type: state_space, inputs: [x], A: [[0, 1], [= -wf^2, = -2*zf*wf]], B: [[0], [= wf^2]], C: [[=g, 0]], D: [[0]]}
actuators: {force: {type: force, node: m, direction: [1, 0, 0], input: filter}}
)");
  const ProgramResult result = tune({"--tune", "wf=0.5:2", "zf=0.05:1", "--goal", "damping"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  // At the optimum the roots are double: a thousandth of the damping ratio is a hundred-thousandth of the numbers.
  const double damping = numberAfter(result, "\"after\":{", "value");
  EXPECT_GT(damping, 0.164);
  EXPECT_LT(damping, 1.0 / 6.0 + 1e-9);
  EXPECT_NEAR(numberAfter(result, "\"name\":\"wf\"", "after"), 1.0540925534, 5e-3);
  EXPECT_NEAR(numberAfter(result, "\"name\":\"zf\"", "after"), 0.3162277660, 5e-3);
}

TEST_F(DesignTune, Margin) {
  folder_.write("m.yaml", R"(flexloop: 1
parameters: {gain: 2.0}
nodes: {m: {position: [0, 0, 0], free: [x]}}
bodies: {m: {node: m, mass: 1}}
sensors: {x: {measure: displacement, node: m, direction: [1, 0, 0]}}
blocks:
  lead: {type: transfer_function, input: x, numerator: [1, 1], denominator: [0.1, 1]}
  loop: {type: gain, input: lead, gain: = -gain}
actuators: {force: {type: force, node: m, direction: [1, 0, 0], input: loop}}
)");
  const ProgramResult result = tune({"--tune", "gain=0.1:100", "--goal", "margin", "--cut", "loop"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_NEAR(numberAfter(result, "\"after\":{", "value"), 1.038988, 1e-3);
  EXPECT_NEAR(numberAfter(result, "\"parameters\"", "after"), std::sqrt(10.0), 0.02);
}

TEST_F(DesignTune, WhatCannotBe) {
  writeMass("1");
  expectRefused(tune({"--tune", "d"}), "there is no parameter 'd'");
  expectRefused(tune({"--tune", "c=2:1"}), "the range is empty");
  expectRefused(tune({"--tune", "c=2:3"}), "which is outside of the range");
  expectRefused(tune({"--tune", "c=2"}), "is not NAME=LOW:HIGH");
  expectRefused(tune({"--tune", "c", "c"}), "is given twice");
  expectRefused(tune({"--tune", "c", "--goal", "speed"}), "known: damping, settling, margin");
  expectRefused(tune({"--tune", "c", "--goal", "margin"}), "no loop is given");
  expectRefused(tune({"--tune", "c", "--method", "lqg"}), "--method cannot be combined with --tune");
  expectRefused(tune({"--tune", "c", "--cut", "k"}), "--cut is for '--goal margin'");
  expectRefused(tune({"--up-to", "3", "--method", "lqg"}), "--up-to is for --tune");
}

}  // namespace
}  // namespace flexloop
