// Joints whose drives follow from the forces in them, as under admittance control (docs/theory/09_time.md, section 9.6). Such a
// drive answers to accelerations: a shift that closes positions is none, and what is consistent has to agree with the answer.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

constexpr double kOmega = 20.0;
// The fastest root is that of the filter at the largest gain, sqrt(2) w / (1 - 0.8): of order two in steps of 0.25 ms.
constexpr double kError = 1.25e-3;

std::string text(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", x);
  return buffer;
}

// A slider of 1 kg behind a filter of the force in it, and 0.5 kg on a spring; 0.7 N and 1 N push them.
std::string makeAdmittance(double gain) {
  return "nodes: {a: {position: [0, 0, 0]}, b: {position: [1, 0, 0], free: [x]}}\n"
         "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}, b: {node: b, mass: 0.5}}\n"
         "joints: {s: {type: slider, between: [ground, a], axis: [1, 0, 0], drive: d}}\n"
         "springs: {k: {type: distance, between: [a, b], stiffness: 100, damping: 0.3}}\n"
         "sensors: {F: {measure: force, joint: s, direction: [1, 0, 0]}}\n"
         "blocks: {e: {type: gain, input: F, gain: " +
         text(gain) +
         "}, d: {type: low_pass, input: e, omega: 20, order: 2}}\n"
         "loads: {p: {node: b, force: [1, 0, 0]}, o: {node: a, force: [0.7, 0, 0]}}\n";
}

// By hand: y of the slider and x of the mass, y'' = w^2 (g F - y) - sqrt(2) w y', F = y'' - k (x - y) - c (x' - y') - 0.7.
struct Admittance {
  double gain = 0.0;

  using State = std::array<double, 4>;  // x, x', y, y'

  static double calcTension(const State& s) { return 100.0 * (s[0] - s[2]) + 0.3 * (s[1] - s[3]); }
  double calcDrive(const State& s) const {
    const double own = -kOmega * kOmega * s[2] - std::sqrt(2.0) * kOmega * s[3];
    const double share = gain * kOmega * kOmega;
    return (own - share * (calcTension(s) + 0.7)) / (1.0 - share);
  }
  double calcForce(const State& s) const { return calcDrive(s) - calcTension(s) - 0.7; }
  State calcRates(const State& s) const {
    return {s[1], 2.0 * (1.0 - calcTension(s)), s[3], calcDrive(s)};
  }
  State advance(State s, double time) const {
    constexpr int kParts = 20;
    const double h = time / kParts;
    const auto at = [](const State& a, double t, const State& b) {
      State sum;
      for (int i = 0; i < 4; ++i) sum[i] = a[i] + t * b[i];
      return sum;
    };
    for (int part = 0; part < kParts; ++part) {
      const State k1 = calcRates(s), k2 = calcRates(at(s, 0.5 * h, k1));
      const State k3 = calcRates(at(s, 0.5 * h, k2)), k4 = calcRates(at(s, h, k3));
      for (int i = 0; i < 4; ++i) s[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
    return s;
  }
};

double findForceError(const Admittance& machine, const ModelRun& run) {
  Admittance::State s{};
  double time = 0.0, error = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    s = machine.advance(s, run.times()[i] - time);
    time = run.times()[i];
    error = std::max(error, std::abs(run.column("F")[i] - machine.calcForce(s)));
    largest = std::max(largest, std::abs(machine.calcForce(s)));
  }
  return error / largest;
}

// All is linear: a correction, and one that shows that nothing is left.
TEST(ForceDrivenJoint, FollowsItsForceInOneIteration) {
  for (const double gain : {-0.02, 0.0015, 0.002}) {
    for (const char* rho : {"0", "0.8", "1"}) {
      const ModelRun run =
          runModel(makeAdmittance(gain), "F", std::string("end: 0.2, step: 0.25 ms, rho: ") + rho);
      EXPECT_LT(findForceError({gain}, run), kError) << gain << " rho " << rho;
      EXPECT_LE(run.report.iterations, 2 * run.report.steps + 10) << gain << " rho " << rho;
      EXPECT_LE(run.report.factorizations, 20) << gain << " rho " << rho;
      EXPECT_EQ(run.report.failedSteps, 0) << gain << " rho " << rho;
    }
    const ModelRun run =
        runModel(makeAdmittance(gain), "F", "end: 0.2, step: 1 ms, adaptive: true");
    EXPECT_LT(findForceError({gain}, run), kError) << gain;
  }
}

// Each drive answers to the acceleration of the other.
TEST(ForceDrivenJoint, FollowsOthersToo) {
  const std::string machine =
      "nodes: {a: [0, 0, 0], b: [1, 0, 0]}\n"
      "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}, b: {node: b, mass: 0.5, inertia: [1, 1, "
      "1]}}\n"
      "joints: {s: {type: slider, between: [ground, a], axis: [1, 0, 0], drive: d}, r: {type: "
      "slider, between: [a, b], axis: [0.6, 0.8, 0], drive: f}}\n"
      "sensors: {F: {measure: force, joint: s, direction: [1, 0, 0]}, R: {measure: force, joint: "
      "r, direction: [0.6, 0.8, 0]}}\n"
      "blocks:\n"
      "  e: {type: gain, input: F, gain: -0.01}\n"
      "  d: {type: low_pass, input: e, omega: 20, order: 2}\n"
      "  g: {type: gain, input: R, gain: 0.003}\n"
      "  f: {type: low_pass, input: g, omega: 20, order: 2}\n"
      "loads: {p: {node: b, force: [1, 0.5, 0]}}\n";
  for (const char* rho : {"0", "0.8", "1"}) {
    const ModelRun run =
        runModel(machine, "F, R", std::string("end: 0.3, step: 0.5 ms, rho: ") + rho);
    EXPECT_LE(run.report.iterations, 2 * run.report.steps + 10) << rho;
    // Positions, which index 3 imposes on accelerations, have the same answer.
    const ModelRun other =
        runModel(machine, "F, R", "end: 0.3, step: 0.5 ms, rho: 0.6, constraints: index3");
    for (const char* output : {"F", "R"}) {
      for (const double t : {0.0, 0.1, 0.2, 0.3}) {
        EXPECT_NEAR(run.at(t, output), other.at(t, output), 2e-3) << rho << " " << output << t;
      }
    }
  }
}

}  // namespace
}  // namespace flexloop::test
