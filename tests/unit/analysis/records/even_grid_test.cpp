#include "analysis/records/even_grid.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "math/monotone_slopes.hpp"

namespace flexloop::analysis {
namespace {

TEST(EvenGrid, EvenTimesStayWhatTheyAre) {
  std::vector<double> times, values;
  double time = 0.0;
  for (int i = 0; i < 1000; ++i, time += 0.001) {  // with the rounding of a sum
    times.push_back(time);
    values.push_back(i * i);
  }
  const EvenGrid grid = chooseGrid(times);
  EXPECT_TRUE(grid.isOriginal);
  EXPECT_EQ(grid.count, 1000u);
  EXPECT_NEAR(grid.interval, 0.001, 1e-15);
  EXPECT_EQ(resample(grid, times, values), values);
}

TEST(EvenGrid, AShortLastStepIsLeftOut) {
  const std::vector<double> times{0.0, 0.1, 0.2, 0.3, 0.35}, values{1.0, 2.0, 3.0, 4.0, 5.0};
  const EvenGrid grid = chooseGrid(times);
  EXPECT_TRUE(grid.isOriginal);
  EXPECT_EQ(grid.count, 4u);
  EXPECT_NEAR(grid.interval, 0.1, 1e-15);
  EXPECT_EQ(resample(grid, times, values), (std::vector<double>{1.0, 2.0, 3.0, 4.0}));
}

TEST(EvenGrid, TimesBetweenRegularOnesAreSkipped) {
  const std::vector<double> times{0.0, 0.1, 0.13, 0.2, 0.3, 0.4, 0.5}, values{0, 1, 9, 2, 3, 4, 5};
  const EvenGrid grid = chooseGrid(times);
  EXPECT_FALSE(grid.isOriginal);
  ASSERT_EQ(grid.count, 6u);
  const std::vector<double> samples = resample(grid, times, values);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(samples[i], i, 1e-12);
}

TEST(EvenGrid, AFewLongStepsDoNotMakeAHugeGrid) {
  std::vector<double> times;
  for (int i = 0; i < 100; ++i) times.push_back(1e-9 * i);
  for (int i = 1; i < 50; ++i) times.push_back(0.1 * i);
  const EvenGrid grid = chooseGrid(times);
  EXPECT_LE(grid.count, 4 * times.size() + 1);
  EXPECT_LE(grid.start + grid.interval * static_cast<double>(grid.count - 1), times.back() + 1e-9);
}

// python3 -c "from scipy.interpolate import PchipInterpolator as P;
//   p = P([0, 1, 1.5, 3, 4], [0, 1, 3, 2.5, -1]); print(p.derivative()([0, 1, 1.5, 3, 4]),
//   p([0.7, 1.4, 2.1, 2.8, 3.5]))"
TEST(EvenGrid, InterpolatesAsOthersDo) {
  const std::vector<double> times{0.0, 1.0, 1.5, 3.0, 4.0}, values{0.0, 1.0, 3.0, 2.5, -1.0};
  const std::vector<double> slopes = math::calcMonotoneSlopes(times, values);
  const std::vector<double> expected{0.0, 1.7142857142857142, 0.0, -0.6441717791411042,
                                     -4.7666666666666675};
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(slopes[i], expected[i], 1e-12);
  const EvenGrid grid{0.7, 0.7, 5, false};
  const std::vector<double> samples = resample(grid, times, values);
  const std::vector<double> curve{0.532, 2.819428571428571, 2.9167607361963186, 2.6210652124517155,
                                  1.265311860940695};
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(samples[i], curve[i], 1e-12);
}

TEST(EvenGrid, StaysBetweenItsNeighbours) {
  const std::vector<double> times{0.0, 0.1, 0.15, 0.4, 0.5}, values{0.0, 0.0, 1.0, 1.0, 0.5};
  const EvenGrid grid{0.0, 0.001, 501, false};
  for (const double value : resample(grid, times, values)) {
    EXPECT_GE(value, 0.0);
    EXPECT_LE(value, 1.0 + 1e-12);
  }
}

TEST(EvenGrid, TwoPointsAreALine) {
  EXPECT_EQ(math::calcMonotoneSlopes({0.0, 2.0}, {1.0, 5.0}), (std::vector<double>{2.0, 2.0}));
}

}  // namespace
}  // namespace flexloop::analysis
