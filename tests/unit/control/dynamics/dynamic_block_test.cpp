// Blocks with states in time: against closed forms, of order 2, and with events where they belong.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// from scipy import signal; signal.step(([2,1,3,1], [1,4,2,5]), T=[0, 0.5, 1, 2, 4])
TEST(TransferFunction, HasTheStepResponseOfScipy) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  one: {type: step, at: 0, from: 0, to: 1}\n"
      "  y: {type: transfer_function, input: one, numerator: [0, 2, 1, 3, 1], "
      "denominator: [1, 4, 2, 5]}\n",
      "y", "end: 4, step: 1e-3");
  EXPECT_EQ(run.at(0.0, "y"), 2.0);
  EXPECT_NEAR(run.at(0.5, "y"), 0.458854832218565, 2e-6);
  EXPECT_NEAR(run.at(1.0, "y"), 0.26009460829726, 2e-6);
  EXPECT_NEAR(run.at(2.0, "y"), 0.255470255207084, 2e-6);
  EXPECT_NEAR(run.at(4.0, "y"), 0.173708805256521, 2e-6);
}

// A = [[0,1],[-4,-1]]; B = [[0,0],[1,1]]; u = [0.3,-0.1]; x(0) = [0.1,-0.2]: scipy.linalg.expm of
// [[A, B u], [0, 0]] t.
TEST(StateSpaceBlock, FollowsTheMatrixExponential) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  obs: {type: state_space, inputs: [0.3, -0.1], A: [[0, 1], [-4, -1]], "
      "B: [[0, 0], [1, 1]], C: [[1, 0], [0, 1]], D: [[0, 0], [1, 0]], x0: [0.1, -0.2]}\n",
      "obs.1, obs.2", "end: 3, step: 1e-3");
  EXPECT_NEAR(run.at(1.0, "obs.1"), -0.012032248905642, 1e-6);
  EXPECT_NEAR(run.at(1.0, "obs.2"), 0.3 + 0.014128910183893, 1e-6);
  EXPECT_NEAR(run.at(3.0, "obs.1"), 0.069126696462308, 1e-6);
  EXPECT_NEAR(run.at(3.0, "obs.2"), 0.3 - 0.034455481403298, 1e-6);
}

// The forced response of 1/(T s + 1), and of s/(T s + 1), to sin ωt from rest.
TEST(FirstOrder, IsOfOrderTwoInStateAndOutput) {
  const double T = 0.1, w = 5.0, end = 1.0;
  const double g = 1.0 + w * w * T * T;
  const double x = (std::sin(w * end) - w * T * std::cos(w * end) + w * T * std::exp(-end / T)) / g;
  const double dx = (std::sin(w * end) - x) / T;
  double before[2] = {};
  for (const double h : {0.02, 0.01, 0.005}) {
    const ModelRun run = runModel(
        "blocks:\n"
        "  s: {type: sine, omega: 5}\n"
        "  lag: {type: transfer_function, input: s, numerator: [1], denominator: [0.1, 1]}\n"
        "  d: {type: derivative, input: s, filter: 0.1}\n",
        "lag, d", "end: 1, step: " + std::to_string(h));
    const double errors[2] = {std::abs(run.last("lag") - x), std::abs(run.last("d") - dx)};
    for (int i = 0; i < 2; ++i) {
      if (h < 0.02) {
        EXPECT_NEAR(std::log2(before[i] / errors[i]), 2.0, 0.1) << i;
      }
      before[i] = errors[i];
    }
  }
}

TEST(Filters, StartAtRestWithTheirInitialOutput) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  a: {type: low_pass, input: 2, frequency: 3 Hz, order: 4, initial_output: 2}\n"
      "  b: {type: lead_lag, input: 2, lead: 0.3, lag: 0.1, gain: 5, initial_output: 10}\n"
      "  c: {type: notch, input: 2, omega: 3, width: 1 Hz, initial_output: 2}\n",
      "a, b, c", "end: 1, step: 0.01");
  for (const double y : run.column("a")) EXPECT_NEAR(y, 2.0, 1e-9);
  for (const double y : run.column("b")) EXPECT_NEAR(y, 10.0, 1e-9);
  for (const double y : run.column("c")) EXPECT_NEAR(y, 2.0, 1e-9);
}

TEST(DerivativeBlock, StartsAtZeroUnlessToldTheValueBefore) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  a: {type: derivative, input: 3, filter: 0.1}\n"
      "  b: {type: derivative, input: 3, filter: 0.1, initial: 1}\n",
      "a, b", "end: 0.5, step: 1e-3");
  for (const double y : run.column("a")) EXPECT_NEAR(y, 0.0, 1e-12);
  EXPECT_NEAR(run.at(0.0, "b"), 20.0, 1e-12);
  EXPECT_NEAR(run.at(0.2, "b"), 20.0 * std::exp(-2.0), 1e-3);
}

// ∫ sin 2t = (1 − cos 2t)/2 reaches 0.6 and is held until the input turns at π/2. It reaches −0.3
// where 0.1 − ½ cos 2t does, and is held until π.
double limitedIntegral(double t) {
  const double pi = std::numbers::pi, rise = 0.5 - 0.5 * std::cos(2.0 * t);
  if (t < 0.5 * pi) return std::min(rise, 0.6);
  if (t < pi) return t < pi - 0.5 * std::acos(0.8) ? rise - 0.4 : -0.3;
  return rise - 0.3;
}

TEST(IntegratorBlock, IsHeldAtItsLimitsAndLeavesThemAtOnce) {
  for (const double h : {0.02, 0.013}) {
    const ModelRun run = runModel(
        "blocks:\n"
        "  s: {type: sine, omega: 2}\n"
        "  y: {type: integrator, input: s, lower: -0.3, upper: 0.6}\n",
        "y", "end: 4, step: " + std::to_string(h));
    EXPECT_EQ(run.report.events, 4);
    for (std::size_t i = 0; i < run.times().size(); ++i) {
      const double t = run.times()[i], y = run.column("y")[i];
      EXPECT_NEAR(y, limitedIntegral(t), h * h) << t;
      EXPECT_LE(y, 0.6);
      EXPECT_GE(y, -0.3);
    }
  }
}

// With a constant input, the value at the end tells the time of the event.
TEST(IntegratorBlock, LandsOnItsEvents) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  s: {type: sine, omega: 2, phase: 1.1}\n"
      "  r: {type: integrator, input: 1, reset: s, initial: 0.25}\n"
      "  p: {type: step, at: 0.503, from: 0, to: 1}\n"
      "  q: {type: integrator, input: 1, reset: p, initial: 0.25}\n"
      "  saw: {type: integrator, input: 3, upper: 1, initial: 1}\n",
      "r, q, saw", "end: 3, step: 0.02");
  const double reset = std::numbers::pi - 0.55;  // 2t + 1.1 = 2π
  EXPECT_NEAR(run.last("r"), 0.25 + 3.0 - reset, 1e-6);
  EXPECT_NEAR(run.last("q"), 0.25 + 3.0 - 0.503, 1e-9);
  for (const double y : run.column("saw")) EXPECT_EQ(y, 1.0);
}

// A step of 1 with 2 per second up, and of −1 with 0.5 per second down.
TEST(RateLimiterBlock, IsNoFasterThanItsRates) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  a: {type: step, at: 0.1, from: 0.5, to: 1.5}\n"
      "  b: {type: step, at: 2, from: 0, to: -1}\n"
      "  u: {type: sum, inputs: [a, b]}\n"
      "  y: {type: rate_limiter, input: u, up: 2, down: 0.5, lag: 2 ms}\n"
      "  s: {type: sine, omega: 0.9}\n"
      "  z: {type: rate_limiter, input: s, up: 1, lag: 2 ms}\n",
      "y, s, z", "end: 5, step: 0.01");
  EXPECT_NEAR(run.at(0.05, "y"), 0.5, 1e-9);
  EXPECT_NEAR(run.at(0.4, "y"), 0.5 + 2.0 * 0.3, 5e-3);
  EXPECT_NEAR(run.at(0.7, "y"), 1.5, 1e-5);
  EXPECT_NEAR(run.at(3.0, "y"), 1.0, 2e-3);
  EXPECT_NEAR(run.at(4.5, "y"), 0.5, 1e-5);
  const std::vector<double>& y = run.column("y");
  for (std::size_t i = 1; i < y.size(); ++i) {
    EXPECT_LE(y[i] - y[i - 1], 2.0 * 0.01 + 1e-9);
    EXPECT_GE(y[i] - y[i - 1], -0.5 * 0.01 - 1e-9);
  }
  // What is slow enough is followed with the lag alone.
  for (const double t : {1.0, 2.0, 4.0}) {
    EXPECT_NEAR(run.at(t, "z"), std::sin(0.9 * (t - 0.002)), 1e-5);
  }
}

// As the contract of the model language writes them.
TEST(DynamicBlocks, OfTheModelLanguageAreUnderstood) {
  EXPECT_EQ(
      mistakesOf("nodes: {A: [0, 0, 0]}\n"
                 "bodies: {hub: {node: A, mass: 1.2, inertia: [0.1, 0.1, 0.2], com: [0, 0, 0]}}\n"
                 "joints: {hinge1: {type: hinge, between: [ground, A], axis: [0, 1, 0]}}\n"
                 "sensors: {theta1: {measure: angle, joint: hinge1}}\n"
                 "blocks:\n"
                 "  pid1:  {type: pid, input: theta1, reference: 0, kp: 100, ki: 20, kd: 6}\n"
                 "  lag:   {type: transfer_function, input: pid1, numerator: [1], denominator: "
                 "[0.01, 1]}\n"
                 "  obs:   {type: state_space, inputs: [theta1, lag], A: [[0, 1], [-4, -1]], "
                 "B: [[0, 0], [1, 1]], C: [[1, 0]], D: [[0, 0]], x0: [0, 0]}\n"
                 "outputs: [theta1, pid1, lag, obs]\n"),
      "");
}

TEST(DynamicBlocks, SayWhatIsWrong) {
  const auto message = [](const char* block) {
    return mistakesOf(std::string("blocks:\n  y: ") + block + "\n");
  };
  EXPECT_EQ(
      message("{type: transfer_function, input: 1, numerator: [1, 0, 2], denominator: [1, 1]}"),
      "m.yaml:3:53: error: blocks.y: the numerator has degree 2, but the denominator degree 1\n"
      "  hint: it would differentiate its input; add a fast pole, such as the factor 0.001 s + "
      "1\n");
  EXPECT_EQ(message("{type: transfer_function, input: 1, numerator: [1], denominator: [0, 0]}"),
            "m.yaml:3:71: error: blocks.y: the denominator is zero\n"
            "  hint: give the coefficients of the powers of s, the highest first\n");
  EXPECT_EQ(message("{type: transfer_function, input: 1, numerator: [1, 0], denominator: [1, 1], "
                    "initial_output: 2}"),
            "m.yaml:3:98: error: blocks.y: the block has no steady state with this output\n  hint: "
            "its steady-state output is zero for any input; omit it\n");
  EXPECT_EQ(message("{type: zero_pole_gain, input: 1, zero_pairs: [[-1, 2]], poles: [-1]}"),
            "m.yaml:3:51: error: blocks.y: the function has 2 zeros, but only 1 pole\n"
            "  hint: it would differentiate its input; add a fast pole\n");
  EXPECT_EQ(
      message("{type: zero_pole_gain, input: 1, pole_pairs: [[-1, 0]]}"),
      "m.yaml:3:51: error: blocks.y: 'pole_pairs' are rows [real, imaginary] with an imaginary "
      "part\n  hint: [-1, 5] means -1 + 5i and -1 - 5i; real ones go into 'poles'\n");
  EXPECT_EQ(message("{type: state_space, inputs: [1, 2], A: [[0, 1], [2, 3]], B: [[1], [0]], "
                    "C: [[1, 0]]}"),
            "m.yaml:3:66: error: blocks.y: 'B' is 2 x 1, but 2 x 2 is expected\n"
            "  hint: A has 2 rows; the block has 2 inputs\n");
  EXPECT_EQ(message("{type: state_space, inputs: 1, A: -1, B: 1, C: 1, x0: [1, 2]}"),
            "m.yaml:3:60: error: blocks.y: 'x0' has 2 numbers, but A has 1 row\n");
  EXPECT_EQ(message("{type: state_space, inputs: 1, A: -1, B: 1, C: [[1], [2]], outputs: [a]}"),
            "m.yaml:3:74: error: blocks.y: 'outputs' has 1 name, but C has 2 rows\n"
            "  hint: each row of C gives one output\n");
  EXPECT_EQ(message("{type: low_pass, input: 1}"),
            "m.yaml:3:3: error: blocks.y: either 'frequency' (Hz) or 'omega' (rad/s) is needed\n");
  EXPECT_EQ(
      message("{type: notch, input: 1, omega: 3}"),
      "m.yaml:3:3: error: blocks.y: either 'width' (Hz) or 'damping' (a ratio) is needed\n  hint: "
      "the width is the distance between the two points at -3 dB; width = 2 damping frequency\n");
  EXPECT_EQ(message("{type: integrator, input: 1, lower: 2, upper: 1}"),
            "m.yaml:3:42: error: blocks.y: 'lower' is not less than 'upper'\n");
  EXPECT_EQ(message("{type: integrator, input: 1, lower: 2}"),
            "m.yaml:3:3: error: blocks.y: 'initial' is not between the limits\n");
}

}  // namespace
}  // namespace flexloop::test
