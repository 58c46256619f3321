// Where growing modes are looked for on machines whose roots are not all known, and what the search costs.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/modes/growing_roots.hpp"
#include "linalg/roots/shift_invert.hpp"
#include "linalg/solvers/strong_components.hpp"
#include "support/machine_modes.hpp"

namespace flexloop::test {
namespace {

using analysis::ModeResult;
using Complex = std::complex<double>;

// A clamped beam of 1 m with six unknowns per element and a loop from its middle to its tip.
std::string makeBeam(int elements, const std::string& measure, const std::string& blocks) {
  const std::string count = std::to_string(elements), middle = std::to_string(elements / 2);
  return "sections: {s: {type: stiffness, EA: 1e6, GAy: 4e5, GAz: 4e5, GJ: 100, EIy: 50, EIz: 80,\n"
         "               rhoA: 1, rhoJ: [0.002, 0.001, 0.001]}}\n"
         "nodes: {A: {position: [0, 0, 0], free: []}, B: [1, 0, 0]}\n"
         "beams: {w: {from: A, to: B, elements: " +
         count +
         ", section: s, y_axis: [0, 1, 0], damping: 1e-6}}\n"
         "sensors: {y: {measure: " +
         measure + ", node: w." + middle +
         ", direction: [0, 0, 1]}}\n"
         "blocks:\n" +
         blocks + "actuators: {f: {type: force, node: B, direction: [0, 0, 1], input: u}}\n";
}

std::string makeRateLoop(int elements) {
  return makeBeam(elements, "velocity", "  u: {type: gain, input: y, gain: -5}\n");
}

analysis::GrowingRoots searchFrom(const std::string& text, int known) {
  const model::Model model = buildModel(text);
  const analysis::OperatingState point = analysis::findOperatingPoint(model, {});
  EXPECT_TRUE(point.ok()) << messageOf(point.failure);
  const analysis::LinearModel linear = analysis::linearize(model, point.state);
  linalg::NearestOptions nearest;
  nearest.count = known;
  nearest.groups = linear.groups;
  const linalg::NearestResult found = linalg::findNearest(linear.pencil, nearest);
  EXPECT_TRUE(found.converged()) << messageOf(found.failure);
  return analysis::findGrowingRoots(model.system(), linear, found.pairs);
}

// About the rates of single elements a fine mesh has very many roots, and a search for the nearest of them would not end.
TEST(GrowingSearch, CostsAsManySolutionsOnAnyMesh) {
  const analysis::GrowingRoots coarse = searchFrom(makeRateLoop(60), 6);
  const analysis::GrowingRoots fine = searchFrom(makeRateLoop(600), 6);
  EXPECT_GT(coarse.solves, 0);
  EXPECT_LT(fine.solves, 3 * coarse.solves);
  EXPECT_FALSE(fine.isCertain);
}

// The same modes grow as on a mesh so coarse that all are known.
TEST(GrowingSearch, FindsOnAFineMeshWhatGrowsOnACoarseOne) {
  const ModeResult coarse = modesOf(makeRateLoop(30), {.count = 6});
  const ModeResult fine = modesOf(makeRateLoop(600), {.count = 6});
  ASSERT_TRUE(coarse.ok() && fine.ok()) << messageOf(coarse.failure) << messageOf(fine.failure);
  ASSERT_TRUE(coarse.isComplete);
  EXPECT_EQ(fine.verdict.growing, coarse.verdict.growing);
  EXPECT_GT(coarse.verdict.growing, 1);
  for (const analysis::Mode& mode : coarse.modes) {
    if (mode.isStable()) continue;
    // Linear elements are off by some (ωh/c)².
    EXPECT_LT(distanceTo(fine, mode.eigenvalue), 1e-2 * std::abs(mode.eigenvalue));
  }
}

// 1/(τs − 1) grows with 1/τ, and 1/(s²/ω² − 2ζs/ω + 1) with ζω about ω: the loop through the machine is far too weak to move
// them.
TEST(GrowingSearch, FindsControllersThatGrowByThemselves) {
  for (const double rate : {1e4, 1e6, 1e9}) {
    char block[160];
    std::snprintf(block, sizeof block,
                  "  u: {type: transfer_function, input: y, numerator: [1e-6], denominator: "
                  "[%.17g, -1]}\n",
                  1.0 / rate);
    const ModeResult real = modesOf(makeBeam(100, "velocity", block), {.count = 6});
    ASSERT_TRUE(real.ok()) << messageOf(real.failure);
    EXPECT_EQ(real.verdict.growing, 1) << rate;
    EXPECT_LT(distanceTo(real, rate), 1e-6 * rate);
    const double zeta = 1e-3;
    std::snprintf(block, sizeof block,
                  "  u: {type: transfer_function, input: y, numerator: [1e-6], denominator: "
                  "[%.17g, %.17g, 1]}\n",
                  1.0 / (rate * rate), -2.0 * zeta / rate);
    const ModeResult pair = modesOf(makeBeam(100, "velocity", block), {.count = 6});
    ASSERT_TRUE(pair.ok()) << messageOf(pair.failure);
    EXPECT_EQ(pair.verdict.growing, 1) << rate;
    const Complex truth(zeta * rate, rate * std::sqrt(1.0 - zeta * zeta));
    EXPECT_LT(distanceTo(pair, truth), 1e-6 * rate);
  }
}

// Several at once, decades apart and in a ring of blocks that only together grow: x' = 1e5 z, z' = 1e5 x.
TEST(GrowingSearch, FindsGroupsOfBlocksThatGrowTogether) {
  const ModeResult result =
      modesOf(makeBeam(100, "velocity",
                       "  a: {type: transfer_function, input: y, numerator: [1e-6], denominator: "
                       "[1e-4, -1]}\n"
                       "  b: {type: transfer_function, input: y, numerator: [1e-6], denominator: "
                       "[1e-7, -1]}\n"
                       "  gx: {type: gain, input: z, gain: 1e5}\n"
                       "  x: {type: integrator, input: gx}\n"
                       "  gz: {type: gain, input: x, gain: 1e5}\n"
                       "  in: {type: sum, inputs: [gz, y]}\n"
                       "  z: {type: integrator, input: in}\n"
                       "  gu: {type: gain, input: z, gain: 1e-9}\n"
                       "  u: {type: sum, inputs: [a, b, gu]}\n"),
              {.count = 6});
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  EXPECT_EQ(result.verdict.growing, 3);
  for (const double rate : {1e4, 1e5, 1e7}) EXPECT_LT(distanceTo(result, rate), 1e-6 * rate);
}

TEST(StrongComponents, GroupWhatReachesEachOther) {
  // 0 → 1 ⇄ 2 → 3, 3 → 4 → 5 → 3, 6 alone, and 7 with itself
  const std::vector<std::vector<int>> next = {{1}, {2}, {1, 3}, {4}, {5}, {3}, {}, {7, 0}};
  std::vector<std::vector<int>> groups = linalg::findStrongComponents(next);
  const std::vector<std::vector<int>> ordered = {{3, 4, 5}, {1, 2}, {0}, {6}, {7}};
  EXPECT_EQ(groups, ordered);
  // A ring longer than a stack of calls would bear.
  const int n = 1000000;
  std::vector<std::vector<int>> ring(n);
  for (int i = 0; i < n; ++i) ring[i] = {(i + 1) % n};
  groups = linalg::findStrongComponents(ring);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].size(), static_cast<std::size_t>(n));
}

}  // namespace
}  // namespace flexloop::test
