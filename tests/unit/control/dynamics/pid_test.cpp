// The PID controller on a cart, against the matrix exponential and against an integrator of scipy.
#include <cmath>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// A cart of 2 kg with a sensor x, at 0.1 m, which the signal u pushes along x.
std::string cartAnd(const std::string& blocks) {
  return R"(nodes: {cart: {position: [0.1, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 2}}
sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}
loads: {push: {node: cart, force: [1, 0, 0], signal: u}}
blocks:
)" + blocks;
}

// from scipy.linalg import expm; z = expm(M t) [0.1, 0, 0] with z = (x, x', ∫x) and
// M = [[0, 1, 0], [-kp/m, -kd/m, -ki/m], [1, 0, 0]], m = 2, kp = 100, ki = 20, kd = 6.
TEST(PidBlock, MovesACartAsTheClosedForm) {
  const double truth[2] = {0.0025502275519917192, -0.09657488384663586};
  double before[2] = {};
  for (const double h : {4e-3, 2e-3, 1e-3}) {
    const ModelRun run =
        runModel(cartAnd("  u: {type: pid, input: x, reference: 0, kp: 100, ki: 20, kd: 6}\n"),
                 "x, u", "end: 2, step: " + std::to_string(h) + ", rho: 0.9");
    const double errors[2] = {std::abs(run.last("x") - truth[0]),
                              std::abs(run.last("u") - truth[1])};
    for (int i = 0; i < 2; ++i) {
      if (h < 4e-3) {
        EXPECT_NEAR(std::log2(before[i] / errors[i]), 2.0, 0.15) << i;
      }
      before[i] = errors[i];
    }
  }
  EXPECT_LT(before[0], 1e-5);
}

TEST(PidBlock, HasTwoForms) {
  const auto run = [](const std::string& gains) {
    return runModel(cartAnd("  u: {type: pid, input: x, reference: 0.05, " + gains + "}\n"), "u",
                    "end: 1, step: 0.01");
  };
  const ModelRun parallel = run("kp: 100, ki: 20, kd: 6");
  const ModelRun standard = run("kp: 100, ti: 5, td: 60 ms");
  for (const double t : {0.0, 0.3, 1.0}) {
    EXPECT_NEAR(parallel.at(t, "u"), standard.at(t, "u"), 1e-9);
  }
  EXPECT_NEAR(parallel.at(0.0, "u"), -5.0, 1e-12);
}

// As above with z = (x, x', ∫x, x_d), x_d(0) = −x(0), T = 0.02: from the start at rest.
TEST(PidBlock, WithAFilterStartsWithoutAKick) {
  const ModelRun run =
      runModel(cartAnd("  u: {type: pid, input: x, kp: 100, ki: 20, kd: 6, filter: 20 ms}\n"),
               "x, u", "end: 2, step: 5e-4");
  EXPECT_NEAR(run.at(0.0, "u"), -10.0, 1e-12);
  EXPECT_NEAR(run.at(0.5, "x"), -0.04974428765374948, 2e-6);
  EXPECT_NEAR(run.at(2.0, "x"), -8.938187226483819e-05, 2e-6);
}

// u = kp (b r − y) + kd (c r' − y') + ki ∫(r − y) with r = 0.3 sin 2t held apart from y = 0.7.
TEST(PidBlock, WeighsTheReference) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  r: {type: sine, amplitude: 0.3, omega: 2}\n"
      "  u: {type: pid, input: 0.7, reference: r, kp: 4, ki: 2, b: 0.25}\n"
      "  v: {type: pid, input: 0.7, reference: r, kp: 4, kd: 2, c: 0}\n"
      "  w: {type: pid, input: 0.7, reference: r, kp: 0, kd: 2, c: 0.5, filter: 1 ms}\n",
      "u, v, w", "end: 1.5, step: 1e-3");
  const double t = 1.5, r = 0.3 * std::sin(2.0 * t);
  const double integral = 0.15 * (1.0 - std::cos(2.0 * t)) - 0.7 * t;
  EXPECT_NEAR(run.last("u"), 4.0 * (0.25 * r - 0.7) + 2.0 * integral, 1e-5);
  EXPECT_NEAR(run.last("v"), 4.0 * (r - 0.7), 1e-9);
  EXPECT_NEAR(run.last("w"), 2.0 * 0.5 * 0.6 * std::cos(2.0 * (t - 1e-3)), 1e-4);
}

TEST(PidBlock, TakesTheRateOfAReferenceThatIsASensor) {
  const ModelRun run = runModel(
      "nodes: {cart: {position: [0, 0, 0], free: [x], velocity: [2, 0, 0]}}\n"
      "bodies: {cart: {node: cart, mass: 2}}\n"
      "sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]},"
      " s: {measure: position, node: cart}}\n"
      "blocks:\n"
      "  u: {type: pid, input: 1, reference: x, kp: 3, kd: 5, c: 0.5}\n"
      "  v: {type: pid, input: s.x, kp: 3, kd: 5}\n",
      "u, v", "end: 1, step: 0.1");
  EXPECT_NEAR(run.last("u"), 3.0 * (2.0 - 1.0) + 5.0 * 0.5 * 2.0, 1e-9);
  EXPECT_NEAR(run.last("v"), -3.0 * 2.0 - 5.0 * 2.0, 1e-9);
}

// A cart of 1 kg from 0 to the reference 1 with kp = 4, ki = 2, kd = 3 and ±0.5 N: scipy's solve_ivp
// (DOP853, rtol 1e-11, steps of 1 ms at most) of (14.14) to (14.17); positions at 1, 2, 3, 5, 8 s.
class AntiWindup : public testing::Test {
 protected:
  static ModelRun run(const std::string& options, double step = 5e-3) {
    return runModel(
        "nodes: {cart: {position: [0, 0, 0], free: [x]}}\n"
        "bodies: {cart: {node: cart, mass: 1}}\n"
        "sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}\n"
        "loads: {push: {node: cart, force: [1, 0, 0], signal: u}}\n"
        "blocks: {u: {type: pid, input: x, reference: 1, kp: 4, ki: 2, kd: 3" +
            options + "}}\n",
        "x, u", "end: 8, step: " + std::to_string(step) + ", rho: 0.9");
  }

  static void expectPositions(const ModelRun& run, const std::vector<double>& truth) {
    const double times[] = {1, 2, 3, 5, 8};
    for (int i = 0; i < 5; ++i) EXPECT_NEAR(run.at(times[i], "x"), truth[i], 1e-4) << times[i];
    for (const double u : run.column("u")) EXPECT_LE(std::abs(u), 0.5);
    EXPECT_EQ(run.at(0.5, "u"), 0.5);
  }
};

TEST_F(AntiWindup, ByClamping) {
  const ModelRun limited = run(", limits: [-0.5, 0.5]");
  expectPositions(limited, {0.25, 0.8672326055771736, 1.143759435304435, 1.0366461085091707,
                            0.9994207449383536});
  // The edges of the limits are crossed a few times, and not again and again.
  EXPECT_LT(limited.report.events, 20);
}

TEST_F(AntiWindup, ByBackCalculation) {
  expectPositions(
      run(", limits: [-0.5, 0.5], anti_windup: back_calculation"),
      {0.25, 0.890668408402723, 1.2022409468134894, 1.046529457986865, 0.9992609613775286});
}

TEST_F(AntiWindup, AlsoWithLongSteps) {
  const ModelRun limited = run(", limits: [-0.5, 0.5]", 0.1);
  EXPECT_NEAR(limited.last("x"), 1.0, 0.01);
  EXPECT_EQ(limited.report.failedSteps, 0);
}

TEST(PidBlock, SaysWhatIsWrong) {
  const auto message = [](const char* gains) {
    return mistakesOf(cartAnd("  u: {type: pid, " + std::string(gains) +
                              "}\n  s: {type: gain, "
                              "input: x, gain: 2}\n"));
  };
  EXPECT_EQ(message("input: s, kp: 1, kd: 2"),
            "m.yaml:7:25: error: blocks.u: the derivative term needs the rate of 's', which is not "
            "a sensor\n  hint: give the derivative a filter, such as 'filter: 1 ms'\n");
  EXPECT_EQ(message("input: x, reference: s, kp: 1, kd: 2"),
            "m.yaml:7:39: error: blocks.u: the derivative term needs the rate of 's', which is not "
            "a sensor\n  hint: give the derivative a filter, such as 'filter: 1 ms', or exclude "
            "the reference from it with 'c: 0'\n");
  EXPECT_EQ(message("input: x, reference: s, kp: 1, kd: 2, c: 0"), "");
  EXPECT_EQ(message("input: s, kp: 1, kd: 2, filter: 1 ms"), "");
  EXPECT_EQ(message("input: x, kp: 1, ki: 2, td: 1"),
            "m.yaml:7:39: error: blocks.u: 'ki', 'kd' cannot be combined with 'ti', 'td'\n  hint: "
            "give kp, ki, kd or kp, ti, td\n");
  EXPECT_EQ(message("input: x, ti: 1"),
            "m.yaml:7:3: error: blocks.u: 'ti' and 'td' need 'kp'\n"
            "  hint: kp (1 + 1/(ti s) + td s)\n");
  EXPECT_EQ(message("input: x"),
            "m.yaml:7:3: error: blocks.u: no gain is given\n"
            "  hint: give kp, ki, kd or kp, ti, td\n");
  EXPECT_EQ(message("input: x, kp: 1, limits: [2, 1]"),
            "m.yaml:7:43: error: blocks.u: the lower limit is not below the upper one\n"
            "  hint: limits: [lower, upper]\n");
  EXPECT_EQ(
      message("input: x, kp: 1, limits: [1, 2], tracking_time: 1"),
      "m.yaml:7:66: error: blocks.u: 'tracking_time' needs 'anti_windup: back_calculation'\n");
  EXPECT_EQ(message("input: x, ki: 1, limits: [1, 2], anti_windup: back_calculation"),
            "m.yaml:7:64: error: blocks.u: without 'kp', back-calculation needs 'tracking_time'\n");
}

TEST(PidBlock, NamesASensorWithoutRate) {
  EXPECT_EQ(
      mistakesOf("nodes: {cart: {position: [0, 0, 0], free: [x]}}\n"
                 "bodies: {cart: {node: cart, mass: 1}}\n"
                 "sensors: {a: {measure: acceleration, node: cart, direction: [1, 0, 0]}}\n"
                 "blocks:\n  u: {type: pid, input: a, kp: 1, kd: 2}\n"),
      "m.yaml:6:25: error: blocks.u: the derivative term needs the rate of 'a', which is a sensor "
      "without an exact rate\n  hint: give the derivative a filter, such as 'filter: 1 ms'\n");
}

// The rate of a reference that is a function of time is known: with r = t²/2 and e = r − x,
// 2 e″ + 8 e′ + 200 e = 2 has a closed form.
TEST(Pid, TheDerivativeUsesTheExactRateOfASourceAsReference) {
  const ModelRun run =
      runModel(cartAnd("  r: {type: expression, value: \"= t^2/2\"}\n"
                       "  u: {type: pid, input: x, reference: r, kp: 200, kd: 8}\n"),
               "x", "end: 1, step: 1e-3");
  const double rest = 2.0 / 200.0, damped = 10.0 * std::sqrt(0.96);
  const double a = -0.1 - rest, b = 2.0 * a / damped;
  const double e = rest + std::exp(-2.0) * (a * std::cos(damped) + b * std::sin(damped));
  EXPECT_NEAR(run.at(1.0, "x"), 0.5 - e, 2e-5);
}

// Where a reference jumps, its derivative is an impulse, which no step can give: the run is refused. The jump may be of any
// source, and the rate may be used by anything; jumps before the start and after the end do not count.
TEST(Pid, RefusesTheDerivativeOfAReferenceThatJumps) {
  const std::string pid = "\n  u: {type: pid, input: x, reference: r, kp: 200, kd: 8}\n";
  const std::string sum = "\n  u: {type: gain, input: r.rate, gain: 3}\n";
  const auto attempt = [](const std::string& source, const std::string& user) {
    return tryModel(cartAnd("  r: " + source + user), "x", "end: 1, step: 1e-3");
  };
  for (const char* source :
       {"{type: step, at: 0.3, to: 1}", "{type: pulse, period: 0.5, width: 0.2, start: 0.1}",
        "{type: noise, period: 10 ms, shape: hold}",
        "{type: chirp, from: 1, to: 2, start: 0.2, duration: 5, phase: 90 deg}",
        "{type: expression, value: \"= t < 0.37 ? 0 : 2\"}",
        "{type: expression, value: \"= 1e-9*floor(3*t)\"}"}) {
    for (const std::string& user : {pid, sum}) {
      const ModelRun run = attempt(source, user);
      EXPECT_FALSE(run.report.ok()) << source << user;
      EXPECT_TRUE(
          says(messageOf(run.report.failure), "'r.rate', which is infinite where its source jumps"))
          << messageOf(run.report.failure);
      EXPECT_TRUE(says(run.report.failure->hint, "'filter: 1 ms'")) << run.report.failure->hint;
    }
  }
  EXPECT_TRUE(
      says(messageOf(attempt("{type: step, at: 0.3, to: 1}", pid).report.failure), "t = 0.3 s"));
  for (const char* source :
       {"{type: step, at: 0, to: 1}", "{type: step, at: 2, to: 1}",
        "{type: step, at: 0.3, from: 1, to: 1}", "{type: ramp, start: 0.3, slope: 1000}",
        "{type: noise, period: 10 ms}", "{type: table, time: [0, 0.1, 0.101], value: [0, 0, 1e6]}",
        "{type: s_curve, start: 0.1, distance: 1, velocity: 20, acceleration: 900, jerk: 1e5}",
        "{type: expression, value: \"= t > 0.3 ? 1e3*(t - 0.3) : 0\"}",
        "{type: expression, value: \"= sin(900*t)\"}", "{type: sine, frequency: 20 Hz}"}) {
    const ModelRun run = attempt(source, pid);
    EXPECT_TRUE(run.report.ok()) << source << messageOf(run.report.failure);
  }
  // Neither a filter nor `c: 0` needs the rate.
  for (const char* more : {", filter: 1 ms}\n", ", c: 0}\n"}) {
    const std::string user =
        "\n  u: {type: pid, input: x, reference: r, kp: 200, kd: 8" + std::string(more);
    EXPECT_TRUE(attempt("{type: step, at: 0.3, to: 1}", user).report.ok());
  }
}

}  // namespace
}  // namespace flexloop::test
