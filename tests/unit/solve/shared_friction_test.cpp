// How contacts share what they hold, by hand.
#include "solve/shared_friction.hpp"

#include <gtest/gtest.h>

namespace flexloop::test {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;

// Two points hold one body that moves along x and y: forces count by their sum alone.
solve::HeldForces twoPoints(double first, double second) {
  solve::HeldForces held{VectorXd(4), Vector2d(first, second), MatrixXd(2, 4)};
  held.forces << 0.3, 0.4, 0.3, 0.4;
  held.A << 1, 0, 1, 0, 0, 1, 0, 1;
  return held;
}

TEST(SharedFriction, AsTheContactsPress) {
  const solve::HeldForces held = twoPoints(0.25, 0.8);
  const VectorXd more = solve::shareAmong(held, true);
  EXPECT_LT((held.A * more).norm(), 1e-14);
  // Together 1 of 1.05.
  EXPECT_NEAR((held.forces + more).head<2>().norm(), 0.25 / 1.05, 1e-12);
  EXPECT_NEAR((held.forces + more).tail<2>().norm(), 0.8 / 1.05, 1e-12);
}

TEST(SharedFriction, LeavesWhatIsWithinItsLimitsOrCannotBe) {
  EXPECT_TRUE(solve::shareAmong(twoPoints(0.6, 0.7), false).isZero(0.0));
  EXPECT_TRUE(solve::shareAmong(twoPoints(0.25, 0.7), true).isZero(0.0));
}

TEST(SharedFriction, SharesWhatIsTooMuchAlike) {
  const solve::HeldForces held = twoPoints(0.2, 0.6);
  const VectorXd forces = held.forces + solve::shareAmong(held, false);
  EXPECT_NEAR(forces.head<2>().norm(), 0.25, 1e-12);
  EXPECT_NEAR(forces.tail<2>().norm(), 0.75, 1e-12);
}

// A pair of points that cannot hold its body does not keep another pair from sharing.
TEST(SharedFriction, EveryGroupByItself) {
  const solve::HeldForces good = twoPoints(0.25, 0.8), bad = twoPoints(0.1, 0.2);
  solve::HeldForces both{VectorXd(8), VectorXd(4), MatrixXd::Zero(4, 8)};
  both.forces << good.forces, bad.forces;
  both.limits << good.limits, bad.limits;
  both.A.topLeftCorner(2, 4) = good.A;
  both.A.bottomRightCorner(2, 4) = bad.A;
  const VectorXd more = solve::shareAmong(both, true);
  EXPECT_NEAR((both.forces + more).head<2>().norm(), 0.25 / 1.05, 1e-12);
  EXPECT_TRUE(more.tail<4>().isZero(0.0));
}

// Four points around a centre hold a force and a torque: the largest share is as small as it can be, though forces in proportion to what presses exceed one
// of the limits. The point with the least arm holds the torque worst.
TEST(SharedFriction, FindsTheLeastOfTheLargest) {
  const std::array<Vector2d, 4> at{Vector2d(0.1, 0), {0, 1}, {-1, 0}, {0, -1}};
  solve::HeldForces held{VectorXd::Zero(8), VectorXd::Constant(4, 1.0), MatrixXd(3, 8)};
  for (int i = 0; i < 4; ++i) {
    held.A.block<3, 2>(0, 2 * i) << 1, 0, 0, 1, -at[i].y(), at[i].x();
    held.forces.segment<2>(2 * i) << -0.9 * at[i].y(), 0.9 * at[i].x();
  }
  held.forces[1] += 1.05;
  held.forces[5] -= 0.2;
  const VectorXd more = solve::shareAmong(held, true);
  EXPECT_LT((held.A * more).norm(), 1e-12);
  double largest = 0.0;
  for (int i = 0; i < 4; ++i) {
    largest = std::max(largest, (held.forces + more).segment<2>(2 * i).norm());
  }
  EXPECT_LE(largest, 1.0);
  EXPECT_GT(held.forces.head<2>().norm(), 1.1);
}

}  // namespace
}  // namespace flexloop::test
