// The cycle after which all clocks of a model tick together again.
#include "analysis/sampled/sample_cycle.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace flexloop::test {
namespace {

TEST(SampleCycle, IsTheLeastCommonMultiple) {
  const auto cycle =
      analysis::makeSampleCycle({{0.003, 0.0}, {9.0, 0.0}, {0.002, 0.001}}, {true, false, true});
  EXPECT_EQ(messageOf(cycle.failure), "");
  EXPECT_NEAR(cycle.period, 0.006, 1e-18);
  // At 0, 3 and at 1, 3, 5 ms.
  ASSERT_EQ(cycle.instants.size(), 4);
  EXPECT_NEAR(cycle.instants[2].time, 0.003, 1e-18);
  EXPECT_EQ(cycle.instants[2].dueClocks, (std::vector<bool>{true, false, true}));
  EXPECT_NEAR(cycle.instants[3].wait, 0.001, 1e-17);
}

}  // namespace
}  // namespace flexloop::test
