// `design` on a mass and on two masses: closed forms, and the closed loop as `modes` finds it in a model that includes
// the controller.
#include <cmath>

#include <gtest/gtest.h>

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using testing::ProgramResult;

class DesignCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("m.yaml", R"(flexloop: 1
nodes: {m: {position: [0, 0, 0], free: [x]}}
bodies: {m: {node: m, mass: 1}}
sensors:
  x: {measure: displacement, node: m, direction: [1, 0, 0]}
  v: {measure: velocity, node: m, direction: [1, 0, 0]}
blocks: {zero: {type: constant, value: 0}}
actuators: {force: {type: force, node: m, direction: [1, 0, 0], input: zero}}
)");
    folder_.write("closed.yaml", "flexloop: 1\ninclude: [m.yaml, c.yaml]\n");
  }

  ProgramResult design(std::vector<std::string> words) {
    const std::vector<std::string> front{"design", "m.yaml", "--from", "force",  "-o",
                                         "c.yaml", "--json", "-",      "--quiet"};
    words.insert(words.begin(), front.begin(), front.end());
    return testing::runProgram(words, folder_.file(""));
  }

  static double numberOf(const ProgramResult& result, const std::string& key) {
    const std::size_t place = result.out.find("\"" + key + "\":");
    EXPECT_NE(place, std::string::npos) << key << result.out << result.errors;
    return place == std::string::npos ? NAN : std::stod(result.out.substr(place + key.size() + 3));
  }

  // Of the model with the controller in: the first root's real part.
  double findRoot() {
    const ProgramResult modes =
        testing::runProgram({"modes", "closed.yaml", "--set", "actuators.force.input=controller",
                             "--json", "-", "--quiet"},
                            folder_.file(""));
    EXPECT_EQ(modes.exitCode, 0) << modes.errors;
    const std::size_t place = modes.out.find("\"eigenvalue\": [");
    return place == std::string::npos ? NAN : std::stod(modes.out.substr(place + 15));
  }

  void expectRefused(const ProgramResult& result, const std::string& part) {
    EXPECT_EQ(result.exitCode, 2) << result.errors;
    EXPECT_NE(result.errors.find(part), std::string::npos) << result.errors;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(DesignCommand, Pid) {
  const ProgramResult result = design(
      {"--method", "pid", "--to", "x", "--crossover", "0.15915494309189535", "--margin", "60"});
  EXPECT_NEAR(numberOf(result, "kp"), 0.5, 1e-9);
  EXPECT_NEAR(numberOf(result, "ki"), 0.06698729811, 1e-9);
  EXPECT_NEAR(numberOf(result, "kd"), 0.9330127019, 1e-9);
  EXPECT_LT(findRoot(), 0.0);
}

TEST_F(DesignCommand, Regulator) {
  const ProgramResult result = design({"--method", "lqr", "--to", "x", "v", "--Q", "1,1e-14"});
  EXPECT_NE(result.out.find("\"stable\":true"), std::string::npos) << result.errors;
  EXPECT_NEAR(findRoot(), -std::sqrt(0.5), 1e-6);
}

TEST_F(DesignCommand, LqgAndItsLoop) {
  const ProgramResult result = design({"--method", "lqg", "--to", "x", "--V", "0.01"});
  EXPECT_NEAR(numberOf(result, "value"), 1.62363937665, 1e-9);
  EXPECT_NEAR(findRoot(), -std::sqrt(0.5), 1e-8);
}

TEST_F(DesignCommand, HInfinity) {
  const ProgramResult result =
      design({"--method", "hinf", "--four-block", "--to", "x", "--V", "0.01"});
  EXPECT_NEAR(numberOf(result, "gamma"), 1.286091636, 1e-5);
  EXPECT_LT(findRoot(), 0.0);
  expectRefused(design({"--method", "hinf", "--W1", "0.5,1/1,0.001", "--to", "x"}),
                "root on the imaginary axis");
}

TEST_F(DesignCommand, SampledController) {
  const ProgramResult result =
      design({"--method", "lqg", "--to", "x", "--V", "0.01", "--sample", "0.01"});
  EXPECT_NE(result.out.find("\"stable\":true"), std::string::npos) << result.errors;
  EXPECT_NEAR(findRoot(), -std::sqrt(0.5), 2e-2);
}

// Both pairs of roots have the damping ratio ½ √(g/(1 − g)) = 1/6: they coincide, which leaves half of
// the digits.
TEST_F(DesignCommand, PositionFeedback) {
  folder_.write("s.yaml",
                "flexloop: 1\ninclude: [m.yaml]\nsprings: {k: {type: linear, between: [ground, m], "
                "direction: [1, 0, 0], stiffness: 1}}\n");
  const ProgramResult result =
      testing::runProgram({"design", "s.yaml", "--method", "ppf", "--from", "force", "--to", "x",
                           "--mode", "0.16", "--gain", "0.1", "--json", "-", "--quiet"},
                          folder_.file(""));
  EXPECT_NEAR(numberOf(result, "rate"), 1.0540925534, 1e-9);
  EXPECT_NEAR(numberOf(result, "damping"), 0.3162277660, 1e-9);
  EXPECT_NEAR(numberOf(result, "gain"), 0.1, 1e-9);
  EXPECT_NEAR(numberOf(result, "damping_ratio"), 1.0 / 6.0, 1e-6);
}

TEST_F(DesignCommand, Shaper) {
  const ProgramResult result = design(
      {"--method", "shaper", "--kind", "zvd", "--mode", "1", "--damping", "0.1", "--to", "zero"});
  EXPECT_NE(result.out.find("0.334414907"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("0.487742547"), std::string::npos) << result.out;
}

// A controller for a plant without states would be a block that no model can include.
TEST_F(DesignCommand, NothingToControl) {
  folder_.write("m.yaml", R"(flexloop: 1
nodes: {a: [0, 0, 0]}
bodies: {a: {node: a, mass: 1, inertia: [0.01, 0.01, 0.01]}}
joints: {h: {type: hinge, between: [ground, a], axis: [0, 0, 1], friction: {torque: 0.1}}}
sensors: {x: {measure: angle, joint: h}}
blocks: {zero: {type: constant, value: 0}}
actuators: {force: {type: torque, joint: h, input: zero}}
)");
  for (const char* method : {"lqg", "h2", "lqr"}) {
    expectRefused(design({"--method", method, "--to", "x"}), "there is nothing to control");
  }
}

// s³ + kd s² + kp s + ki: three poles, one of them real.
TEST_F(DesignCommand, RealPolesAreListedAsReal) {
  const ProgramResult result =
      testing::runProgram({"design", "m.yaml", "--from", "force", "--to", "x", "--method", "pid",
                           "--crossover", "2", "--json", "c.json"},
                          folder_.file(""));
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  const std::size_t place = result.out.find("real pole");
  ASSERT_NE(place, std::string::npos) << result.out;
  const double root = std::stod(result.out.substr(place + 9));
  EXPECT_NEAR(root, -10.72606824533795 + 2.0 * 3.692663794937892, 1e-4);  // the sum is -kd
  EXPECT_EQ(result.out.find("e-17 Hz"), std::string::npos) << result.out;
}

TEST_F(DesignCommand, QuantitiesMayHaveUnits) {
  const double kp = numberOf(design({"--method", "pid", "--to", "x", "--crossover", "2"}), "kp");
  EXPECT_EQ(numberOf(design({"--method", "pid", "--to", "x", "--crossover", "2Hz"}), "kp"), kp);
  const ProgramResult sampled = design({"--method", "lqg", "--to", "x", "--sample", "10ms"});
  EXPECT_NE(sampled.out.find("sample: 0.01"), std::string::npos) << sampled.out << sampled.errors;
  expectRefused(design({"--method", "pid", "--to", "x", "--crossover", "2s"}), "--crossover '2s'");
  expectRefused(design({"--method", "pid", "--to", "x", "--crossover", "-2"}),
                "--crossover must be positive");
  expectRefused(design({"--method", "lqg", "--to", "x", "--sample", "0"}),
                "--sample must be positive");
}

TEST_F(DesignCommand, NamesThatAreTaken) {
  expectRefused(design({"--method", "lqg", "--to", "x", "--name", "zero"}),
                "the name 'zero' is already in use");
  expectRefused(design({"--method", "shaper", "--to", "x", "--mode", "1", "--name", "v"}),
                "the name 'v' is already in use");
}

TEST_F(DesignCommand, WhatCannotBe) {
  expectRefused(design({"--method", "lqr", "--to", "x"}), "2 states, but 1 outputs are measured");
  expectRefused(design({"--method", "lqg", "--to", "x", "--R", "-1"}), "--R must be positive");
  expectRefused(design({"--method", "pid", "--to", "x", "--crossover", "1", "--margin", "120"}),
                "cannot reach this phase margin");
  expectRefused(design({"--method", "pid", "--to", "x", "v", "--crossover", "1"}),
                "one control input and one measured output");
  expectRefused(design({"--method", "lqq", "--to", "x"}),
                "known: lqr, lqg, h2, hinf, pid, ppf, shaper");
  expectRefused(design({"--to", "x"}), "no method is given");
}

}  // namespace
}  // namespace flexloop
