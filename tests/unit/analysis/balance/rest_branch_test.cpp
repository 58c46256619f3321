// Blocks with branches in equilibria and in linear analyses, against closed forms
// (docs/theory/26_rest_of_controllers.md; docs/theory/15_discontinuous_blocks.md, section 15.8).
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using analysis::EquilibriumResult;
using model::OperatingPoint;

// A mass of 1 kg on a spring of 100 N/m with a damper of 1 N·s/m, which the signal `u` pushes.
std::string makeCart(const std::string& blocks, const std::string& more = {}) {
  return R"(nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 1}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 100, damping: 1}}
sensors: {p: {measure: position, node: cart, direction: [1, 0, 0]}}
actuators: {f: {type: force, node: cart, direction: [1, 0, 0], input: u}}
outputs: [p, u]
)" + more +
         "blocks:\n" + blocks;
}

EquilibriumResult rest(const std::string& text) {
  return analysis::findEquilibrium(buildModel(text));
}

void expectRest(const std::string& text, double place, double force) {
  const EquilibriumResult result = rest(text);
  ASSERT_TRUE(result.report.ok()) << messageOf(result.report.failure) << "\n" << text;
  EXPECT_NEAR(result.outputs[0], place, 1e-12) << text;
  EXPECT_NEAR(result.outputs[1], force, 1e-10) << text;
}

std::vector<std::complex<double>> rootsAbout(const std::string& text, OperatingPoint::Kind kind,
                                             std::vector<std::string>* notes = nullptr) {
  const model::Model model = buildModel(text);
  const analysis::OperatingState point = analysis::findOperatingPoint(model, {kind, 0.0});
  EXPECT_TRUE(point.ok()) << messageOf(point.failure);
  const analysis::ModeResult result = analysis::findModes(model, point.state, {});
  EXPECT_TRUE(result.ok()) << messageOf(result.failure);
  if (notes != nullptr) *notes = result.notes;
  std::vector<std::complex<double>> roots;
  for (const analysis::Mode& mode : result.modes) roots.push_back(mode.eigenvalue);
  return roots;
}

bool contains(const std::vector<std::complex<double>>& roots, std::complex<double> expected) {
  return std::any_of(roots.begin(), roots.end(), [&](const std::complex<double>& root) {
    return std::abs(root - expected) <= 1e-8 * std::abs(expected);
  });
}

std::string joined(const std::vector<std::string>& notes) {
  std::string all;
  for (const std::string& note : notes) all += note + "\n";
  return all;
}

TEST(RestBranch, LimitedPidPushesWithItsLimit) {
  for (const char* windup : {"", ", anti_windup: back_calculation, tracking_time: 0.3"}) {
    const auto pid = [&](const char* reference) {
      return makeCart(std::string("  u: {type: pid, input: p, reference: ") + reference +
                      ", kp: 10, ki: 20, limits: [-1, 1]" + windup + "}\n");
    };
    expectRest(pid("0.05"), 0.01, 1.0);
    expectRest(pid("-0.05"), -0.01, -1.0);
    expectRest(pid("0.005"), 0.005, 0.5);
    expectRest(pid("0.01"), 0.01, 1.0);  // exactly at its limit
    // Proportional action alone is beyond the limit.
    expectRest(pid("5"), 0.01, 1.0);
  }
}

TEST(RestBranch, LimitedPidWithoutIntegralAndWithFilter) {
  expectRest(makeCart("  u: {type: pid, input: p, reference: 1, kp: 10, limits: [-1, 1]}\n"), 0.01,
             1.0);
  expectRest(
      makeCart("  u: {type: pid, input: s, reference: 0.05, kp: 10, ki: 20, kd: 1, filter: 0.01, "
               "limits: [-1, 1]}\n  s: {type: gain, input: p, gain: 1}\n"),
      0.01, 1.0);
}

// The loop is open, and the integral rests at the outer side of the edge of clamping (14.16).
TEST(RestBranch, ModesSeeTheLimitOfThePid) {
  const std::string text =
      makeCart("  u: {type: pid, input: p, reference: 0.05, kp: 10, ki: 20, limits: [-1, 1]}\n");
  const auto roots = rootsAbout(text, OperatingPoint::Kind::kEquilibrium);
  EXPECT_TRUE(contains(roots, {-0.5, std::sqrt(99.75)}));
  EXPECT_TRUE(contains(roots, -20.0 * 0.04 / 2e-3));
}

TEST(RestBranch, LimitedIntegratorHoldsAtItsLimit) {
  const auto loop = [](const char* reference, const char* limits) {
    return makeCart(
        std::string("  e: {type: sum, inputs: [r, -p]}\n  r: {type: constant, value: ") +
        reference + "}\n  u: {type: integrator, input: e, gain: 3, " + limits + "}\n");
  };
  expectRest(loop("0.05", "upper: 1"), 0.01, 1.0);
  expectRest(loop("-0.05", "lower: -2, upper: 1"), -0.02, -2.0);
  expectRest(loop("0.002", "lower: -2, upper: 1"), 0.002, 0.2);
  const auto roots = rootsAbout(loop("0.05", "upper: 1"), OperatingPoint::Kind::kEquilibrium);
  EXPECT_TRUE(contains(roots, {-0.5, std::sqrt(99.75)}));
}

// A limited controller helps a spring-like one: 100 p = 1 + 200 (0.05 − p).
TEST(RestBranch, FindsALimitBesideAnotherLoop) {
  expectRest(
      makeCart("  a: {type: pid, input: p, reference: 0.05, kp: 10, ki: 20, limits: [-1, 1]}\n"
               "  e: {type: sum, inputs: [0.05, -p]}\n"
               "  b: {type: gain, input: e, gain: 200}\n"
               "  u: {type: sum, inputs: [a, b]}\n"),
      11.0 / 300.0, 11.0 / 3.0);
}

// With the wrong sign the free rest is no place to go to, and the other limit is where a run ends: the integral grows where
// the cart is, and the cart goes where the integral pushes.
TEST(RestBranch, FindsTheOtherLimitOfAnIntegratorThatRunsAway) {
  expectRest(makeCart("  e: {type: sum, inputs: [p, 0.05]}\n"
                      "  u: {type: integrator, input: e, lower: -3, upper: 2}\n"),
             0.02, 2.0);
}

TEST(RestBranch, LimitedActuatorAndSaturation) {
  expectRest(
      makeCart("  u: {type: gain, input: e, gain: 1e4}\n  e: {type: sum, inputs: [1, -p]}\n"),
      1e4 / 10100.0, 1e4 * (1.0 - 1e4 / 10100.0));
  expectRest(makeCart("  v: {type: gain, input: e, gain: 1e4}\n  e: {type: sum, inputs: [1, -p]}\n"
                      "  u: {type: saturation, input: v, lower: -1, upper: 2, events: true}\n"),
             0.02, 2.0);
}

// Nothing else holds the mass of 20 N.
std::string makeLift(const std::string& blocks, const std::string& actuator = "") {
  return R"(gravity: [0, 0, -10]
nodes: {lift: {position: [0, 0, 0], free: [z]}}
bodies: {lift: {node: lift, mass: 2}}
sensors: {z: {measure: position, node: lift, direction: [0, 0, 1]}}
outputs: [z, u]
)" + ("blocks:\n" + blocks) +
         "actuators: {f: {type: force, node: lift, direction: [0, 0, 1], input: u" + actuator +
         "}}\n";
}

TEST(RestBranch, NamesTheLimitThatLetsTheMachineGo) {
  for (const std::string& text :
       {makeLift("  u: {type: pid, input: z, reference: 0.1, kp: 50, ki: 20, kd: 3, limits: [-15, "
                 "15]}\n"),
        makeLift("  v: {type: pid, input: z, reference: 0.1, kp: 50, kd: 3}\n"
                 "  u: {type: saturation, input: v, lower: -15, upper: 15}\n")}) {
    const EquilibriumResult result = rest(text);
    EXPECT_FALSE(result.report.ok());
    EXPECT_TRUE(says(messageOf(result.report.failure), "'u'")) << messageOf(result.report.failure);
  }
  const EquilibriumResult actuator = rest(makeLift(
      "  u: {type: pid, input: z, reference: 0.1, kp: 50, kd: 3}\n", ", limits: [-15, 15]"));
  EXPECT_FALSE(actuator.report.ok());
  EXPECT_TRUE(says(messageOf(actuator.report.failure), "'f'"))
      << messageOf(actuator.report.failure);
}

// The start is far beyond the limit, where nothing has a slope.
TEST(RestBranch, IsFoundFromAStartAtTheLimit) {
  expectRest(makeLift("  v: {type: pid, input: z, reference: 100, kp: 50, kd: 3}\n"
                      "  u: {type: saturation, input: v, lower: -25, upper: 25}\n"),
             100.0 - 0.4, 20.0);
  expectRest(
      makeLift(
          "  u: {type: pid, input: z, reference: 100, kp: 50, ki: 4, kd: 3, limits: [-25, 25]}\n"),
      100.0, 20.0);
}

// The relay pushes away from where it is on, and towards where it is off.
TEST(RestBranch, SaysThatARelayHasNoRest) {
  const EquilibriumResult result =
      rest(makeCart("  u: {type: relay, input: p, on_above: 0.001, on_value: -1, off_value: 1}\n"));
  EXPECT_FALSE(result.report.ok());
  EXPECT_TRUE(says(messageOf(result.report.failure), "'u'")) << messageOf(result.report.failure);
  expectRest(makeCart("  u: {type: relay, input: p, on_above: 0.5, on_value: -1, off_value: 1}\n"),
             0.01, 1.0);
}

TEST(RestBranch, HoldsWhatNothingDetermines) {
  // The integrator of a constant zero keeps its start.
  expectRest(makeCart("  u: {type: integrator, input: 0, initial: 2}\n"), 0.02, 2.0);
  const EquilibriumResult grows = rest(makeCart("  u: {type: integrator, input: 0.5}\n"));
  EXPECT_FALSE(grows.report.ok());
  EXPECT_TRUE(says(messageOf(grows.report.failure), "constant rate"))
      << messageOf(grows.report.failure);
}

// A counter that acts on nothing, and a chain of them; filters that act on nothing are settled.
TEST(RestBranch, IsThatOfTheMachineWhateverIsCounted) {
  const std::string text = makeCart(
      "  u: {type: constant, value: 3}\n"
      "  miles: {type: integrator, input: p, initial: 7}\n"
      "  more: {type: integrator, input: miles}\n"
      "  slow: {type: transfer_function, input: p, numerator: [2], denominator: [1, 1, 4]}\n");
  const model::Model model =
      buildModel(text.substr(0, text.find("outputs")) + "outputs: [p, miles, slow]\n" +
                 text.substr(text.find("blocks:")));
  const EquilibriumResult result = analysis::findEquilibrium(model);
  ASSERT_TRUE(result.report.ok()) << messageOf(result.report.failure);
  EXPECT_NEAR(result.outputs[0], 0.03, 1e-12);
  EXPECT_NEAR(result.outputs[1], 7.0, 1e-12);
  EXPECT_NEAR(result.outputs[2], 0.015, 1e-12);
  EXPECT_TRUE(says(joined(result.notes), "has no effect"));
}

// It holds nothing, at rest as elsewhere; its spring relaxes by itself.
TEST(RestBranch, AClutchWithoutCapacityIsOpen) {
  for (const char* capacity : {"0", "-1", "c"}) {
    const std::string text = makeCart(
        std::string("  c: {type: constant, value: 0}\n"
                    "  u: {type: clutch, rate: p.rate, stiffness: 10, damping: 2, capacity: ") +
        capacity + "}\n");
    for (const auto kind : {OperatingPoint::Kind::kInitial, OperatingPoint::Kind::kEquilibrium}) {
      const auto roots = rootsAbout(text, kind);
      EXPECT_TRUE(contains(roots, {-0.5, std::sqrt(100.0 - 0.25)})) << capacity;
      EXPECT_TRUE(contains(roots, -5.0)) << capacity;
    }
  }
}

// Each failure names what is to blame: the integral of a speed whose reference is not zero has no rest, that of a constant neither.
TEST(RestBranch, NamesWhatGrowsAtRest) {
  std::string text = makeCart("  u: {type: pid, input: v, reference: 2, kp: 1, ki: 3}\n");
  text.replace(text.find("sensors: {"), 10,
               "sensors: {v: {measure: velocity, node: cart, direction: [1, 0, 0]}, ");
  const EquilibriumResult speed = rest(text);
  EXPECT_FALSE(speed.report.ok());
  EXPECT_TRUE(says(messageOf(speed.report.failure), "'u state' changes"))
      << messageOf(speed.report.failure);
  EXPECT_TRUE(says(speed.report.failure->hint, "--steady")) << speed.report.failure->hint;
  const EquilibriumResult constant =
      rest(makeCart("  c: {type: constant, value: 2}\n  i: {type: integrator, input: c}\n"
                    "  u: {type: gain, input: i, gain: 3}\n"));
  EXPECT_FALSE(constant.report.ok());
  EXPECT_TRUE(says(messageOf(constant.report.failure), "'i state' changes"))
      << messageOf(constant.report.failure);
  EXPECT_FALSE(says(constant.report.failure->hint, "--steady")) << constant.report.failure->hint;
}

// A counter of what never ends acts on nothing, and the machine rests beside it.
TEST(RestBranch, IsFoundBesideACounterOfAConstant) {
  const EquilibriumResult result =
      rest(makeCart("  c: {type: constant, value: 2}\n  n: {type: integrator, input: c}\n"
                    "  u: {type: gain, input: c, gain: 3}\n"));
  ASSERT_TRUE(result.report.ok()) << messageOf(result.report.failure);
  EXPECT_NEAR(result.outputs[0], 0.06, 1e-12);
  EXPECT_TRUE(says(joined(result.notes), "'n state' is not at rest")) << joined(result.notes);
}

// An acceleration that is integrated twice: neither integral is determined at rest, and the spring holds the cart.
TEST(RestBranch, HoldsWhatFollowsFromAStateThatHolds) {
  std::string text = makeCart(
      "  vi: {type: integrator, input: a, initial: 0}\n  xi: {type: integrator, input: vi, "
      "initial: "
      "0.1}\n  u: {type: expression, inputs: [vi, xi], value: \"= -10*vi - 50*xi\"}\n");
  text.replace(text.find("sensors: {"), 10,
               "sensors: {a: {measure: acceleration, node: cart, direction: [1, 0, 0]}, ");
  expectRest(text, -0.05, -5.0);
}

TEST(Kink, DeadZoneWithoutWidthHasSlopeOne) {
  const std::string text = makeCart(
      "  d: {type: dead_zone, input: p, width: 0}\n  u: {type: gain, input: d, gain: -300}\n");
  const auto roots = rootsAbout(text, OperatingPoint::Kind::kInitial);
  EXPECT_TRUE(contains(roots, {-0.5, std::sqrt(399.75)}));
}

TEST(Kink, QuantizerCountsWithItsMeanSlopeAndSaysSo) {
  const auto loop = [](const char* more) {
    return makeCart(std::string("  q: {type: quantizer, input: p, step: 0.01") + more +
                    "}\n  u: {type: gain, input: q, gain: -300}\n");
  };
  std::vector<std::string> notes;
  EXPECT_TRUE(contains(rootsAbout(loop(""), OperatingPoint::Kind::kInitial, &notes),
                       {-0.5, std::sqrt(399.75)}));
  EXPECT_TRUE(says(joined(notes), "mean slope")) << joined(notes);
  EXPECT_TRUE(contains(rootsAbout(loop(", slope: zero"), OperatingPoint::Kind::kInitial, &notes),
                       {-0.5, std::sqrt(99.75)}));
  EXPECT_FALSE(says(joined(notes), "mean slope"));
}

// A load that only the quantized loop carries, between two levels.
TEST(Kink, EquilibriumBetweenTwoLevels) {
  const std::string text = R"(nodes: {m: {position: [0, 0, 0], free: [x]}}
bodies: {m: {node: m, mass: 1}}
loads: {push: {node: m, force: [1, 0, 0]}}
sensors: {p: {measure: position, node: m, direction: [1, 0, 0]}}
blocks:
  q: {type: quantizer, input: p, step: 0.01}
  u: {type: gain, input: q, gain: -300}
actuators: {f: {type: force, node: m, direction: [1, 0, 0], input: u}}
outputs: [p]
)";
  const EquilibriumResult result = rest(text);
  ASSERT_TRUE(result.report.ok()) << messageOf(result.report.failure);
  EXPECT_NEAR(result.outputs[0], 1.0 / 300.0, 1e-12);
  EXPECT_TRUE(says(joined(result.notes), "'q'"));
}

// Each block is exactly on its kink; both slopes are named.
TEST(Kink, IsToldWithBothSlopes) {
  const auto expectSlopes = [](const std::string& blocks, const char* below, const char* above) {
    std::vector<std::string> notes;
    (void)rootsAbout(makeCart(blocks), OperatingPoint::Kind::kInitial, &notes);
    const std::string text = joined(notes);
    EXPECT_TRUE(says(text, "slope is " + std::string(below) + " for")) << blocks << text;
    EXPECT_TRUE(says(text, "and " + std::string(above) + " for")) << blocks << text;
  };
  expectSlopes("  u: {type: saturation, input: p, lower: 0, upper: 1}\n", "0", "1");
  expectSlopes("  u: {type: saturation, input: p, lower: 0, upper: 1, events: true}\n", "0", "1");
  expectSlopes("  u: {type: dead_zone, input: p, lower: -1, upper: 0}\n", "0", "1");
  expectSlopes("  u: {type: expression, inputs: [p], value: 3*abs(p)}\n", "-3", "3");
  expectSlopes("  u: {type: expression, inputs: [p], value: 'max(2*p, 5*p)'}\n", "2", "5");
  expectSlopes("  u: {type: pid, input: p, reference: 0, kp: 4, limits: [0, 1]}\n", "-4", "0");
  expectSlopes("  u: {type: lookup, input: p, x: [-1, 0, 1], y: [-2, 0, 7]}\n", "2", "7");
}

// What decides is not what is passed on: both branches have the same value, and other slopes. The root is that of one of
// them, s² + s + 100 + k = 0 with k = 50 or 0.
TEST(Kink, OfASwitchIsToldWithTheSlopesOfWhatItPassesOn) {
  const std::string gain = "  g: {type: gain, input: p, gain: -50}\n";
  for (const char* block :
       {"  u: {type: switch, control: p, threshold: 0, above: g, below: 0}\n",
        "  u: {type: switch, control: p, threshold: 0, above: g, below: 0, events: false}\n",
        "  u: {type: expression, inputs: [p, g], value: 'p > 0 ? g : 0'}\n",
        "  u: {type: expression, inputs: [p, g], value: 'g*(p > 0)'}\n"}) {
    std::vector<std::string> notes;
    const auto roots = rootsAbout(makeCart(gain + block), OperatingPoint::Kind::kInitial, &notes);
    const bool isOpen = contains(roots, {-0.5, std::sqrt(99.75)});
    EXPECT_TRUE(isOpen || contains(roots, {-0.5, std::sqrt(149.75)})) << block;
    EXPECT_TRUE(says(joined(notes),
                     "'u' is exactly on a kink: its slope over 'g' is 0 for a smaller 'sensor p' "
                     "and 1 for a larger one; the linear model uses " +
                         std::string(isOpen ? "0" : "1")))
        << block << joined(notes);
  }
  // Decided by one signal, passed on from two others.
  std::vector<std::string> notes;
  (void)rootsAbout(makeCart(gain + "  h: {type: gain, input: p, gain: -20}\n"
                                   "  u: {type: switch, control: p, threshold: 0, above: h, below: "
                                   "g}\n"),
                   OperatingPoint::Kind::kInitial, &notes);
  EXPECT_TRUE(
      says(joined(notes), "'u' is exactly on a kink: its slope over 'h' is 0 for a smaller"))
      << joined(notes);
}

// Of a sampled block too, on its limit, and of its integral that the limit stops.
TEST(Kink, OfASampledBlockIsToldWithBothSlopes) {
  const auto notesOf = [](const std::string& blocks) {
    std::vector<std::string> notes;
    (void)rootsAbout(makeCart(blocks), OperatingPoint::Kind::kInitial, &notes);
    return joined(notes);
  };
  const std::string onLimit =
      notesOf("  u: {type: discrete_pid, input: p, kp: 50, sample: 1 ms, limits: [0, 5]}\n");
  EXPECT_TRUE(says(onLimit, "slope is -50 for a smaller 'sensor p' and 0 for a larger one"))
      << onLimit;
  EXPECT_TRUE(says(onLimit, "uses -25")) << onLimit;
  const std::string integral =
      notesOf("  u: {type: discrete_pid, input: p, kp: 0, ki: 4, sample: 1 s, limits: [0, 5]}\n");
  EXPECT_TRUE(says(integral, "slope is -4 for a smaller 'sensor p' and 0 for a larger one"))
      << integral;
  for (const char* blocks :
       {"  u: {type: discrete_pid, input: p, kp: 50, ki: 3, kd: 10, sample: 0.1 ms, limits: "
        "[-0.1, 5]}\n",
        "  u: {type: discrete_pid, input: p, kp: 50, sample: 1 ms}\n",
        "  u: {type: zero_order_hold, input: p, sample: 1 ms}\n",
        "  u: {type: unit_delay, input: p, sample: 1 ms}\n",
        "  u: {type: discrete_transfer_function, input: p, numerator: [1, 2], denominator: [1, "
        "-0.5], sample: 1 ms}\n"}) {
    EXPECT_FALSE(says(notesOf(blocks), "exactly")) << blocks << notesOf(blocks);
  }
}

TEST(Kink, IsNotToldWhereThereIsNone) {
  for (
      const char* blocks :
      {"  u: {type: saturation, input: p, lower: -1e-3, upper: 1}\n",
       "  u: {type: expression, inputs: [p], value: 3*p^2}\n",
       "  u: {type: expression, inputs: [p], value: p*abs(p)}\n",
       "  u: {type: expression, inputs: [p], value: sin(p) + exp(p)}\n",
       // Slopes over one signal that change with another, and a decision elsewhere or between constants.
       "  g: {type: gain, input: p, gain: 2}\n  u: {type: product, inputs: [p, g]}\n",
       "  g: {type: gain, input: p, gain: 2}\n"
       "  u: {type: expression, inputs: [p, g], value: 'g*p^2 + p*g'}\n",
       "  g: {type: gain, input: p, gain: 2}\n"
       "  u: {type: switch, control: p, threshold: 0.1, above: g, below: 0}\n",
       "  u: {type: switch, control: p, threshold: 0, above: 3, below: 3}\n",
       "  u: {type: pid, input: p, reference: 0, kp: 4, ki: 2, limits: [-1, 1]}\n",
       "  u: {type: rate_limiter, input: p, up: 3}\n",
       "  u: {type: relay, input: p, on_above: 0.1, off_below: -0.1, on_value: 1, off_value: "
       "0}\n"}) {
    std::vector<std::string> notes;
    (void)rootsAbout(makeCart(blocks), OperatingPoint::Kind::kInitial, &notes);
    EXPECT_FALSE(says(joined(notes), "exactly")) << blocks << joined(notes);
  }
}

TEST(Kink, OfABlackBoxIsTold) {
  std::vector<std::string> notes;
  (void)rootsAbout(
      makeCart("  box: {type: library, path: boxes/kink.so, inputs: [p], outputs: [y]}\n"
               "  u: {type: gain, input: box.y, gain: 1}\n"),
      OperatingPoint::Kind::kInitial, &notes);
  EXPECT_TRUE(says(joined(notes), "slope is 2 for")) << joined(notes);
  EXPECT_TRUE(says(joined(notes), "and 5 for")) << joined(notes);
}

// One with a clock is asked at its next instant: a derivative over no time has no value.
TEST(Kink, IsNotLookedForWhereABlackBoxHasNoValue) {
  std::vector<std::string> notes;
  (void)rootsAbout(
      makeCart("  u: {type: library, path: boxes/gains.so, inputs: [-p], outputs: [y], "
               "sample: 1 ms, config: \"kp=30 ki=5 kd=12\"}\n"),
      OperatingPoint::Kind::kInitial, &notes);
  EXPECT_TRUE(notes.empty()) << joined(notes);
}

// The slope that is reported is that of the model, whatever round-off makes of the other one: a mass that only a force of -100 N
// times the slope holds.
TEST(Kink, HasTheSlopeThatIsReported) {
  for (const auto& [block, slope] :
       {std::pair{"{type: gain, input: p, gain: 1}", 1.0},
        std::pair{"{type: function, input: p, function: abs}", 1.0},
        std::pair{"{type: saturation, input: p, lower: 0, upper: 1}", 1.0},
        std::pair{"{type: saturation, input: p, lower: -1, upper: 0}", 1.0},
        std::pair{"{type: lookup, input: p, x: [-1, 0, 1], y: [-3, 0, 1]}", 1.0},
        std::pair{"{type: expression, inputs: [p], value: \"= p > 0 ? p : 4*p\"}", 4.0}}) {
    SCOPED_TRACE(block);
    std::string text =
        makeCart(std::string("  d: ") + block + "\n  u: {type: gain, input: d, gain: -100}\n");
    const std::size_t springs = text.find("springs");
    text.erase(springs, text.find("sensors") - springs);
    const auto roots = rootsAbout(text, OperatingPoint::Kind::kInitial);
    ASSERT_EQ(roots.size(), 1u);
    EXPECT_NEAR(std::abs(roots[0] - std::complex<double>(0.0, 10.0 * std::sqrt(slope))), 0.0, 1e-8);
  }
}

// The integral of a sampled pid at its limit stops where the output reaches it: there the output follows the error to one side, and
// the linear map has half of the gains, and no integral. Roots of the map of 2 ms (expm of scipy) of z'' + 5 z' + 100 z = u,
// u = -(5 z + 0.2 (z - z_last)/2 ms)/2.
TEST(Kink, OfASampledPidAtItsLimitWhereverTheMachineStarts) {
  for (const char* place : {"0", "1e-3"}) {
    SCOPED_TRACE(place);
    const std::string text =
        std::string("gravity: [0, 0, -9.81]\nnodes: {a: {position: [0, 0, ") + place +
        "], free: [z]}}\nbodies: {a: {node: a, mass: 1}}\n"
        "springs: {k: {type: linear, between: [ground, a], direction: [0, 0, 1], stiffness: 100, "
        "damping: 5}}\n"
        "sensors: {z: {measure: displacement, node: a, direction: [0, 0, 1]}}\n"
        "blocks: {u: {type: discrete_pid, input: z, kp: 5, ki: 30, kd: 0.2, limits: [-1, 1], "
        "sample: 2 ms}}\n"
        "actuators: {f: {type: force, node: a, direction: [0, 0, 1], input: u}}\noutputs: [z, u]\n";
    expectRest(text, -0.0881, 1.0);
    const auto roots = rootsAbout(text, OperatingPoint::Kind::kEquilibrium);
    double nearest = 1e300;
    for (const std::complex<double> root : roots) {
      nearest = std::min(nearest, std::abs(root - std::complex<double>(-2.54924661, 9.79907112)));
    }
    EXPECT_LT(nearest, 1e-6);
  }
}

// A kink is where it is, however small or large the machine and its signals are.
TEST(Kink, IsFoundAtAnyScale) {
  for (const char* scale : {"1e-12", "1e-6", "1e6", "1e12"}) {
    std::vector<std::string> notes;
    (void)rootsAbout(
        makeCart(std::string("  g: {type: gain, input: p, gain: ") + scale + "}\n" +
                 "  u: {type: dead_zone, input: g, lower: -" + scale + ", upper: 0}\n"),
        OperatingPoint::Kind::kInitial, &notes);
    EXPECT_TRUE(says(joined(notes), "exactly on a kink")) << scale << joined(notes);
  }
}

// What is not on a kink may let nothing through all the same.
TEST(Kink, BlocksWithoutASlopeAreTold) {
  const auto notesOf = [](const std::string& blocks) {
    std::vector<std::string> notes;
    (void)rootsAbout(makeCart(blocks), OperatingPoint::Kind::kInitial, &notes);
    return joined(notes);
  };
  for (const char* blocks : {"  u: {type: backlash, input: p, width: 0.2}\n",
                             "  u: {type: function, input: p, function: round}\n",
                             "  u: {type: dead_zone, input: p, lower: -0.1, upper: 0.1}\n"}) {
    EXPECT_TRUE(says(notesOf(blocks), "'u' has the slope 0 here")) << blocks << notesOf(blocks);
  }
  for (const char* blocks : {"  u: {type: gain, input: p, gain: 0}\n",
                             "  u: {type: expression, inputs: [p], value: p + round(p)}\n",
                             "  u: {type: sine, frequency: 1 Hz}\n"}) {
    EXPECT_FALSE(says(notesOf(blocks), "slope 0")) << blocks << notesOf(blocks);
  }
}

// A mean slope is what counts; the single steps say nothing more. A constant does not change.
TEST(Kink, IsToldOnce) {
  std::vector<std::string> notes;
  (void)rootsAbout(makeCart("  u: {type: quantizer, input: p, step: 0.1, rounding: down}\n"),
                   OperatingPoint::Kind::kInitial, &notes);
  EXPECT_EQ(notes.size(), 1u) << joined(notes);
  EXPECT_TRUE(says(joined(notes), "mean slope")) << joined(notes);
  (void)rootsAbout(makeCart("  u: {type: comparison, input: p, to: 0, relation: greater}\n"),
                   OperatingPoint::Kind::kInitial, &notes);
  EXPECT_EQ(notes.size(), 1u) << joined(notes);
}

TEST(Kink, OfInfiniteSlopeIsNamedAtTheStart) {
  for (const char* formula : {"sqrt(p)", "acos(1 - p)"}) {
    const model::Model model = buildModel(
        makeCart(std::string("  u: {type: expression, inputs: [p], value: '") + formula + "'}\n"));
    const analysis::OperatingState point =
        analysis::findOperatingPoint(model, {OperatingPoint::Kind::kInitial, 0.0});
    EXPECT_FALSE(point.ok());
    EXPECT_TRUE(says(messageOf(point.failure), "'u' has no finite slope with respect to"))
        << messageOf(point.failure);
  }
}

TEST(Modes, OfAModelWithoutInertiaAreRefusedForThat) {
  const model::Model model = buildModel(R"(
sections: {s: {type: stiffness, EA: 1e8, GAy: 1e8, GAz: 1e8, GJ: 1, EIy: 1, EIz: 1}}
nodes: {a: {position: [0, 0, 0], free: []}, b: [1, 0, 0]}
loads: {pull: {node: b, force: [0, 10, 0]}}
beams: {w: {from: a, to: b, elements: 8, order: 3, section: s, y_axis: [0, 1, 0]}}
)");
  const analysis::OperatingState point =
      analysis::findOperatingPoint(model, {OperatingPoint::Kind::kEquilibrium, 0.0});
  const analysis::ModeResult result = analysis::findModes(model, point.state, {});
  EXPECT_FALSE(result.ok());
  EXPECT_TRUE(says(messageOf(result.failure), "no inertia")) << messageOf(result.failure);
}

}  // namespace
}  // namespace flexloop::test
