// Closed loops in time: chains of four-bar windows, which are redundant everywhere and lose the rank of further
// constraints twice in a turn.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "solve/initial_conditions.hpp"
#include "solve/redundancy.hpp"
#include "support/built_sample.hpp"
#include "support/model_run.hpp"
#include "support/window_chain.hpp"

namespace flexloop {
namespace {

using test::ModelRun;
using test::WindowChain;

std::string settings(double end, double step, const std::string& more = "") {
  char text[64];
  std::snprintf(text, sizeof text, "end: %g, step: %g", end, step);
  return text + (more.empty() ? more : ", " + more);
}

// Of a scheme of order 2 with the constant of the error at most one: (hω)² of every angle.
double allowed(double angle, double time, double step) {
  const double phase = step * angle / time;
  return angle * phase * phase;
}

void expectTurns(const WindowChain& chain, double end, double step, const std::string& more) {
  const ModelRun run = test::tryModel(chain.text(), "angle", settings(end, step, more));
  ASSERT_TRUE(run.report.ok) << run.report.trouble;
  const double angle = chain.calcAngle(end);
  EXPECT_GT(angle, 6.0);
  // The hinge measures turns about z, the uprights turn the other way.
  EXPECT_NEAR(-run.last("angle"), angle, allowed(angle, end, step));
}

// 40 windows stopped at 1.2436 s, where all rods lie in one line.
TEST(LoopDynamics, FortyWindowsPassThePoseInOneLine) {
  expectTurns({.windows = 40}, 2.0, 1e-3, "");
}

TEST(LoopDynamics, WindowsPassThePoseInOneLineWithEveryScheme) {
  for (const char* scheme :
       {"constraints: index2", "constraints: index3", "augmentation: {scale: 1e3, penalty: 1e4}"}) {
    for (const char* rho : {"0.5", "0.8", "0.95"}) {
      for (const double step : {10e-3, 2.5e-3, 0.7e-3}) {
        SCOPED_TRACE(std::string(scheme) + ", rho " + rho + ", step " + std::to_string(step));
        for (const int windows : {1, 3}) {
          expectTurns({.windows = windows}, 2.0, step, scheme + std::string(", rho: ") + rho);
        }
      }
    }
  }
}

TEST(LoopDynamics, WindowsInAnyPlaneDoToo) {
  expectTurns({.windows = 5, .isTilted = true}, 2.0, 2e-3, "");
}

// One factorisation serves many steps: at 1 ms, the step of peers that need 0.07 of them per step.
TEST(LoopDynamics, TangentsOfWindowsServeManySteps) {
  const WindowChain chain{.windows = 40};
  const ModelRun run = test::runModel(chain.text(), "angle", settings(2.0, 1e-3));
  EXPECT_LT(run.report.factorizations, 0.07 * run.report.steps);
}

// Light linkages beside heavy bodies that have nothing to do with them.
TEST(LoopDynamics, RedundantLoopsDoNotFeelOtherMachines) {
  const WindowChain chain{.windows = 2, .mass = 1e-3, .isTilted = true};
  const std::string heavy =
      "  heavy: [0, 0, 7]\nbodies:\n  heavy: {node: heavy, mass: 1e6, inertia: [1, 1, 1]}\n";
  std::string together = chain.text();
  together.replace(together.find("bodies:\n"), 8, heavy);
  const std::string time = settings(0.5, 1e-3);
  const ModelRun alone = test::runModel(chain.text(), "angle, force, torque", time);
  const ModelRun beside = test::runModel(together, "angle, force, torque", time);
  EXPECT_NEAR(beside.last("angle"), alone.last("angle"), 1e-9);
  for (const char* output : {"force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"}) {
    EXPECT_NEAR(beside.last(output), alone.last(output), 1e-5 * 9.81e-3) << output;
  }
}

// The compliance of redundant constraints leaves no error in the motion: differences of runs with H, H/2, H/4 … fall
// by four, also where they are tiny. They grew with 1/H.
TEST(LoopDynamics, RedundantLoopsAreOfOrderTwoForShortSteps) {
  const WindowChain chain{.windows = 1, .isTilted = true};
  const std::string text = chain.text() + R"(  v: {measure: velocity, node: c1}
  a: {measure: acceleration, node: c1}
)";
  std::vector<double> v, a;
  for (const double step : {2e-3, 1e-3, 0.5e-3, 0.25e-3, 0.125e-3, 0.0625e-3, 0.03125e-3}) {
    const ModelRun run =
        test::runModel(text, "v, a", settings(0.1, step, "newton: {tolerance: 1e-11}"));
    v.push_back(run.last("v.x"));
    a.push_back(run.last("a.x"));
  }
  for (std::size_t k = 2; k < v.size(); ++k) {
    EXPECT_NEAR((v[k - 1] - v[k - 2]) / (v[k] - v[k - 1]), 4.0, 0.5) << k;
    EXPECT_NEAR((a[k - 1] - a[k - 2]) / (a[k] - a[k - 1]), 4.0, 0.5) << k;
  }
}

// A locked crank holds the linkage: nothing moves, whatever the step.
TEST(LoopDynamics, RedundantLoopsAtRestStayAtRest) {
  const std::string text = R"(
gravity: [1, -9, 3]
nodes: {left: [0, 0.5, 0], top: [0.5, 1, 0], right: [1, 0.5, 0]}
bodies:
  left:  {node: left, mass: 1, inertia: [0.1, 0.1, 0.1]}
  top:   {node: top, mass: 2, inertia: [0.1, 0.1, 0.1]}
  right: {node: right, mass: 3, inertia: [0.1, 0.1, 0.1]}
joints:
  A: {type: hinge, between: [ground, left], at: [0, 0, 0], axis: [0, 0, 1], locked: true}
  B: {type: hinge, between: [left, top], at: [0, 1, 0], axis: [0, 0, 1]}
  C: {type: hinge, between: [top, right], at: [1, 1, 0], axis: [0, 0, 1]}
  D: {type: hinge, between: [ground, right], at: [1, 0, 0], axis: [0, 0, 1]}
sensors:
  v: {measure: velocity, node: top}
  a: {measure: acceleration, node: right}
)";
  for (const double step : {1e-2, 1e-4, 1e-6}) {
    const ModelRun run = test::runModel(text, "v, a", settings(100 * step, step));
    for (const char* axis : {".x", ".y", ".z"}) {
      for (const double v : run.column(std::string("v") + axis)) EXPECT_NEAR(v, 0.0, 1e-12);
      for (const double a : run.column(std::string("a") + axis)) EXPECT_NEAR(a, 0.0, 1e-9);
    }
  }
}

// Velocities and accelerations of the start satisfy redundant constraints to the last digits.
TEST(LoopDynamics, RedundantLoopsStartConsistently) {
  const test::BuiltSample built =
      test::buildSample("flexloop: 1\n" + WindowChain{.windows = 3, .isTilted = true}.text());
  system::Assembler assembler(built.system);
  system::State state = built.system.start();
  for (int u = 0; u < state.rate.size(); ++u) {
    if (built.system.kinds()[u] == system::Kind::kMotion) state.rate[u] += 0.3 * std::sin(3.0 * u);
  }
  solve::MassSystem massSystem(assembler);
  massSystem.setCompliance(solve::analyzeRedundancy(assembler, state).accelerationCompliance);
  ASSERT_TRUE(solve::makeConsistent(assembler, massSystem, state).ok);
  Eigen::VectorXd residual;
  system::TimeDerivatives derivatives;
  assembler.calcResidual(state, residual);
  assembler.calcTimeDerivatives(state, derivatives);
  for (int u = 0; u < residual.size(); ++u) {
    if (built.system.kinds()[u] != system::Kind::kMultiplier) continue;
    EXPECT_NEAR(derivatives.first[u], 0.0, 1e-14) << u;
    EXPECT_NEAR(derivatives.second[u], 0.0, 1e-12) << u;
  }
}

}  // namespace
}  // namespace flexloop
