// Tables of `modes`, `frf` and `linearize` as people and programs read them, against closed forms.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using testing::ProgramResult;

using Cells = std::vector<std::vector<std::string>>;

Cells readCsv(const std::string& text) {
  Cells rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

ProgramResult runModel(const char* model, std::vector<std::string> words) {
  const testing::TemporaryFolder folder;
  words.insert(words.begin() + 1, test::inProject(std::string("models/") + model + "/model.yaml"));
  ProgramResult result = testing::runProgram(words, folder.file(""));
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  return result;
}

void expectNumbers(const std::vector<std::string>& cells, std::size_t first,
                   const std::vector<double>& expected) {
  ASSERT_GE(cells.size(), first + expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(std::stod(cells[first + i]), expected[i],
                1e-9 * std::max(1e-3, std::abs(expected[i])))
        << i;
  }
}

// With the third mass held, K = C k/c has the eigenvalues k and 3 k: s² + s λ/100 + λ = 0.
std::vector<double> heldMode(double stiffness) {
  const double decay = stiffness / 200.0, omega = std::sqrt(stiffness - decay * decay);
  return {omega / (2.0 * std::numbers::pi), decay / std::sqrt(stiffness), -decay, omega};
}

TEST(LinearTables, ComparedModesAreRowsWithAView) {
  const Cells rows =
      readCsv(runModel("three_mass_chain", {"modes", "--compare", "--quiet", "--csv", "-"}).out);
  ASSERT_EQ(rows.size(), 13u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"row", "view", "mac", "frequency_hz",
                                               "damping_ratio", "re", "im", "residual"}));
  EXPECT_EQ(rows[9][0] + rows[9][1], "4locked");
  expectNumbers(rows[9], 3, heldMode(100.0));
  EXPECT_EQ(rows[12][0] + rows[12][1], "5locked");
  expectNumbers(rows[12], 3, heldMode(300.0));
}

// The shape without motion is paired too, and real roots stand with their rates. By numpy, with the roots and vectors
// of [0 I 0; −K −C −z; e₁ᵀ 0 0], K = 100 S + 80 e₃e₁ᵀ, C = S + 0.5 e₃e₁ᵀ, z = 20 e₃, S = [2 −1 0; −1 2 −1; 0 −1 1]
// (controllers) and of its first two masses (locked): 1.078315 Hz 0.0074, 1.708799 Hz 0.0678, 2.915756 Hz 0.0905,
// −0.11117 1/s; 1.589559 Hz 0.0500 and 2.746288 Hz 0.0866 with MAC 0.943 and 0.758.
TEST(LinearTables, ComparedModesAreAligned) {
  const std::string text = runModel("three_mass_chain", {"modes", "--compare"}).out;
  EXPECT_EQ(
      text,
      "Three masses, a sensor on the first and a force on the last: modes in three views; real "
      "roots: rate [1/s]\n       with controllers          rigid bodies                     "
      "locked\n       frequency [Hz]  damping   frequency [Hz]  damping     MAC  frequency [Hz]  "
      "damping     MAC\n    1               0                         0            1.000           "
      "    -\n    2    -0.11117 1/s              -0.11117 1/s            1.000               -\n   "
      " 3        1.078315   0.0074         1.078315   0.0074   1.000               -\n    4        "
      "1.708799   0.0678         1.708799   0.0678   1.000        1.589559   0.0500   0.943\n    5 "
      "       2.915756   0.0905         2.915756   0.0905   1.000        2.746288   0.0866   "
      "0.758\n  with controllers: stable: no mode grows\n  rigid bodies: stable: no mode grows\n  "
      "locked: stable: no mode grows\n");
}

// A linear machine has the same modes all along; one that is late by a step grows, 1 − kd H = −1.1.
TEST(LinearTables, ModesAlongASimulationAreMarkedAndWritten) {
  const Cells rows = readCsv(
      runModel("late_by_a_step", {"modes", "--every", "0.05", "--quiet", "--csv", "-"}).out);
  ASSERT_EQ(rows.size(), 9u);
  EXPECT_EQ(rows[0].front() + rows[0][1], "timemode");
  expectNumbers(rows[3], 0, {0.0, 3.0, 0.0, 1.0, -2100.0, 0.0});
  EXPECT_NEAR(std::stod(rows[8][4]), std::log(1.1) / 1e-3, 1e-6);
  const std::string text = runModel("late_by_a_step", {"modes", "--every", "0.05"}).out;
  EXPECT_NE(text.find("  -2100 1/s"), std::string::npos) << text;
  EXPECT_NE(text.find("  500 (-0.0303)!\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  ! unstable\n"), std::string::npos) << text;
}

// The matrices of the chain with its controller, written by hand.
TEST(LinearTables, StateEquationsAreThoseWrittenByHand) {
  const std::vector<std::string> words{"linearize", "--from",    "motor",   "--to",  "x1",
                                       "x3",        "--minimal", "--quiet", "--csv", "-"};
  const Cells rows = readCsv(runModel("three_mass_chain", words).out);
  const std::vector<std::vector<double>> expected{
      {0, 0, 0, 1, 0, 0, 0, 0},         {0, 0, 0, 0, 1, 0, 0, 0},
      {0, 0, 0, 0, 0, 1, 0, 0},         {-200, 100, 0, -2, 1, 0, 0, 0},
      {100, -200, 100, 1, -2, 1, 0, 0}, {-80, 100, -100, -0.5, 1, -1, 1, 1},
      {-20, 0, 0, 0, 0, 0, 0, 0},       {1, 0, 0, 0, 0, 0, 0, 0},
      {0, 0, 1, 0, 0, 0, 0, 0},
  };
  ASSERT_EQ(rows.size(), expected.size() + 1);
  for (std::size_t i = 0; i < expected.size(); ++i) expectNumbers(rows[i + 1], 1, expected[i]);
}

TEST(LinearTables, ExplanationsTellOnlyWhatMatters) {
  const std::string text = runModel("three_mass_chain", {"modes", "--explain", "--count", "2"}).out;
  EXPECT_NE(text.find("    1               0      0.00000               0               0   "),
            std::string::npos);
  EXPECT_NE(text.find("\n       controller state of by_velocity\n    2 "), std::string::npos)
      << text;
  EXPECT_NE(text.find("\n       damping: motor 0.999\n"), std::string::npos) << text;
}

// Without damping the phase of a force to the motion at the same place is 0 or −180° at every frequency.
TEST(LinearTables, ThePhaseOfAnUndampedMachineStaysInHalfATurn) {
  const std::string svg = runModel("two_joint_arm", {"frf", "-p", "n=4", "--from", "motor1", "--to",
                                                     "theta1", "--quiet", "--svg", "-"})
                              .out;
  for (const char* label : {">0<", ">\u2212180<", ">\u221290<"}) {
    EXPECT_NE(svg.find(label), std::string::npos) << label;
  }
  for (const char* label : {"360<", "\u2212225<", ">200<"}) {
    EXPECT_EQ(svg.find(label), std::string::npos) << label;
  }
}

}  // namespace
}  // namespace flexloop
