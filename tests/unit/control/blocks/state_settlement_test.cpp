// The states of one block at given inputs.
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "control/blocks/state_settlement.hpp"

namespace flexloop::control {
namespace {

// x' = u − g(x), g a valve: k x/√(|x| + 1) forwards, a thousandth of it backwards; or nothing below `end`, to which it leads.
class Valve final : public BlockOf<Valve> {
 public:
  explicit Valve(double k, double end = -HUGE_VAL) : k_(k), end_(end) {}
  BlockSize size() const override { return {.inputs = 1, .states = 1, .outputs = 1}; }
  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    using math::abs;
    using math::sqrt;
    const S& x = p.x[0];
    const double share = x > 0.0 ? 1.0 : 1e-3;
    p.dx[0] = p.u[0] - k_ * share * x / sqrt(abs(x) + 1.0);
    if (x < end_) p.dx[0] = S(NAN);
    p.y[0] = 2.0 * x;
  }

 private:
  double k_, end_;
};

struct Outcome {
  bool isFound = false;
  double x = 0.0, rate = 0.0, y = 0.0;
};

// From x with x' = 0, over a step in which x moves by d while x' moves by d.
Outcome settle(const Block& block, double x, double u, double w0 = 1.0, double allowed = 1e-9) {
  std::array<double, 1> states{x}, inputs{u}, dx{}, y{};
  const BlockPorts<double> ports{0.0, states, inputs, nullptr, nullptr, dx, y};
  StateSettlement settlement;
  settlement.begin(1);
  settlement.setState(0, x, 0.0, w0, 1.0, 1.0 / (allowed * allowed));
  Outcome outcome;
  outcome.isFound = settlement.solve(block, ports, states);
  const double d = settlement.correction(0);
  outcome.x = x + w0 * d;
  outcome.rate = d;
  outcome.y = y[0];
  return outcome;
}

double openFlow(double k, double x) {
  return k * x / std::sqrt(std::abs(x) + 1.0);
}

// Plain corrections from the closed side lead from −x to a thousand times x and back, without end.
TEST(StateSettlementTest, AcrossASeat) {
  const Valve valve(1e4);
  for (const double start : {-1e6, -10.0, 0.0, 10.0, 1e6}) {
    const Outcome found = settle(valve, start, 1e5, 1.0, 1e-6);
    ASSERT_TRUE(found.isFound) << start;
    const double share = found.x > 0.0 ? 1.0 : 1e-3;
    EXPECT_NEAR(found.rate, 1e5 - share * openFlow(1e4, found.x), 1e-6 * 1e5) << start;
    EXPECT_EQ(found.y, 2.0 * found.x);
  }
}

TEST(StateSettlementTest, BackwardsThroughTheLeak) {
  const Valve valve(1e4);
  const Outcome found = settle(valve, 50.0, -1e5);
  ASSERT_TRUE(found.isFound);
  EXPECT_LT(found.x, 0.0);
  EXPECT_NEAR(found.rate, -1e5 - 1e-3 * openFlow(1e4, found.x), 1e-6 * 1e5);
}

TEST(StateSettlementTest, LeavesWhatIsRightAlone) {
  const Valve valve(1e4);
  // x' = 0 here.
  const double x = 100.0;
  EXPECT_FALSE(settle(valve, x, openFlow(1e4, x)).isFound);
  EXPECT_FALSE(settle(valve, x, openFlow(1e4, x) * (1.0 + 1e-9), 1.0, 1e-3).isFound);
}

// What has no value beyond a border is looked for on this side of it; and where there is none, nothing is claimed.
TEST(StateSettlementTest, StaysWhereTheBlockHasValues) {
  const Outcome found = settle(Valve(1e4, -1.0), 50.0, 30.0);
  ASSERT_TRUE(found.isFound);
  EXPECT_GT(found.x, 0.0);
  EXPECT_FALSE(settle(Valve(1e4, 10.0), 20.0, -1e5).isFound);
}

}  // namespace
}  // namespace flexloop::control
