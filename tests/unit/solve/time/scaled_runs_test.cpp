// The same machine in other units of mass, length and time, and with signals in other units, moves alike.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// Factors of mass, length, time, and of the signals between sensor and controller.
struct Units {
  double mass = 1.0, length = 1.0, time = 1.0, signal = 1.0;

  std::string of(double x, int masses, int lengths, int times, int signals = 0) const {
    return number(x * std::pow(mass, masses) * std::pow(length, lengths) * std::pow(time, times) *
                  std::pow(signal, signals));
  }
  std::string name() const {
    return "mass " + number(mass) + ", length " + number(length) + ", time " + number(time) +
           ", signals " + number(signal);
  }
  static std::string number(double x) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", x);
    return text;
  }
};

// Two links with a servo between them, a spring to the ground, and a force that begins in the middle of the run.
std::string makeArm(const Units& u, const std::string& controller, double gravity) {
  const auto vector = [&](double x, double y, double z, int m, int l, int t) {
    return "[" + u.of(x, m, l, t) + ", " + u.of(y, m, l, t) + ", " + u.of(z, m, l, t) + "]";
  };
  const std::string inertia = vector(1e-3, 0.02, 0.02, 1, 2, 0);
  return "gravity: " + vector(0, 0, -gravity, 0, 1, -2) +
         "\nnodes: {A: " + vector(0.25, 0, 0, 0, 1, 0) + ", B: " + vector(0.75, 0, 0, 0, 1, 0) +
         "}\nbodies:\n  a: {node: A, mass: " + u.of(1, 1, 0, 0) + ", inertia: " + inertia +
         "}\n  b: {node: B, mass: " + u.of(0.5, 1, 0, 0) + ", inertia: " + inertia +
         "}\njoints:\n  root: {type: hinge, between: [ground, A], at: [0, 0, 0], axis: [0, 1, 0]}\n"
         "  elbow: {type: hinge, between: [A, B], at: " +
         vector(0.5, 0, 0, 0, 1, 0) +
         ", axis: [0, 1, 0]}\nsprings:\n  s: {type: distance, between: "
         "[ground, A], at: " +
         vector(0.25, 0, 0.4, 0, 1, 0) + ", to: " + vector(0.25, 0, 0, 0, 1, 0) +
         ", stiffness: " + u.of(300, 1, 0, -2) + ", damping: " + u.of(2, 1, 0, -1) +
         "}\nsensors: {q: {measure: angle, joint: elbow}}\nblocks:\n"
         "  y: {type: gain, input: q, gain: " +
         Units::number(u.signal) + "}\n  push: {type: step, at: " + u.of(0.1, 0, 0, 1) +
         ", to: " + u.of(3, 1, 1, -2) + "}\n" + controller +
         "loads: {p: {node: B, force: [0, 0, 1], signal: push}}\n"
         "actuators: {m: {type: torque, joint: elbow, input: c, gain: " +
         Units::number(1.0 / u.signal) + "}}\n";
}

std::string makePid(const Units& u, const std::string& type, const std::string& more) {
  return "  c: {type: " + type + ", input: y, kp: " + u.of(8, 1, 2, -2) +
         ", ki: " + u.of(20, 1, 2, -3) + ", kd: " + u.of(0.3, 1, 2, -1) + more + "}\n";
}

struct Path {
  std::vector<double> x, torque;
};

Path run(const std::string& kind, const Units& u, double gravity) {
  const std::string pid =
      kind == "continuous"
          ? makePid(u, "pid", ", filter: " + u.of(2e-3, 0, 0, 1))
          : makePid(u, "discrete_pid",
                    ", filter: " + u.of(5e-3, 0, 0, 1) + ", sample: " + u.of(4e-3, 0, 0, 1));
  const ModelRun run = runModel(makeArm(u, pid, gravity),
                                "c, {name: z, measure: position, node: B, direction: [0, 0, 1]}",
                                "end: " + u.of(0.3, 0, 0, 1) + ", step: " + u.of(1e-3, 0, 0, 1) +
                                    ", newton: {tolerance: 1e-10}");
  Path path{run.column("z"), run.column("c")};
  for (double& x : path.x) x /= u.length;
  for (double& t : path.torque) t /= u.mass * u.length * u.length / (u.time * u.time) * u.signal;
  return path;
}

double compare(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double difference = 0.0, size = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return difference / size;
}

class ScaledRun : public ::testing::TestWithParam<std::string> {};

TEST_P(ScaledRun, IsTheSame) {
  const double p = std::pow(2.0, 40), q = 1.0 / p;
  const std::vector<Units> all{{p},          {q},           {1, p},       {1, q},
                               {1, 1, p},    {1, 1, q},     {1, 1, 1, p}, {1, 1, 1, q},
                               {p, p, q, q}, {q, p, p, 1},  {1e-9, 1e-6}, {1e12, 1e3},
                               {1, 1, 1e-6}, {1, 1, 1, 1e9}};
  for (const double gravity : {9.81, 0.0}) {
    const Path truth = run(GetParam(), {}, gravity);
    for (const Units& units : all) {
      SCOPED_TRACE(units.name() + ", gravity " + Units::number(gravity));
      const Path path = run(GetParam(), units, gravity);
      // Newton's tolerance is 1e-10. What is left comes from tangents that round-off lets be renewed in other steps.
      EXPECT_LE(compare(path.x, truth.x), 1e-8);
      EXPECT_LE(compare(path.torque, truth.torque), 1e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ScaledRun, ::testing::Values("continuous", "sampled"),
                         [](const auto& kind) { return kind.param; });

}  // namespace
}  // namespace flexloop::test
