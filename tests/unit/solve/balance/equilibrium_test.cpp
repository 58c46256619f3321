// Static equilibrium: machines that have one, that swing to it, and that have none.
#include "solve/balance/equilibrium.hpp"

#include <cmath>
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
  found.report = solve::findEquilibrium(assembler, found.after, {});
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
  ASSERT_TRUE(found.report.ok()) << messageOf(found.report.failure);
  EXPECT_NEAR(found.after.frames[1].x[0], -2.0 * 10.0 / 400.0, 1e-14);
  EXPECT_LE(found.report.iterations, 3);
}

TEST(Equilibrium, OfWhatCannotMoveIsWhereItIs) {
  for (const char* text :
       {"flexloop: 1\n", "flexloop: 1\nnodes: {A: {position: [1, 0, 0], free: []}}\n"}) {
    const Found found = find(text);
    EXPECT_TRUE(found.report.ok()) << messageOf(found.report.failure);
    EXPECT_TRUE(found.after == found.before);
  }
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
  ASSERT_TRUE(found.report.ok()) << messageOf(found.report.failure);
  EXPECT_NEAR(found.after.frames[1].x[0], 0.0, 1e-9);
  EXPECT_NEAR(found.after.frames[1].x[2], -1.0, 1e-9);
  EXPECT_LT(found.report.iterations, 400);
}

// The elastica, nearly without stretch: EA L²/EI = 1e8. With α = P L²/EI and t the tip's angle,
// m = (1 + sin t)/2 and sin² φ = 1/(2m), scipy gives from √α = K(m) − F(φ, m) the angle t, and
// x = √(2 sin t/α), y = 1 − 2 (E(m) − E(φ, m))/√α. The stretch is at most α/1e8.
TEST(Equilibrium, OfASlenderBeamTakesFewIterations) {
  struct Case {
    double alpha, x, y, angle;
  };
  const Case cases[] = {{10.0, 0.44500440224624876, 0.8106090248802966, 1.4302855388038591},
                        {100.0, 0.14142135543711792, 0.941421350862011, 1.5706458846617868}};
  for (const Case& c : cases) {
    const Found found = find(R"(
flexloop: 1
sections: {wire: {type: stiffness, EA: 1e8, GAy: 1e8, GAz: 1e8, GJ: 1, EIy: 1, EIz: 1}}
nodes: {root: {position: [0, 0, 0], free: []}, tip: [1, 0, 0]}
beams: {wire: {from: root, to: tip, elements: 24, order: 3, section: wire, y_axis: [0, 1, 0]}}
loads: {pull: {node: tip, force: [0, )" +
                             std::to_string(c.alpha) + ", 0]}}\n");
    ASSERT_TRUE(found.report.ok()) << messageOf(found.report.failure);
    const math::Frame<double>& tip = found.after.frames[2];
    EXPECT_NEAR(tip.x[0], c.x, c.alpha / 1e8 + 1e-7);
    EXPECT_NEAR(tip.x[1], c.y, c.alpha / 1e8 + 1e-7);
    EXPECT_NEAR(std::atan2(tip.R(1, 0), tip.R(0, 0)), c.angle, 1e-6);
    EXPECT_LE(found.report.iterations, 30);
  }
}

// A cantilever rolled up into a circle by the moment 2π EI/L, three elements.
TEST(Equilibrium, OfARolledUpBeamTakesTensOfIterations) {
  const Found found = find(R"(
flexloop: 1
sections: {s: {type: stiffness, EA: 1e4, GAy: 5e3, GAz: 5e3, GJ: 100, EIy: 100, EIz: 100}}
nodes: {root: {position: [0, 0, 0], free: []}, tip: [10, 0, 0]}
beams: {b: {from: root, to: tip, elements: 3, section: s, y_axis: [0, 1, 0]}}
loads: {roll: {node: tip, torque: [0, 0, =20*pi]}}
)");
  ASSERT_TRUE(found.report.ok()) << messageOf(found.report.failure);
  EXPECT_NEAR(found.after.frames[2].x.norm(), 0.0, 1e-9);
  EXPECT_LE(found.report.iterations, 150);
}

TEST(Equilibrium, NamesTheMotionThatNothingHolds) {
  const Found found = find(R"(
flexloop: 1
gravity: [0, 0, -9.81]
nodes: {A: {position: [0, 0, 0], free: [z]}, B: {position: [1, 0, 0], free: [x]}}
bodies: {a: {node: A, mass: 1}, b: {node: B, mass: 1}}
springs: {k: {type: linear, between: [ground, B], direction: [1, 0, 0], stiffness: 1}}
)");
  EXPECT_FALSE(found.report.ok());
  EXPECT_NE(messageOf(found.report.failure).find("nothing holds"), std::string::npos)
      << messageOf(found.report.failure);
  EXPECT_NE(messageOf(found.report.failure).find("A z"), std::string::npos)
      << messageOf(found.report.failure);
  EXPECT_EQ(messageOf(found.report.failure).find("B x"), std::string::npos)
      << messageOf(found.report.failure);
  EXPECT_TRUE(found.before == found.after) << "a search that fails leaves the state as it was";
}

TEST(Equilibrium, NamesAMotionWithoutMassThatNothingHolds) {
  const Found found = find(R"(
flexloop: 1
nodes: {A: {position: [0, 0, 0], free: [z]}, B: {position: [1, 0, 0], free: [x]}}
springs: {k: {type: linear, between: [ground, B], direction: [1, 0, 0], stiffness: 1}}
loads: {push: {node: A, force: [0, 0, 1]}}
)");
  EXPECT_EQ(messageOf(found.report.failure), "nothing holds the motion of A z");
}

// A cart on a spring of 1 N/m, pushed by the last of the blocks.
std::string cartPushedBy(const std::string& blocks) {
  return R"(
flexloop: 1
nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 1}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 1}}
sensors: {p: {measure: position, node: cart, direction: [1, 0, 0]}}
loads: {push: {node: cart, force: [1, 0, 0], signal: last}}
blocks:
)" + blocks;
}

TEST(Equilibrium, StartsWithTheValuesOfTheSignals) {
  const Found found = find(cartPushedBy(R"(
  two: {type: constant, value: 2}
  twice: {type: gain, input: two, gain: 2}
  last: {type: ratio, numerator: two, denominator: twice}
)"));
  ASSERT_TRUE(found.report.ok()) << messageOf(found.report.failure);
  EXPECT_NEAR(found.after.frames[1].x[0], 0.5, 1e-14);
}

TEST(Equilibrium, NamesABlockWithoutAValue) {
  const Found found = find(cartPushedBy("  last: {type: function, input: -1, function: log}\n"));
  EXPECT_FALSE(found.report.ok());
  EXPECT_NE(messageOf(found.report.failure).find("'last' has no value"), std::string::npos)
      << messageOf(found.report.failure);
  EXPECT_NE(found.report.failure->hint.find("the inputs of 'last'"), std::string::npos)
      << found.report.failure->hint;
}

// The root has no slope at zero; the spring holds the cart nevertheless.
TEST(Equilibrium, DoesNotCallAMotionFreeWhereASlopeIsInfinite) {
  const Found found =
      find(cartPushedBy("  last: {type: expression, value: \"= sqrt(p)\", inputs: [p]}\n"));
  EXPECT_FALSE(found.report.ok());
  EXPECT_NE(messageOf(found.report.failure).find("'last' has no finite slope with respect to"),
            std::string::npos)
      << messageOf(found.report.failure);
  EXPECT_NE(found.report.failure->hint.find("sqrt(x)"), std::string::npos)
      << found.report.failure->hint;
}

}  // namespace
}  // namespace flexloop
