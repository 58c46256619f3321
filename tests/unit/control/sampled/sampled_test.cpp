// Sampled blocks: what each does at its instants, and that instants come when they should.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using Numbers = std::vector<double>;

void expectNear(const Numbers& is, const Numbers& expected, double tolerance = 1e-14) {
  ASSERT_EQ(is.size(), expected.size());
  for (std::size_t i = 0; i < is.size(); ++i) EXPECT_NEAR(is[i], expected[i], tolerance) << i;
}

TEST(Sampled, AHoldKeepsWhatItSawAtTheInstant) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  u: {type: ramp, slope: 2}\n"
      "  y: {type: zero_order_hold, input: u, sample: 0.4, offset: 0.1, initial: -7}\n"
      "  z: {type: hold, input: y, sample: 0.2}\n",
      "y, z", "end: 1, step: 0.1");
  expectNear(run.column("y"), {-7, 0.2, 0.2, 0.2, 0.2, 1, 1, 1, 1, 1.8, 1.8});
  expectNear(run.column("z"), {-7, -7, 0.2, 0.2, 0.2, 0.2, 1, 1, 1, 1, 1.8});
}

TEST(Sampled, AUnitDelayIsOneInstantLate) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  u: {type: ramp, slope: 1, offset: 5}\n"
      "  y: {type: unit_delay, input: u, sample: 0.2, initial: 3}\n"
      "  z: {type: unit_delay, input: y, sample: 0.2, initial: 4}\n",
      "y, z", "end: 0.8, step: 0.2");
  expectNear(run.column("y"), {3, 5, 5.2, 5.4, 5.6});
  expectNear(run.column("z"), {4, 3, 5, 5.2, 5.4});
}

// signal.lfilter([0.2, 0.1, -0.05], [1, -0.9, 0.3], np.cos(0.3 * np.arange(6))), and with
// ([0, 0.4, 0.2], [2, -1.8, 0.6]): scipy 1.10.
TEST(Sampled, TransferFunctionsAreThoseOfScipy) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  u: {type: sine, omega: 3, phase: 90 deg}\n"
      "  y: {type: discrete_transfer_function, input: u, sample: 0.1, numerator: [0.2, 0.1, -0.05],"
      " denominator: [1, -0.9, 0.3]}\n"
      "  z: {type: discrete_transfer_function, input: u, sample: 0.1, numerator: [0, 0.4, 0.2],"
      " denominator: [2, -1.8, 0.6]}\n"
      "  k: {type: discrete_transfer_function, input: u, sample: 0.1, numerator: 6,"
      " denominator: 2}\n",
      "y, z, k, u", "end: 0.5, step: 0.1");
  expectNear(run.column("y"), {0.2, 0.47106729782512125, 0.5745613399371055, 0.534873747284679,
                               0.4023837375519967, 0.220985956979068});
  expectNear(run.column("z"), {0.0, 0.2, 0.47106729782512125, 0.6245613399371054,
                               0.6276405717409592, 0.5121406603081328});
  EXPECT_EQ(run.column("k")[3], 3.0 * run.column("u")[3]);
}

// signal.dlsim((A, B, C, D, 0.1), np.stack([np.cos(0.3 * k), 0.1 * k], axis=1), x0=[0.3, -0.2]).
TEST(Sampled, StateSpacesAreThoseOfScipy) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  u: {type: sine, omega: 3, phase: 90 deg}\n"
      "  v: {type: ramp, slope: 1}\n"
      "  y: {type: discrete_state_space, inputs: [u, v], sample: 0.1, A: [[0.9, 0.1], [-0.2, 0.8]],"
      " B: [[0, 0.5], [1, 0.25]], C: [[1, 0], [0.5, -1]], D: [[0, 0], [0.3, -0.4]],"
      " x0: [0.3, -0.2]}\n",
      "y.1, y.2", "end: 0.5, step: 0.1");
  expectNear(run.column("y.1"), {0.3, 0.25, 0.35300000000000004, 0.5731336489125607,
                                 0.870640764642321, 1.205631396523717});
  expectNear(run.column("y.2"), {0.6499999999999999, -0.4083990532623182, -1.2102358046527026,
                                 -1.6951549912726838, -1.8365193747921202, -1.6406304095510662});
}

// With the error e = 1 + t: integrals of it from zero by the three rules, in closed form.
TEST(Sampled, APidIntegratesByItsRule) {
  const auto pid = [](const std::string& name, const std::string& more) {
    return "  " + name + ": {type: discrete_pid, input: u, reference: 1, sample: 0.1, " + more +
           "}\n";
  };
  const ModelRun run = runModel(
      "blocks:\n"
      "  u: {type: ramp, slope: -1}\n" +
          pid("forward", "kp: 0, ki: 2, method: forward") + pid("backward", "kp: 0, ki: 2") +
          pid("middle", "kp: 0, ki: 2, method: trapezoidal") +
          pid("all", "kp: 3, ki: 2, kd: 5, method: trapezoidal"),
      "forward, backward, middle, all", "end: 1, step: 0.05");
  const double T = 0.1;
  for (int k = 0; k <= 10; ++k) {
    const double t = k * T, exact = 2.0 * (t + 0.5 * t * t);
    EXPECT_NEAR(run.column("middle")[2 * k], exact, 1e-13) << k;
    EXPECT_NEAR(run.column("backward")[2 * k], exact + T * t, 1e-13) << k;
    EXPECT_NEAR(run.column("forward")[2 * k], exact - T * t, 1e-13) << k;
    EXPECT_NEAR(run.column("all")[2 * k], 3.0 * (1.0 + t) + exact + (k > 0 ? 5.0 : 0.0), 1e-13);
  }
}

// A lag by backward Euler from zero to the slope 5: 5 (1 − (f/(f + T))^k).
TEST(Sampled, APidFiltersItsDerivative) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  u: {type: ramp, slope: -1}\n"
      "  y: {type: discrete_pid, input: u, kp: 0, kd: 5, filter: 0.3, sample: 0.1}\n",
      "y", "end: 1, step: 0.1");
  for (int k = 0; k <= 10; ++k) {
    EXPECT_NEAR(run.column("y")[k], 5.0 * (1.0 - std::pow(0.75, k)), 1e-13) << k;
  }
}

// The error is 1 for a second and then −1. The integral waits at the limit, so the output leaves it in
// the instant at which the error changes its sign; without limits it takes the ten instants back.
TEST(Sampled, APidDoesNotWindUp) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  e: {type: step, at: 0.95, from: 1, to: -1}\n"
      "  y: {type: discrete_pid, input: 0, reference: e, kp: 0, ki: 2, limits: [-0.5, 0.5], "
      "sample: 0.1}\n"
      "  free: {type: discrete_pid, input: 0, reference: e, kp: 0, ki: 2, sample: 0.1}\n",
      "y, free", "end: 1.5, step: 0.1");
  expectNear(run.column("y"),
             {0, 0.2, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.2, 0, -0.2, -0.4, -0.4, -0.4});
  EXPECT_NEAR(run.at(0.9, "free"), 1.8, 1e-13);
  EXPECT_NEAR(run.at(1.5, "free"), 0.6, 1e-13);
}

TEST(Sampled, AChainActsInOrderWhateverTheOrderInTheFile) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  d: {type: zero_order_hold, input: c2, sample: 0.2}\n"
      "  c2: {type: gain, input: c, gain: 10}\n"
      "  c: {type: zero_order_hold, input: b, sample: 0.1}\n"
      "  b: {type: zero_order_hold, input: a, sample: 0.1}\n"
      "  a: {type: ramp, slope: 1}\n",
      "a, b, c, d", "end: 0.4, step: 0.1");
  expectNear(run.column("c"), run.column("a"));
  expectNear(run.column("d"), {0, 0, 2, 2, 4});
}

TEST(Sampled, ALoopWithoutDelayIsRefusedByNames) {
  const std::string mistakes = mistakesOf(
      "blocks:\n"
      "  a: {type: zero_order_hold, input: s, sample: 0.1}\n"
      "  s: {type: sum, inputs: [b, 1]}\n"
      "  b: {type: zero_order_hold, input: a, sample: 0.2}\n");
  EXPECT_TRUE(says(mistakes, "sampled blocks wait for each other at the same instant: 'a', 'b'"));
  EXPECT_TRUE(says(mistakes, "put a unit_delay into the loop"));
  EXPECT_TRUE(says(mistakes, "m.yaml:3:3: error")) << "the place of 'a'";
}

TEST(Sampled, ALoopWithADelayCounts) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  next: {type: sum, inputs: [count, 1]}\n"
      "  held: {type: zero_order_hold, input: next, sample: 0.1}\n"
      "  count: {type: unit_delay, input: held, sample: 0.1}\n",
      "count, held", "end: 0.5, step: 0.03");
  EXPECT_NEAR(run.at(0.5, "count"), 5.0, 1e-13);
  EXPECT_NEAR(run.at(0.5, "held"), 6.0, 1e-13);
}

// The same loop as the one that is refused, but a and b never act at the same instant.
TEST(Sampled, ALoopOfTwoPhasesNeedsNoDelay) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  a: {type: zero_order_hold, input: s, sample: 0.2}\n"
      "  s: {type: sum, inputs: [b, 1]}\n"
      "  b: {type: zero_order_hold, input: a, sample: 0.2, offset: 0.1}\n",
      "a, b", "end: 0.5, step: 0.1");
  expectNear(run.column("a"), {1, 1, 2, 2, 3, 3});
  expectNear(run.column("b"), {0, 1, 1, 2, 2, 3});
}

TEST(Sampled, MistakesAreTold) {
  const auto expectTold = [](const std::string& block, const std::string& message) {
    const std::string mistakes = mistakesOf("blocks:\n  y: {" + block + "}\noutputs: [y]\n");
    EXPECT_TRUE(says(mistakes, "m.yaml:3:"));
    EXPECT_TRUE(says(mistakes, "blocks.y"));
    EXPECT_TRUE(says(mistakes, message));
  };
  expectTold("type: hold, input: 1", "'sample' is missing");
  expectTold("type: hold, input: 1, sample: 0", "sample");
  expectTold("type: hold, input: 1, sample: 1 mm", "sample");
  expectTold("type: hold, input: 1, sample: 1 ms, offset: -1 ms", "offset");
  const std::string function = "type: discrete_transfer_function, input: 1, sample: 1 ms, ";
  expectTold(function + "numerator: [1, 0, 0], denominator: [0, 1, 2]",
             "the numerator has degree 2 and the denominator 1");
  expectTold(function + "numerator: [1], denominator: [0, 0]", "the denominator is zero");
  const std::string space = "type: discrete_state_space, inputs: [1, 2], sample: 1 ms, ";
  expectTold(space + "A: [[1, 0]], B: [[1, 0]], C: [[1]]", "'A' is 1×2 and must be 1×1");
  expectTold(space + "A: [[1]], B: [[1]], C: [[1]]", "'B' is 1×1 and must be 1×2");
  expectTold(space + "A: [[1]], B: [[1, 0]], C: [[1, 0]]", "'C' is 1×2 and must be 1×1");
  expectTold(space + "A: [[1]], B: [[1, 0]], C: [[1]], D: [[1]]", "'D' is 1×1 and must be 1×2");
  expectTold(space + "A: [[1]], B: [[1, 0]], C: [[1]], x0: [1, 2]",
             "'x0' has 2 entries, but there are 1 states");
  const std::string pid = "type: discrete_pid, input: 1, kp: 1, sample: 1 ms, ";
  expectTold(pid + "limits: [2, 1]", "the lower limit is not below the upper one");
  expectTold(pid + "limits: [2]", "limits");
  expectTold(pid + "method: middle", "method");
}

// A state space without feedthrough is its own delay.
TEST(Sampled, AStateSpaceWithoutFeedthroughMayBeClosed) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  y: {type: discrete_state_space, inputs: [-y], sample: 0.1, A: [[1]], B: [[0.5]], C: "
      "[[1]], "
      "x0: [8]}\n",
      "y", "end: 0.3, step: 0.1");
  expectNear(run.column("y"), {8, 4, 2, 1});
}

// A controller of three rates on a machine: the box tells when it was called, from inside.
TEST(Sampled, EveryInstantIsHitWhateverTheStep) {
  for (const char* time : {"step: 0.3 ms", "step: 1 ms", "step: 7 ms",
                           "step: 1.7 ms, adaptive: true, "
                           "tolerance: 1e-9"}) {
    const ModelRun run =
        runModel(R"(
nodes: {cart: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {cart: {node: cart, mass: 1}}
sensors: {p: {measure: position, node: cart, direction: [1, 0, 0]}}
blocks:
  fast: {type: library, path: boxes/tally.so, inputs: [p], outputs: [calls, time, exact, input], sample: 1 ms, config: "1000"}
  slow: {type: library, path: boxes/tally.so, inputs: [fast.input], outputs: [calls, time, exact, input], sample: 7 ms, config: "1000"}
  pid: {type: discrete_pid, input: fast.input, kp: 40, kd: 3, sample: 1 ms, offset: 0.25 ms}
loads: {push: {node: cart, force: [1, 0, 0], signal: pid}}
)",
                 "p, fast.calls, fast.time, fast.exact, fast.input, slow.calls, slow.time, pid",
                 "end: 0.1, " + std::string(time));
    EXPECT_EQ(run.last("fast.calls"), 101.0) << time;
    EXPECT_EQ(run.last("fast.exact"), 101.0) << time;
    EXPECT_EQ(run.last("fast.time"), 0.1) << time;
    EXPECT_EQ(run.last("slow.calls"), 15.0) << time;
    EXPECT_EQ(run.last("slow.time"), 0.098) << time;
    // At its instant the fast box sees the position of the same time.
    EXPECT_NEAR(run.last("fast.input"), run.last("p"), 1e-15) << time;
  }
}

// A hold that drives a joint would move it at once, and so would a switch between two values; whether they are equal
// where it switches is known in the run only.
TEST(Sampled, ADriveMustNotJump) {
  const auto driven = [](const std::string& blocks) {
    return R"(
nodes: {cart: [0, 0, 0]}
bodies: {cart: {node: cart, mass: 1, inertia: [1, 1, 1]}}
joints: {guide: {type: slider, between: [ground, cart], axis: [1, 0, 0], drive: held}}
sensors: {p: {measure: position, node: cart, direction: [1, 0, 0]}}
blocks:
  ramp: {type: ramp, slope: 1}
)" + blocks +
           R"(
outputs: [p, held]
analysis: {time: {end: 0.9, step: 0.1}}
)";
  };
  EXPECT_TRUE(says(mistakesOf(driven("  held: {type: zero_order_hold, input: ramp, sample: 0.3}")),
                   "joints.guide: the drive jumps, because 'held' of type zero_order_hold does"));
  const ModelRun run = tryModel(
      driven("  held: {type: switch, control: ramp, threshold: 0.25, above: ramp, below: 0}"));
  EXPECT_FALSE(run.report.ok());
  EXPECT_TRUE(says(messageOf(run.report.failure), "jumps from 0 to 0.25"));
  EXPECT_NEAR(run.report.time, 0.25, 1e-9);
}

// The error at t = 0.5 s of x'' = u − x' − 100 x with a PID controller of period T, against the solution
// with the matrix exponential of a period, computed with scipy 1.10:
//   E = expm(T [[0, 1, 0], [-100, -1, 1], [0, 0, 0]]);  x = E[:2, :2] x + E[:2, 2] u
double errorOfControl(double period, double step, double expected) {
  const ModelRun run =
      runModel("parameters: {T: " + std::to_string(period) + ", h: " + std::to_string(step) + R"(}
nodes: {cart: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {cart: {node: cart, mass: 1}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 100, damping: 1}}
sensors: {p: {measure: position, node: cart, direction: [1, 0, 0]}}
blocks: {pid: {type: discrete_pid, input: p, reference: 0.1, kp: 300, ki: 500, kd: 5, sample: = T}}
loads: {push: {node: cart, force: [1, 0, 0], signal: pid}}
outputs: [p]
analysis: {time: {end: 0.5, step: = h}}
)");
  return std::abs(run.last("p") - expected);
}

TEST(Sampled, AControlledOscillatorIsOfSecondOrder) {
  const auto error = [](double step) { return errorOfControl(0.01, step, 0.09584430915317452); };
  EXPECT_LT(error(0.01), 4e-4);
  EXPECT_NEAR(error(0.0025) / error(0.000625), 16.0, 1.0);
}

// A cart of 1 kg that is pushed through a stiff spring: the force acts on a tip of 0.1 g, whose position
// is sampled. The tip swings with 10^4 rad/s and settles within a period, which steps of the period do not
// resolve; they must see it as settled. Exact, with E = expm(T A) over the states x1, x2, v1, v2, u as
// above, computed with scipy 1.10: the largest force after the start is 40 N, and the positions are
//   p(0.05) = 0.05523030192822843, p(0.1) = 0.08850300122085085
TEST(Sampled, FastModesDoNotTakeAJumpForTheAccelerationOfAStep) {
  const ModelRun run = runModel(R"(
nodes:
  cart: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}
  tip: {position: [1, 0, 0], free: [x], velocity: [1, 0, 0]}
bodies: {cart: {node: cart, mass: 1}, tip: {node: tip, mass: 1e-4}}
springs: {k: {type: linear, between: [cart, tip], direction: [1, 0, 0], stiffness: 1e4, damping: 2}}
sensors: {p: {measure: displacement, node: tip, direction: [1, 0, 0]}}
blocks: {pid: {type: discrete_pid, input: p, reference: 0.1, kp: 400, kd: 30, filter: 5 ms, sample: 1 ms}}
loads: {push: {node: tip, force: [1, 0, 0], signal: pid}}
)",
                                "p, pid", "end: 0.1, step: 1 ms");
  EXPECT_NEAR(run.at(0.05, "p"), 0.05523030192822843, 1e-4);
  EXPECT_NEAR(run.last("p"), 0.08850300122085085, 1e-4);
  for (const double force : run.column("pid")) EXPECT_LE(std::abs(force), 40.0);
}

// A thin strip on a hinge with a sampled servo, hit at its tip. The torque turns the node of the hinge,
// which is light, by far faster than a step resolves.
TEST(Sampled, AServoOnAFlexibleStripTakesOneSolutionPerStep) {
  const ModelRun run = runModel(R"(
materials: {alu: {E: 65.7 GPa, nu: 0.33, rho: 2794}}
sections: {strip: {type: rectangle, width: 18 mm, height: 0.5 mm}}
nodes: {root: [0, 0, 0], tip: [0.15, 0, 0]}
beams: {strip: {from: root, to: tip, elements: 20, section: strip, material: alu, y_axis: [0, 1, 0], damping: 1 ms}}
joints: {hinge: {type: hinge, between: [ground, root], axis: [0, 1, 0]}}
sensors: {angle: {measure: angle, joint: hinge}}
blocks:
  servo: {type: discrete_pid, input: angle, kp: 0.1, sample: 1 ms}
  tap: {type: expression, value: "= t < 0.02 ? 1 - cos(2*pi*t/0.02) : 0"}
actuators: {motor: {type: torque, joint: hinge, input: servo}}
loads: {tap: {node: tip, force: [0, 0, 1e-2], signal: tap}}
)",
                                "angle", "end: 0.2, step: 1 ms");
  EXPECT_EQ(run.report.failedSteps, 0);
  EXPECT_EQ(run.report.steps, 200);
  EXPECT_LE(run.report.iterations, 4 * 200);
}

TEST(Sampled, TheOrderIsKeptWhereEveryStepEndsAtAnInstant) {
  const double coarse = errorOfControl(0.0025, 0.0025, 0.0997362896444416);
  EXPECT_NEAR(coarse / errorOfControl(0.00125, 0.00125, 0.10018372796444486), 4.0, 0.5);
}

// A force that depends on what is held by a formula, directly, through a lag, and on the acceleration that
// it makes: all of a large jump must reach the step after it. Exact by solve_ivp of scipy 1.10 (DOP853,
// rtol = 1e-13) from instant to instant, with the formula solved by iteration:
//   a = 3 (z - s) - 100 x - v,  s = 1 + 60 x_k^2 + 0.0005 a^2,  z' = (s - z) / 0.05
TEST(Sampled, TheOrderIsKeptWhereALargeJumpPassesNonlinearBlocks) {
  const auto error = [](const std::string& step) {
    const ModelRun run = runModel(R"(
nodes: {cart: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {cart: {node: cart, mass: 1}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 100, damping: 1}}
sensors:
  p: {measure: position, node: cart, direction: [1, 0, 0]}
  a: {measure: acceleration, node: cart, direction: [1, 0, 0]}
blocks:
  held: {type: hold, input: p, sample: 0.1}
  s: {type: expression, inputs: [held, a], value: "= 1 + 60*held^2 + 0.0005*a*a"}
  z: {type: transfer_function, input: s, numerator: [1], denominator: [0.05, 1]}
  f: {type: sum, inputs: [z, -s]}
loads: {push: {node: cart, force: [3, 0, 0], signal: f}}
)",
                                  "p, z", "end: 0.5, step: " + step);
    return std::hypot(run.last("p") + 0.06047863776882502, run.last("z") - 1.190849438956707);
  };
  EXPECT_NEAR(error("0.005") / error("0.00125"), 16.0, 1.0);
}

// The cart of a pendulum is driven by two integrals of a sampled acceleration. Exact as above, with
//   2.1 q'' = 2 u_k cos q - 19.62 sin q,  u_k = 5 sin(0.7 k)
TEST(Sampled, TheOrderIsKeptWhereTheAccelerationOfADriveJumps) {
  const auto error = [](const std::string& step) {
    const ModelRun run = runModel(R"(
gravity: [0, 0, -9.81]
nodes: {cart: [0, 0, 0], bob: [0, 0, -1]}
bodies:
  cart: {node: cart, mass: 1, inertia: [1, 1, 1]}
  bob: {node: bob, mass: 2, inertia: [0.1, 0.1, 0.1]}
joints:
  guide: {type: slider, between: [ground, cart], axis: [1, 0, 0], drive: x}
  pin: {type: hinge, between: [cart, bob], at: [0, 0, 0], axis: [0, 1, 0]}
sensors: {angle: {measure: angle, joint: pin}}
blocks:
  sine: {type: sine, omega: 7, amplitude: 5}
  u: {type: hold, input: sine, sample: 0.1}
  v: {type: integrator, input: u}
  x: {type: integrator, input: v}
)",
                                  "angle", "end: 0.5, step: " + step);
    return std::abs(run.last("angle") - 0.26021690015964954);
  };
  EXPECT_NEAR(error("0.01") / error("0.0025"), 16.0, 1.0);
}

}  // namespace
}  // namespace flexloop::test
