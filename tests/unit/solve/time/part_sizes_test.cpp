// A machine beside others that have nothing to do with it (docs/theory/09_time.md, section 9.9): its motion and its forces are
// those that it has alone, whatever the others weigh, wherever they are and however fast.
#include <algorithm>
#include <cmath>
#include <complex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// A pendulum on a hinge that falls from the horizontal, and what is beside it.
ModelRun runBeside(const std::string& node, const std::string& body, const std::string& load,
                   const std::string& constraints) {
  const std::string none = node.empty() ? "" : ", ";
  return runModel(
      "gravity: [0, 0, -9.81]\n"
      "nodes: {p: [0.5, 0, 0]" +
      none + node +
      "}\n"
      "bodies: {p: {node: p, mass: 1, inertia: [0.02, 0.02, 0.02]}" +
      none + body +
      "}\n"
      "joints: {h: {type: hinge, between: [ground, p], at: [0, 0, 0], axis: [0, 1, 0]}}\n" +
      load +
      "sensors: {q: {measure: angle, joint: h}, F: {measure: force, joint: h}}\n"
      "outputs: [q, F]\n"
      "analysis: {time: {end: 0.6, step: 1 ms, constraints: " +
      constraints + "}}\n");
}

struct Neighbour {
  const char* node;
  const char* body;
  const char* load;
};

TEST(PartSizes, NeighboursDoNotSpoilAMachine) {
  const Neighbour neighbours[] = {
      {"z: {position: [9, 0, 0], free: [x]}", "z: {node: z, mass: 1}",
       "loads: {l: {node: z, force: [1e9, 0, 0]}}\n"},
      {"z: {position: [9, 0, 0], free: [x]}", "z: {node: z, mass: 1e-9}",
       "loads: {l: {node: z, force: [1, 0, 0]}}\n"},
      {"z: {position: [9, 0, 0], free: [x]}", "z: {node: z, mass: 1e12}",
       "loads: {l: {node: z, force: [1, 0, 0]}}\n"},
      {"z: {position: [1e9, 0, 0], velocity: [1e3, 0, 0]}",
       "z: {node: z, mass: 5, inertia: [1, 1, 1]}", ""},
      {"z: {position: [9, 0, 0], angular_velocity: [0, 0, 1e5]}",
       "z: {node: z, mass: 5, inertia: [1, 1, 1]}", ""}};
  for (const char* constraints : {"index2", "index3"}) {
    // With index 3, a neighbour far away has all forces recorded as those that belong to positions and velocities: they
    // differ by the error of the step, which is 4e-4 N here.
    const double tolerance = std::string(constraints) == "index3" ? 1e-3 : 1e-5;
    const ModelRun alone = runBeside("", "", "", constraints);
    for (const Neighbour& other : neighbours) {
      SCOPED_TRACE(std::string(constraints) + ": " + other.node + other.body);
      const ModelRun run = runBeside(other.node, other.body, other.load, constraints);
      for (const char* name : {"F.x", "F.z"}) {
        for (const double t : {0.1, 0.35, 0.6}) {
          EXPECT_NEAR(run.at(t, name), alone.at(t, name), tolerance) << name << " at " << t;
        }
      }
      EXPECT_NEAR(run.last("q"), alone.last("q"), 1e-8);
    }
  }
}

std::string number(double x) {
  std::ostringstream stream;
  stream.precision(17);
  stream << x;
  return stream.str();
}

std::string list(double x, int count) {
  std::string text = "[" + number(x);
  for (int i = 1; i < count; ++i) text += ", " + number(x);
  return text + "]";
}

// Arms of a beam and a body with two controllers, in units of mass and length, side by side. `letter` begins all names of one.
class Arms {
 public:
  // `slower`: units of time.
  void add(const std::string& letter, double mass, double length, double slower = 1.0) {
    const auto named = [&](const char* name) { return "  " + letter + name + ": "; };
    const double force = mass * length / (slower * slower), torque = force * length;
    sections_ +=
        named("s") + "{type: stiffness, EA: " + number(2e4 * force) +
        ", GAy: " + number(1e4 * force) + ", GAz: " + number(1e4 * force) +
        ", GJ: " + number(8.0 * torque * length) + ", EIy: " + number(5.0 * torque * length) +
        ", EIz: " + number(6.0 * torque * length) + ", rhoA: " + number(0.5 * mass / length) +
        ", rhoJ: " + list(1e-3 * mass * length, 3) + "}\n";
    nodes_ += named("A") + "[0, 0, 0]\n" + named("B") + "[" + number(length) + ", 0, 0]\n" +
              named("c") + "[" + number(1.5 * length) + ", 0, 0]\n";
    bodies_ += named("B") + "{node: " + letter + "B, mass: " + number(0.3 * mass) +
               ", inertia: " + list(0.01 * mass * length * length, 3) + "}\n" + named("c") +
               "{node: " + letter + "c, mass: " + number(0.5 * mass) +
               ", inertia: " + list(0.03 * mass * length * length, 3) + "}\n";
    beams_ += named("w") + "{from: " + letter + "A, to: " + letter +
              "B, elements: 2, section: " + letter +
              "s, y_axis: [0, 1, 0], damping: " + number(0.001 * slower) + "}\n";
    joints_ += named("h") + "{type: hinge, between: [ground, " + letter +
               "A], axis: [0.1, 1, 0], stiffness: " + number(20.0 * torque) + ", start: 0.3}\n" +
               named("k") + "{type: hinge, between: [" + letter + "B, " + letter + "c], at: [" +
               number(1.1 * length) +
               ", 0, 0], axis: [0, 1, 0.2], start_rate: " + number(2.0 / slower) + "}\n";
    sensors_ += named("p") + "{measure: angle, joint: " + letter + "h}\n" + named("q") +
                "{measure: angle, joint: " + letter + "k}\n" + named("f") +
                "{measure: force, joint: " + letter + "k, direction: [0, 0, 1]}\n";
    blocks_ += named("u") + "{type: pid, input: " + letter + "q, kp: " + number(3.0 * torque) +
               ", ki: " + number(2.0 * torque / slower) + ", kd: " + number(0.2 * torque * slower) +
               ", limits: [" + number(-0.5 * torque) + ", " + number(0.5 * torque) + "]}\n" +
               named("v") + "{type: discrete_pid, input: " + letter + "p, kp: " + number(torque) +
               ", kd: " + number(0.3 * torque * slower) + ", sample: 13.7 ms}\n";
    actuators_ += named("m") + "{type: torque, joint: " + letter + "k, input: " + letter + "u}\n" +
                  named("n") + "{type: torque, joint: " + letter + "h, input: " + letter + "v}\n";
    loads_ += named("l") + "{node: " + letter + "c, force: [0, 0, " + number(-4.9 * force) + "]}\n";
    outputs_ += (outputs_.empty() ? "" : ", ") + letter + "q, " + letter + "f";
  }

  ModelRun run(const char* scheme) const { return runModel(text(scheme)); }

  std::string text(const char* scheme) const {
    return ("sections:\n" + sections_ + "nodes:\n" + nodes_ + "bodies:\n" + bodies_ + "beams:\n" +
            beams_ + "joints:\n" + joints_ + "sensors:\n" + sensors_ + "blocks:\n" + blocks_ +
            "actuators:\n" + actuators_ + "loads:\n" + loads_ + "outputs: [" + outputs_ +
            "]\nanalysis: {time: {end: 0.3, step: 1 ms, " + scheme + "}}\n");
  }

  // Of the start, without the sampled controllers.
  std::vector<std::complex<double>> roots() const {
    std::string text = this->text("rho: 0.8");
    for (std::size_t at = 0; (at = text.find("discrete_pid", at)) != std::string::npos;) {
      text.replace(at, 12, "pid");
      const std::size_t sample = text.find(", sample: 13.7 ms", at);
      text.erase(sample, 17);
    }
    const model::Model model = buildModel(text);
    const analysis::OperatingState point = analysis::findOperatingPoint(model, {});
    EXPECT_TRUE(point.ok()) << messageOf(point.failure);
    const analysis::ModeResult result = analysis::findModes(model, point.state, {.count = 100});
    EXPECT_TRUE(result.ok()) << messageOf(result.failure);
    std::vector<std::complex<double>> roots;
    for (const analysis::Mode& mode : result.modes) roots.push_back(mode.eigenvalue);
    return roots;
  }

 private:
  std::string sections_, nodes_, bodies_, beams_, joints_, sensors_, blocks_, actuators_, loads_,
      outputs_;
};

// Masses of 1e-12 and lengths of 1e-6 make inertias of 1e-24: no pivot of one machine may be judged by those of the other.
// They share a tolerance of 1e-6, of which index 3 makes more in forces.
TEST(PartSizes, MachinesOfAnotherSizeAreSolvedAsIfAlone) {
  for (const char* scheme : {"rho: 0.8", "rho: 0.8, constraints: index3", "adaptive: true"}) {
    Arms alone;
    alone.add("a", 1.0, 1.0);
    const ModelRun one = alone.run(scheme);
    for (const auto& [mass, length] :
         {std::pair(1e-12, 1e-6), {1e-30, 1.0}, {1e12, 1e6}, {1.0, 1e-9}}) {
      SCOPED_TRACE(std::string(scheme) + ", mass " + number(mass) + ", length " + number(length));
      Arms arms;
      arms.add("a", 1.0, 1.0);
      arms.add("b", mass, length);
      const ModelRun both = arms.run(scheme);
      const double force = 10.0;
      EXPECT_NEAR(both.last("aq"), one.last("aq"), 1e-5);
      EXPECT_NEAR(both.last("af"), one.last("af"), 1e-3 * force);
      EXPECT_NEAR(both.last("bq"), one.last("aq"), 1e-5);
      EXPECT_NEAR(both.last("bf") / (mass * length), one.last("af"), 1e-3 * force);
    }
  }
}

// One of them a million times slower. Both have the roots that they have alone.
TEST(PartSizes, SlowMachinesHaveTheirModesBesideFastOnes) {
  Arms alone;
  alone.add("a", 1.0, 1.0);
  const std::vector<std::complex<double>> one = alone.roots();
  for (const double slower : {1e6, 1e8}) {
    Arms arms;
    arms.add("a", 1.0, 1.0);
    arms.add("b", 1.0, 1.0, slower);
    const std::vector<std::complex<double>> both = arms.roots();
    EXPECT_EQ(both.size(), 2 * one.size());
    for (const std::complex<double>& root : one) {
      for (const double unit : {1.0, slower}) {
        double nearest = INFINITY;
        for (const std::complex<double>& other : both) {
          nearest = std::min(nearest, std::abs(unit * other - root));
        }
        EXPECT_LE(nearest, 1e-8 * std::abs(root)) << root << " over " << unit;
      }
    }
  }
}

}  // namespace
}  // namespace flexloop::test
