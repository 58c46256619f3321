#include "analysis/time/crossing_search.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

namespace flexloop::analysis {
namespace {

using Indicators = std::function<std::vector<double>(double)>;

constexpr double kShortest = 1e-8;

struct Result {
  double fraction = 1.0;
  int tries = 0;
};

// Lets the search work on functions of the fraction.
Result search(const Indicators& g, std::vector<bool> located = {}, double shortest = kShortest) {
  if (located.empty()) located.assign(g(0.0).size(), true);
  CrossingSearch search(g(0.0), g(1.0), located, shortest);
  Result result;
  if (!search.hasCrossing()) return result;
  do {
    result.fraction = search.next();
    ++result.tries;
  } while (!search.accept(g(result.fraction)) && result.tries < 1000);
  return result;
}

TEST(CrossingSearch, AStraightLineTakesOneTry) {
  const Result found = search([](double s) { return std::vector{3.0 * (0.3 - s)}; });
  EXPECT_EQ(found.tries, 1);
  EXPECT_GT(found.fraction, 0.3);
  EXPECT_NEAR(found.fraction, 0.3, 1e-8);
}

TEST(CrossingSearch, CurvesTakeFewTriesAndEndBehindTheCrossing) {
  const std::vector<std::pair<std::function<double(double)>, double>> curves{
      {[](double s) { return 0.25 - s * s; }, 0.5},
      {[](double s) { return std::exp(-3.0 * s) - 0.5; }, std::log(2.0) / 3.0},
      {[](double s) { return std::cos(3.0 * s); }, 0.5 * M_PI / 3.0},
      {[](double s) { return 0.001 - s * s * s; }, 0.1},
      {[](double s) { return std::cbrt(0.9 - s); }, 0.9},
      {[](double s) { return s < 0.37 ? 1e-6 : -1.0; }, 0.37}};
  for (const auto& [curve, root] : curves) {
    const Result found = search([&](double s) { return std::vector{curve(s)}; });
    EXPECT_LT(curve(found.fraction), 0.0) << root;
    EXPECT_NEAR(found.fraction, root, 3e-8);
    EXPECT_LE(found.tries, 60) << root;
  }
  const Result easy = search([](double s) { return std::vector{0.25 - s * s}; });
  EXPECT_LE(easy.tries, 8);
}

TEST(CrossingSearch, TheFirstOfSeveralCrossingsIsFound) {
  // The second is steeper, and its line suggests the earlier crossing.
  const Indicators g = [](double s) { return std::vector{0.2 - s, 0.4 - s * s * s * s, 0.9 - s}; };
  EXPECT_NEAR(search(g).fraction, 0.2, 1e-8);
  EXPECT_NEAR(search(g, {false, true, true}).fraction, std::pow(0.4, 0.25), 1e-8);
}

TEST(CrossingSearch, OnlyLocatedIndicatorsCount) {
  const Indicators g = [](double s) { return std::vector{0.2 - s, 1.0}; };
  EXPECT_EQ(search(g, {false, true}).tries, 0);
}

TEST(CrossingSearch, TheEndOfTheStepNeedsNoSearch) {
  EXPECT_EQ(search([](double s) { return std::vector{1.0 - s}; }).tries, 0);
  EXPECT_EQ(search([](double s) { return std::vector{(1.0 - 1e-12) - s}; }).tries, 0);
}

TEST(CrossingSearch, NeitherPartOfTheStepIsTooShort) {
  const Result early = search([](double s) { return std::vector{1e-12 - s}; });
  EXPECT_EQ(early.fraction, kShortest);
  const Result late = search([](double s) { return std::vector{0.999 - s}; }, {}, 0.01);
  EXPECT_EQ(late.fraction, 1.0);
  const Result whole = search([](double s) { return std::vector{0.5 - s}; }, {}, 0.7);
  EXPECT_EQ(whole.fraction, 1.0);
}

TEST(CrossingSearch, AnIndicatorThatIsNegativeFromTheStartEndsTheStepAtOnce) {
  EXPECT_EQ(search([](double s) { return std::vector{-1e-3 - s}; }).fraction, kShortest);
}

}  // namespace
}  // namespace flexloop::analysis
