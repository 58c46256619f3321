// Steps of any length, in any order: stability, order 2, and the impulses of forces that are switched
// (docs/theory/09_time.md, sections 9.3 to 9.5).
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "analysis/time/time_analysis.hpp"
#include "solve/time/scheme.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using solve::MotionScheme;

// Lengths of steps, in units of the nominal one.
std::vector<double> makeSequence(const std::string& kind, int count) {
  std::vector<double> lengths;
  unsigned seed = 7;
  for (int i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const double random = seed / 4294967296.0;
    if (kind == "clocks") lengths.push_back(i % 2 == 0 ? 0.98 : 0.02);
    if (kind == "random") lengths.push_back(std::pow(10.0, -3.0 * random));
    if (kind == "geometric") lengths.push_back(std::pow(10.0, -std::abs(i % 40 - 20) * 0.15));
    if (kind == "blocks") lengths.push_back(i / 3 % 2 == 0 ? 1.0 : 0.01);
  }
  return lengths;
}

// One step of (9.1) for q'' = −ω²q in (q, v, a), with the nominal step one.
Eigen::Matrix3d makeStep(const MotionScheme& nominal, double h, double omega) {
  const MotionScheme s = solve::adaptToStep(nominal, solve::StepLength{h, 1.0, 1.0});
  const double k = omega * omega;
  Eigen::Matrix3d left, right;
  left << 1.0, 0.0, -h * h * s.beta,  //
      0.0, 1.0, -h * s.gamma,         //
      (1.0 - s.alphaF) * k, 0.0, 1.0 - s.alphaM;
  right << 1.0, h, h * h * (0.5 - s.beta),  //
      0.0, 1.0, h * (1.0 - s.gamma),        //
      -s.alphaF * k, 0.0, -s.alphaM;
  return left.partialPivLu().solve(right);
}

// The energy of a mode never exceeds that at its start by more than the start from a = 0 costs.
TEST(UnequalSteps, NoSequenceFeedsAModeHoweverFast) {
  for (const double rho : {0.0, 0.3, 0.5, 0.8, 0.9, 0.99, 1.0}) {
    for (const char* kind : {"clocks", "random", "geometric", "blocks"}) {
      for (double omega = 1.0; omega < 1e8; omega *= 10.0) {
        Eigen::Vector3d x(0.0, 1.0, 0.0);
        double largest = 0.0;
        for (const double h : makeSequence(kind, 2000)) {
          x = makeStep(solve::makeChungHulbert(rho), h, omega) * x;
          largest = std::max(largest, std::hypot(x[1], omega * x[0]));
        }
        EXPECT_LT(largest, 1.05) << rho << " " << kind << " " << omega;
      }
    }
  }
}

TEST(UnequalSteps, StepsOfTheNominalLengthHaveTheParametersThatWereAskedFor) {
  for (const double rho : {0.0, 0.5, 1.0}) {
    const MotionScheme s = solve::makeChungHulbert(rho);
    const MotionScheme same = solve::adaptToStep(s, solve::StepLength{0.1, 0.1, 0.1});
    EXPECT_EQ(same.beta, s.beta);
    // (9.8): those of the radius (h − τ)/(h + τ).
    const double tau = (1.0 - rho) / (1.0 + rho), h = 0.25;
    const MotionScheme shorter = solve::makeChungHulbert((h - tau) / (h + tau));
    const MotionScheme adapted = solve::adaptToStep(s, solve::StepLength{h, 1.0, 1.0});
    EXPECT_NEAR(adapted.alphaM, shorter.alphaM, 1e-13);
    EXPECT_NEAR(adapted.alphaF, shorter.alphaF, 1e-13);
    EXPECT_NEAR(adapted.beta, shorter.beta, 1e-13);
    EXPECT_NEAR(adapted.gamma, shorter.gamma, 1e-13);
  }
}

// Adaptive steps: the lag chases nominal steps that change by 100 in every block.
TEST(UnequalSteps, ALagThatFollowsTheStepsFeedsNoMode) {
  for (const double rho : {0.0, 0.5, 0.8, 0.9}) {
    const solve::Scheme scheme{solve::makeChungHulbert(rho), solve::makeJansenWhitingHulbert(rho)};
    for (double omega = 10.0; omega < 1e8; omega *= 100.0) {
      Eigen::Vector3d x(0.0, 1.0, 0.0);
      double nominal = 1.0, largest = 0.0;
      for (int i = 0; i < 2000; ++i) {
        const double wish = i / 20 % 2 == 0 ? 1.0 : 0.01, h = wish * (i % 3 == 0 ? 0.1 : 1.0);
        const double next = solve::followNominal(scheme, h, nominal, wish);
        const MotionScheme s =
            solve::adaptToStep(scheme.motion, solve::StepLength{h, nominal, next});
        EXPECT_GT(s.gamma, 0.0);
        const double k = omega * omega;
        Eigen::Matrix3d left, right;
        left << 1.0, 0.0, -h * h * s.beta, 0.0, 1.0, -h * s.gamma, (1.0 - s.alphaF) * k, 0.0,
            1.0 - s.alphaM;
        right << 1.0, h, h * h * (0.5 - s.beta), 0.0, 1.0, h * (1.0 - s.gamma), -s.alphaF * k, 0.0,
            -s.alphaM;
        x = left.partialPivLu().solve(right * x);
        nominal = next;
        largest = std::max(largest, std::hypot(x[1], omega * x[0]));
      }
      EXPECT_LT(largest, 1.1) << rho << " " << omega;
    }
  }
}

// A pendulum, and two clocks that read its angle and act on nothing.
std::string makePendulum(const std::string& clocks) {
  return "gravity: [0, 0, -9.81]\n"
         "nodes: {bob: [1, 0, 0]}\n"
         "bodies: {bob: {node: bob, mass: 1 kg}}\n"
         "joints: {pivot: {type: hinge, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
         "sensors:\n"
         "  q: {measure: angle, joint: pivot}\n"
         "  w: {measure: rate, joint: pivot}\n"
         "  f: {measure: force, joint: pivot, direction: [0, 0, 1]}\n"
         "  E: {measure: energy, component: total}\n" +
         clocks;
}

constexpr const char* kTwoClocks =
    "blocks:\n"
    "  read: {type: hold, input: q, sample: 1 ms}\n"
    "  write: {type: hold, input: q, sample: 1 ms, offset: 0.02 ms}\n";

// What the cut run errs is what the plain one does, not more than twice.
TEST(UnequalSteps, ClocksThatTouchNothingChangeNothing) {
  const ModelRun truth = runModel(makePendulum(""), "q, w, f, E", "end: 0.5, step: 0.05 ms");
  for (const std::string rho : {"0", "0.3", "0.5", "0.8", "0.9", "0.99", "1"}) {
    for (const std::string form : {"index2", "index3"}) {
      if (rho == "1" && form == "index3") continue;
      // The error of the steps is compared, and none of the iteration, which may happen to make up for it.
      const std::string time =
          "end: 0.5, step: 1 ms, newton: {tolerance: 1e-9}, rho: " + rho + ", constraints: " + form;
      const ModelRun plain = runModel(makePendulum(""), "q, w, f, E", time);
      const ModelRun cut = runModel(makePendulum(kTwoClocks), "q, w, f, E", time);
      for (const std::string output : {"q", "w", "f", "E"}) {
        const double error = std::abs(plain.last(output) - truth.last(output));
        EXPECT_NEAR(cut.last(output), truth.last(output), 2.0 * error + 1e-6)
            << rho << " " << form << " " << output;
      }
    }
  }
}

TEST(UnequalSteps, AStiffSpringDoesNotExplode) {
  for (const std::string rho : {"0", "0.5", "0.8", "0.85", "0.9", "1"}) {
    const ModelRun run = runModel(
        "nodes: {m: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}}\n"
        "bodies: {m: {node: m, mass: 1}}\n"
        "springs: {k: {type: linear, between: [ground, m], direction: [1, 0, 0], stiffness: "
        "1e12}}\n"
        "sensors: {q: {measure: position, node: m, direction: [1, 0, 0]}, E: {measure: energy, "
        "component: total}}\n" +
            std::string(kTwoClocks),
        "E", "end: 0.2, step: 1 ms, rho: " + rho);
    for (const double energy : run.column("E")) ASSERT_LT(energy, 0.5 * 1.05) << rho;
  }
}

// v = duty F t, beside a weight that is a million times as large and one that is not there.
TEST(UnequalSteps, AnImpulseIsRightHoweverItIsSwitched) {
  const auto run = [](const std::string& source, const std::string& force,
                      const std::string& weight, const std::string& rho) {
    return runModel(
               "gravity: [0, 0, = -" + weight +
                   "]\n"
                   "nodes: {a: {position: [0, 0, 0], free: [x]}, b: [1, 0, 0]}\n"
                   "bodies: {a: {node: a, mass: 1}, b: {node: b, mass: 1, inertia: [1, 1, 1]}}\n"
                   "joints: {fix: {type: weld, between: [ground, b]}}\n"
                   "sensors: {v: {measure: velocity, node: a, direction: [1, 0, 0]}}\n"
                   "blocks:\n" +
                   source + "  u: {type: gain, input: s, gain: " + force +
                   "}\n"
                   "actuators: {push: {type: force, node: a, direction: [1, 0, 0], input: u}}\n",
               "v", "end: 0.2, step: 1 ms, rho: " + rho)
        .last("v");
  };
  const std::string pulse = "  s: {type: pulse, period: 1 ms, duty: 0.05}\n";
  const std::string relay =
      "  saw: {type: sine, frequency: 40 Hz}\n"
      "  s: {type: relay, input: saw, on_above: 0.5, off_below: 0.4999, on_value: 1, off_value: "
      "0}\n";
  for (const std::string rho : {"0", "0.5", "0.8", "0.9", "1"}) {
    for (const std::string force : {"1", "1e-12"}) {
      for (const std::string weight : {"9.81", "1e6"}) {
        const double F = std::stod(force);
        EXPECT_NEAR(run(pulse, force, weight, rho) / F, 0.01, 1e-9) << rho << force << weight;
      }
      // On from 30 to 150 degrees of every period.
      EXPECT_NEAR(run(relay, force, "9.81", rho) / std::stod(force), 0.2 / 3.0, 1e-4) << rho;
    }
  }
}

// Two bodies that a drive pushes apart in free fall: their accelerations are −g ± (m/M) y''. Steps are cut at random, by a table
// that nobody reads. With little damping accelerations ring about the consistent ones; that must not be taken for a jump.
TEST(UnequalSteps, CutsBesideADriveFeedNothing) {
  std::string times = "0", values = "0";
  unsigned seed = 3;
  for (int i = 1; i < 300; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const double share = std::pow(10.0, -3.0 * (seed / 4294967296.0));
    times += ", " + std::to_string(1e-3 * (i + share));
    values += i % 2 == 0 ? ", 0" : ", 1";
  }
  const std::string machine =
      "gravity: [0, 0, -9.81]\n"
      "nodes: {a: [0, 0, 0], b: [0.3, 0, 0.1]}\n"
      "bodies: {a: {node: a, mass: 1, inertia: [0.1, 0.1, 0.1]}, b: {node: b, mass: 3, inertia: "
      "[0.1, 0.2, 0.2]}}\n"
      "joints: {push: {type: slider, between: [a, b], at: [0, 0, 0], axis: [0.3, 0, 0.1], drive: "
      "y}}\n"
      "sensors:\n"
      "  a: {measure: acceleration, node: a}\n"
      "  b: {measure: acceleration, node: b}\n"
      "blocks:\n"
      "  y: {type: trapezoid, distance: 0.2, velocity: 1.5, acceleration: 15, start: 50.3 ms}\n"
      "  cuts: {type: table, time: [" +
      times + "], value: [" + values + "]}\n";
  for (const char* rho : {"0.5", "0.99"}) {
    for (const char* form : {"index2", "index3"}) {
      const ModelRun run =
          runModel(machine, "a.x, a.z, b.x, b.z",
                   "end: 0.3, step: 1 ms, constraints: " + std::string(form) + ", rho: " + rho);
      for (std::size_t i = 0; i < run.times().size(); ++i) {
        // Along the axis they have −3/4 and 1/4 of y'' = ±15.
        const double along = 15.0 * 1.05;
        ASSERT_LT(std::hypot(run.column("a.x")[i], run.column("a.z")[i] + 9.81), 0.75 * along)
            << rho << " " << form << " " << run.times()[i];
        ASSERT_LT(std::hypot(run.column("b.x")[i], run.column("b.z")[i] + 9.81), 0.25 * along);
      }
      EXPECT_NEAR(run.last("a.x"), 0.0, 1e-3) << rho << " " << form;
      EXPECT_NEAR(run.last("a.z"), -9.81, 1e-3) << rho << " " << form;
    }
  }
}

// A body that a drive turns from rest: y'' and with it y''L and y'^2 L are known at every time.
std::string makeDriven(const std::string& drive, const std::string& more, const std::string& form,
                       const std::string& rho) {
  return "nodes: {b: [0.3, 0, 0]}\n"
         "bodies: {b: {node: b, mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"
         "joints: {h: {type: hinge, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1], drive: "
         "y}}\n"
         "sensors: {a: {measure: angular_acceleration, node: b, direction: [0, 0, 1]}}\n"
         "blocks:\n  y: " +
         drive + "\n" + more +
         "outputs: [a]\nanalysis: {time: {end: 0.2, step: 3.13 ms, rho: " + rho +
         ", constraints: " + form + ", newton: {tolerance: 1e-10}}}\n";
}

// Its value is zero just before it sets out and just after. Something else may be switched a thirtieth of a step later.
TEST(UnequalSteps, ADriveThatSetsOutFromRestBringsItsAccelerationAtOnce) {
  const std::string drive =
      "{type: trapezoid, distance: 0.2, velocity: 5, acceleration: 70.9, start: 53.37 ms}";
  constexpr const char* kIdle = "  idle: {type: pulse, start: 53.47 ms, width: 5 ms, period: 9}\n";
  const double turn = 0.05337 + std::sqrt(0.2 / 70.9), end = 2.0 * turn - 0.05337;
  for (const char* form : {"index2", "index3"}) {
    for (const auto& [rho, more] : {std::pair{"0", ""},
                                    {"0.3", ""},
                                    {"0.8", ""},
                                    {"0.95", ""},
                                    {"0.3", kIdle},
                                    {"0.8", kIdle}}) {
      const ModelRun run = runModel(makeDriven(drive, more, form, rho));
      for (std::size_t i = 0; i < run.times().size(); ++i) {
        const double t = run.times()[i];
        if (std::min({std::abs(t - 0.05337), std::abs(t - turn), std::abs(t - end)}) < 1e-6)
          continue;
        const double exact = t < 0.05337 || t > end ? 0.0 : t < turn ? 70.9 : -70.9;
        ASSERT_NEAR(run.column("a")[i], exact, 2e-3 * 70.9) << form << " rho " << rho << " " << t;
      }
    }
  }
}

// Breaks that touch nothing, a twentieth of a step after points of the grid: what moves smoothly is not struck, and slopes of a smooth
// function that differ by the last digits of its input have not jumped.
TEST(UnequalSteps, CutsDoNotLowerTheOrderOfADrive) {
  constexpr double kOmega = 20.0, kStep = 3.13e-3;
  const auto findError = [&](bool isCut) {
    std::string times = "0", values = "0";
    for (int i = 1; i < 60; ++i) {
      times += ", " + std::to_string((i + 0.05) * kStep);
      values += i % 2 == 0 ? ", 0" : ", 1";
    }
    const std::string cuts = "  cuts: {type: table, time: [" + times + "], value: [" + values +
                             "]}\n  square: {type: function, input: y, function: square}\n";
    const ModelRun run = runModel(
        makeDriven("{type: sine, amplitude: 0.3, omega: 20}", isCut ? cuts : "", "index2", "0.5"));
    double largest = 0.0;
    for (std::size_t i = 0; i < run.times().size(); ++i) {
      const double exact = -0.3 * kOmega * kOmega * std::sin(kOmega * run.times()[i]);
      largest = std::max(largest, std::abs(run.column("a")[i] - exact));
    }
    return largest;
  };
  EXPECT_LT(findError(true), 2.0 * findError(false));
}

TEST(UnequalSteps, RecordsByIntervalAreEvenlySpaced) {
  const ModelRun run =
      runModel(makePendulum(""), "q", "end: 0.1, step: 0.7 ms, record: {interval: 1 ms}");
  ASSERT_EQ(run.times().size(), 101u);
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    EXPECT_NEAR(run.times()[i], 1e-3 * static_cast<double>(i), 1e-12);
  }
}

// Half of every period pushed by 1 N: v = t/2, from the first pulse on, whatever hangs beside it. The source jumps where
// the run begins.
TEST(UnequalSteps, AForceThatIsSwitchedFromTheStartHasItsImpulse) {
  for (const char* gravity : {"0", "9.81", "1e6"}) {
    for (const char* rho : {"0", "0.8"}) {
      for (const char* form : {"index2", "index3"}) {
        const ModelRun run = runModel(
            "gravity: [0, 0, -" + std::string(gravity) + R"(]
nodes: {a: {position: [0, 0, 0], free: [x]}, b: [1, 0, 0]}
bodies: {a: {node: a, mass: 1 kg}, b: {node: b, mass: 1 kg, inertia: [1, 1, 1]}}
joints: {fix: {type: weld, between: [ground, b]}}
sensors: {v: {measure: velocity, node: a, direction: [1, 0, 0]}}
blocks: {pwm: {type: pulse, period: 1 ms, duty: 0.5}}
actuators: {push: {type: force, node: a, direction: [1, 0, 0], input: pwm}}
)",
            "v", "end: 0.2, step: 1 ms, constraints: " + std::string(form) + ", rho: " + rho);
        EXPECT_NEAR(run.last("v"), 0.1, 1e-9) << gravity << " " << rho << " " << form;
      }
    }
  }
}

TEST(UnequalSteps, Index3WithoutDampingIsRefused) {
  const std::string text =
      makePendulum("") + "analysis: {time: {end: 1, step: 1 ms, rho: 1, constraints: index3}}\n";
  EXPECT_TRUE(says(mistakesOf(text), "index3 and no numerical damping"));
}

TEST(UnequalSteps, ADriveThatJumpsIsRefusedWithItsPlace) {
  const auto driven = [](const std::string& blocks) {
    return mistakesOf(
        "nodes: {a: [0, 0, 0]}\n"
        "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {h: {type: hinge, between: [ground, a], axis: [0, 0, 1], drive: r}}\n"
        "blocks:\n" +
        blocks + "analysis: {time: {end: 1, step: 1 ms}}\n");
  };
  EXPECT_TRUE(says(driven("  r: {type: step, at: 0.5, to: 1}\n"), "joints.h: the drive jumps"));
  EXPECT_TRUE(says(driven("  s: {type: pulse, period: 0.1, duty: 0.5}\n"
                          "  r: {type: gain, input: s, gain: 2}\n"),
                   "'s' of type pulse"));
  EXPECT_TRUE(says(driven("  s: {type: sine, frequency: 1 Hz}\n"
                          "  r: {type: hold, input: s, sample: 10 ms}\n"),
                   "'r' of type hold"));
  EXPECT_TRUE(says(driven("  s: {type: sine, frequency: 1 Hz}\n"
                          "  r: {type: function, input: s, function: sign}\n"),
                   "'r' of type function"));
  EXPECT_EQ(driven("  r: {type: step, to: 1}\n"), "");
  EXPECT_EQ(driven("  s: {type: step, at: 0.5, to: 1}\n"
                   "  r: {type: low_pass, input: s, frequency: 10 Hz}\n"),
            "");
}

class Keeper final : public analysis::Observer {
 public:
  void onStart(const solve::StartReport&) override {}
  void onRecord(const system::State& state, const std::vector<double>&) override { last = state; }
  bool onStep(double) override { return true; }
  void onCheckpoint(const analysis::RunPoint&) override {}

  system::State last;
};

TEST(UnequalSteps, ACheckpointChangesNothing) {
  const model::Model model =
      buildModel(makePendulum(kTwoClocks) + "analysis: {time: {end: 0.1, step: 1 ms}}\n");
  Keeper plain, kept;
  ASSERT_TRUE(analysis::runTime(model, *model.time(), plain).ok());
  ASSERT_TRUE(analysis::runTime(model, *model.time(), kept, {nullptr, {0.0305, 0.05}}).ok());
  EXPECT_TRUE(plain.last == kept.last);
}

// x'' = −√(x₀ + x): a correction beyond x = −x₀ leads out of the root's domain.
TEST(UnequalSteps, ACorrectionThatLeavesTheDomainOfABlockIsShortened) {
  const ModelRun run = tryModel(
      "nodes: {m: {position: [0, 0, 0], free: [x], velocity: [-1, 0, 0]}}\n"
      "bodies: {m: {node: m, mass: 1}}\n"
      "sensors: {x: {measure: position, node: m, direction: [1, 0, 0]}}\n"
      "blocks: {force: {type: expression, inputs: [x], value: 200*(1 - sqrt(x + 0.05))}}\n"
      "loads: {push: {node: m, force: [1, 0, 0], signal: force}}\n",
      "x", "end: 0.5, step: 20 ms");
  EXPECT_TRUE(run.report.ok()) << messageOf(run.report.failure);
}

}  // namespace
}  // namespace flexloop::test
