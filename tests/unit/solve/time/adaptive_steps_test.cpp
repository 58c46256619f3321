// Steps that follow their error (docs/theory/09_time.md, section 9.7): every step is judged, no impulse is lost while the lag
// follows the steps, and what is small is judged as what is large.
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "solve/time/step_carry.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

std::string text(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", x);
  return buffer;
}

std::string adaptive(double end, double step, const std::string& more = {}) {
  return "end: " + text(end) + ", step: " + text(step) + ", adaptive: true" + more;
}

// Its centre of mass goes round a hinge at 3000 rad/s; nothing changes that. The first steps are whole radians.
TEST(AdaptiveSteps, TheFirstStepIsJudgedLikeAnyOther) {
  for (const double step : {0.7e-3, 1e-3, 2.1e-3, 5e-3, 10e-3}) {
    const ModelRun run = runModel(
        "nodes: {a: {position: [0.3, 0, 0]}}\n"
        "bodies: {a: {node: a, mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
        "joints: {h: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], "
        "start_rate: 3000}}\n"
        "sensors: {w: {measure: rate, joint: h}}\n",
        "w", adaptive(0.02, step));
    EXPECT_NEAR(run.last("w"), 3000.0, 0.3) << step;
  }
}

// A force that turns with a free body comes back after every turn, which is one step long at first.
TEST(AdaptiveSteps, ForcesThatTurnWithABodyAreFollowed) {
  const double omega = 2.0 * std::acos(-1.0);
  for (const double step : {1.0, 2.0, 3.0}) {
    const ModelRun run =
        runModel("nodes: {a: {position: [0, 0, 0], angular_velocity: [0, 0, " + text(omega) +
                     "]}}\n"
                     "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}}\n"
                     "loads: {push: {node: a, force: [1, 0, 0], frame: body}}\n"
                     "sensors: {v: {measure: velocity, node: a}}\n",
                 "v", adaptive(30.25, step));
    EXPECT_NEAR(run.last("v.x"), 1.0 / omega, 1e-4) << step;
    EXPECT_NEAR(run.last("v.y"), 1.0 / omega, 1e-4) << step;
  }
}

// Nothing asks for short steps where a body turns about a principal axis.
TEST(AdaptiveSteps, FreeSpinCostsNothing) {
  const ModelRun run = runModel(
      "gravity: [0, 0, -9.81]\n"
      "nodes: {a: {position: [0, 0, 0], angular_velocity: [0, 0, 4000]}}\n"
      "bodies: {a: {node: a, mass: 1, inertia: [1, 2, 3]}}\n"
      "sensors: {p: {measure: position, node: a}}\n",
      "p", adaptive(1.0, 1e-3));
  EXPECT_NEAR(run.last("p.z"), -0.5 * 9.81, 1e-6);
  EXPECT_LT(run.report.steps, 100);
}

// v + f (a−v') changes by ∫v' dt alone, however the lag changes; f = ½τ (9.27).
TEST(AdaptiveSteps, AChangeOfTheLagKeepsTheImpulse) {
  for (const double rho : {0.0, 0.3, 0.8, 0.95}) {
    const solve::Scheme scheme{solve::makeChungHulbert(rho), solve::makeJansenWhitingHulbert(rho)};
    const double lag = 0.5 - scheme.motion.alphaF;
    double v = 0.0, a = 0.0, force = 0.0, impulse = 0.0, nominal = 1.0;
    for (int i = 0; i < 200; ++i) {
      const double h = 0.1 + 0.9 * std::abs(std::sin(7.0 * i)), wish = std::exp(std::sin(0.3 * i));
      const solve::StepLength step{h, nominal, solve::followNominal(scheme, h, nominal, wish)};
      solve::Scheme adapted = solve::adaptToStep(scheme, step);
      const double c = solve::carryOver(scheme, step, adapted).motion;
      const solve::MotionScheme& s = adapted.motion;
      const double before = v + lag * nominal * (a - force);
      const double next = std::cos(3.0 * i) + (i % 7 == 0 ? 100.0 : 0.0);
      const double a1 =
          ((1.0 - s.alphaF) * next + s.alphaF * force - s.alphaM * a) / (1 - s.alphaM);
      v += h * ((1.0 - s.gamma) * a + s.gamma * a1 + c * (a - force));
      impulse = 0.5 * h * (force + next);
      a = a1;
      force = next;
      nominal = step.nominal1;
      EXPECT_NEAR(v + lag * nominal * (a - force) - before, impulse, 1e-11) << rho << " " << i;
    }
  }
}

// Short pulses of a force, after which nothing holds the slider.
TEST(AdaptiveSteps, ImpulsesAreNotLost) {
  const char* const shapes[] = {"time: [0.1, 0.1001, 0.1002], value: [0, 1, 0]",
                                "time: [0.1, 0.10001, 0.13, 0.1302], value: [0, 1, 1, 0]",
                                "time: [0.1, 0.2, 0.20001], value: [0, 1, 0]"};
  const double impulses[] = {1e-4, 0.5 * (0.02999 + 0.0302), 0.5 * 0.10001};
  for (int shape = 0; shape < 3; ++shape) {
    for (const char* rho : {"0", "0.5", "0.8", "0.95", "1"}) {
      for (const char* tolerance : {"1e-4", "1e-6", "1e-8"}) {
        const ModelRun run = runModel(
            "nodes: {a: [0, 0, 0]}\n"
            "bodies: {a: {node: a, mass: 2, inertia: [1, 1, 1]}}\n"
            "joints: {s: {type: slider, between: [ground, a], axis: [1, 0, 0]}}\n"
            "sensors: {v: {measure: rate, joint: s}}\n"
            "blocks: {u: {type: table, " +
                std::string(shapes[shape]) +
                "}, x: {type: integrator, input: u}}\n"
                "actuators: {f: {type: force, joint: s, input: u}}\n",
            "v, x",
            adaptive(1.0, 1e-3, ", rho: " + std::string(rho) + ", tolerance: " + tolerance));
        EXPECT_NEAR(2.0 * run.last("v") / impulses[shape], 1.0, 1e-6)
            << shapes[shape] << " rho " << rho << " tolerance " << tolerance;
        EXPECT_NEAR(run.last("x") / impulses[shape], 1.0, 1e-6)
            << shapes[shape] << " rho " << rho << " tolerance " << tolerance;
      }
    }
  }
}

// Of whatever size, alone and beside a machine of another size.
TEST(AdaptiveSteps, SmallMotionsAreJudgedAsLargeOnes) {
  const double omega = 2.0 * std::acos(-1.0);
  for (const char* beside : {"", ", big: {position: [5, 0, 0], velocity: [0, 0, 7], free: [z]}"}) {
    std::int64_t steps = 0;
    for (const double amplitude : {1.0, 1e-9, 1e9}) {
      const std::string other = *beside == 0 ? "" : ", big: {node: big, mass: 1}";
      const ModelRun run =
          runModel("nodes: {a: {position: [0, 0, 0], velocity: [" + text(amplitude * omega) +
                       ", 0, 0], free: [x]}" + beside +
                       "}\n"
                       "bodies: {a: {node: a, mass: 1}" +
                       other +
                       "}\n"
                       "springs: {k: {type: linear, between: [ground, a], direction: [1, 0, 0], "
                       "stiffness: " +
                       text(omega * omega) +
                       "}}\n"
                       "sensors: {x: {measure: displacement, node: a, direction: [1, 0, 0]}}\n",
                   "x", adaptive(2.25, 1e-3));
      EXPECT_NEAR(run.last("x") / amplitude, 1.0, 1e-3) << amplitude << beside;
      if (steps == 0) steps = run.report.steps;
      EXPECT_NEAR(static_cast<double>(run.report.steps), static_cast<double>(steps), 0.02 * steps)
          << amplitude << beside;
    }
  }
}

// A pendulum in units of length that are 10⁹ times smaller or larger takes the same steps.
TEST(AdaptiveSteps, AMachineInOtherUnitsTakesTheSameSteps) {
  std::int64_t steps = 0;
  for (const double unit : {1.0, 1e9, 1e-9}) {
    const std::string inertia = text(0.01 * unit * unit);
    const ModelRun run = runModel(
        "gravity: [0, 0, " + text(-9.81 * unit) + "]\nnodes: {a: [" + text(unit) +
            ", 0, 0]}\n"
            "bodies: {a: {node: a, mass: 1, inertia: [" +
            inertia + ", " + inertia + ", " + inertia +
            "]}}\n"
            "joints: {h: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
            "sensors: {q: {measure: angle, joint: h}}\n",
        "q", adaptive(1.0, 1e-3));
    if (steps == 0) steps = run.report.steps;
    EXPECT_NEAR(static_cast<double>(run.report.steps), static_cast<double>(steps), 0.02 * steps)
        << unit;
  }
}

// A drive that a formula lets jump inside of a step.
TEST(DriveJumps, AFormulaThatJumpsEndsTheRun) {
  const std::string machine =
      "nodes: {a: [0.3, 0, 0]}\n"
      "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {h: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], drive: "
      "dr}}\n"
      "sensors: {q: {measure: angle, joint: h}}\n";
  for (const char* formula : {"floor(t*20)/10", "t + 0.01*sign(t - 0.0503)", "round(7*t)*0.1"}) {
    for (const char* constraints : {"index2", "index3"}) {
      const ModelRun run =
          tryModel(machine + "blocks: {dr: {type: expression, value: '= " + formula + "'}}\n", "q",
                   std::string("end: 0.2, step: 1 ms, constraints: ") + constraints);
      EXPECT_FALSE(run.report.ok()) << formula;
      EXPECT_TRUE(says(messageOf(run.report.failure), "jumps from"))
          << formula << messageOf(run.report.failure);
    }
  }
  // Smooth ones are none, however coarse the step.
  for (const char* formula : {"sin(300*t)", "abs(t - 0.05)*(t - 0.05)", "t - 0.3*sin(1000*t)^2"}) {
    const ModelRun run =
        tryModel(machine + "blocks: {dr: {type: expression, value: '= " + formula + "'}}\n", "q",
                 "end: 0.2, step: 1 ms");
    EXPECT_TRUE(run.report.ok()) << formula << messageOf(run.report.failure);
  }
}

// What moves to a place and stays there differs from step to step in its last digit.
TEST(DriveJumps, AreNotSeenInDrivesThatComeToRest) {
  const std::string machine =
      "gravity: [0, 0, -9.81]\n"
      "nodes: {c: [0, 0, 0], p: [0, 0, -0.5]}\n"
      "bodies: {c: {node: c, mass: 2, inertia: [1, 1, 1]},\n"
      "  p: {node: p, mass: 1, inertia: [0.02, 0.02, 0.02]}}\n"
      "joints: {s: {type: slider, between: [ground, c], axis: [1, 0, 0], drive: d},\n"
      "  h: {type: hinge, between: [c, p], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
      "sensors: {x: {measure: displacement, joint: s}}\n"
      "blocks:\n"
      "  st: {type: step, at: 0.1, to: 0.2}\n";
  for (const char* drive : {"{type: table, time: [0, 0.7], value: [0.3, 0.3]}",
                            "{type: table, time: [0, 0.1, 0.3, 0.9], value: [0, 0, 0.7, 0.7]}",
                            "{type: rate_limiter, input: st, up: 1, down: 1}",
                            "{type: low_pass, input: st, omega: 100, order: 3}",
                            "{type: low_pass, input: st, omega: 9, order: 2}"}) {
    for (const char* steps : {"step: 2 ms", "step: 2 ms, adaptive: true"}) {
      const ModelRun run =
          tryModel(machine + "  d: " + drive + "\n", "x", std::string("end: 1, ") + steps);
      EXPECT_TRUE(run.report.ok()) << drive << steps << messageOf(run.report.failure);
    }
  }
}

// A filter of a step as drive: its states are integrated, and what they err where they set out must not be twice
// differentiated. y'' = 0.2 ω² exp(−z)(cos z − sin z), z = ωτ/√2.
TEST(DriveJumps, AFilteredStepSetsOutSmoothly) {
  for (const char* constraints : {"index2", "index3"}) {
    const ModelRun run = runModel(
        "nodes: {c: [0, 0, 0]}\n"
        "bodies: {c: {node: c, mass: 2, inertia: [1, 1, 1]}}\n"
        "joints: {s: {type: slider, between: [ground, c], axis: [1, 0, 0], drive: d}}\n"
        "sensors: {a: {measure: acceleration, node: c, direction: [1, 0, 0]}}\n"
        "blocks:\n"
        "  st: {type: step, at: 0.1, to: 0.2}\n"
        "  d: {type: low_pass, input: st, omega: 9, order: 2}\n"
        "outputs: [a]\n"
        "analysis: {time: {end: 0.3, step: 2 ms, constraints: " +
        std::string(constraints) + "}}\n");
    for (const double t : {0.102, 0.104, 0.106, 0.108, 0.11, 0.116, 0.13, 0.2}) {
      const double z = 9.0 * (t - 0.1) / std::sqrt(2.0);
      EXPECT_NEAR(run.at(t, "a"), 16.2 * std::exp(-z) * (std::cos(z) - std::sin(z)), 0.02)
          << constraints << " at " << t;
    }
  }
}

// A velocity that jumps takes a blow, and is said; the jumps of a ramp or a table are their own.
TEST(DriveJumps, AVelocityThatJumpsIsSaid) {
  const std::string machine =
      "nodes: {a: [0.3, 0, 0]}\n"
      "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {h: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], drive: "
      "d}}\n"
      "sensors: {q: {measure: angle, joint: h}}\n"
      "blocks:\n"
      "  t0: {type: ramp, slope: 1}\n"
      "  s0: {type: sine, amplitude: 0.1, omega: 9}\n";
  const auto warns = [&](const std::string& drive) {
    const ModelRun run = tryModel(machine + "  d: " + drive + "\n", "q", "end: 0.5, step: 1 ms");
    EXPECT_TRUE(run.report.ok()) << drive << messageOf(run.report.failure);
    for (const std::string& note : run.report.notes) {
      if (says(note, "the prescribed velocity of")) return true;
    }
    return false;
  };
  EXPECT_TRUE(warns("{type: lookup, input: t0, x: [0, 0.2997, 1], y: [0, 0.1, 0.5]}"));
  EXPECT_TRUE(warns("{type: expression, value: '= abs(t - 0.0503)'}"));
  EXPECT_TRUE(warns("{type: saturation, input: s0, lower: -0.05, upper: 0.05}"));
  EXPECT_FALSE(warns("{type: table, time: [0, 0.2, 0.3, 0.5], value: [0, 0, 0.7, 0.7]}"));
  EXPECT_FALSE(warns("{type: expression, value: '= sin(300*t)'}"));
  EXPECT_FALSE(warns("{type: low_pass, input: s0, omega: 9, order: 2}"));
}

// A slope that jumps takes a blow at an instant, after which nothing is left of it. x(t) is known, and a = x''.
TEST(DriveJumps, NothingRingsBehindAKink) {
  const auto inside = [](double t, double limit) {
    return std::abs(0.1 * std::sin(9.0 * t)) < limit;
  };
  const auto swing = [](double t) { return -8.1 * std::sin(9.0 * t); };
  const auto none = [](double) { return 0.0; };
  const auto limited = [&](double t) { return inside(t, 0.05) ? swing(t) : 0.0; };
  const auto dead = [&](double t) { return inside(t, 0.03) ? 0.0 : swing(t); };
  struct Case {
    const char* drive;
    std::function<double(double)> acceleration;
  };
  const Case cases[] = {
      {"{type: saturation, input: s0, lower: -0.05, upper: 0.05}", limited},
      {"{type: saturation, input: s0, lower: -0.05, upper: 0.05, events: true}", limited},
      {"{type: dead_zone, input: s0, lower: -0.03, upper: 0.03}", dead},
      {"{type: lookup, input: t0, x: [0, 0.3, 1], y: [0, 0.1, 0.5]}", none},
      {"{type: lookup, input: t0, x: [0, 0.3003, 1], y: [0, 0.1, 0.5]}", none},
      {"{type: expression, value: '= abs(t - 0.3003)'}", none},
      // Behind a state: the step that the kink is in is not cut.
      {"{type: saturation, input: x0, lower: -0.05, upper: 0.05}", limited}};
  for (const Case& c : cases) {
    for (const char* constraints : {"index2", "index3"}) {
      for (const char* steps : {"", ", adaptive: true"}) {
        const ModelRun run = tryModel(
            std::string("nodes: {c: [0, 0, 0]}\n"
                        "bodies: {c: {node: c, mass: 2, inertia: [1, 1, 1]}}\n"
                        "joints: {s: {type: slider, between: [ground, c], axis: [1, 0, 0], "
                        "drive: d}}\n"
                        "sensors: {a: {measure: acceleration, node: c, direction: [1, 0, 0]}}\n"
                        "blocks:\n"
                        "  t0: {type: ramp, slope: 1}\n"
                        "  s0: {type: sine, amplitude: 0.1, omega: 9}\n"
                        "  c0: {type: sine, amplitude: 0.9, omega: 9, phase: 90 deg}\n"
                        "  x0: {type: integrator, input: c0}\n"
                        "  d: ") +
                c.drive + "\n",
            "a", std::string("end: 0.7, step: 2 ms, constraints: ") + constraints + steps);
        ASSERT_TRUE(run.report.ok())
            << c.drive << constraints << steps << messageOf(run.report.failure);
        EXPECT_LT(run.report.steps, 3000) << c.drive << constraints << steps;
        int wrong = 0;
        for (std::size_t i = 0; i < run.times().size(); ++i) {
          const double t = run.times()[i];
          // Beside a kink by less than a step of the record either branch is right.
          const bool isBeside = std::abs(c.acceleration(t + 2e-3) - c.acceleration(t - 2e-3)) > 0.2;
          if (!isBeside && std::abs(run.column("a")[i] - c.acceleration(t)) > 0.5) ++wrong;
        }
        EXPECT_LE(wrong, 0) << c.drive << constraints << steps;
      }
    }
  }
}

// Where the play closes, the velocity jumps by 0.87 m/s; a step of 2 ms would make 436 m/s² of it.
TEST(DriveJumps, NothingRingsWhereAPlayCloses) {
  for (const char* steps : {"", ", adaptive: true"}) {
    const ModelRun run = runModel(
        "nodes: {c: [0, 0, 0]}\n"
        "bodies: {c: {node: c, mass: 2, inertia: [1, 1, 1]}}\n"
        "joints: {s: {type: slider, between: [ground, c], axis: [1, 0, 0], drive: d}}\n"
        "sensors: {a: {measure: acceleration, node: c, direction: [1, 0, 0]}}\n"
        "blocks:\n"
        "  s0: {type: sine, amplitude: 0.1, omega: 9}\n"
        "  d: {type: backlash, input: s0, width: 0.05}\n",
        "a", std::string("end: 0.7, step: 2 ms") + steps);
    EXPECT_LT(run.report.steps, 3000) << steps;
    for (const double a : run.column("a")) EXPECT_LT(std::abs(a), 20.0) << steps;
  }
}

// A part without any length: a rotor of which nothing but the turn is free. q = ½ sin 2t.
TEST(AdaptiveSteps, FollowARotorThatOnlyTurns) {
  const ModelRun run = runModel(
      "nodes: {a: {position: [0, 0, 0], free: [rz], angular_velocity: [0, 0, 1]}}\n"
      "bodies: {a: {node: a, mass: 2, inertia: [1, 1, 1]}}\n"
      "springs: {k: {type: torsional, between: [ground, a], axis: [0, 0, 1], stiffness: 4}}\n"
      "sensors: {q: {measure: rotation, node: a, direction: [0, 0, 1]}}\n"
      "outputs: [q]\nanalysis: {time: {end: 2, step: 1 ms, adaptive: true}}\n");
  EXPECT_NEAR(run.last("q"), 0.5 * std::sin(4.0), 1e-4);
  EXPECT_LT(run.report.steps, 2000);
}

}  // namespace
}  // namespace flexloop::test
