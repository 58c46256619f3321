// Events and clocks cost no tangents. Those of a step age with the motion, which renews them as often as in a run that no event
// cuts, f times, and they change where the slopes of blocks do, n times. After each, factors of every length that is kept may be
// made anew, once because the old ones are of no use, once because another length has taken their place: 2 (f + n + 1) times
// that many lengths are enough, however many events there are.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "solve/time/step_factors.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

std::int64_t countEnough(const ModelRun& uncut, std::int64_t slopeChanges = 0) {
  return 2 * solve::StepFactorCache::kSlots * (uncut.report.factorizations + slopeChanges + 1);
}

// A rotor that an encoder of many lines watches.
std::string makeEncoder(const std::string& more) {
  return "gravity: [0, 0, -9.81]\n"
         "nodes: {rotor: {position: [0, 0, 0], angular_velocity: [0, 50, 0]}}\n"
         "bodies: {rotor: {node: rotor, mass: 0.2, inertia: [1e-5, 2e-5, 1e-5], com: [0, 0, "
         "0.01]}}\n"
         "joints: {shaft: {type: hinge, between: [ground, rotor], axis: [0, 1, 0]}}\n"
         "sensors: {q: {measure: angle, joint: shaft}}\n" +
         more;
}

TEST(EventCost, AnEncoderThatTouchesNothingNeedsNoTangents) {
  const std::string time = "end: 0.02, step: 0.25 ms";
  const ModelRun plain = runModel(makeEncoder(""), "q", time);
  const ModelRun fine = runModel(makeEncoder(""), "q", "end: 0.02, step: 0.125 ms");
  const double error = std::abs(plain.last("q") - fine.last("q"));
  for (const char* form : {"index2", "index3"}) {
    for (const char* events : {"true", "false"}) {
      const std::string encoder =
          "blocks: {encoder: {type: quantizer, input: q, step: = 2*pi/16384, events: " +
          std::string(events) + "}}\n";
      const ModelRun run = runModel(makeEncoder(encoder), "q, encoder",
                                    time + ", constraints: " + std::string(form));
      const bool isLocated = events == std::string("true");
      EXPECT_EQ(run.report.events > 2000, isLocated);
      EXPECT_LE(run.report.factorizations, countEnough(plain)) << events << " " << form;
      EXPECT_NEAR(run.last("q"), plain.last("q"), 2.0 * error) << events << " " << form;
      EXPECT_NEAR(run.last("encoder"), run.last("q"), M_PI / 16384 + 1e-9);
    }
  }
}

// A steel beam on a motor, stiff on the scale of any step here.
std::string makeArm(const std::string& blocks) {
  return "gravity: [0, 0, -9.81]\n"
         "materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7850}}\n"
         "sections: {bar: {type: rectangle, width: 20 mm, height: 5 mm}}\n"
         "nodes: {A: [0, 0, 0], B: [0.5, 0, 0]}\n"
         "beams: {arm: {from: A, to: B, elements: 8, section: bar, material: steel, y_axis: [0, 1, "
         "0], damping: 0.1 ms}}\n"
         "bodies: {hub: {node: A, mass: 0.1, inertia: [1e-3, 1e-3, 1e-3]}, tip: {node: B, mass: "
         "0.2}}\n"
         "joints: {h: {type: hinge, between: [ground, A], axis: [0, 1, 0], damping: 0.05}}\n"
         "sensors:\n"
         "  q: {measure: angle, joint: h}\n"
         "  w: {measure: rate, joint: h}\n"
         "blocks:\n" +
         blocks + "actuators: {motor: {type: torque, joint: h, input: m}}\n";
}

std::string endWith(double step) {
  return "end: 0.25, step: " + std::to_string(1e3 * step) + " ms";
}

// Truth are much shorter steps, towards which the error falls with order 2.
void expectOrder2(const std::string& model, const std::string& output) {
  const double truth = runModel(model, output, endWith(0.03125e-3)).last(output);
  const double coarse = runModel(model, output, endWith(0.5e-3)).last(output) - truth;
  const double fine = runModel(model, output, endWith(0.25e-3)).last(output) - truth;
  EXPECT_LT(std::abs(fine), 0.5 * std::abs(coarse)) << coarse << " " << fine;
}

// Pulses as wide as a sine says, a torque that follows an encoder, and one that is switched with hysteresis: another value,
// the same slopes.
TEST(EventCost, SwitchedTorquesOnABeamNeedNoTangents) {
  const std::string pulses =
      "  m: {type: relay, input: d, on_above: 0, on_value: 2, off_value: -2, events: EVENTS}\n"
      "  carrier: {type: expression, inputs: [time], value: \"asin(sin(2*pi*400*time))*2/pi\"}\n"
      "  time: {type: ramp, slope: 1}\n"
      "  want: {type: sine, amplitude: 0.4, frequency: 3}\n"
      "  d: {type: sum, inputs: [want, -carrier]}\n";
  const std::string encoder =
      "  e: {type: quantizer, input: q, step: = 2*pi/8192, events: EVENTS}\n"
      "  m: {type: gain, input: e, gain: -20}\n";
  const std::string hysteresis =
      "  m: {type: relay, input: s, on_above: 0.1, off_below: -0.1, on_value: -8, off_value: 8, "
      "events: EVENTS}\n"
      "  s: {type: expression, inputs: [q, w], value: q + 0.02*w}\n";
  const auto withEvents = [](std::string blocks, const char* events) {
    return makeArm(blocks.replace(blocks.find("EVENTS"), 6, events));
  };
  for (const auto& [blocks, events] :
       {std::pair{pulses, 190}, std::pair{encoder, 250}, std::pair{hysteresis, 5}}) {
    const ModelRun uncut = runModel(withEvents(blocks, "false"), "q", endWith(0.5e-3));
    const ModelRun run = runModel(withEvents(blocks, "true"), "q", endWith(0.5e-3));
    EXPECT_GT(run.report.events, events) << blocks;
    EXPECT_LE(run.report.factorizations, countEnough(uncut)) << blocks;
    if (events > 100) {
      EXPECT_LT(run.report.factorizations, run.report.events) << blocks;
    }
  }
  expectOrder2(withEvents(pulses, "true"), "q");
  expectOrder2(withEvents(encoder, "true"), "q");
}

// At a limit the slope changes, and tangents with it.
TEST(EventCost, LimitsCostTangentsForEachOfTheirEvents) {
  const std::string blocks =
      "  u: {type: sine, amplitude: 5, frequency: 40}\n"
      "  e: {type: expression, inputs: [q, w, u], value: u - 30*q - 0.3*w}\n"
      "  m: {type: saturation, input: e, lower: -3, upper: 3, events: EVENTS}\n";
  const auto withEvents = [&](const char* events) {
    std::string text = blocks;
    return makeArm(text.replace(text.find("EVENTS"), 6, events));
  };
  const ModelRun uncut = runModel(withEvents("false"), "q", endWith(0.5e-3));
  const ModelRun run = runModel(withEvents("true"), "q, m, e", endWith(0.5e-3));
  EXPECT_GT(run.report.events, 20);
  EXPECT_LE(run.report.factorizations, countEnough(uncut, run.report.events));
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    ASSERT_NEAR(run.column("m")[i], std::clamp(run.column("e")[i], -3.0, 3.0), 1e-6);
  }
}

// Many clocks that nobody reads cut the steps to lengths of which hardly two are the same.
TEST(EventCost, ClocksOfManyPeriodsNeedNoTangents) {
  std::string blocks = "  m: {type: sine, amplitude: 1, frequency: 5}\n";
  const ModelRun uncut = runModel(makeArm(blocks), "q", endWith(0.5e-3));
  for (int i = 0; i < 5; ++i) {
    const std::string number = std::to_string(i);
    blocks += "  c" + number +
              ": {type: zero_order_hold, input: q, sample: " + std::to_string(0.71 + 0.137 * i) +
              " ms, offset: " + std::to_string(0.05 * i) + " ms}\n";
  }
  const ModelRun run = runModel(makeArm(blocks), "q", endWith(0.5e-3));
  EXPECT_GT(run.report.steps, 1500);
  EXPECT_LE(run.report.factorizations, countEnough(uncut));
  const double fine =
      runModel(makeArm("  m: {type: sine, amplitude: 1, frequency: 5}\n"), "q", endWith(0.25e-3))
          .last("q");
  EXPECT_NEAR(run.last("q"), uncut.last("q"), 2.0 * std::abs(fine - uncut.last("q")));
}

// A joint whose drive has not begun is measured as round-off, which every solution finds anew. A delay behind it must not take
// the difference for a jump, whose arrival would be an event that makes the next one: the only one here is the start of the
// record.
TEST(EventCost, RoundOffIsNoJumpForADelay) {
  const ModelRun run = runModel(
      "gravity: [0, 0, -9.81]\n"
      "nodes: {a: [0, 0, 0], b: [0.3, 0, 0.1]}\n"
      "bodies: {a: {node: a, mass: 1, inertia: [0.1, 0.1, 0.1]}, b: {node: b, mass: 3, inertia: "
      "[0.1, 0.2, 0.2]}}\n"
      "joints: {push: {type: slider, between: [a, b], at: [0, 0, 0], axis: [0.3, 0, 0.1], drive: "
      "y}}\n"
      "sensors: {x: {measure: displacement, joint: push}}\n"
      "blocks:\n"
      "  y: {type: trapezoid, distance: 0.2, velocity: 1.5, acceleration: 15, start: 50.3 ms}\n"
      "  late: {type: transport_delay, input: x, delay: 13.3 ms}\n"
      "  cuts: {type: pulse, period: 1.7 ms, width: 0.3 ms}\n",
      "x, late, y", "end: 0.1, step: 1 ms, rho: 0.99");
  EXPECT_EQ(run.report.events, 1);
  // y = 7.5 (t − 50.3 ms)² in its first 100 ms.
  EXPECT_NEAR(run.last("late"), 7.5 * std::pow(0.1 - 0.0503 - 0.0133, 2), 1e-6);
}

}  // namespace
}  // namespace flexloop::test
