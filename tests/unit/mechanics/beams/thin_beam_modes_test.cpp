// Roots of beams that are a billion times softer in bending than in shear, and of beams that float in any direction.
#include <cmath>
#include <complex>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "support/machine_modes.hpp"

namespace flexloop::test {
namespace {

using analysis::Mode;
using analysis::ModeResult;

// E I = 5 N m² beside E A = G A = 10⁹ N, 0.3 kg/m, 2 m long.
std::string makeStrip(const std::string& first, const std::string& last, int elements, int order) {
  return "sections: {s: {type: stiffness, EA: 1e9, GAy: 1e9, GAz: 1e9, GJ: 10, EIy: 5, EIz: 5, "
         "rhoA: 0.3, rhoJ: [1e-9, 1e-9, 1e-9]}}\nnodes: {A: {position: [0, 0, 0], free: [" +
         first + "]}, B: {position: [2, 0, 0], free: [" + last +
         "]}}\nbeams: {w: {from: A, to: B, elements: " + std::to_string(elements) +
         ", section: s, y_axis: [0, 1, 0], order: " + std::to_string(order) + "}}\n";
}

// ω = (β/L)² √(EI/ρA), both directions alike; β of the slowest shape.
void expectSlowestPair(const ModeResult& result, double beta, double tolerance) {
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  EXPECT_EQ(result.rigidMotions, 0);
  EXPECT_EQ(result.verdict.growing, 0);
  ASSERT_GE(result.modes.size(), 2u);
  const double truth = 0.25 * beta * beta * std::sqrt(5.0 / 0.3);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(result.modes[i].eigenvalue.imag(), truth, tolerance * truth) << i;
  }
}

TEST(ThinBeams, SlowRootsAreNotTakenForZero) {
  for (const int order : {2, 3}) {
    for (const int elements : {2, 4}) {
      SCOPED_TRACE("order " + std::to_string(order) + ", elements " + std::to_string(elements));
      const ModeResult pinned = modesOf(makeStrip("ry, rz", "x, ry, rz", elements, order));
      expectSlowestPair(pinned, std::numbers::pi, order == 3 ? 1e-3 : 2e-2);
      const ModeResult clamped = modesOf(makeStrip("", "x, y, z, ry, rz", elements, order));
      expectSlowestPair(clamped, 1.8751040687, order == 3 ? 1e-3 : 2e-2);
    }
  }
}

// A wire that gravity has not stretched yet: its bending, two equal roots for the two planes, is so much softer than all else that rounding
// splits them into one that decays and one that grows, neither by more than rounding may.
TEST(ThinBeams, DoNotGrowByRounding) {
  const ModeResult result = modesOf(
      "gravity: [0, 0, -9.81]\n"
      "sections: {s: {type: stiffness, EA: 1e6, GAy: 1e5, GAz: 1e5, GJ: 1e-3, EIy: 1e-6, EIz: "
      "1e-6, "
      "rhoA: 0.1, rhoJ: [1e-7, 1e-7, 1e-7]}}\n"
      "nodes: {A: {position: [0, 0, 0], free: [rx, ry]}, B: [0, 0, -3]}\n"
      "beams: {w: {from: A, to: B, elements: 10, section: s, y_axis: [0, 1, 0], order: 3}}\n");
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  EXPECT_EQ(result.verdict.growing, 0);
  for (const Mode& mode : result.modes) EXPECT_TRUE(mode.isStable()) << mode.eigenvalue;
  // Unless rounding happens to leave them together, nothing is certain.
  bool areSplit = false;
  for (const Mode& mode : result.modes) {
    areSplit = areSplit || mode.eigenvalue.real() > 4.0 * mode.uncertainty + 1e-9;
  }
  EXPECT_EQ(result.verdict.isCertain, !areSplit);
  EXPECT_EQ(result.verdict.doubtful > 0, areSplit);
}

TEST(FloatingBeams, HaveSixMotionsWithoutResistanceWhateverTheirDirection) {
  for (const char* end : {"[1, 0.2, 0.1]", "[0.3, -0.7, 0.9]", "[1e-3, 1, 2e-5]"}) {
    for (const int order : {1, 2, 3}) {
      for (const int elements : {1, 2, 5}) {
        const ModeResult result = modesOf(
            "sections: {s: {type: stiffness, EA: 1e6, GAy: 1e5, GAz: 1e5, GJ: 100, EIy: "
            "100, EIz: 150, rhoA: 2, rhoJ: [0.002, 0.001, 0.001]}}\nnodes: {A: [0, 0, 0], "
            "B: " +
                std::string(end) +
                "}\nbeams: {w: {from: A, to: B, elements: " + std::to_string(elements) +
                ", section: s, y_axis: [0, 0.2, 1], order: " + std::to_string(order) + "}}\n",
            {.count = 8});
        SCOPED_TRACE(end);
        ASSERT_TRUE(result.ok()) << messageOf(result.failure);
        EXPECT_EQ(result.rigidMotions, 6) << order << ' ' << elements;
        EXPECT_EQ(result.verdict.growing, 0) << order << ' ' << elements;
        for (std::size_t i = 6; i < result.modes.size(); ++i) {
          EXPECT_GT(std::abs(result.modes[i].eigenvalue), 1.0) << order << ' ' << elements;
        }
      }
    }
  }
}

}  // namespace
}  // namespace flexloop::test
