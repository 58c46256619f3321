// Static equilibrium: machines that have one, that swing to it, and that have none.
#include "solve/equilibrium.hpp"

#include <string>

#include <gtest/gtest.h>

#include "support/built_sample.hpp"

namespace flexloop {
namespace {

struct Found {
  solve::EquilibriumReport report;
  system::State before, after;
};

Found find(const std::string& text) {
  const test::BuiltSample built = test::buildSample(text);
  system::Assembler assembler(built.system);
  Found found{{}, built.system.start(), built.system.start()};
  const Eigen::VectorXd rigid = Eigen::VectorXd::Zero(built.system.unknowns());
  found.report = solve::findEquilibrium(assembler, found.after, rigid);
  return found;
}

TEST(Equilibrium, OfASpringIsHookesLaw) {
  const Found found = find(R"(
flexloop: 1
gravity: [-10, 0, 0]
nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 2}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 400}}
)");
  ASSERT_TRUE(found.report.ok) << found.report.trouble;
  EXPECT_NEAR(found.after.frames[1].x[0], -2.0 * 10.0 / 400.0, 1e-14);
  EXPECT_LE(found.report.iterations, 3);
}

// At the start, gravity gives the pendulum no stiffness at all.
TEST(Equilibrium, OfAPendulumIsReachedBySwinging) {
  const Found found = find(R"(
flexloop: 1
gravity: [0, 0, -9.81]
nodes: {bob: [1, 0, 0]}
bodies: {bob: {node: bob, mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {pivot: {type: hinge, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0]}}
)");
  ASSERT_TRUE(found.report.ok) << found.report.trouble;
  EXPECT_NEAR(found.after.frames[1].x[0], 0.0, 1e-9);
  EXPECT_NEAR(found.after.frames[1].x[2], -1.0, 1e-9);
  EXPECT_LT(found.report.iterations, 400);
}

TEST(Equilibrium, NamesTheMotionThatNothingHolds) {
  const Found found = find(R"(
flexloop: 1
gravity: [0, 0, -9.81]
nodes: {A: {position: [0, 0, 0], free: [z]}, B: {position: [1, 0, 0], free: [x]}}
bodies: {a: {node: A, mass: 1}, b: {node: B, mass: 1}}
springs: {k: {type: linear, between: [ground, B], direction: [1, 0, 0], stiffness: 1}}
)");
  EXPECT_FALSE(found.report.ok);
  EXPECT_NE(found.report.trouble.find("nothing holds"), std::string::npos) << found.report.trouble;
  EXPECT_NE(found.report.trouble.find("A z"), std::string::npos) << found.report.trouble;
  EXPECT_EQ(found.report.trouble.find("B x"), std::string::npos) << found.report.trouble;
  EXPECT_TRUE(found.before == found.after) << "a search that fails leaves the state as it was";
}

}  // namespace
}  // namespace flexloop
