// Adaptive steps that states of blocks ask for (docs/theory/09_time.md, section 9.7).
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "solve/time/scheme.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

std::string adaptive(double tolerance, double rho) {
  char text[120];
  std::snprintf(text, sizeof text,
                ", adaptive: true, tolerance: %.3g, min_step: 1e-9, max_step: 10, rho: %.3g",
                tolerance, rho);
  return text;
}

std::string timeOf(double end, double step, const std::string& options) {
  return "end: " + std::to_string(end) + ", step: " + std::to_string(step) + options;
}

struct Judgement {
  double error = 0.0;  // the largest
  int steps = 0;
  std::vector<double> lengths;
};

template <class Truth>
Judgement judge(const std::string& blocks, double end, double step, const std::string& options,
                Truth truth) {
  const ModelRun run = runModel(blocks, "y", timeOf(end, step, options));
  Judgement result;
  result.steps = run.report.steps;
  const std::vector<double>& t = run.record.times();
  for (std::size_t i = 0; i < t.size(); ++i) {
    result.error = std::max(result.error, std::abs(run.record.column("y")[i] - truth(t[i])));
    if (i > 0) result.lengths.push_back(t[i] - t[i - 1]);
  }
  return result;
}

// One step of (9.2) for x = t³/6, from an exact past: what it errs is C_x h³.
TEST(StateError, HasTheCoefficientOfTheScheme) {
  for (const double rho : {0.0, 0.3, 0.8, 1.0}) {
    for (const solve::StateScheme& s :
         {solve::makeJansenWhitingHulbert(rho), solve::makeStateChungHulbert(rho)}) {
      const double h = 0.1, far = 200.0 * h;
      // Long after its start w has forgotten how it began; a double root of modulus one never does.
      if (std::abs(s.deltaM / (1.0 - s.deltaM)) > 0.99) continue;
      double w = 0.5 * far * far + s.offset() * h * far, x = far * far * far / 6.0, t = far;
      double error = 0.0;
      for (int k = 0; k < 400; ++k, t += h) {
        const double rate0 = 0.5 * t * t, rate1 = 0.5 * (t + h) * (t + h);
        const double next =
            ((1.0 - s.deltaF) * rate1 + s.deltaF * rate0 - s.deltaM * w) / (1.0 - s.deltaM);
        const double step = h * (1.0 - s.theta) * w + h * s.theta * next;
        x += step;
        w = next;
        error = step - (std::pow(t + h, 3) - std::pow(t, 3)) / 6.0;
      }
      EXPECT_NEAR(error / (h * h * h), 1.0 / 12.0 + s.filterError(), 1e-6) << rho;
    }
  }
  EXPECT_NEAR(solve::StateScheme{}.filterError(), 0.0, 1e-15);
  EXPECT_NEAR(solve::makeJansenWhitingHulbert(0.0).filterError(), 0.25, 1e-15);
}

// x'' = −ω²x as two states, y = cos ωt: the third derivative over the size is ω³ in turns. Every length
// keeps C_x h³ω³ below the tolerance, and no length is much shorter than needed; the error at the end
// falls as h², the power two thirds of the tolerance.
TEST(StateError, ChoosesTheStepsOfAnOscillation) {
  const std::string blocks =
      "blocks: {y: {type: state_space, inputs: [0], A: [[0, 1], [-100, 0]], B: [[0], [0]], "
      "C: [[1, 0]], D: [[0]], x0: [1, 0]}}\n";
  const auto truth = [](double t) { return std::cos(10.0 * t); };
  for (const double rho : {0.0, 0.5, 0.9}) {
    const double C = 1.0 / 12.0 + solve::makeJansenWhitingHulbert(rho).filterError();
    std::vector<Judgement> runs;
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      runs.push_back(judge(blocks, 3.0, 1e-4, adaptive(tolerance, rho), truth));
      const std::vector<double>& lengths = runs.back().lengths;
      for (std::size_t i = lengths.size() / 3; i + 3 < lengths.size(); ++i) {
        const double error = C * std::pow(10.0 * lengths[i], 3);
        EXPECT_LT(error, 1.7 * tolerance) << rho << " " << i;
        EXPECT_GT(error, 0.1 * tolerance) << rho << " " << i;
      }
    }
    for (int k = 0; k < 2; ++k) {
      const double order = std::log(runs[k].error / runs[k + 1].error) / std::log(100.0);
      EXPECT_NEAR(order, 2.0 / 3.0, 0.08) << rho;
      EXPECT_NEAR(std::log(double(runs[k + 1].steps) / runs[k].steps) / std::log(100.0), 1.0 / 3.0,
                  0.08)
          << rho;
    }
  }
}

// x' = −λ(x − cos t) − sin t, x = cos t with λ = 10⁴: the steps are those of the cosine, not of λ.
TEST(StateError, IsNotStoppedByAStiffState) {
  const auto blocks = [](double start) {
    return "blocks:\n"
           "  c: {type: sine, omega: 1, phase: 90 deg}\n"
           "  s: {type: sine, omega: 1, amplitude: 1e-4}\n"
           "  u: {type: sum, inputs: [c, -s]}\n"
           "  y: {type: state_space, inputs: [u], A: [[-1e4]], B: [[1e4]], C: [[1]], D: [[0]], "
           "x0: [" +
           std::to_string(start) + "]}\n";
  };
  const auto slow = [](double t) { return std::cos(t); };
  const auto decaying = [](double t) { return std::cos(t) - std::exp(-1e4 * t); };
  const Judgement follows = judge(blocks(1.0), 10.0, 1e-3, adaptive(1e-6, 0.5), slow);
  const Judgement falls = judge(blocks(0.0), 10.0, 1e-3, adaptive(1e-6, 0.5), decaying);
  EXPECT_LT(follows.error, 1e-5);
  EXPECT_LT(falls.error, 2e-4);
  EXPECT_LT(follows.steps, 1000);
  EXPECT_LT(falls.steps, 1500);
  EXPECT_LT(*std::max_element(follows.lengths.begin(), follows.lengths.end()), 0.08);
}

// A slow cart beside a fast state that it does not feel.
TEST(StateError, LetsAFastStateRuleAMachine) {
  const ModelRun run = runModel(
      "nodes: {cart: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}}\n"
      "bodies: {cart: {node: cart, mass: 1}}\n"
      "springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: "
      "0.25}}\n"
      "sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}\n"
      "blocks: {y: {type: state_space, inputs: [x], A: [[0, 50], [-50, 0]], B: [[0], [0]], "
      "C: [[1, 0]], D: [[0]], x0: [1, 0]}}\n",
      "x, y", timeOf(2.0, 0.1, adaptive(1e-6, 0.9)));
  double error = 0.0;
  for (std::size_t i = 0; i < run.record.times().size(); ++i) {
    error = std::max(error,
                     std::abs(run.record.column("y")[i] - std::cos(50.0 * run.record.times()[i])));
  }
  EXPECT_GT(run.report.rejectedSteps, 0);
  EXPECT_LT(error, 1e-2);
  EXPECT_NEAR(run.last("x"), 2.0 * std::sin(1.0), 1e-5);
  // About C_x (50 h)³ = 1e-6.
  EXPECT_GT(run.report.steps, 3000);
  EXPECT_LT(run.report.steps, 9000);
}

// The size counts: the same oscillation a million times as large or as small has the same steps.
TEST(StateError, IsRelative) {
  const auto steps = [](const char* start) {
    return runModel(
               std::string("blocks: {y: {type: state_space, inputs: [0], A: [[0, 5], [-5, 0]], "
                           "B: [[0], [0]], C: [[1, 0]], D: [[0]], x0: [") +
                   start + ", 0]}}\n",
               "y", timeOf(2.0, 0.001, adaptive(1e-6, 0.8)))
        .report.steps;
  };
  EXPECT_NEAR(steps("1e6"), steps("1"), 20);
  EXPECT_NEAR(steps("1e-6"), steps("1"), 20);
}

// A break at 0.275 s changes the length of steps and with it θ, while γ of Newmark stays as it is.
TEST(StateScheme, KeepsOrderTwoWhereOnlyTheParametersOfStatesChange) {
  const std::string blocks =
      "blocks:\n"
      "  p: {type: step, at: 0.275, to: 0}\n"
      "  y: {type: state_space, inputs: [p], A: [[-1]], B: [[0]], C: [[1]], D: [[0]], x0: [1]}\n";
  const std::string scheme =
      ", scheme: {motion: newmark, state: {delta_m: = -1/6, delta_f: = 1/6, theta: = 5/6}}";
  const auto truth = [](double t) { return std::exp(-t); };
  const double coarse = judge(blocks, 1.0, 0.1, scheme, truth).error;
  const double fine = judge(blocks, 1.0, 0.05, scheme, truth).error;
  EXPECT_LT(coarse, 1e-3);
  EXPECT_GT(std::log2(coarse / fine), 1.8);
}

}  // namespace
}  // namespace flexloop::test
