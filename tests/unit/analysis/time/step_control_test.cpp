#include "analysis/time/step_control.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace flexloop::analysis {
namespace {

model::TimeSettings makeSettings(double end, double step) {
  model::TimeSettings settings;
  settings.end = end;
  settings.step = step;
  return settings;
}

struct Walk {
  std::vector<StepTarget> targets;
  std::vector<double> times() const {
    std::vector<double> result;
    for (const StepTarget& target : targets) result.push_back(target.time);
    return result;
  }
};

Walk walk(const model::TimeSettings& settings, std::vector<double> breaks = {}, double error = 0.0,
          const std::vector<system::Clock>& clocks = {}) {
  StepControl control(settings, std::move(breaks), clocks);
  Walk result;
  double now = 0.0;
  while (!control.done() && result.targets.size() < 100000) {
    result.targets.push_back(control.next(now));
    now = result.targets.back().time;
    control.adaptTo(error);
  }
  return result;
}

TEST(StepControl, FixedStepsAreEqualToTheBitAndEndExactly) {
  const Walk steps = walk(makeSettings(2.0, 0.001));
  ASSERT_EQ(steps.targets.size(), 2000u);
  for (const StepTarget& target : steps.targets) ASSERT_EQ(target.length, 0.001);
  EXPECT_EQ(steps.targets[2].time, 0.003);
  EXPECT_EQ(steps.targets.back().time, 2.0);
}

TEST(StepControl, TheLastStepIsShortened) {
  EXPECT_EQ(walk(makeSettings(1.0, 0.3)).times(), (std::vector<double>{0.3, 0.6, 0.3 * 3, 1.0}));
}

TEST(StepControl, RoundOffMakesNoStepOfItsOwn) {
  EXPECT_EQ(walk(makeSettings(0.3, 0.1)).targets.size(), 3u);
  EXPECT_EQ(walk(makeSettings(1.0, 1.0 / 3.0)).targets.size(), 3u);
  EXPECT_EQ(walk(makeSettings(1.001, 0.1)).targets.size(), 10u);
  EXPECT_EQ(walk(makeSettings(0.5, 2.0)).times(), (std::vector<double>{0.5}));
}

TEST(StepControl, BreaksAreHitAndTheGridGoesOn) {
  const Walk steps = walk(makeSettings(4.0, 1.0), {2.5, 7.0, 1.0});
  EXPECT_EQ(steps.times(), (std::vector<double>{1.0, 2.0, 2.5, 3.0, 4.0}));
  EXPECT_TRUE(steps.targets[1].isRegular);
  EXPECT_FALSE(steps.targets[2].isRegular);
  EXPECT_EQ(steps.targets[2].length, 0.5);
  EXPECT_EQ(steps.targets[4].length, 1.0);
}

// The grid is that of the start, instants of clocks and breaks are those of zero.
TEST(StepControl, ARunMayBeginLate) {
  StepControl control(makeSettings(2.5, 0.4), {0.5, 1.5}, {{0.5, 0.0}, {0.7, 0.1}}, {}, 1.0);
  EXPECT_EQ(control.dueAtStart(), (std::vector<bool>{true, false}));
  std::vector<double> times;
  for (double now = 1.0; !control.done();) {
    now = control.next(now).time;
    times.push_back(now);
  }
  const std::vector<double> expected{1.4, 1.5, 1.8, 2.0, 2.2, 2.5};
  ASSERT_EQ(times.size(), expected.size());
  for (std::size_t k = 0; k < times.size(); ++k) EXPECT_NEAR(times[k], expected[k], 1e-12);
}

TEST(StepControl, ThePointOfTheGridNextToABreakGivesWay) {
  EXPECT_EQ(walk(makeSettings(4.0, 1.0), {1.98}).times(),
            (std::vector<double>{1.0, 1.98, 3.0, 4.0}));
  EXPECT_EQ(walk(makeSettings(4.0, 1.0), {2.02}).times(),
            (std::vector<double>{1.0, 2.02, 3.0, 4.0}));
}

// What jumps in the last twentieth of the last step jumps there.
TEST(StepControl, TheEndGivesWayToNoBreak) {
  EXPECT_EQ(walk(makeSettings(2.0, 1.0), {1.99}).times(), (std::vector<double>{1.0, 1.99, 2.0}));
}

// 0.05 + 1/10 is not 15/100, and 0.3 is not 3·0.1.
TEST(StepControl, PeriodicBreaksAreHitWithoutEnd) {
  const model::TimeSettings settings = makeSettings(100.0, 0.01);
  const system::Clock edges{0.1, 0.05};
  StepControl control(settings, {}, {}, {edges});
  double now = 0.0;
  std::int64_t k = 0;
  while (!control.done()) {
    const StepTarget target = control.next(now);
    ASSERT_EQ(target.length, 0.01);
    ASSERT_TRUE(target.dueClocks.empty());
    if (target.isBreak) {
      ASSERT_EQ(target.time, edges.instant(k++));
      ASSERT_EQ(target.before, std::nextafter(target.time, 0.0));
    } else {
      ASSERT_EQ(target.before, target.time);
    }
    now = target.time;
  }
  EXPECT_EQ(k, 1000);
}

TEST(StepControl, JumpsThatDifferByRoundOffAreOne) {
  const double early = 0.15, late = std::nextafter(0.15, 1.0);
  StepControl control(makeSettings(1.0, 0.15), {late}, {{0.1, early - 0.1}});
  const StepTarget first = control.next(0.0);
  EXPECT_NEAR(first.time, 0.05, 1e-15);
  const StepTarget second = control.next(first.time);
  EXPECT_EQ(second.time, late);
  EXPECT_LT(second.before, early);
  EXPECT_TRUE(second.isBreak);
  ASSERT_EQ(second.dueClocks.size(), 1u);
  EXPECT_GT(control.next(second.time).time, 0.2);
}

TEST(Clock, FindsTheLastInstant) {
  const system::Clock clock{0.1, 0.3};
  EXPECT_EQ(clock.lastInstant(0.29), -1);
  for (const std::int64_t k : {0, 1, 7, 1000003}) {
    EXPECT_EQ(clock.lastInstant(clock.instant(k)), k);
    EXPECT_EQ(clock.lastInstant(std::nextafter(clock.instant(k), 0.0)), k - 1);
  }
}

// The times at which a clock is due.
std::vector<double> dueTimes(const Walk& steps, std::size_t clock) {
  std::vector<double> result;
  for (const StepTarget& target : steps.targets) {
    if (!target.dueClocks.empty() && target.dueClocks[clock]) result.push_back(target.time);
  }
  return result;
}

// Clocks that meet but for round-off are due at one time, that of the last of them.
void expectTimes(const std::vector<double>& is, const std::vector<double>& expected, double where) {
  ASSERT_EQ(is.size(), expected.size()) << where;
  for (std::size_t i = 0; i < is.size(); ++i) {
    EXPECT_LE(std::abs(is[i] - expected[i]), 2e-17 + 1e-15 * expected[i]) << where;
  }
}

std::vector<double> thousandths(int from, int to, int by = 1) {
  std::vector<double> result;
  for (int k = from; k <= to; k += by) result.push_back(k / 1000.0);
  return result;
}

TEST(StepControl, InstantsAreHitBetweenThePointsOfTheGridAndOnThem) {
  const std::vector<system::Clock> clocks{{0.001, 0.0}, {0.004, 0.002}};
  for (const double step : {0.0003, 0.0007, 0.001, 0.003, 0.05, 1.0}) {
    const Walk steps = walk(makeSettings(0.1, step), {}, 0.0, clocks);
    expectTimes(dueTimes(steps, 0), thousandths(1, 100), step);
    expectTimes(dueTimes(steps, 1), thousandths(2, 98, 4), step);
    EXPECT_EQ(steps.targets.back().time, 0.1) << step;
  }
}

TEST(StepControl, AdaptiveStepsHitInstantsToo) {
  model::TimeSettings settings = makeSettings(0.1, 0.0004);
  settings.adaptive = {true, 1e-6, 1e-6, 0.5};
  for (const double error : {1e-12, 1e-7, 1e-5}) {
    const Walk steps = walk(settings, {}, error, {{0.001, 0.0}, {0.004, 0.002}});
    expectTimes(dueTimes(steps, 0), thousandths(1, 100), error);
    expectTimes(dueTimes(steps, 1), thousandths(2, 98, 4), error);
  }
}

// Five instants in the last twentieth of a step, and points of the grid between fast instants.
TEST(StepControl, AFastClockMovesNoPointOfTheGridAndIsNotCutOff) {
  const Walk steps = walk(makeSettings(0.2, 0.1), {}, 0.0, {{0.001, 0.0}});
  EXPECT_EQ(dueTimes(steps, 0), thousandths(1, 200));
  std::vector<double> regular;
  for (const StepTarget& target : steps.targets) {
    if (target.isRegular) regular.push_back(target.time);
  }
  EXPECT_EQ(regular, (std::vector<double>{0.1, 0.2}));
}

TEST(StepControl, ClocksThatAgreeButForRoundOffAreDueTogether) {
  const double third = 1.0 / 3.0;
  const Walk steps =
      walk(makeSettings(2.0, 0.5), {}, 0.0, {{third, 0.0}, {0.5, 3.0 * third - 0.5}});
  EXPECT_EQ(steps.targets.size(), 8u);
  for (const StepTarget& target : steps.targets) EXPECT_GT(target.length, 0.1);
}

TEST(StepControl, AnInterruptedStepStillHitsItsInstant) {
  StepControl control(makeSettings(1.0, 0.1), {}, {{0.1, 0.0}});
  static_cast<void>(control.next(0.0));
  control.interrupt(0.04);
  const StepTarget target = control.next(0.04);
  EXPECT_EQ(target.time, 0.1);
  EXPECT_EQ(target.dueClocks, (std::vector<bool>{true}));
  EXPECT_NEAR(target.length, 0.06, 1e-15);
}

TEST(StepControl, ClocksWithoutOffsetAreDueAtTheStart) {
  const StepControl control(makeSettings(1.0, 0.1), {}, {{0.1, 0.0}, {0.1, 0.05}});
  EXPECT_EQ(control.dueAtStart(), (std::vector<bool>{true, false}));
}

TEST(StepControl, AdaptiveStepsGrowWhileTheErrorIsSmall) {
  model::TimeSettings settings = makeSettings(10.0, 0.001);
  settings.adaptive = {true, 1e-6, 1e-5, 0.5};
  const Walk steps = walk(settings, {3.3}, 1e-12);
  EXPECT_LT(steps.targets.size(), 60u);
  double longest = 0.0;
  bool hitsBreak = false;
  for (const StepTarget& target : steps.targets) {
    longest = std::max(longest, target.length);
    hitsBreak = hitsBreak || target.time == 3.3;
  }
  EXPECT_LE(longest, 0.5 * 1.06);
  EXPECT_GT(longest, 0.3);
  EXPECT_TRUE(hitsBreak);
  EXPECT_EQ(steps.targets.back().time, 10.0);
}

TEST(StepControl, AdaptiveStepsShrinkDownToTheShortest) {
  model::TimeSettings settings = makeSettings(1.0, 0.1);
  settings.adaptive = {true, 1e-6, 0.01, 0.5};
  const Walk steps = walk(settings, {}, 1.0);
  EXPECT_NEAR(steps.targets[10].length, 0.01, 1e-12);
  EXPECT_EQ(steps.targets.back().time, 1.0);
}

TEST(StepControl, StepsWithTooLargeAnErrorAreRejectedUnlessTheyAreTheShortest) {
  model::TimeSettings settings = makeSettings(1.0, 0.1);
  StepControl fixed(settings, {});
  fixed.next(0.0);
  EXPECT_FALSE(fixed.rejects(1.0));
  settings.adaptive = {true, 1e-6, 0.01, 0.5};
  StepControl adaptive(settings, {});
  adaptive.next(0.0);
  EXPECT_FALSE(adaptive.rejects(0.9e-6));
  EXPECT_TRUE(adaptive.rejects(1.1e-6));
  for (int i = 0; i < 5; ++i) adaptive.adaptTo(1.0);
  adaptive.next(0.0);
  EXPECT_FALSE(adaptive.rejects(1.0));
}

// A branch that ends a hair before an instant or a break must not make them look passed.
TEST(StepControl, TargetsAfterAnInterruptionAreStillReached) {
  for (const double gap : {1e-15, 1e-12, 1e-9, 1e-6, 1e-3}) {
    StepControl control(makeSettings(1.0, 0.1), {0.55}, {{0.25, 0.0}});
    double now = control.next(0.0).time;
    now = control.next(now).time;
    EXPECT_EQ(control.next(now).time, 0.25);
    control.interrupt(0.25 - gap);
    StepTarget target = control.next(0.25 - gap);
    EXPECT_EQ(target.time, 0.25) << gap;
    EXPECT_EQ(target.dueClocks, std::vector<bool>{true});
    EXPECT_NEAR(target.length, gap, 1e-16);
    for (int k = 0; k < 3; ++k) target = control.next(target.time);
    EXPECT_EQ(target.time, 0.5);
    EXPECT_EQ(control.next(0.5).time, 0.55);
    control.interrupt(0.55 - gap);
    target = control.next(0.55 - gap);
    EXPECT_EQ(target.time, 0.55);
    EXPECT_TRUE(target.isBreak);
    EXPECT_FALSE(target.isRegular);
    target = control.next(0.55);
    EXPECT_EQ(target.time, 0.6);
  }
}

TEST(StepControl, AnInterruptedLastStepIsNotTheEnd) {
  StepControl control(makeSettings(1.0, 0.5), {});
  control.next(0.0);
  control.next(0.5);
  EXPECT_TRUE(control.done());
  control.interrupt(0.7);
  EXPECT_FALSE(control.done());
  const StepTarget rest = control.next(0.7);
  EXPECT_EQ(rest.time, 1.0);
  EXPECT_EQ(rest.length, 1.0 - 0.7);
  EXPECT_TRUE(control.done());
}

// The length is the true one, also where it is nearly that of a whole step.
TEST(StepControl, AStepAfterAnInterruptionIsNotTakenForAWholeOne) {
  StepControl control(makeSettings(1.0, 0.1), {});
  control.next(0.0);
  control.next(0.1);
  control.interrupt(0.1 + 1e-9);
  EXPECT_NEAR(control.next(0.1 + 1e-9).length, 0.1 - 1e-9, 1e-16);
}

}  // namespace
}  // namespace flexloop::analysis
