#include "analysis/sampled/sample_cycle.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <optional>

namespace flexloop::analysis {
namespace {

using system::Clock;

constexpr double kSameRatio = 1e-9;
constexpr std::int64_t kLargestTerm = 1000;
constexpr std::int64_t kMostInstants = 10000;
// As in a simulation: instants that differ by less than this share of the shortest period are one.
constexpr double kSameInstant = 1e-6;

struct Fraction {
  std::int64_t numerator = 1, denominator = 1;
};

// In lowest terms, by continued fractions.
std::optional<Fraction> findFraction(double x) {
  Fraction before{0, 1}, now{1, 0};
  double rest = x;
  while (true) {
    const auto whole = static_cast<std::int64_t>(std::floor(rest));
    if (whole > kLargestTerm) return std::nullopt;
    const Fraction next{whole * now.numerator + before.numerator,
                        whole * now.denominator + before.denominator};
    if (std::max(next.numerator, next.denominator) > kLargestTerm) return std::nullopt;
    before = now;
    now = next;
    const double value = static_cast<double>(now.numerator) / static_cast<double>(now.denominator);
    if (std::abs(value - x) <= kSameRatio * x) return now;
    rest = 1.0 / (rest - static_cast<double>(whole));
  }
}

std::string describe(const Clock& a, const Clock& b) {
  char text[160];
  std::snprintf(
      text, sizeof text,
      "the sampling periods %.9g s and %.9g s have no common multiple that is short enough",
      a.period, b.period);
  return text;
}

double findShortest(const std::vector<Clock>& clocks, const std::vector<bool>& isUsed) {
  double shortest = INFINITY;
  for (std::size_t c = 0; c < clocks.size(); ++c) {
    if (isUsed[c]) shortest = std::min(shortest, clocks[c].period);
  }
  return shortest;
}

// Times of one cycle with the clock that is due, in any order.
struct Tick {
  double time;
  std::size_t clock;
};

void gather(std::vector<Tick> ticks, double shortest, std::size_t clocks, SampleCycle& cycle) {
  std::stable_sort(ticks.begin(), ticks.end(),
                   [](const Tick& a, const Tick& b) { return a.time < b.time; });
  for (const Tick& tick : ticks) {
    auto& instants = cycle.instants;
    if (instants.empty() || tick.time - instants.back().time > kSameInstant * shortest) {
      instants.push_back({tick.time, 0.0, std::vector<bool>(clocks, false)});
    }
    instants.back().dueClocks[tick.clock] = true;
  }
  for (std::size_t i = 0; i < cycle.instants.size(); ++i) {
    const bool isLast = i + 1 == cycle.instants.size();
    const double next = isLast ? cycle.period + cycle.instants[0].time : cycle.instants[i + 1].time;
    cycle.instants[i].wait = next - cycle.instants[i].time;
  }
}

}  // namespace

SampleCycle makeSampleCycle(const std::vector<Clock>& clocks, const std::vector<bool>& isUsed) {
  SampleCycle cycle;
  const std::size_t first = std::find(isUsed.begin(), isUsed.end(), true) - isUsed.begin();
  const double shortest = findShortest(clocks, isUsed);
  // period = cycles · first period; a clock with the ratio a/b to the first repeats with a.
  std::int64_t cycles = 1;
  for (std::size_t c = first; c < clocks.size(); ++c) {
    if (!isUsed[c]) continue;
    const auto ratio = findFraction(clocks[c].period / clocks[first].period);
    if (ratio) cycles = std::lcm(cycles, ratio->numerator);
    const double count = static_cast<double>(cycles) * clocks[first].period / shortest;
    if (ratio && count <= static_cast<double>(kMostInstants)) continue;
    cycle.failure =
        base::numericalFailure(describe(clocks[first], clocks[c]),
                               "choose periods with a simple ratio, such as 1 ms and 4 ms");
    return cycle;
  }
  cycle.period = static_cast<double>(cycles) * clocks[first].period;
  std::vector<Tick> ticks;
  for (std::size_t c = 0; c < clocks.size(); ++c) {
    if (!isUsed[c]) continue;
    double phase = std::fmod(clocks[c].offset, clocks[c].period);
    if (clocks[c].period - phase < kSameInstant * shortest) phase = 0.0;
    const auto count = static_cast<std::int64_t>(std::llround(cycle.period / clocks[c].period));
    for (std::int64_t k = 0; k < count; ++k) {
      ticks.push_back({phase + static_cast<double>(k) * clocks[c].period, c});
    }
  }
  gather(std::move(ticks), shortest, clocks.size(), cycle);
  return cycle;
}

}  // namespace flexloop::analysis
