// The transport delay, against the method of steps.
#include "control/dynamics/delay.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// x' = −x(t − τ), x = 1 until 0: x = Σ (−1)ᵏ (t − (k − 1) τ)ᵏ/k! over all k with t ≥ (k − 1) τ.
double methodOfSteps(double t, double tau) {
  long double sum = 1.0L, factorial = 1.0L;
  for (int k = 1; t - (k - 1) * tau >= 0.0 && k < 150; ++k) {
    factorial *= k;
    sum += (k % 2 == 0 ? 1.0L : -1.0L) *
           std::pow(static_cast<long double>(t - (k - 1) * tau), static_cast<long double>(k)) /
           factorial;
  }
  return static_cast<double>(sum);
}

double largestError(double tau, double step) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  y: {type: transport_delay, input: x, delay: " +
          std::to_string(tau) +
          ", initial: 1}\n"
          "  x: {type: integrator, input: y, gain: -1, initial: 1}\n",
      "x", "end: 3, step: " + std::to_string(step));
  double largest = 0.0;
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    const double truth = methodOfSteps(run.times()[i], tau);
    largest = std::max(largest, std::abs(run.column("x")[i] - truth));
  }
  return largest;
}

// Longer than the step, a part of it that is no fraction, and much shorter.
TEST(TransportDelayBlock, KeepsOrderTwo) {
  for (const double tau : {1.0, 0.37, 0.013}) {
    const double coarse = largestError(tau, 0.06), fine = largestError(tau, 0.03);
    EXPECT_GT(std::log2(coarse / fine), 1.85) << tau;
    EXPECT_LT(fine, 4e-4) << tau;
  }
}

// The input jumps at 0.105 and 0.25, the output 0.3 later; the integral of the output shows the time.
TEST(TransportDelayBlock, KeepsJumpsSharp) {
  for (const double step : {0.02, 0.07, 0.5}) {
    const ModelRun run = runModel(
        "blocks:\n"
        "  a: {type: step, at: 0.105, to: 2}\n"
        "  b: {type: step, at: 0.25, to: -3}\n"
        "  s: {type: sine, omega: 3}\n"
        "  u: {type: sum, inputs: [a, b, s]}\n"
        "  y: {type: transport_delay, input: u, delay: 0.3, initial: 0.5}\n"
        "  flat: {type: sum, inputs: [a, b]}\n"
        "  z: {type: transport_delay, input: flat, delay: 0.3, initial: 0.5}\n"
        "  i: {type: integrator, input: z}\n",
        "y, i", "end: 1, step: " + std::to_string(step));
    EXPECT_NEAR(run.last("i"), 0.5 * 0.3 + 2.0 * (1.0 - 0.405) - 3.0 * (1.0 - 0.55), 1e-6) << step;
    EXPECT_NEAR(run.last("y"), -1.0 + std::sin(3.0 * 0.7), step > 0.1 ? 1e-1 : 2e-5);
  }
}

TEST(TransportDelayBlock, WorksWithStepsThatAdapt) {
  const ModelRun run = runModel(
      "nodes: {cart: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}}\n"
      "bodies: {cart: {node: cart, mass: 3}}\n"
      "springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 12}}\n"
      "sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}\n"
      "blocks: {y: {type: transport_delay, input: x, delay: 0.4}}\n",
      "x, y", "end: 5, step: 0.5, adaptive: true, tolerance: 1e-7, rho: 0.9");
  EXPECT_GT(run.report.rejectedSteps, 0);
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    const double s = run.times()[i] - 0.4;
    EXPECT_NEAR(run.column("y")[i], s > 0.0 ? 0.5 * std::sin(2.0 * s) : 0.0, 1e-4);
  }
}

// The [3/3] approximation of e^{−sτ} at ω: scipy.interpolate.pade would give the same quotient,
// Π(−x)/Π(x) with Π = 1 + x/2 + x²/10 + x³/120; its gain is one and its phase is nearly −ωτ.
TEST(TransportDelayBlock, HasAPadeForm) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  s: {type: sine, omega: 4}\n"
      "  y: {type: transport_delay, input: s, delay: 0.3, pade: 3}\n",
      "y", "end: 6, step: 2e-3");
  const double x = 4.0 * 0.3;
  const double phase = -2.0 * std::atan2(0.5 * x - x * x * x / 120.0, 1.0 - x * x / 10.0);
  EXPECT_NEAR(phase, -x, 1e-4);
  EXPECT_NEAR(run.last("y"), std::sin(4.0 * 6.0 + phase), 1e-4);
}

// The present input takes part where the delay is shorter than the step, with its exact weight: the
// cubic through −0.2, −0.1, 0, and the present 0.1 at s = 0.06, and nothing of it at s = −0.02.
TEST(TransportDelayBlock, KnowsItsPartialDerivative) {
  const std::vector<double> record{-0.3, 5.0, -0.2, 1.0, -0.1, 2.0, 0.0, 4.0};
  const std::vector<double> memory{-1e300, 1e300};
  for (const double delay : {0.04, 0.12}) {
    const control::TransportDelay block(delay);
    std::vector<double> u{7.0}, y{0.0};
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(1, 1);
    const control::BlockPorts<double> ports{0.1, {}, u, memory.data(), &record, {}, y};
    block.calcPartials(ports, J);
    const double s = 0.1 - delay;
    const double weight = (s + 0.2) * (s + 0.1) * s / (0.3 * 0.2 * 0.1);
    EXPECT_NEAR(J(0, 0), delay < 0.1 ? weight : 0.0, 1e-14);
  }
}

TEST(TransportDelayBlock, ForgetsWhatIsOld) {
  const control::TransportDelay block(0.02);
  std::vector<double> memory = control::TransportDelay::startMemory();
  std::vector<double> record = control::TransportDelay::startRecord(0.0);
  std::vector<double> u{0.0}, y{0.0};
  for (int i = 1; i <= 5000; ++i) {
    u[0] = std::sin(1e-3 * i);
    const control::BlockPorts<double> ports{1e-3 * i, {}, u, memory.data(), &record, {}, y};
    block.remember(ports, {memory.data(), &record});
    block.switchBranches(ports, {memory.data(), &record});
    block.calc(ports);
    EXPECT_NEAR(y[0], i > 20 ? std::sin(1e-3 * (i - 20)) : 0.0, 1e-11);
  }
  EXPECT_LT(record.size(), 1000u);
}

// y_k = 1 + ½ y(t_k − τ): held for T = 0.1, the loop reads y_{k−1} for τ < T and y_{k−2} for T < τ < 2T,
// so y = 2 − 2^{−k} and y = 2 − 2^{−⌊k/2⌋}, whether the delay is longer or shorter than the step.
TEST(TransportDelayBlock, OpensALoopOfSampledBlocks) {
  for (const double step : {0.01, 0.03, 0.1, 0.5}) {
    for (const double tau : {0.05, 0.13}) {
      const ModelRun run = runModel(
          "blocks:\n"
          "  y: {type: zero_order_hold, input: s, sample: 0.1}\n"
          "  s: {type: sum, inputs: [half, 1]}\n"
          "  half: {type: gain, input: past, gain: 0.5}\n"
          "  past: {type: transport_delay, input: z, delay: " +
              std::to_string(tau) +
              "}\n"
              "  z: {type: zero_order_hold, input: y, sample: 0.1}\n"
              "  area: {type: integrator, input: y}\n",
          "y, area", "end: 1, step: " + std::to_string(step));
      const auto truth = [&](int k) { return 2.0 - std::pow(2.0, -(tau < 0.1 ? k : k / 2)); };
      double area = 0.0;
      for (int k = 0; k < 10; ++k) area += 0.1 * truth(k);
      EXPECT_NEAR(run.last("y"), truth(10), 1e-12) << step << " " << tau;
      EXPECT_NEAR(run.last("area"), area, 1e-12) << step << " " << tau;
    }
  }
}

// A sampled controller reads a cart through a delay and its own output through another.
TEST(TransportDelayBlock, IsNoReasonToRefuseALoop) {
  EXPECT_EQ(mistakesOf(R"(nodes: {cart: {position: [0.1, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 2}}
sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}
loads: {push: {node: cart, force: [1, 0, 0], signal: u}}
blocks:
  u: {type: zero_order_hold, input: e, sample: 0.1}
  e: {type: sum, inputs: [-x, late]}
  late: {type: transport_delay, input: u, delay: 1 ms}
)"),
            "");
}

// k x = kp (r − x), seen through a delay: at rest it is not there, whatever it starts with.
TEST(TransportDelayBlock, IsTransparentAtRest) {
  const model::Model model = buildModel(R"(nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 2}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 30}}
sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}
loads: {push: {node: cart, force: [1, 0, 0], signal: u}}
blocks:
  past: {type: transport_delay, input: x, delay: 0.2, initial: 7}
  later: {type: transport_delay, input: past, delay: 0.1}
  e: {type: sum, inputs: [0.4, -later]}
  u: {type: gain, input: e, gain: 20}
outputs: [x, later]
)");
  const analysis::EquilibriumResult result = analysis::findEquilibrium(model);
  ASSERT_TRUE(result.report.ok) << result.report.trouble;
  const double x = 20.0 * 0.4 / (30.0 + 20.0);
  EXPECT_NEAR(result.outputs[0], x, 1e-12);
  EXPECT_NEAR(result.outputs[1], x, 1e-12);
}

// What starts from rest has been there always: the past is constant, and new values arrive later.
TEST(TransportDelayBlock, RemembersThatItWasAtRest) {
  const control::TransportDelay block(0.25);
  std::vector<double> memory = control::TransportDelay::startMemory();
  std::vector<double> record = control::TransportDelay::startRecord(0.0);
  block.forgetPast({memory.data(), &record});
  std::vector<double> u{3.0}, y{0.0};
  for (int i = 0; i <= 100; ++i) {
    const double t = 0.01 * i;
    u[0] = 3.0 + t;
    const control::BlockPorts<double> ports{t, {}, u, memory.data(), &record, {}, y};
    block.remember(ports, {memory.data(), &record});
    block.switchBranches(ports, {memory.data(), &record});
    block.calc(ports);
    EXPECT_NEAR(y[0], 3.0 + std::max(t - 0.25, 0.0), 1e-12) << t;
  }
}

}  // namespace
}  // namespace flexloop::test
