// Arrays of FMI 3.0: as inputs, outputs, states and parameters, with lengths that the model sets.
#include <cmath>

#include <gtest/gtest.h>

#include "support/machine_modes.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// The FMU is x' = A x + b (u1 + 2 u2), y = x, total = Σx + u1.
constexpr const char* kSources =
    "blocks:\n"
    "  s: {type: sine, amplitude: 1, omega: 3}\n"
    "  c: {type: ramp, slope: -0.5}\n";

// The truth as a block with the states as outputs 1 … n.
std::string truth(int n, const std::string& A, const std::string& B) {
  std::string C, D;
  for (int i = 0; i < n; ++i) {
    std::string row;
    for (int k = 0; k < n; ++k) row += (k == 0 ? "" : ", ") + std::string(k == i ? "1" : "0");
    C += (i == 0 ? "[" : ", [") + row + "]";
    D += i == 0 ? "[0, 0]" : ", [0, 0]";
  }
  return "  own: {type: state_space, inputs: [s, c], A: " + A + ", B: " + B + ", C: [" + C +
         "], D: [" + D + "]}\n";
}

void compare(const ModelRun& run, int n, double tolerance) {
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    double sum = run.column("s")[i];
    for (int k = 1; k <= n; ++k) {
      const std::string own = n == 1 ? "own" : "own." + std::to_string(k);
      const double x = run.column(own)[i];
      EXPECT_NEAR(run.column("box.y." + std::to_string(k))[i], x, tolerance) << k << ' ' << i;
      sum += x;
    }
    EXPECT_NEAR(run.column("box.total")[i], sum, tolerance) << i;
  }
}

TEST(FmuArrays, ModelExchangeIsTheSameEquations) {
  for (const char* isolate : {"", ", isolate: false"}) {
    const ModelRun run =
        runModel(std::string(kSources) +
                     "  box: {type: fmu, path: boxes/space3_both.fmu, inputs: {u: [s, c]}" +
                     isolate + "}\n" + truth(2, "[[0, 1], [-4, -0.4]]", "[[0, 0], [1, 2]]"),
                 "s, box.y.1, box.y.2, box.total, own.1, own.2", "end: 1, step: 10 ms");
    compare(run, 2, 1e-12);
  }
}

// A structural parameter says how long the arrays are.
TEST(FmuArrays, TheModelSetsLengthsAndMatrices) {
  const ModelRun three = runModel(
      std::string(kSources) +
          "  box: {type: fmu, path: boxes/space3_both.fmu, inputs: {u: [s, c]}, parameters: {n: 3, "
          "A: [[-1, 2, 0], [0.5, -3, 1], [0, 0.25, -2]], b: [1, 0, -1]}}\n" +
          truth(3, "[[-1, 2, 0], [0.5, -3, 1], [0, 0.25, -2]]", "[[1, 2], [0, 0], [-1, -2]]"),
      "s, box.y.1, box.y.2, box.y.3, box.total, own.1, own.2, own.3", "end: 1, step: 10 ms");
  compare(three, 3, 1e-12);
  const ModelRun one = runModel(
      std::string(kSources) +
          "  box: {type: fmu, path: boxes/space3_both.fmu, inputs: {u: [s, c]}, parameters: {n: 1, "
          "A: [[-5]], b: [2]}}\n" +
          truth(1, "[[-5]]", "[[2, 4]]"),
      "s, box.y.1, box.total, own", "end: 1, step: 10 ms");
  compare(one, 1, 1e-12);
}

// Its own solver is a fine one of order four, and inputs are held: against constant inputs nothing is lost.
TEST(FmuArrays, CoSimulation) {
  const ModelRun run = runModel(
      "blocks:\n"
      "  s: {type: constant, value: 0.7}\n"
      "  c: {type: constant, value: -0.2}\n"
      "  box: {type: fmu, path: boxes/space3_both.fmu, inputs: {u: [s, c]}, sample: 50 ms}\n" +
          truth(2, "[[0, 1], [-4, -0.4]]", "[[0, 0], [1, 2]]"),
      "s, box.y.1, box.y.2, box.total, own.1, own.2", "end: 1, step: 1 ms");
  for (double t = 0.05; t < 1.01; t += 0.05) {
    EXPECT_NEAR(run.at(t, "box.y.1"), run.at(t, "own.1"), 1e-6) << t;
    EXPECT_NEAR(run.at(t, "box.y.2"), run.at(t, "own.2"), 1e-6) << t;
  }
}

// λ² + 0.4 λ + 4 = 0 for the states of the FMU, by its directional derivatives.
TEST(FmuArrays, ModesKnowTheStates) {
  const analysis::ModeResult modes = modesOf(
      "nodes: {cart: {position: [0, 0, 0], free: [x]}}\nbodies: {cart: {node: cart, mass: 1}}\n"
      "springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 9}}\n"
      "sensors: {p: {measure: position, node: cart, direction: [1, 0, 0]}}\n"
      "blocks: {box: {type: fmu, path: boxes/space3_both.fmu, inputs: {u: [p, 0]}}}\n"
      "outputs: [p, box.total]\nanalysis: {time: {end: 1, step: 1 ms}, modes: {count: 10}}\n");
  EXPECT_LE(distanceTo(modes, {0.0, 3.0}), 1e-9);
  EXPECT_LE(distanceTo(modes, {-0.2, std::sqrt(3.96)}), 1e-9);
}

TEST(FmuArrays, OneSignalIsNamedByItsPlace) {
  const std::string box =
      "blocks: {box: {type: fmu, path: boxes/space3_both.fmu, inputs: {u: [0, 0]}, outputs: "
      "[y]}}\n";
  EXPECT_EQ(runModel(box, "box.y.2", "end: 0.1, step: 0.1").last("box.y.2"), 0.0);
  EXPECT_TRUE(says(mistakesOf(box + "outputs: [box.y.3]\n"), "box.y.3"));
  EXPECT_TRUE(says(mistakesOf(box + "outputs: [box.z]\n"), "has no output 'z'"));
}

}  // namespace
}  // namespace flexloop::test
