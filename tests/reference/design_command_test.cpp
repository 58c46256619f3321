// `design` on a mass and on two masses: closed forms, and the closed loop as `modes` finds it in a model that includes
// the controller.
#include <algorithm>
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using testing::ProgramResult;

std::string readText(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

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

// The machine alone moves freely: its root at z = 1 is there but for round-off, and its answers have no end.
TEST_F(DesignCommand, SampledControllerOfAFreeMachine) {
  folder_.write("m.yaml", R"(flexloop: 1
nodes: {m: {position: [0, 0, 0], free: [x]}, n: {position: [1, 0, 0], free: [x]}}
bodies: {m: {node: m, mass: 1}, n: {node: n, mass: 0.3}}
springs:
  k: {type: linear, between: [m, n], direction: [1, 0, 0], stiffness: 40, damping: 0.1}
  d: {type: linear, between: [ground, m], direction: [1, 0, 0], stiffness: 0, damping: 2}
sensors: {x: {measure: displacement, node: m, direction: [1, 0, 0]}}
blocks: {zero: {type: constant, value: 0}}
actuators: {force: {type: force, node: m, direction: [1, 0, 0], input: zero}}
)");
  for (const char* sample : {"0.005", "0.01", "0.02", "0.03"}) {
    const ProgramResult result =
        design({"--method", "lqg", "--to", "x", "--V", "0.01", "--sample", sample});
    EXPECT_EQ(result.exitCode, 0) << sample << result.errors;
    EXPECT_NE(result.out.find("\"stable\":true"), std::string::npos) << sample;
  }
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
                "known: lqr, lqg, h2, hinf, pid, ppf, shaper, notch");
  expectRefused(design({"--to", "x"}), "no method is given");
}

// The margins of the report are those that `frf` finds in the loop of the model that includes the controller.
TEST_F(DesignCommand, MarginsAreThoseOfTheModel) {
  const ProgramResult result = design({"--method", "lqg", "--to", "x", "--V", "0.01"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  const ProgramResult loop =
      testing::runProgram({"frf", "closed.yaml", "--set", "actuators.force.input=controller",
                           "--cut", "controller", "--json", "-", "--quiet"},
                          folder_.file(""));
  ASSERT_EQ(loop.exitCode, 0) << loop.errors;
  const auto after = [](const std::string& text, const std::string& from, const std::string& key) {
    const std::size_t place = text.find("\"" + key + "\":", text.find("\"" + from + "\":"));
    return place == std::string::npos ? NAN : std::stod(text.substr(place + key.size() + 3));
  };
  for (const auto& [part, key] :
       {std::pair{"phase_margin", "degrees"}, std::pair{"gain_margin", "factor"},
        std::pair{"disk_margin", "alpha"}}) {
    const double expected = after(loop.out, part, key);
    EXPECT_GT(expected, 0.0) << part << loop.out;
    EXPECT_NEAR(after(result.out, part, key), expected, 1e-6 * expected) << part;
  }
  // A controller is stiff at rest where the machine is a free mass: x/d = 1/(−K(0)).
  EXPECT_NE(result.out.find("\"settling_time\":"), std::string::npos);
}

TEST_F(DesignCommand, StepsAsAFigure) {
  const ProgramResult result =
      design({"--method", "lqg", "--to", "x", "--V", "0.01", "--svg", "steps.svg"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  const std::string svg = readText(folder_.file("steps.svg"));
  EXPECT_NE(svg.find("x after a unit step of force"), std::string::npos);
  EXPECT_NE(svg.find("the reference of x"), std::string::npos);
  expectRefused(design({"--method", "shaper", "--to", "x", "--mode", "1", "--svg", "-"}),
                "there are no answers to steps to draw");
}

// Two masses: a controller for the first motion only lowers the damping of the second.
TEST_F(DesignCommand, SpilloverAndTheCostOfFewerStates) {
  folder_.write("m.yaml", R"(flexloop: 1
nodes: {a: {position: [0, 0, 0], free: [x]}, b: {position: [1, 0, 0], free: [x]}}
bodies: {a: {node: a, mass: 1}, b: {node: b, mass: 1}}
springs:
  w: {type: linear, between: [ground, a], direction: [1, 0, 0], stiffness: 1, damping: 0.02}
  k: {type: linear, between: [a, b], direction: [1, 0, 0], stiffness: 30, damping: 0.02}
sensors: {x: {measure: displacement, node: a, direction: [1, 0, 0]}}
blocks: {zero: {type: constant, value: 0}}
actuators: {force: {type: force, node: a, direction: [1, 0, 0], input: zero}}
)");
  const ProgramResult result =
      design({"--method", "lqg", "--to", "x", "--V", "0.1", "--R", "10", "--plant-order", "2"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  // The second motion: ω² = (61 + √(3601))/2, with k = 30 between the masses and 1 to the wall
  const std::size_t place = result.out.find("\"spillover\":[{");
  ASSERT_NE(place, std::string::npos) << result.out;
  const std::size_t hz = result.out.find("\"frequency_hz\":", place);
  EXPECT_NEAR(std::stod(result.out.substr(hz + 15)),
              std::sqrt(0.5 * (61.0 + std::sqrt(3601.0))) / 6.2831853, 0.01);
  const ProgramResult reduced =
      design({"--method", "lqg", "--to", "x", "--V", "0.1", "--order", "2"});
  ASSERT_EQ(reduced.exitCode, 0) << reduced.errors;
  EXPECT_GT(numberOf(reduced, "reduced_value"), numberOf(reduced, "value"));
}

// In the model that reads the notch instead of the signal the poles are those of the report.
TEST_F(DesignCommand, NotchIsPartOfItsLoop) {
  folder_.write("m.yaml", R"(flexloop: 1
nodes: {a: {position: [0, 0, 0], free: [x]}, b: {position: [1, 0, 0], free: [x]}}
bodies: {a: {node: a, mass: 1}, b: {node: b, mass: 0.2}}
springs: {k: {type: linear, between: [a, b], direction: [1, 0, 0], stiffness: 30, damping: 0.02}}
sensors: {x: {measure: displacement, node: b, direction: [1, 0, 0]}}
blocks: {pid: {type: pid, input: x, reference: 0, kp: 1, ki: 0.1, kd: 1}}
actuators: {force: {type: force, node: a, direction: [1, 0, 0], input: pid}}
)");
  const ProgramResult result =
      testing::runProgram({"design", "m.yaml", "--method", "notch", "--from", "pid", "--mode", "2",
                           "-o", "c.yaml", "--json", "-", "--quiet"},
                          folder_.file(""));
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_NEAR(numberOf(result, "rate"), std::sqrt(180.0), 1e-6);
  const ProgramResult modes =
      testing::runProgram({"modes", "closed.yaml", "--set", "actuators.force.input=controller",
                           "--json", "-", "--quiet"},
                          folder_.file(""));
  ASSERT_EQ(modes.exitCode, 0) << modes.errors;
  std::vector<double> found, expected;
  const auto collect = [](const std::string& text, std::size_t from, std::vector<double>& to) {
    for (std::size_t at = text.find("\"damping_ratio\":", from); at != std::string::npos;
         at = text.find("\"damping_ratio\":", at + 1)) {
      to.push_back(std::stod(text.substr(at + 16)));
    }
    std::sort(to.begin(), to.end());
  };
  const std::size_t start = result.out.find("\"closed_loop\":");
  collect(result.out.substr(0, result.out.find("\"margins\":")), start, found);
  collect(modes.out, 0, expected);
  ASSERT_EQ(found.size(), expected.size()) << result.out << modes.out;
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6);
  expectRefused(testing::runProgram({"design", "m.yaml", "--method", "notch", "--from", "pid",
                                     "--to", "x", "--mode", "2"},
                                    folder_.file("")),
                "give the one signal that is filtered to --from");
}

// A vibration controller on a machine with position control. The least levels are those of two other programs for the same
// plants: the machine by its first modes at lengths of 0.33, 0.43 and 0.53 m.
TEST_F(DesignCommand, OneLoopAfterTheOther) {
  folder_.write("local.yaml", readText(test::inProject("tests/fixtures/lpv/local_machine.yaml")));
  struct Case {
    std::vector<std::string> values;
    double level;
  };
  const Case cases[] = {{{}, 17.95537},
                        {{"f1=47.383231", "f2=358.750981", "m1=0.0824872", "m2=0.0650760",
                          "t1=-0.9454992", "t2=0.0240529"},
                         19.84627},
                        {{"f1=36.636121", "f2=346.806398", "m1=0.0893856", "m2=0.0486774",
                          "t1=-0.9270130", "t2=0.3451193"},
                         20.90623}};
  for (const Case& one : cases) {
    std::vector<std::string> words{"design",
                                   "local.yaml",
                                   "--method",
                                   "hinf",
                                   "--from",
                                   "total",
                                   "--to",
                                   "plant.a_tip",
                                   "--error",
                                   "swing",
                                   "--W",
                                   "1e4",
                                   "--W2",
                                   "0.8,=0.16*w1,=0.8*w1^2/1,=2*w1,=w1^2",
                                   "--factor",
                                   "1.2",
                                   "--four-block",
                                   "--json",
                                   "-",
                                   "--quiet"};
    for (const std::string& value : one.values) words.insert(words.end(), {"-p", value});
    const ProgramResult result = testing::runProgram(words, folder_.file(""));
    ASSERT_EQ(result.exitCode, 0) << result.errors;
    EXPECT_NEAR(numberOf(result, "gamma"), one.level, 1e-4 * one.level);
    EXPECT_LE(numberOf(result, "value"), 1.2 * one.level * (1.0 + 1e-4));
    EXPECT_NE(result.out.find("\"stable\":true"), std::string::npos);
  }
}

TEST_F(DesignCommand, WeightsThatCannotBe) {
  const auto lqg = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"--method", "lqg", "--to", "x"});
    return design(words);
  };
  expectRefused(lqg({"--error", "x"}), "'x' is given both to --to and to --error");
  expectRefused(lqg({"--R", "1", "--W2", "1"}), "--R cannot be combined with --W2");
  expectRefused(lqg({"--W2", "1/1,1"}), "W2 vanishes at high frequencies");
  expectRefused(lqg({"--Q", "= 2*nothing"}), "--Q '= 2*nothing'");
  expectRefused(lqg({"--Q", "= 1 - 1"}), "--Q must be positive");
  expectRefused(design({"--method", "pid", "--to", "x", "--crossover", "1", "--error", "v"}),
                "--error is for lqg, h2 and 'hinf --four-block'");
  expectRefused(design({"--method", "hinf", "--to", "x", "--W1", "1", "--error", "v"}),
                "--error is for lqg, h2 and 'hinf --four-block'");
  expectRefused(design({"--method", "notch"}), "notch: no motion is given");
}

}  // namespace
}  // namespace flexloop
