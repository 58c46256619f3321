// The published numbers of Bratland's thesis that `flexloop modes` must give for the shipped models: paper I, table 1, and
// paper III, tables 1 to 7 and figure 12. Each is compared to the digits that are printed, and the roots behind them to
// 1e-8. Paper II is models/two_joint_arm, paper IV is tests/unit/analysis/linear/identification_test.cpp.
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using Complex = std::complex<double>;
using Json = nlohmann::json;

std::vector<Complex> findRoots(const std::string& model, std::vector<std::string> words) {
  words.insert(words.begin(), {"modes", test::inProject("models/" + model + "/model.yaml")});
  words.insert(words.end(), {"--quiet", "--json", "-"});
  const testing::TemporaryFolder folder;
  const testing::ProgramResult result = testing::runProgram(words, folder.file(""));
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  const Json json = Json::parse(result.out);
  std::vector<Complex> roots;
  for (const Json& mode : json["modes"]) {
    roots.emplace_back(double(mode["eigenvalue"][0]), double(mode["eigenvalue"][1]));
    EXPECT_NEAR(mode["frequency_hz"], roots.back().imag() / (2.0 * std::numbers::pi), 1e-12);
  }
  return roots;
}

// Those that move the machine; controllers that are switched off leave their states at zero.
std::vector<Complex> findMovingRoots(const std::string& model, std::vector<std::string> words) {
  std::vector<Complex> roots = findRoots(model, std::move(words));
  std::erase_if(roots, [](const Complex& s) { return std::abs(s) < 1e-9; });
  return roots;
}

double toHz(const Complex& root) {
  return root.imag() / (2.0 * std::numbers::pi);
}

void expectRoots(const std::vector<Complex>& found, const std::vector<Complex>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_LT(std::abs(found[i] - expected[i]), 1e-8 * std::abs(expected[i])) << found[i];
  }
}

struct Servo {
  double k, kp, c, kd;
  double zeta, hz;  // as printed
};

TEST(ThesisModes, OfAMassWithAProportionalDerivativeController) {
  const std::vector<Servo> table = {{100, 0, 0, 0, 0.0, 1.59},    {0, 44, 0, 0, 0.0, 1.06},
                                    {100, 44, 0, 0, 0.0, 1.91},   {100, 44, 7.2, 0, 0.3, 1.82},
                                    {100, 44, 0, 4.8, 0.2, 1.87}, {100, 44, 7.2, 4.8, 0.5, 1.65}};
  for (const Servo& servo : table) {
    const std::vector<Complex> found = findRoots(
        "pd_servo", {"-p", "k=" + std::to_string(servo.k), "-p", "kp=" + std::to_string(servo.kp),
                     "-p", "c=" + std::to_string(servo.c), "-p", "kd=" + std::to_string(servo.kd)});
    const double half = 0.5 * (servo.c + servo.kd);
    expectRoots(found, {{-half, std::sqrt(servo.k + servo.kp - half * half)}});
    EXPECT_NEAR(toHz(found.at(0)), servo.hz, 0.005);
    EXPECT_NEAR(-found.at(0).real() / std::abs(found.at(0)), servo.zeta, 1e-8);
  }
}

TEST(ThesisModes, OfAChainWithVelocityFeedback) {
  const std::vector<std::pair<std::string, std::vector<double>>> tables = {
      {"0.5", {0.8613403452, 2.0794595432, 2.7566444771}},
      {"0.3", {0.8851987552, 1.9738533047, 2.8258581441}},
      {"0.7", {0.8400045448, 2.2092678868, 2.6605780808}}};
  for (const auto& [kd, hz] : tables) {
    std::vector<Complex> expected;
    for (const double f : hz) expected.emplace_back(0.0, 2.0 * std::numbers::pi * f);
    expectRoots(findMovingRoots("three_mass_chain", {"-p", "velocity=1", "-p", "kp=0", "-p",
                                                     "ki=50", "-p", "kd=" + kd, "-p", "c=0"}),
                expected);
  }
}

TEST(ThesisModes, OfAChainWithPositionFeedback) {
  const std::vector<double> passive = {0.7081, 1.9808, 2.8562}, active = {1.0783, 1.7088, 2.9158};
  const auto cut = findMovingRoots("three_mass_chain", {"--loop", "open"});
  const auto closed = findMovingRoots("three_mass_chain", {});
  expectRoots(closed, {{-0.1111682976, 0.0},
                       {-0.0503453554, 6.7752500344},
                       {-0.7295139095, 10.7366984524},
                       {-1.6645565863, 18.3202332501}});
  ASSERT_EQ(cut.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(toHz(cut[i]), passive[i], 5e-5);
    EXPECT_NEAR(toHz(closed[i + 1]), active[i], 5e-5);
  }
}

struct Growth {
  double q;
  double hz, zeta;  // as printed
  Complex root;
};

// The paper's ζ is −Re s over √(k + kp) = 4 rad/s, the frequency without integral and damping.
TEST(ThesisModes, OfAnIntegralGain) {
  const std::vector<Growth> table = {
      {80, 0.4649, 0.0993, {-0.3970241135, 2.9210275880}},
      {160, 0.6366, 0.0, {0.0, 4.0}},
      {240, 0.7549, -0.0776, {0.3105411868, 4.7434303222}},
      {8, 0.0581, 0.2301, {-0.9204043765, 0.3651645091}},  // the figure's ends, by numpy.roots
      {320, 0.8481, -0.1427, {0.5708652204, 5.3286926827}}};
  for (const Growth& row : table) {
    const auto roots = findRoots("pid_integral", {"-p", "ki=" + std::to_string(row.q)});
    ASSERT_EQ(roots.size(), 2u);
    const Complex s = roots.at(1);
    EXPECT_LT(std::abs(s - row.root), 1e-8 * std::abs(row.root)) << row.q << ": " << s;
    EXPECT_NEAR(toHz(s), row.hz, 5e-5) << row.q;
    EXPECT_NEAR(-s.real() / 4.0, row.zeta, 5e-5) << row.q;
  }
  for (const Complex& root : findRoots("pid_integral", {"-p", "ki=7"})) {
    EXPECT_EQ(root.imag(), 0.0) << "below the onset of oscillation";
  }
}

}  // namespace
}  // namespace flexloop
