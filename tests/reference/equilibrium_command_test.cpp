// `flexloop equilibrium` past limit points, and the libraries that a start of the program loads.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using testing::ProgramResult;
using testing::runProgram;

class EquilibriumCommand : public ::testing::Test {
 protected:
  void write(const std::string& text) { folder_.write("m.yaml", text); }
  ProgramResult run(std::vector<std::string> words) {
    words.insert(words.begin(), {"equilibrium", "m.yaml"});
    return runProgram(words, folder_.file(""));
  }

  testing::TemporaryFolder folder_;
};

constexpr const char* kToggle = R"(
flexloop: 1
nodes: {c: {position: [0, 0, 0.3], free: [z]}}
bodies: {c: {node: c, mass: 1}}
springs:
  a: {type: distance, between: [ground, c], at: [1, 0, 0], stiffness: 1000, length: 1.044030650891055}
  b: {type: distance, between: [ground, c], at: [-1, 0, 0], stiffness: 1000, length: 1.044030650891055}
loads: {l: {node: c, force: [0, 0, -40]}}
sensors: {z: {measure: position, node: c, direction: [0, 0, 1]}}
)";

// z by bisection of 2000 (1 − l₀/l) z = −40.
TEST_F(EquilibriumCommand, SnapsThroughToTheStableSide) {
  write(kToggle);
  const ProgramResult text = run({});
  EXPECT_EQ(text.exitCode, 0) << text.errors;
  EXPECT_NE(text.out.find("equilibrium, stable"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("beyond 2 limit points, at 24.87 %, -24.87 % of the loads"),
            std::string::npos)
      << text.out;
  const nlohmann::json json = nlohmann::json::parse(run({"--quiet", "--json", "-"}).out);
  EXPECT_NEAR(json.at("outputs").at("z").get<double>(), -0.44235229822, 1e-9);
  EXPECT_EQ(json.at("stable"), true);
  EXPECT_EQ(json.at("limit_points").size(), 2u);
}

TEST_F(EquilibriumCommand, OfAnUprightPendulumIsToldToBeUnstableAndLeftOnWish) {
  write(R"(
flexloop: 1
gravity: [0, 0, -9.81]
nodes: {bob: [0, 0, 1]}
bodies: {bob: {node: bob, mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {pivot: {type: hinge, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0]}}
sensors: {z: {measure: position, node: bob, direction: [0, 0, 1]}}
)");
  const ProgramResult upright = run({});
  EXPECT_NE(upright.out.find("equilibrium, unstable"), std::string::npos) << upright.out;
  EXPECT_NE(upright.errors.find("'--find stable'"), std::string::npos) << upright.errors;
  const nlohmann::json json =
      nlohmann::json::parse(run({"--quiet", "--find", "stable", "--json", "-"}).out);
  EXPECT_NEAR(json.at("outputs").at("z").get<double>(), -1.0, 1e-9);
  EXPECT_EQ(json.at("stable"), true);
  const ProgramResult wrong = run({"--find", "best"});
  EXPECT_EQ(wrong.exitCode, 2);
  EXPECT_NE(wrong.errors.find("loaded, first or stable"), std::string::npos) << wrong.errors;
}

// Each shared library costs every start: 64 of them took 13 ms. What few runs need is loaded at its first use.
TEST(ProgramStart, LoadsFewLibraries) {
  FILE* pipe = popen(("LD_TRACE_LOADED_OBJECTS=1 " + test::programFile()).c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  pclose(pipe);
  EXPECT_GT(text.size(), 0u);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 14) << text;
  for (const char* late : {"lapack", "blas", "mumps", "ssl", "curl"}) {
    EXPECT_EQ(text.find(late), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace flexloop
