// Controllers that depend on parameters: from sample to sample beside the recursion in closed form, over two parameters, and in
// the loop beside the roots of the machine with the block.
#include <cmath>
#include <complex>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "control/lpv/lpv_file.hpp"
#include "linalg/state_space/minimal_form.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using testing::ProgramResult;
using Complex = std::complex<double>;

class Schedule : public ::testing::Test {
 protected:
  ProgramResult run(std::vector<std::string> words) {
    words.emplace_back("--quiet");
    return testing::runProgram(words, folder_.file(""));
  }

  nlohmann::ordered_json ask(std::vector<std::string> words) {
    words.insert(words.end(), {"--json", "-"});
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    return nlohmann::ordered_json::parse(result.out, nullptr, false);
  }

  // x → a x + (1 − a) u, y = x, in states of another size; with `sample` or in time.
  void writeLag(const char* name, double a, double unit, const char* more) {
    std::ostringstream text;
    text << "{\"A\": [[" << a << "]], \"B\": [[" << (1.0 - a) * unit << "]], \"C\": [["
         << 1.0 / unit << "]], \"D\": [[0]]" << more << "}";
    folder_.write(name, text.str());
  }

  testing::TemporaryFolder folder_;
};

// y_k = 1 − a^k after a step, with a at the value of the parameter.
TEST_F(Schedule, SampledControllersFromFiles) {
  writeLag("1.json", 0.9, 4.0, ", \"sample\": 0.1");
  writeLag("2.json", 0.8, -0.01, ", \"sample\": 0.1");
  writeLag("3.json", 0.7, 1e5, ", \"dt\": 0.1");
  const ProgramResult made =
      run({"lpv", "1.json", "2.json", "3.json", "-p", "p=1:3:3", "-o", "c.lpv"});
  ASSERT_EQ(made.exitCode, 0) << made.errors;
  folder_.write("m.yaml", R"(flexloop: 1
nodes: {n: {position: [0, 0, 0], free: [x]}}
bodies: {n: {node: n, mass: 1}}
blocks:
  p: {type: constant, value: 2}
  c: {type: lpv, file: c.lpv, inputs: [1], parameter: p, offset: 0.05}
outputs: [c]
analysis: {time: {end: 1, step: 10 ms}}
)");
  for (const auto& [value, a] : {std::pair{"2", 0.8}, std::pair{"3", 0.7}, std::pair{"1", 0.9}}) {
    const ProgramResult result =
        run({"run", "m.yaml", "--set", std::string("blocks.p.value=") + value, "--csv", "-"});
    ASSERT_EQ(result.exitCode, 0) << result.errors;
    std::istringstream lines(result.out);
    std::string line;
    std::getline(lines, line);
    int count = 0;
    while (std::getline(lines, line)) {
      const std::size_t comma = line.find(',');
      const double t = std::stod(line), y = std::stod(line.substr(comma + 1));
      const double instants = std::floor((t - 0.05) / 0.1 + 1e-6);
      EXPECT_NEAR(y, t < 0.05 - 1e-9 ? 0.0 : 1.0 - std::pow(a, instants), 1e-12) << t;
      ++count;
    }
    EXPECT_EQ(count, 101);
  }
  writeLag("4.json", 0.7, 1.0, ", \"sample\": 0.2");
  const ProgramResult mixed = run({"lpv", "1.json", "4.json", "-p", "p=1:3:2", "-o", "d.lpv"});
  EXPECT_EQ(mixed.exitCode, 2);
  EXPECT_NE(mixed.errors.find("has another sample time"), std::string::npos) << mixed.errors;
  writeLag("5.json", -1.0, 1.0, ", \"sample\": 0.1");
  const ProgramResult turning = run({"lpv", "1.json", "5.json", "-p", "p=1:3:2", "-o", "d.lpv"});
  EXPECT_EQ(turning.exitCode, 2);
  EXPECT_NE(turning.errors.find("root at z = -1"), std::string::npos) << turning.errors;
}

// Four controllers on a grid of two parameters.
TEST_F(Schedule, TwoParameters) {
  const auto write = [&](const char* name, double p, double unit) {
    std::ostringstream text;
    text << R"({"A": [[)" << -p << R"(]], "B": [[)" << unit << R"(]], "C": [[)" << 1.0 / unit
         << R"(]], "D": [[0]]})";
    folder_.write(name, text.str());
  };
  write("11.json", 1.0, 10.0);
  write("12.json", 3.0, -2.0);
  write("21.json", 2.0, 1e-4);
  write("22.json", 4.0, -1e7);
  const ProgramResult made = run({"lpv", "11.json", "12.json", "21.json", "22.json", "-p",
                                  "a=1:2:2", "-p", "b=0:1:2", "-o", "c.lpv"});
  ASSERT_EQ(made.exitCode, 0) << made.errors;
  const auto model = control::readLpv(folder_.file("c.lpv"));
  ASSERT_TRUE(model);
  for (const double a : {1.0, 1.25, 2.0}) {
    for (const double b : {0.0, 0.5, 1.0}) {
      const Complex s(0.0, 0.7),
          found = linalg::calcResponse(control::evaluate(model.value(), {a, b}), s)(0, 0);
      EXPECT_LT(std::abs(found - 1.0 / (s + a + 2.0 * b)), 1e-6) << a << " " << b;
    }
  }
  const ProgramResult few =
      run({"lpv", "11.json", "12.json", "-p", "a=1:2:2", "-p", "b=0:1:2", "-o", "c.lpv"});
  EXPECT_EQ(few.exitCode, 2);
  EXPECT_NE(few.errors.find("4 combinations"), std::string::npos) << few.errors;
}

// Two masses on springs that depend on two parameters. What `design` says of its loop holds for the machine with the block.
constexpr const char* kMachine = R"(flexloop: 1
parameters: {k: 40, m: 2}
nodes: {a: {position: [0, 0, 0], free: [x]}, b: {position: [1, 0, 0], free: [x]}}
bodies: {a: {node: a, mass: 1}, b: {node: b, mass: = m}}
springs:
  wall: {type: linear, between: [ground, a], direction: [1, 0, 0], stiffness: 100, damping: 0.3}
  link: {type: linear, between: [a, b], direction: [1, 0, 0], stiffness: = k, damping: = 0.01*k}
sensors: {x: {measure: displacement, node: b, direction: [1, 0, 0]}}
blocks:
  zero: {type: constant, value: 0}
  total: {type: sum, inputs: [zero]}
actuators: {f: {type: force, node: a, direction: [1, 0, 0], input: total}}
outputs: [x]
)";

TEST_F(Schedule, SampledDesignOverTwoParameters) {
  folder_.write("m.yaml", kMachine);
  for (const char* rule : {"tustin", "zoh", "matched"}) {
    const auto report = ask({"design",       "m.yaml", "-p",     "k=30:60:3", "-p",       "m=1:3:3",
                             "--method",     "lqg",    "--from", "total",     "--to",     "x",
                             "--R",          "1e-3",   "--V",    "1e-3",      "--sample", "20 ms",
                             "--discretize", rule,     "-o",     "c.lpv"});
    ASSERT_TRUE(report.contains("loops"));
    EXPECT_EQ(report["loops"].size(), 9U + 4U * 3U);
    folder_.write("closed.yaml", std::string("flexloop: 1\ninclude: [m.yaml]\n") +
                                     report["block"].get<std::string>());
    for (const auto& loop : report["loops"]) {
      EXPECT_TRUE(loop["stable"].get<bool>());
      const std::vector<double> at = loop["value"];
      if (at[0] != 45.0 && at[0] != 37.5) continue;
      const auto modes =
          ask({"modes", "closed.yaml", "--set", "blocks.total.inputs=[zero, controller]", "-p",
               "k=" + std::to_string(at[0]), "-p", "m=" + std::to_string(at[1]), "--count", "20"});
      double least = 1.0;
      for (const auto& mode : modes["modes"]) {
        if (mode["frequency_hz"].get<double>() > 0.0)
          least = std::min(least, mode["damping_ratio"].get<double>());
      }
      EXPECT_NEAR(least, loop["least_damping"].get<double>(), 1e-6)
          << rule << " " << at[0] << " " << at[1];
    }
  }
}

}  // namespace
}  // namespace flexloop
