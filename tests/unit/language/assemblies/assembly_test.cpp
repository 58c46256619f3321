// Assemblies and their instances. The truth is the same machine written out by hand.
#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "base/text_format.hpp"
#include "language/model_reader.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using base::formatText;

constexpr const char* kCommon = R"(
gravity: [0.3, 0, -9.81]
parameters: {stiff: 300}
materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}
sections: {strip: {type: rectangle, width: 20 mm, height: 4 mm}}
nodes: {hub: {position: [0, 0, 0.4], angular_velocity: [0.2, 0.1, 0.5]}}
bodies: {hub: {node: hub, mass: 4, inertia: [0.2, 0.2, 0.3]}}
blocks: {wave: {type: sine, amplitude: 2, frequency: 3 Hz}}
)";

constexpr const char* kLeg = R"(
assemblies:
  leg:
    parameters: {k: 200, c: = k/100}
    nodes:
      hip: {position: [0.2, 0, 0.4]}
      foot: {position: [0.5, 0.05, 0], rotation: {axis: [0, 1, 0], angle: 20 deg}, velocity: [0.1, 0, 0.2]}
    bodies: {foot: {node: foot, mass: 0.5, inertia: [1e-3, 2e-3, 3e-3], com: [0, 0, 0.02]}}
    beams: {shank: {from: hip, to: foot, elements: 2, section: strip, material: alu, y_axis: [0, 1, 0]}}
    joints: {j: {type: hinge, between: [hub, hip], at: [0.15, 0, 0.4], axis: [0, 1, 0], stiffness: = k}}
    springs:
      floor: {type: linear, between: [ground, foot], direction: [0, 0, 1], stiffness: = 50*k, damping: = c}
      pad: {type: bushing, between: [ground, foot], stiffness: [10, 20, 30, 1, 2, 3], damping: [1, 2, 3, 0, 0, 0]}
    loads:
      side: {node: foot, force: [1, 2, 0], signal: wave}
      thrust: {node: foot, force: [1, 0, 0], frame: body}
    sensors:
      x: {measure: displacement, node: foot, direction: [1, 0, 0]}
      b: {measure: velocity, node: foot, direction: [1, 0, 0], frame: body}
      q: {measure: angle, joint: j}
      mid: {measure: velocity, node: shank@0.5, direction: [0, 1, 0]}
    blocks: {law: {type: pid, input: q, reference: 0.1, kp: 20, kd: 1}}
    actuators:
      motor: {type: torque, joint: j, input: law}
      fan: {type: force, node: foot, direction: [0, 1, 0], input: wave, gain: 0.2}
)";

struct Vector {
  double x, y, z;
};

// A leg by hand, turned by an angle about z, with the suffix i for its names.
class LegByHand {
 public:
  LegByHand(int i, double angle, double lift, double k)
      : i_(i), c_(std::cos(angle)), s_(std::sin(angle)), lift_(lift), angle_(angle), k_(k) {}

  std::string nodes() const {
    // Ry(20°) and then Rz(angle), as axis and angle of the product.
    const double half = 0.5 * 20.0 * std::numbers::pi / 180.0, turn = 0.5 * angle_;
    const double w = std::cos(half) * std::cos(turn);
    const Vector v{-std::sin(turn) * std::sin(half), std::cos(turn) * std::sin(half),
                   std::sin(turn) * std::cos(half)};
    const double length = std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    return formatText("  hip%d: {position: %s, rotation: {axis: [0, 0, 1], angle: %.17g}}\n", i_,
                      point({0.2, 0, 0.4}).c_str(), angle_) +
           formatText(
               "  foot%d: {position: %s, rotation: {axis: [%.17g, %.17g, %.17g], angle: %.17g}, "
               "velocity: %s}\n",
               i_, point({0.5, 0.05, 0}).c_str(), v.x, v.y, v.z, 2.0 * std::atan2(length, w),
               turned({0.1, 0, 0.2}).c_str());
  }
  std::string bodies() const {
    return formatText(
        "  foot%d: {node: foot%d, mass: 0.5, inertia: [1e-3, 2e-3, 3e-3], com: [0, 0, 0.02]}\n", i_,
        i_);
  }
  std::string beams() const {
    return formatText(
        "  shank%d: {from: hip%d, to: foot%d, elements: 2, section: strip, material: alu, y_axis: "
        "%s}\n",
        i_, i_, i_, turned({0, 1, 0}).c_str());
  }
  std::string joints() const {
    return formatText(
        "  j%d: {type: hinge, between: [hub, hip%d], at: %s, axis: %s, stiffness: %.17g}\n", i_, i_,
        point({0.15, 0, 0.4}).c_str(), turned({0, 1, 0}).c_str(), k_);
  }
  std::string springs() const {
    return formatText(
               "  ground%d: {type: linear, between: [ground, foot%d], direction: [0, 0, 1], "
               "stiffness: %.17g, damping: %.17g}\n",
               i_, i_, 50.0 * k_, k_ / 100.0) +
           formatText(
               "  pad%d: {type: bushing, between: [ground, foot%d], stiffness: [10, 20, 30, 1, 2, "
               "3], damping: [1, 2, 3, 0, 0, 0], axes: {x: %s, y: %s}}\n",
               i_, i_, turned({1, 0, 0}).c_str(), turned({0, 1, 0}).c_str());
  }
  std::string loads() const {
    return formatText("  side%d: {node: foot%d, force: %s, signal: wave}\n", i_, i_,
                      turned({1, 2, 0}).c_str()) +
           formatText("  thrust%d: {node: foot%d, force: [1, 0, 0], frame: body}\n", i_, i_);
  }
  std::string sensors() const {
    return formatText("  x%d: {measure: displacement, node: foot%d, direction: %s}\n", i_, i_,
                      turned({1, 0, 0}).c_str()) +
           formatText(
               "  b%d: {measure: velocity, node: foot%d, direction: [1, 0, 0], frame: body}\n", i_,
               i_) +
           formatText("  q%d: {measure: angle, joint: j%d}\n", i_, i_) +
           formatText("  mid%d: {measure: velocity, node: shank%d@0.5, direction: %s}\n", i_, i_,
                      turned({0, 1, 0}).c_str());
  }
  std::string blocks() const {
    return formatText("  law%d: {type: pid, input: q%d, reference: 0.1, kp: 20, kd: 1}\n", i_, i_);
  }
  std::string actuators() const {
    return formatText("  motor%d: {type: torque, joint: j%d, input: law%d}\n", i_, i_, i_) +
           formatText(
               "  fan%d: {type: force, node: foot%d, direction: %s, input: wave, gain: 0.2}\n", i_,
               i_, turned({0, 1, 0}).c_str());
  }

 private:
  std::string turned(const Vector& v) const {
    return formatText("[%.17g, %.17g, %.17g]", c_ * v.x - s_ * v.y, s_ * v.x + c_ * v.y, v.z);
  }
  std::string point(const Vector& p) const {
    return formatText("[%.17g, %.17g, %.17g]", c_ * p.x - s_ * p.y, s_ * p.x + c_ * p.y,
                      p.z + lift_);
  }

  int i_;
  double c_, s_, lift_, angle_, k_;
};

std::string byHand(const std::vector<LegByHand>& legs) {
  std::string text = kCommon;
  const auto insert = [&](const std::string& section, std::string (LegByHand::*lines)() const) {
    std::string all;
    for (const LegByHand& leg : legs) all += (leg.*lines)();
    const std::size_t at = text.find("\n" + section + ": {");
    if (at == std::string::npos) {
      text += section + ":\n" + all;
      return;
    }
    // `nodes: {hub: {...}}` becomes `nodes:` with lines.
    const std::size_t start = at + section.size() + 4, end = text.find('\n', start);
    const std::string first = text.substr(start, end - start - 1);
    text.replace(at + 1, end - at - 1, section + ":\n  " + first + "\n" + all);
  };
  insert("nodes", &LegByHand::nodes);
  insert("bodies", &LegByHand::bodies);
  insert("beams", &LegByHand::beams);
  insert("joints", &LegByHand::joints);
  insert("springs", &LegByHand::springs);
  insert("loads", &LegByHand::loads);
  insert("sensors", &LegByHand::sensors);
  insert("blocks", &LegByHand::blocks);
  insert("actuators", &LegByHand::actuators);
  return text;
}

// The largest difference of an output of the two machines, relative to its largest value.
double difference(const ModelRun& a, const std::string& nameA, const ModelRun& b,
                  const std::string& nameB) {
  const std::vector<double>&x = a.column(nameA), &y = b.column(nameB);
  double largest = 0.0, worst = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(y[i]));
    worst = std::max(worst, std::abs(x[i] - y[i]));
  }
  EXPECT_GT(largest, 0.0) << nameB;
  return worst / largest;
}

TEST(AssemblyTest, SixTurnedLegsAreTheMachineWrittenOutByHand) {
  std::string text = std::string(kCommon) + kLeg + "instances:\n";
  std::vector<LegByHand> legs;
  std::string names, handNames;
  for (int i = 0; i < 6; ++i) {
    const double lift = 0.01 * i;
    text += formatText(
        "  leg%d: {of: leg, position: [0, 0, %.17g], rotation: {axis: [0, 0, 2], angle: %d "
        "deg}%s}\n",
        i, lift, 60 * i, i == 2 ? ", parameters: {k: = 2*stiff}" : "");
    legs.emplace_back(i, 60.0 * i * std::numbers::pi / 180.0, lift, i == 2 ? 600.0 : 200.0);
    for (const char* sensor : {"x", "b", "q", "mid", "motor"}) {
      names += formatText("%sleg%d.%s", names.empty() ? "" : ", ", i, sensor);
      handNames += formatText("%s%s%d", handNames.empty() ? "" : ", ", sensor, i);
    }
  }
  const std::string time = "end: 0.05, step: 1 ms";
  const ModelRun placed = runModel(text, names, time);
  const ModelRun hand = runModel(byHand(legs), handNames, time);
  for (int i = 0; i < 6; ++i) {
    for (const char* sensor : {"x", "b", "q", "mid", "motor"}) {
      // Rounding of turned positions, and what a Newton iteration leaves.
      EXPECT_LT(difference(placed, formatText("leg%d.%s", i, sensor), hand,
                           formatText("%s%d", sensor, i)),
                1e-7)
          << i << " " << sensor;
    }
  }
}

TEST(AssemblyTest, ALegThatIsNotTurnedIsTheLegByHand) {
  const std::string text = std::string(kCommon) + kLeg + "instances: {leg0: {of: leg}}\n";
  const std::string time = "end: 0.02, step: 1 ms";
  const ModelRun placed = runModel(text, "leg0.x, leg0.q.rate, leg0.motor", time);
  const ModelRun hand = runModel(byHand({{0, 0.0, 0.0, 200.0}}), "x0, q0.rate, motor0", time);
  EXPECT_LT(difference(placed, "leg0.x", hand, "x0"), 1e-9);
  EXPECT_LT(difference(placed, "leg0.q.rate", hand, "q0.rate"), 1e-9);
}

// A planar oscillator whose freedom turns with the instance onto another axis of ground.
constexpr const char* kSlide = R"(
assemblies:
  slide:
    parameters: {k: 100, m: }
    nodes: {cart: {position: [1, 0, 0], free: [x], velocity: [0.5, 0, 0]}}
    bodies: {cart: {node: cart, mass: = m}}
    springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: = k}}
    sensors: {x: {measure: displacement, node: cart, direction: [1, 0, 0]}}
)";

TEST(AssemblyTest, HeldFreedomsTurnAlong) {
  const std::string text = std::string(kSlide) + R"(
instances:
  a: {of: slide, parameters: {m: 2}}
  b: {of: slide, rotation: {axis: [0, 0, 1], angle: 90 deg}, parameters: {m: 2}}
  c: {of: slide, rotation: {axis: [0, 1, 0], angle: -90 deg}, parameters: {m: 2, k: 400}}
sensors:
  y: {measure: position, node: b.cart}
)";
  const ModelRun run = runModel(text, "a.x, b.x, c.x, y", "end: 0.3, step: 1 ms");
  for (const double t : {0.1, 0.2, 0.3}) {
    EXPECT_NEAR(run.at(t, "a.x"), 0.5 / std::sqrt(50.0) * std::sin(std::sqrt(50.0) * t), 2e-6);
    EXPECT_NEAR(run.at(t, "b.x"), run.at(t, "a.x"), 1e-12);
    EXPECT_NEAR(run.at(t, "c.x"), 0.5 / std::sqrt(200.0) * std::sin(std::sqrt(200.0) * t), 4e-6);
    EXPECT_NEAR(run.at(t, "y.y"), 1.0 + run.at(t, "b.x"), 1e-12);
    EXPECT_NEAR(run.at(t, "y.x"), 0.0, 1e-12);
  }
}

TEST(AssemblyTest, InstancesAreInsideAssembliesToo) {
  const std::string text = std::string(kSlide) + R"(
  pair:
    parameters: {big: 3}
    instances:
      left: {of: slide, position: [0, 1, 0], parameters: {m: = big}}
      right: {of: slide, position: [0, -1, 0], rotation: {axis: [0, 0, 1], angle: 180 deg}, parameters: {m: = big/3}}
    springs: {tie: {type: linear, between: [left.cart, right.cart], direction: [1, 0, 0], stiffness: 50}}
    sensors: {gap: {measure: distance, between: [left.cart, right.cart]}}
    blocks: {sum: {type: sum, inputs: [left.x, -right.x, gap]}}
instances:
  p: {of: pair, position: [5, 0, 0], rotation: {axis: [0, 0, 1], angle: 90 deg}}
sensors:
  l: {measure: position, node: p.left.cart}
  r: {measure: position, node: p.right.cart}
)";
  const ModelRun run =
      runModel(text, "l, r, p.sum, p.gap, p.left.x, p.right.x", "end: 0.01, step: 1 ms");
  EXPECT_NEAR(run.at(0.0, "l.x"), 4.0, 1e-12);  // [1, 1, 0] turned to [-1, 1, 0], moved by 5
  EXPECT_NEAR(run.at(0.0, "l.y"), 1.0, 1e-12);
  EXPECT_NEAR(run.at(0.0, "r.x"), 6.0, 1e-12);
  EXPECT_NEAR(run.at(0.0, "r.y"), -1.0, 1e-12);
  EXPECT_NEAR(run.at(0.01, "p.sum"),
              run.at(0.01, "p.left.x") - run.at(0.01, "p.right.x") + run.at(0.01, "p.gap"), 1e-12);
}

TEST(AssemblyTest, ValuesOfTheCommandLineReachInstances) {
  const std::string text = std::string(kSlide) + R"(
parameters: {weight: 2}
instances: {a: {of: slide, parameters: {m: = weight}}}
outputs: [a.x]
analysis: {time: {end: 0.1, step: 1 ms}}
)";
  const auto lastOf = [&](const language::Overrides& overrides) {
    return runModel(buildModel(text, overrides)).last("a.x");
  };
  const auto exact = [](double k, double m) {
    const double w = std::sqrt(k / m);
    return 0.5 / w * std::sin(0.1 * w);
  };
  EXPECT_NEAR(lastOf({}), exact(100, 2), 2e-6);
  EXPECT_NEAR(lastOf({{"weight=5"}, {}}), exact(100, 5), 2e-6);
  EXPECT_NEAR(lastOf({{}, {"instances.a.parameters.k=300"}}), exact(300, 2), 4e-6);
  EXPECT_NEAR(lastOf({{}, {"assemblies.slide.springs.k.stiffness=50"}}), exact(50, 2), 2e-6);
  EXPECT_NEAR(lastOf({{}, {"assemblies.slide.parameters.k=50"}}), exact(50, 2), 2e-6);
}

TEST(AssemblyTest, DiagramsAreUsedInsideInstances) {
  const std::string text = std::string(kSlide) + R"(
  driven:
    parameters: {kp: 3}
    instances: {s: {of: slide, parameters: {m: 1}}}
    blocks:
      servo1: {type: servo, inputs: {e: s.x}, parameters: {gain: = 2*kp}}
      twice: {type: sum, inputs: [servo1, servo1]}
    actuators: {push: {type: force, node: s.cart, direction: [1, 0, 0], input: servo1}}
diagrams:
  servo: {inputs: [e], outputs: [law], parameters: {gain: 1}, blocks: {law: {type: gain, input: e, gain: = -gain}}}
instances: {a: {of: driven}, b: {of: driven, parameters: {kp: 50}}}
)";
  const ModelRun run =
      runModel(text, "a.s.x, a.servo1, a.twice, b.s.x, b.servo1.law", "end: 0.1, step: 1 ms");
  EXPECT_NEAR(run.last("a.servo1"), -6.0 * run.last("a.s.x"), 1e-12);
  EXPECT_NEAR(run.last("a.twice"), -12.0 * run.last("a.s.x"), 1e-12);
  EXPECT_NEAR(run.last("b.servo1.law"), -100.0 * run.last("b.s.x"), 1e-12);
  EXPECT_NEAR(run.last("b.s.x"), 0.5 / std::sqrt(200.0) * std::sin(0.1 * std::sqrt(200.0)), 4e-6);
}

TEST(AssemblyTest, TwoHundredInstancesAndNone) {
  std::string text = std::string(kSlide) + "instances:\n";
  for (int i = 0; i < 200; ++i) {
    text +=
        formatText("  s%d: {of: slide, position: [0, %d, 0], parameters: {m: %d}}\n", i, i, i + 1);
  }
  const model::Model model = buildModel(text);
  EXPECT_EQ(model.system().nodes().size(), 201u);
  EXPECT_EQ(buildModel("nodes: {A: [0, 0, 0]}\ninstances: {}\n").system().nodes().size(), 2u);
  EXPECT_TRUE(buildModel(kSlide).system().nodes().size() == 1u);
}

TEST(AssemblyTest, AnInstanceMayBeNamedLikeANode) {
  const model::Model model = buildModel(std::string(kSlide) + R"(
nodes: {a: [0, 0, 0]}
bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}}
instances: {a: {of: slide, parameters: {m: 1}}}
springs: {s: {type: distance, between: [a, a.cart], stiffness: 1}}
)");
  EXPECT_EQ(model.system().nodes().size(), 3u);
}

}  // namespace
}  // namespace flexloop::test
