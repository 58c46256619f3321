// Large machines with few roots: joints take nearly all of their freedoms, and a search that asks for more ends.
#include <cmath>
#include <complex>
#include <string>

#include <gtest/gtest.h>

#include "linalg/roots/shift_invert.hpp"
#include "support/machine_modes.hpp"

namespace flexloop::test {
namespace {

using analysis::ModeResult;
using Complex = std::complex<double>;

constexpr double kWidth = 0.6, kHeight = 0.4, kGravity = 9.81;

// A row of parallelograms: cranks of 0.5 kg on the ground, couplers of 0.8 kg between their ends. All cranks turn by one
// angle, upright in gravity.
std::string makeWindows(int count) {
  std::string nodes, bodies, joints;
  const auto x = [](double k) { return std::to_string(k * kWidth); };
  const std::string top = std::to_string(kHeight), middle = std::to_string(0.5 * kHeight);
  const auto body = [](const std::string& name, const std::string& mass) {
    return "  " + name + ": {node: " + name + ", mass: " + mass +
           ", inertia: [0.01, 0.02, 0.015]}\n";
  };
  const auto hinge = [](const std::string& name, const std::string& between,
                        const std::string& at) {
    return "  " + name + ": {type: hinge, between: [" + between + "], at: [" + at +
           "], axis: [0, 1, 0]}\n";
  };
  for (int i = 0; i <= count; ++i) {
    const std::string n = std::to_string(i);
    nodes += "  c" + n + ": [" + x(i) + ", 0, " + middle + "]\n";
    bodies += body("c" + n, "0.5");
    joints += hinge("g" + n, "ground, c" + n, x(i) + ", 0, 0");
  }
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    nodes += "  k" + n + ": [" + x(i + 0.5) + ", 0, " + top + "]\n";
    bodies += body("k" + n, "0.8");
    joints += hinge("a" + n, "c" + n + ", k" + n, x(i) + ", 0, " + top);
    joints += hinge("b" + n, "k" + n + ", c" + next, x(i + 1) + ", 0, " + top);
  }
  return "gravity: [0, 0, -9.81]\nnodes:\n" + nodes + "bodies:\n" + bodies + "joints:\n" + joints;
}

struct Truth {
  double inertia, moment;  // J φ'' = G φ of all cranks and couplers about their pivots
};

Truth calcTruth(int windows) {
  const double square = kHeight * kHeight;
  return {(windows + 1) * (0.02 + 0.125 * square) + windows * 0.8 * square,
          ((windows + 1) * 0.25 + windows * 0.8) * kHeight * kGravity};
}

TEST(FewRoots, ASearchEndsWhereOnlyInfiniteOnesAreLeft) {
  for (const int windows : {31, 40}) {
    const auto [J, G] = calcTruth(windows);
    const ModeResult result = modesOf(makeWindows(windows), {.count = 3});
    ASSERT_TRUE(result.ok()) << messageOf(result.failure);
    ASSERT_EQ(result.modes.size(), 2u) << windows;
    const double rate = std::sqrt(G / J);
    EXPECT_LT(distanceTo(result, rate), 1e-9 * rate) << windows;
    EXPECT_LT(distanceTo(result, -rate), 1e-9 * rate) << windows;
    EXPECT_EQ(result.verdict.growing, 1);
    EXPECT_TRUE(result.verdict.isCertain);
  }
}

TEST(FewRoots, ASearchAboutAnotherPointFindsThemAndEnds) {
  const int windows = 40;
  const auto [J, G] = calcTruth(windows);
  const model::Model model = buildModel(makeWindows(windows));
  const analysis::OperatingState point = analysis::findOperatingPoint(model, {});
  const analysis::LinearModel linear = analysis::linearize(model, point.state);
  const double rate = std::sqrt(G / J);
  linalg::NearestOptions options;
  options.shift = Complex(0.0, 2.0 * rate);
  options.count = 8;
  options.groups = linear.groups;
  const linalg::NearestResult found = linalg::findNearest(linear.pencil, options);
  ASSERT_TRUE(found.converged()) << messageOf(found.failure);
  ASSERT_EQ(found.pairs.size(), 2u);
  for (const linalg::Eigenpair& pair : found.pairs) {
    EXPECT_NEAR(std::abs(pair.value), rate, 1e-9 * rate);
  }
}

// A motor on the first crank that reads the last: the energy tells nothing, and other points are searched too.
TEST(FewRoots, AboutOtherPointsASearchEndsToo) {
  const int windows = 40;
  const auto [J, G] = calcTruth(windows);
  const ModeResult result = modesOf(
      makeWindows(windows) + "sensors: {q: {measure: angle, joint: g" + std::to_string(windows) +
          "}}\nblocks: {m: {type: gain, input: q, gain: " + std::to_string(-2.0 * G) +
          "}}\nactuators: {motor: {type: torque, joint: g0, input: m}}\n",
      {.count = 3});
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_EQ(result.modes.size(), 1u);
  EXPECT_NEAR(result.modes[0].eigenvalue.imag(), std::sqrt(G / J), 1e-6);
  EXPECT_EQ(result.verdict.growing, 0);
}

}  // namespace
}  // namespace flexloop::test
