#include "results/progress.hpp"

#include <algorithm>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/text_format.hpp"

namespace flexloop::results {
namespace {

// A run of 10 s that takes `wall` seconds in a thousand steps, on a clock of its own.
std::string simulate(double wall, bool isTerminal) {
  double now = 100.0;
  std::ostringstream stream;
  Progress progress(
      {.end = 10.0, .stream = &stream, .isTerminal = isTerminal, .clock = [&] { return now; }});
  for (int i = 1; i <= 1000; ++i) {
    now = 100.0 + wall * i / 1000.0;
    progress.update(0.01 * i);
  }
  progress.finish();
  return stream.str();
}

TEST(Progress, DurationsAreShort) {
  EXPECT_EQ(base::formatDuration(0.04), "0.0 s");
  EXPECT_EQ(base::formatDuration(9.4), "9.4 s");
  EXPECT_EQ(base::formatDuration(59.2), "59 s");
  EXPECT_EQ(base::formatDuration(200.0), "3 min 20 s");
  EXPECT_EQ(base::formatDuration(7500.0), "2 h 05 min");
  EXPECT_EQ(base::formatDuration(1e300), "very long");
}

TEST(Progress, ShortRunsSayNothing) {
  EXPECT_EQ(simulate(2.0, false), "");
}

TEST(Progress, LinesComeAtMostEveryTenthOfTheWay) {
  const std::string text = simulate(1000.0, false);
  const auto lines = std::count(text.begin(), text.end(), '\n');
  EXPECT_GE(lines, 9);
  EXPECT_LE(lines, 20);
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(Progress, LinesTellShareTimeSpeedAndTimeLeft) {
  const std::string text = simulate(100.0, false);
  const std::string first = text.substr(0, text.find('\n'));
  EXPECT_EQ(first, " 10 %  t = 1 s  0.1 x real time  1 min 30 s left");
}

TEST(Progress, ABarRedrawsItselfAndGoesAway) {
  const std::string text = simulate(5.0, true);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_NE(text.find("\r[###############...............]  50 %"), std::string::npos) << text;
  EXPECT_EQ(text.back(), '\r');
  const auto drawings = std::count(text.begin(), text.end(), '[');
  EXPECT_GE(drawings, 40);
  EXPECT_LE(drawings, 51);
}

TEST(Progress, WithoutAStreamNothingIsShown) {
  double now = 0.0;
  Progress progress({.end = 1.0, .isTerminal = true, .clock = [&] { return now += 10.0; }});
  progress.update(0.5);
  progress.finish();
}

}  // namespace
}  // namespace flexloop::results
