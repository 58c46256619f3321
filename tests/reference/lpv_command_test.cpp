// `lpv` and the block of its type: two masses beside the closed form, the pick-and-place machine beside itself, and what
// cannot be.
#include <complex>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "control/lpv/lpv_file.hpp"
#include "linalg/state_space/minimal_form.hpp"
#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using testing::ProgramResult;
using Complex = std::complex<double>;

std::string readText(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class LpvCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("m.yaml", readText(test::inProject("tests/fixtures/lpv/two_masses.yaml")));
    folder_.write("lag.yaml", readText(test::inProject("tests/fixtures/lpv/lag.yaml")));
  }

  ProgramResult run(const std::vector<std::string>& words) {
    return testing::runProgram(words, folder_.file(""));
  }

  ProgramResult make(const std::string& range, const std::string& order) {
    return run({"lpv", "m.yaml", "-p", range, "--from", "push", "--to", "x", "--order", order, "-o",
                "m.lpv"});
  }

  void expectRefused(const ProgramResult& result, const std::string& part, int code = 2) {
    EXPECT_EQ(result.exitCode, code) << result.errors;
    EXPECT_NE(result.errors.find(part), std::string::npos) << result.errors;
  }

  testing::TemporaryFolder folder_;
};

// x_b/f_a of two masses with stiffness k and damping 0.01 k between them.
Complex calcExact(double k, Complex s) {
  const Complex link = k * (1.0 + 0.01 * s);
  const Complex a = s * s + 0.3 * s + 100.0 + link, b = 2.0 * s * s + link;
  return link / (a * b - link * link);
}

TEST_F(LpvCommand, IsTheMachineBetweenThePoints) {
  const ProgramResult made = make("k=20:80:9", "4");
  ASSERT_EQ(made.exitCode, 0) << made.errors;
  const auto model = control::readLpv(folder_.file("m.lpv"));
  ASSERT_TRUE(model) << model.failure().message;
  for (const double k : {20.0, 33.0, 47.3, 80.0}) {
    const linalg::StateMatrices s = control::evaluate(model.value(), k);
    EXPECT_EQ(s.countStates(), 4);
    for (const double w : {0.0, 1.0, 2.5, 8.0, 12.0, 30.0}) {
      const Complex exact = calcExact(k, {0.0, w});
      EXPECT_LT(std::abs(linalg::calcResponse(s, {0.0, w})(0, 0) - exact), 2e-3 * std::abs(exact))
          << k << " " << w;
    }
  }
  const ProgramResult at = run({"lpv", "m.lpv", "--at", "33", "--json", "-"});
  EXPECT_EQ(at.exitCode, 0) << at.errors;
  for (const char* key : {"{\"A\":[[", "\"B\":[[", "\"C\":[[", "\"D\":[[", "\"inputs\":[\"push\"]",
                          "\"outputs\":[\"x\"]"}) {
    EXPECT_NE(at.out.find(key), std::string::npos) << key;
  }
}

// A pair of roots becomes real within the range, and meets there at 2.
TEST_F(LpvCommand, RootsMayMeetOnTheRealAxis) {
  const ProgramResult made = run({"lpv", "lag.yaml", "-p", "d=1:3:9", "--from", "push", "--to",
                                  "slow", "--order", "3", "-o", "lag.lpv"});
  ASSERT_EQ(made.exitCode, 0) << made.errors;
  const auto model = control::readLpv(folder_.file("lag.lpv"));
  ASSERT_TRUE(model);
  for (const double d : {1.1, 1.9, 2.05, 2.9}) {
    const linalg::StateMatrices at = control::evaluate(model.value(), d);
    for (const double w : {0.1, 1.0, 4.0}) {
      const Complex s(0.0, w), exact = 1.0 / ((s * s + d * s + 1.0) * ((1.0 + d) * s + 1.0));
      EXPECT_LT(std::abs(linalg::calcResponse(at, s)(0, 0) - exact), 1e-3 * std::abs(exact)) << d;
    }
  }
}

// The step of the block at a constant parameter is that of the machine.
TEST_F(LpvCommand, BlockMovesLikeTheMachine) {
  ASSERT_EQ(make("k=20:80:7", "4").exitCode, 0);
  folder_.write("both.yaml", R"(flexloop: 1
include: [m.yaml]
blocks:
  f: {type: step, at: 0.1, to: 3}
  model: {type: lpv, file: m.lpv, inputs: [f], parameter: 40}
  difference: {type: sum, inputs: [x, -model.x]}
outputs: [x, model, model.x, difference]
analysis: {time: {end: 1, step: 1 ms}}
)");
  const ProgramResult result =
      run({"run", "both.yaml", "--set", "loads.push.signal=f", "--csv", "-", "--quiet"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  const std::size_t end = result.out.find_last_not_of('\n');
  std::istringstream last(result.out.substr(result.out.rfind('\n', end) + 1));
  std::vector<double> values;
  for (std::string field; std::getline(last, field, ',');) values.push_back(std::stod(field));
  ASSERT_EQ(values.size(), 5U);
  EXPECT_GT(std::abs(values[1]), 1e-3);
  EXPECT_EQ(values[2], values[3]);
  EXPECT_LT(std::abs(values[4]), 1e-4 * std::abs(values[1]));
}

TEST_F(LpvCommand, StopsOutsideOfItsRange) {
  ASSERT_EQ(make("k=20:80:3", "4").exitCode, 0);
  const std::string model = R"(flexloop: 1
nodes: {A: {position: [0, 0, 0], free: [x]}}
bodies: {A: {node: A, mass: 1}}
blocks:
  p: {type: ramp, slope: 100}
  q: {type: sum, inputs: [p, 30]}
  m: {type: lpv, file: m.lpv, inputs: [1], parameter: q)";
  const std::string end = "}\noutputs: [m]\nanalysis: {time: {end: 1, step: 10 ms}}\n";
  folder_.write("stop.yaml", model + end);
  expectRefused(run({"run", "stop.yaml"}), "outside of the range from 20 to 80", 3);
  folder_.write("clamp.yaml", model + ", outside: clamp" + end);
  EXPECT_EQ(run({"run", "clamp.yaml"}).exitCode, 0);
}

TEST_F(LpvCommand, PickAndPlaceUpToOneKilohertz) {
  const ProgramResult made =
      run({"lpv", test::inProject("models/pick_and_place/model.yaml"), "-p", "length=0.33:0.53:9",
           "--from", "force", "--to", "a_motor", "a_tip", "--order", "10", "--range", "1:1000",
           "-o", "p.lpv", "--json", "-", "--quiet"});
  ASSERT_EQ(made.exitCode, 0) << made.errors;
  const std::size_t place = made.out.find("\"error\":");
  ASSERT_NE(place, std::string::npos);
  // Another program, with shapes that are compared at the same matter and 1 % damping, reaches 0.19 %.
  EXPECT_LT(std::stod(made.out.substr(place + 8)), 1.9e-3);
}

// A cart on a slender beam: the displacements of its slow bending are large beside their rates.
TEST_F(LpvCommand, SlowBendingOfAStiffBeamIsAMotion) {
  folder_.write("cart.yaml", R"(flexloop: 1
parameters: {x: 0.5}
sections: {s: {type: stiffness, EA: 4.2e7, GAy: 1e8, GAz: 1e8, GJ: 1e3, EIy: 43.75, EIz: 700, rhoA: 0.785, rhoJ: [3e-5, 1e-8, 1e-8]}}
nodes: {A: {position: [0, 0, 0], free: []}, B: [1, 0, 0], cart: [=x, 0, 0]}
bodies: {m: {node: cart, mass: 0.4, inertia: [5e-4, 5e-4, 5e-4]}}
beams: {link: {from: A, to: B, elements: 10, section: s, y_axis: [0, 1, 0], damping: 1e-4}}
joints: {run: {type: slide_on_beam, beam: link, node: cart, clamp: true, locked: true}}
blocks: {u: {type: constant, value: 0}}
actuators: {f: {type: force, node: B, direction: [0, 0, 1], input: u}}
sensors: {z: {measure: displacement, node: B, direction: [0, 0, 1]}}
)");
  const ProgramResult made = run({"lpv", "cart.yaml", "-p", "x=0.7375:0.7376:2", "--from", "u",
                                  "--to", "z", "--order", "2", "-o", "c.lpv"});
  ASSERT_EQ(made.exitCode, 0) << made.errors;
  EXPECT_NE(made.out.find("1 motions with their rates, 0 others"), std::string::npos) << made.out;
  const auto model = control::readLpv(folder_.file("c.lpv"));
  ASSERT_TRUE(model) << model.failure().message;
  EXPECT_LT(model.value().error, 1e-3);
}

TEST_F(LpvCommand, MatricesOfAFileAsCsv) {
  ASSERT_EQ(make("k=20:80:3", "4").exitCode, 0);
  const ProgramResult at = run({"lpv", "m.lpv", "--at", "40", "--csv", "at.csv"});
  EXPECT_EQ(at.exitCode, 0) << at.errors;
  EXPECT_EQ(at.out, "");
  const std::string text = readText(folder_.file("at.csv"));
  EXPECT_NE(text.find("x1,x2,x3,x4,push\n"), std::string::npos) << text;
  for (const char* row : {"d/dt x1,0,0,1,0,", "d/dt x4,", "\nx,"}) {
    EXPECT_NE(text.find(row), std::string::npos) << row << "\n" << text;
  }
  expectRefused(run({"lpv", "m.lpv", "--csv", "at.csv"}), "--csv needs a value");
  expectRefused(run({"lpv", "m.lpv", "-p", "k=20:80:3"}), "-p does not apply to a file.lpv");
  expectRefused(run({"lpv", "m.lpv", "--order", "2"}), "--order does not apply to a file.lpv");
  expectRefused(run({"lpv", "m.lpv", "--interpolation", "linear"}), "--interpolation does not");
}

// Both parameters together; k of the link, and the mass behind it.
TEST_F(LpvCommand, TwoParameters) {
  const ProgramResult made =
      run({"lpv", "m.yaml", "-p", "k=20:80:7", "-p", "m=1:3:5", "--from", "push", "--to", "x",
           "--order", "4", "-o", "m.lpv", "--svg", "m.svg", "--csv", "m.csv"});
  ASSERT_EQ(made.exitCode, 0) << made.errors;
  EXPECT_NE(made.out.find("k from 20 to 80, m from 1 to 3"), std::string::npos) << made.out;
  EXPECT_NE(made.out.find("7 x 5 points"), std::string::npos) << made.out;
  EXPECT_EQ(readText(folder_.file("m.csv")).find("k,m,point,x/push\n20,1,1,"), 0U);
  EXPECT_NE(readText(folder_.file("m.svg")).find("k = 25, m = 1.25, model"), std::string::npos);
  const auto model = control::readLpv(folder_.file("m.lpv"));
  ASSERT_TRUE(model) << model.failure().message;
  for (const double k : {20.0, 33.0, 80.0}) {
    for (const double m : {1.0, 1.3, 2.9}) {
      const linalg::StateMatrices at = control::evaluate(model.value(), {k, m});
      for (const double w : {0.0, 2.5, 8.0, 12.0}) {
        const Complex s(0.0, w), link = k * (1.0 + 0.01 * s);
        const Complex a = s * s + 0.3 * s + 100.0 + link, b = m * s * s + link;
        const Complex exact = link / (a * b - link * link);
        EXPECT_LT(std::abs(linalg::calcResponse(at, s)(0, 0) - exact), 1e-2 * std::abs(exact))
            << k << " " << m << " " << w;
      }
    }
  }
  const ProgramResult at = run({"lpv", "m.lpv", "--at", "33,1.3", "--json", "-"});
  EXPECT_EQ(at.exitCode, 0) << at.errors;
  EXPECT_NE(at.out.find("\"parameter\":[\"k\",\"m\"],\"value\":[33.0,1.3]"), std::string::npos);
  expectRefused(run({"lpv", "m.lpv", "--at", "33"}), "1 values, but the model has 2 parameters");
  expectRefused(run({"lpv", "m.lpv", "--at", "33,4"}), "the model covers m from 1 to 3");
  folder_.write("both.yaml", R"(flexloop: 1
blocks:
  ramp: {type: ramp, slope: 1}
  m: {type: lpv, file: m.lpv, inputs: [1], parameters: {m: 2, k: 40}}
outputs: [m]
analysis: {time: {end: 0.1, step: 10 ms}}
)");
  EXPECT_EQ(run({"run", "both.yaml"}).exitCode, 0);
  for (const auto& [text, message] :
       {std::pair{"parameter: 40", "the model has 2 parameters"},
        std::pair{"parameters: {k: 40}", "'parameters' has no signal for 'm'"},
        std::pair{"parameters: {k: 40, m: 2, n: 1}", "the model has no parameter 'n'"},
        std::pair{"outside: clamp", "needs either 'parameter' or 'parameters'"}}) {
    folder_.write("bad.yaml", std::string("flexloop: 1\nblocks: {m: {type: lpv, file: m.lpv, "
                                          "inputs: [1], ") +
                                  text + "}}\n");
    expectRefused(run({"check", "bad.yaml"}), message);
  }
  const ProgramResult finer =
      run({"lpv", "m.yaml", "-p", "k=20:80:3", "-p", "m=1:3:3", "--from", "push", "--to", "x",
           "--order", "4", "-o", "a.lpv", "--accuracy", "1%"});
  EXPECT_EQ(finer.exitCode, 0) << finer.errors;
  expectRefused(run({"lpv", "m.yaml", "-p", "k=20:80:3", "-p", "k=1:3:3", "--from", "push", "--to",
                     "x", "--order", "4", "-o", "a.lpv"}),
                "two ranges are given for 'k'");
}

// 1/(s + p) in states of any size, given at three values of p. A line through 1/p-like coefficients would be wrong; these
// are lines in p.
TEST_F(LpvCommand, ControllersFromFiles) {
  const auto write = [&](const char* name, double p, double unit) {
    std::ostringstream text;
    text << R"({"A": [[)" << -p << R"(]], "B": [[)" << unit << R"(]], "C": [[)" << 1.0 / unit
         << R"(]], "D": [[0]], "inputs": ["e"], "outputs": ["u"]})";
    folder_.write(name, text.str());
  };
  write("1.json", 1.0, 1e6);
  write("2.json", 2.0, -3.0);
  write("3.json", 3.0, 1e-5);
  const ProgramResult made =
      run({"lpv", "1.json", "2.json", "3.json", "-p", "p=1:3:3", "-o", "c.lpv"});
  ASSERT_EQ(made.exitCode, 0) << made.errors;
  const auto model = control::readLpv(folder_.file("c.lpv"));
  ASSERT_TRUE(model) << model.failure().message;
  EXPECT_EQ(model.value().inputs, std::vector<std::string>{"e"});
  EXPECT_EQ(model.value().outputs, std::vector<std::string>{"u"});
  for (const double p : {1.0, 1.5, 2.7, 3.0}) {
    const Complex s(0.0, 1.0);
    EXPECT_LT(std::abs(linalg::calcResponse(control::evaluate(model.value(), p), s)(0, 0) -
                       1.0 / (s + p)),
              1e-6);
  }
  expectRefused(run({"lpv", "1.json", "2.json", "-p", "p=1:3:3", "-o", "c.lpv"}),
                "3 values of 'p', but 2 controllers");
  folder_.write("4.json", R"({"A": [[-1, 0], [0, -2]], "B": [[1], [1]], "C": [[1, 1]], "D": [[0]],
                "inputs": ["e"], "outputs": ["u"]})");
  expectRefused(run({"lpv", "1.json", "2.json", "4.json", "-p", "p=1:3:3", "-o", "c.lpv"}),
                "the controller at p = 3 has 2 states, but that at p = 1 has 1");
  folder_.write("5.json", R"({"A": [[-1]], "B": [[1]], "C": [[1]], "D": [[0]]})");
  expectRefused(run({"lpv", "1.json", "2.json", "5.json", "-p", "p=1:3:3", "-o", "c.lpv"}),
                "has other inputs or outputs");
  folder_.write("6.json", R"({"A": [[-1]], "B": [[1]], "C": [[1]]})");
  expectRefused(run({"lpv", "6.json", "-p", "p=1:3:2", "-o", "c.lpv", "--order", "1"}),
                "--order does not apply to controllers from files");
  expectRefused(run({"lpv", "1.json", "6.json", "-p", "p=1:3:2", "-o", "c.lpv"}),
                "has no matrix 'D'");
  folder_.write("7.json", R"({"A": [[-1, 2]], "B": [[1]], "C": [[1]], "D": [[0]]})");
  expectRefused(run({"lpv", "1.json", "7.json", "-p", "p=1:3:2", "-o", "c.lpv"}),
                "has a matrix 'A' that is not square");
  // Resonances that have nothing in common
  folder_.write("8.json",
                R"({"A": [[0, 1], [-1, -0.001]], "B": [[0], [1]], "C": [[1, 0]], "D": [[0]]})");
  folder_.write("9.json",
                R"({"A": [[0, 1], [-900, -0.001]], "B": [[0], [1]], "C": [[1, 0]], "D": [[0]]})");
  expectRefused(run({"lpv", "8.json", "9.json", "-p", "p=1:3:2", "-o", "c.lpv"}),
                "cannot be paired");
}

// A round rod bends alike in two directions: four states that belong together.
TEST_F(LpvCommand, EqualMotionsAreNotSplit) {
  folder_.write("rod.yaml", R"(flexloop: 1
parameters: {load: 1}
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7850}}
sections: {rod: {type: circle, diameter: 20 mm}}
beams: {rod: {from: root, to: end, elements: 4, section: rod, material: steel, y_axis: [0, 1, 0], damping: 1e-5}}
nodes: {root: {position: [0, 0, 0], free: []}, end: [1, 0, 0]}
bodies: {load: {node: end, mass: = load}}
sensors: {z: {measure: displacement, node: end, direction: [0, 0, 1]}}
blocks: {u: {type: constant, value: 0}}
actuators: {push: {type: force, node: end, direction: [0, 0, 1], input: u}}
)");
  const auto makeRod = [&](const char* order) {
    return run({"lpv", "rod.yaml", "-p", "load=1:2:3", "--from", "u", "--to", "z", "--order", order,
                "-o", "rod.lpv"});
  };
  expectRefused(makeRod("2"),
                "--order 2 is too low: 4 states of the slowest motion belong together");
  EXPECT_EQ(makeRod("4").exitCode, 0);
}

TEST_F(LpvCommand, WhatCannotBe) {
  expectRefused(make("k=20:80:3", "5"), "--order 5 is too high: only 4 states");
  expectRefused(make("k=20:80:3", "0"), "--order must be at least 1");
  expectRefused(make("j=20:80:3", "4"), "j");
  expectRefused(make("k=40", "4"), "no range of a parameter is given");
  ASSERT_EQ(make("k=20:80:3", "4").exitCode, 0);
  expectRefused(run({"lpv", "m.lpv", "--at", "19"}), "the model covers k from 20 to 80");
  expectRefused(run({"lpv", "none.lpv", "--at", "19"}), "there is no such file");
  const std::string bytes = readText(folder_.file("m.lpv"));
  folder_.write("short.lpv", bytes.substr(0, bytes.size() / 2));
  expectRefused(run({"lpv", "short.lpv"}), "is no parameter-dependent model");
  std::string changed = bytes;
  changed[changed.size() / 2] ^= 1;
  folder_.write("changed.lpv", changed);
  expectRefused(run({"lpv", "changed.lpv"}), "is damaged");
  folder_.write("two.yaml",
                "flexloop: 1\nblocks: {m: {type: lpv, file: m.lpv, inputs: [1, 2], parameter: "
                "30}}\n");
  expectRefused(run({"check", "two.yaml"}), "'inputs' has 2 signals, but the model has 1");
  expectRefused(run({"lpv", "m.yaml", "-p", "k=20:80:3", "--from", "push", "--to", "x", "--order",
                     "2", "--accuracy", "0.1%", "--range", "0.1:10", "-o", "a.lpv"}),
                "cannot be reached with 2 states");
}

}  // namespace
}  // namespace flexloop
