// Black boxes as blocks of a model: memory, derivatives, faults.
#include <cmath>

#include <gtest/gtest.h>

#include "control/boxes/box_memory.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

constexpr const char* kCart = R"(
nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 1}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 100, damping: 1}}
sensors: {p: {measure: position, node: cart, direction: [1, 0, 0]}}
loads: {push: {node: cart, force: [1, 0, 0], signal: force}}
)";

ModelRun runCart(const std::string& blocks, const std::string& outputs, const std::string& time) {
  return runModel(kCart + ("blocks:\n" + blocks), outputs, time);
}

TEST(BoxMemory, ComesBackToTheByte) {
  for (const std::size_t size : {0u, 1u, 5u, 6u, 7u, 40u, 1000u}) {
    std::vector<unsigned char> bytes(size), back{9, 9};
    for (std::size_t k = 0; k < size; ++k) bytes[k] = static_cast<unsigned char>(255 - 7 * k);
    std::vector<double> packed{3.0};
    control::packBytes(bytes, packed);
    control::unpackBytes(packed, back);
    EXPECT_EQ(back, bytes);
    EXPECT_EQ(packed, packed) << "no not-a-number among them";
  }
}

// A sampled PI controller in C, the same as a block, and the same in a process of its own.
TEST(BoxBlock, ASampledLibraryIsWhatTheSameFormulaIsAsABlock) {
  const std::string blocks = R"(
  ref: {type: sine, amplitude: 0.1, omega: 7, offset: 0.1}
  e: {type: sum, inputs: [ref, -p]}
  apart: {type: library, path: boxes/pi.so, inputs: [e], outputs: [force], sample: 1 ms, config: "300 500"}
  box: {type: library, path: boxes/pi.so, inputs: [e], outputs: [force], sample: 1 ms, config: "300 500", isolate: false}
  pid: {type: discrete_pid, input: p, reference: ref, kp: 300, ki: 500, sample: 1 ms}
  force: {type: gain, input: )";
  const std::string outputs = "p, box, box.force, apart, pid";
  const ModelRun run = runCart(blocks + "box.force, gain: 1}\n", outputs, "end: 0.3, step: 0.3 ms");
  const auto &box = run.column("box"), &pid = run.column("pid");
  EXPECT_GT(box.size(), 1000u);
  for (std::size_t i = 0; i < box.size(); ++i) EXPECT_NEAR(box[i], pid[i], 1e-12) << i;
  EXPECT_EQ(box, run.column("box.force"));
  EXPECT_EQ(box, run.column("apart"));
  const ModelRun apart = runCart(blocks + "apart, gain: 1}\n", outputs, "end: 0.3, step: 0.3 ms");
  EXPECT_EQ(apart.column("p"), run.column("p"));
}

TEST(BoxBlock, BeforeItsFirstInstantALibraryHasItsInitialOutputs) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  u: {type: constant, value: 8}\n"
      "  y: {type: library, path: boxes/cubic.so, inputs: [u, 0], outputs: [sum, product], "
      "sample: 0.5, offset: 0.15, initial: [3, 4]}\n",
      "y.sum, y.product", "end: 0.2, step: 0.1");
  EXPECT_EQ(run.column("y.sum"), (std::vector<double>{3, 3, 8.6}));
  EXPECT_EQ(run.column("y.product"), (std::vector<double>{4, 4, 0}));
}

// Backward Euler of the ramp u = t from the first call at t = 0 on: h² n (n + 1) / 2.
TEST(BoxBlock, AContinuousLibraryRemembersAcceptedStepsOnly) {
  for (const char* isolate : {"false", "true"}) {
    const ModelRun run = runModel(
        "blocks:\n"
        "  u: {type: ramp, slope: 1}\n"
        "  y: {type: library, path: boxes/pi.so, inputs: [u], outputs: [y], config: \"3 2\", "
        "isolate: " +
            std::string(isolate) + "}\n",
        "y", "end: 2, step: 0.1");
    for (int n = 0; n <= 20; ++n) {
      EXPECT_NEAR(run.column("y")[n], 0.3 * n + 0.01 * n * (n + 1), 1e-12) << n;
    }
  }
}

// The jump of u at t = 0.35 is seen at once, and the step that ends there has integrated the old value.
TEST(BoxBlock, AContinuousLibraryCopesWithJumps) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  u: {type: step, at: 0.35, from: 1, to: 5}\n"
      "  y: {type: library, path: boxes/pi.so, inputs: [u], outputs: [y], config: \"3 2\"}\n",
      "y", "end: 1, step: 0.1");
  EXPECT_NEAR(run.at(0.3, "y"), 3.0 + 2.0 * 0.3, 1e-12);
  EXPECT_NEAR(run.at(0.4, "y"), 15.0 + 2.0 * (0.35 + 5.0 * 0.05), 1e-12);
  EXPECT_NEAR(run.at(1.0, "y"), 15.0 + 2.0 * (0.35 + 5.0 * 0.65), 1e-12);
}

// In a loop with the machine: u = −300 p − 500 ∫p, whose solution is known by its roots. The integral
// of the box is of first order, so the error halves with the step.
TEST(BoxBlock, AContinuousLibraryClosesALoop) {
  const auto run = [](const std::string& step) {
    return runCart(
        "  e: {type: sum, inputs: [0.1, -p]}\n"
        "  box: {type: library, path: boxes/pi.so, inputs: [e], outputs: [force], config: \"300 "
        "500\"}\n"
        "  force: {type: sum, inputs: [box.force]}\n",
        "p", "end: 0.5, step: " + step);
  };
  // solve_ivp(lambda t, x: [x[1], 300*(0.1-x[0]) + 500*x[2] - 100*x[0] - x[1], 0.1-x[0]],
  //           [0, 0.5], [0, 0, 0], rtol=1e-12, atol=1e-13): scipy 1.10
  const double expected = 0.15414168440132206;
  const ModelRun coarse = run("1 ms"), fine = run("0.5 ms");
  const double error = coarse.last("p") - expected;
  EXPECT_LT(std::abs(error), 3e-4);
  EXPECT_NEAR(error / (fine.last("p") - expected), 2.0, 0.2);
  // The differences are good tangents: two iterations for a step.
  EXPECT_LE(coarse.report.iterations, 2 * coarse.report.steps);
  EXPECT_LT(coarse.report.factorizations, 10);
}

// y = u + 2 v − v³/3 + 4 t with u = −1 − y/2 and v = −y.
TEST(BoxBlock, AnAlgebraicLoopThroughALibraryIsSolved) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  half: {type: gain, input: box.sum, gain: -0.5}\n"
      "  u: {type: sum, inputs: [half, one]}\n"
      "  one: {type: constant, value: -1}\n"
      "  box: {type: library, path: boxes/cubic.so, inputs: [u, v], outputs: [sum, product]}\n"
      "  v: {type: gain, input: box.sum, gain: -1}\n",
      "box.sum", "end: 1, step: 0.25");
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    const double t = run.times()[i], y = run.column("box.sum")[i];
    EXPECT_NEAR(y, -1.0 - 0.5 * y - 2.0 * y + y * y * y / 3.0 + 4.0 * t, 1e-7) << t;
  }
}

// The step response of poles −1 ± 4i: (1 − e^{−t} (cos 4t + sin 4t / 4)) / 17.
TEST(BoxBlock, ANonlinearBlockIsIntegratedWithTheMachine) {
  const auto block = [](const char* name, const char* library, const char* isolate) {
    return "  " + std::string(name) + ": {type: nonlinear, path: boxes/" + library +
           ".so, inputs: [u], outputs: [x, rate], states: 2, isolate: " + isolate + "}\n";
  };
  const auto run = [&](const std::string& step) {
    return runModel(
        "blocks:\n"
        "  u: {type: constant, value: 1}\n" +
            block("a", "oscillator", "false") + block("b", "oscillator_jacobian", "false") +
            block("c", "oscillator", "true"),
        "a.x, a.rate, b.x, c.x, c.rate", "end: 2, step: " + step);
  };
  const ModelRun coarse = run("10 ms"), fine = run("5 ms");
  const auto exact = [](double t) {
    return (1.0 - std::exp(-t) * (std::cos(4.0 * t) + 0.25 * std::sin(4.0 * t))) / 17.0;
  };
  const auto worst = [&](const ModelRun& done) {
    double largest = 0.0;
    for (std::size_t i = 0; i < done.times().size(); ++i) {
      largest = std::max(largest, std::abs(done.column("a.x")[i] - exact(done.times()[i])));
      EXPECT_NEAR(done.column("a.x")[i], done.column("b.x")[i], 1e-10);
    }
    return largest;
  };
  EXPECT_LT(worst(coarse), 1e-4);
  EXPECT_NEAR(worst(coarse) / worst(fine), 4.0, 0.4);
  EXPECT_EQ(coarse.column("a.x"), coarse.column("c.x"));
  EXPECT_EQ(coarse.column("a.rate"), coarse.column("c.rate"));
  EXPECT_NEAR(coarse.column("a.rate")[0], 0.5, 1e-12) << "u is seen at once";
}

// x' = 10 − x³ with nothing that moves: Newton's method must not stop for round-off of positions.
// solve_ivp(lambda t, x: 10 - x**3, [0, 0.2], [0], rtol=1e-12, atol=1e-12): scipy 1.10
TEST(BoxBlock, StatesAloneAreSolvedToTheTolerance) {
  for (const char* rotor : {"",
                            "nodes: {r: {position: [0, 0, 0], free: [rz]}}\n"
                            "bodies: {r: {node: r, mass: 1, inertia: [1, 1, 1]}}\n"}) {
    const ModelRun run = runModel(
        std::string(rotor) +
            "blocks: {x: {type: nonlinear, path: boxes/lag.so, inputs: [10], outputs: [x], "
            "states: 1}}\n",
        "x", "end: 0.2, step: 50 ms");
    EXPECT_NEAR(run.last("x"), 1.6997718, 8e-3);
    EXPECT_GT(run.report.iterations, run.report.steps);
  }
}

TEST(BoxBlock, ASampledControllerIsClosedAroundANonlinearBlock) {
  const std::string motor =
      "blocks:\n"
      "  motor: {type: nonlinear, path: boxes/lag.so, inputs: [pid], outputs: [x], states: 1";
  const std::string pid =
      "  pid: {type: discrete_pid, input: motor, reference: 1, kp: 5, ki: 20, sample: 10 ms}\n";
  const ModelRun run =
      runModel(motor + ", feedthrough: false}\n" + pid, "motor.x", "end: 5, step: 5 ms");
  EXPECT_NEAR(run.last("motor.x"), 1.0, 1e-3);
  const std::string mistakes = mistakesOf(motor + "}\n" + pid);
  EXPECT_TRUE(says(mistakes, "wait for each other")) << "feedthrough is assumed unless denied";
}

TEST(BoxBlock, ADeniedFeedthroughIsFoundOut) {
  const ModelRun run = tryModel(
      "blocks:\n"
      "  u: {type: constant, value: 1}\n"
      "  y: {type: nonlinear, path: boxes/oscillator.so, inputs: [u], outputs: [x, rate], states: "
      "2, feedthrough: false}\n",
      "y.x", "end: 1, step: 0.1");
  EXPECT_FALSE(run.report.ok());
  EXPECT_TRUE(says(messageOf(run.report.failure),
                   "black box 'y' has outputs that depend directly on its inputs"));
}

// Nothing of one run is left over for the next.
TEST(BoxBlock, RunsOfOneModelAreEqual) {
  const model::Model model = buildModel(
      "blocks:\n"
      "  u: {type: ramp, slope: 1}\n"
      "  count: {type: library, path: boxes/counter.so, inputs: [u], outputs: [n], sample: 0.1}\n"
      "  pi: {type: library, path: boxes/pi.so, inputs: [u], outputs: [y], sample: 0.1, config: "
      "\"3 "
      "2\"}\n"
      "outputs: [count, pi]\n"
      "analysis: {time: {end: 1, step: 0.03}}\n");
  const ModelRun first = runModel(model), second = runModel(model);
  EXPECT_EQ(first.last("count"), 11.0);
  EXPECT_EQ(first.column("count"), second.column("count"));
  EXPECT_EQ(first.column("pi"), second.column("pi"));
}

// Steps that are repeated, because of their error, do not show in what a box is told.
TEST(BoxBlock, RejectedStepsDoNotCount) {
  const ModelRun run = runModel(std::string(kCart) + R"(blocks:
  force: {type: step, at: 0.1, from: 0, to: 50}
  tally: {type: library, path: boxes/tally.so, inputs: [p], outputs: [calls, time, exact, input], sample: 50 ms, config: "20"}
  steps: {type: library, path: boxes/tally.so, inputs: [p], outputs: [calls, time, exact, input]}
outputs: [tally.calls, tally.exact, steps.calls]
analysis: {time: {end: 1, step: 20 ms, adaptive: true, tolerance: 1e-6}}
)");
  EXPECT_GT(run.report.rejectedSteps, 0);
  EXPECT_EQ(run.last("tally.calls"), 21.0);
  EXPECT_EQ(run.last("tally.exact"), 21.0);
  EXPECT_EQ(run.last("steps.calls"), static_cast<double>(run.report.steps + 1))
      << "once at the start and once for every accepted step";
}

TEST(BoxBlock, MemoryThatCannotBeSavedIsFoundOut) {
  for (const char* library : {"counter", "hidden"}) {
    const ModelRun run = tryModel(
        "blocks:\n"
        "  u: {type: ramp, slope: 1}\n"
        "  y: {type: library, path: boxes/" +
            std::string(library) + ".so, inputs: [u], outputs: [y]}\n",
        "y", "end: 1, step: 0.1");
    EXPECT_FALSE(run.report.ok());
    EXPECT_TRUE(says(messageOf(run.report.failure),
                     "black box 'y' has memory but no block_save and block_restore"))
        << library;
    EXPECT_EQ(run.report.failure->hint, "give it a 'sample:', or export both from the library");
  }
  const ModelRun run = tryModel(
      "blocks:\n"
      "  u: {type: ramp, slope: 1}\n"
      "  y: {type: library, path: boxes/forgetful.so, inputs: [u], outputs: [y]}\n",
      "y", "end: 1, step: 0.1");
  EXPECT_TRUE(says(messageOf(run.report.failure),
                   "returns a different output after block_restore than before"));
}

TEST(BoxBlock, FaultsEndTheRunWithTheirMessage) {
  for (const char* clock :
       {"", ", sample: 0.1", ", isolate: true", ", sample: 0.1, isolate: true"}) {
    const ModelRun run = tryModel(
        "blocks:\n"
        "  u: {type: ramp, slope: 1}\n"
        "  y: {type: library, path: boxes/crash.so, inputs: [u], outputs: [y], config: segv" +
            std::string(clock) + "}\n",
        "y", "end: 2, step: 0.05");
    EXPECT_FALSE(run.report.ok());
    EXPECT_TRUE(
        says(messageOf(run.report.failure), "black box 'y' crashed in block_output at t = 1."));
    EXPECT_TRUE(says(messageOf(run.report.failure), "(SIGSEGV)")) << clock;
    EXPECT_TRUE(says(run.report.failure->hint, "the fault is in the code of"));
    EXPECT_NEAR(run.times().back(), 1.05, 0.051) << "what was computed before is there";
    EXPECT_NEAR(run.last("y"), 2.0, 0.11);
  }
}

TEST(BoxBlock, ValuesThatAreNotFiniteEndTheRun) {
  const ModelRun run = tryModel(
      "blocks:\n"
      "  u: {type: step, at: 0.25}\n"
      "  y: {type: library, path: boxes/values.so, inputs: [u], outputs: [a, b]}\n",
      "y.b", "end: 1, step: 0.1");
  EXPECT_FALSE(run.report.ok());
  EXPECT_TRUE(says(messageOf(run.report.failure), "black box 'y' returned nan as output 2"));
  EXPECT_EQ(run.report.failure->hint, "check its inputs and its 'config'");
  EXPECT_NEAR(run.times().back(), 0.2, 1e-12);
}

TEST(BoxBlock, MistakesAreToldAtOnce) {
  const auto fault = [](const std::string& block) {
    return mistakesOf("blocks:\n  u: {type: constant, value: 1}\n  y: {" + block + "}\n" +
                      "  z: {type: gain, input: y.a, gain: 2}\n");
  };
  const std::string library = "type: library, path: boxes/values.so, inputs: [u], ";
  const auto errors = [](const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = text.find("error:"); at != std::string::npos;
         at = text.find("error:", at + 1)) {
      ++count;
    }
    return count;
  };
  const std::string missing =
      fault("type: library, path: boxes/none.so, inputs: [u], outputs: [a]");
  EXPECT_TRUE(says(missing, "blocks.y: black box 'y': there is no file '"));
  EXPECT_TRUE(says(missing, "boxes/none.so'"));
  EXPECT_TRUE(says(missing, ":4:"));
  EXPECT_EQ(errors(missing), 1u) << "one mistake, one message: " << missing;
  EXPECT_TRUE(says(fault(library + "outputs: [b]"), "'y' has no output 'a'"));
  EXPECT_TRUE(says(fault(library + "outputs: [a, a]"), "the output 'a' is given twice"));
  EXPECT_TRUE(says(fault(library + "outputs: [a, \"b c\"]"), "cannot be the name of an output"));
  EXPECT_TRUE(says(fault(library + "outputs: [a, b], sample: 0.1, initial: [1]"),
                   "'initial' has 1 entries, but there are 2 outputs"));
  EXPECT_TRUE(says(fault("type: nonlinear, path: boxes/values.so, inputs: [u], outputs: [a], "
                         "states: 0"),
                   "has no function block_nonlinear_output"));
  EXPECT_TRUE(says(fault("type: nonlinear, path: boxes/lag.so, inputs: [u], outputs: [a], states: "
                         "1, x0: [1, 2]"),
                   "'x0' has 2 entries, but there are 1 states"));
  EXPECT_EQ(fault(library + "outputs: [a, b]"), "");
}

TEST(BoxBlock, WrongNumbersOfOutputsAreFoundOut) {
  const auto fault = [](const std::string& outputs, double u) {
    const ModelRun run = tryModel(
        "blocks:\n"
        "  u: {type: constant, value: " +
            std::to_string(u) +
            "}\n"
            "  y: {type: library, path: boxes/values.so, inputs: [u], outputs: " +
            outputs + ", sample: 0.1}\n",
        "u", "end: 1, step: 0.1");
    return messageOf(run.report.failure);
  };
  EXPECT_TRUE(says(fault("[a]", 0), "black box 'y' wrote more than 1 numbers of output"));
  EXPECT_TRUE(says(fault("[a, b, c]", 0), "black box 'y' did not set output 3"));
  EXPECT_EQ(fault("[a, b]", 0), "");
}

}  // namespace
}  // namespace flexloop::test
