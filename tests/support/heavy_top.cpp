#include "support/heavy_top.hpp"

#include <cmath>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/diagnostics.hpp"
#include "mechanics/bodies/inertia.hpp"
#include "mechanics/joints/joint.hpp"
#include "solve/initial_conditions.hpp"
#include "system/builder.hpp"
#include "system/elements.hpp"

namespace flexloop::test {

using math::Mat3;
using math::Vec3;
using math::Vec6;

namespace {

constexpr double kMass = 15.0;
const Vec3<double> kCentre(0.0, 1.0, 0.0);
const Vec3<double> kInertia(0.234375, 0.46875, 0.234375);  // about the centre
const Vec3<double> kSpin(0.0, 150.0, -4.61538);
const Vec3<double> kGravity(0.0, 0.0, -9.81);

struct Rates {
  Mat3<double> R;
  Vec3<double> omega;
};

Vec3<double> calcOmegaDot(const Mat3<double>& R, const Vec3<double>& omega) {
  Vec3<double> J = kInertia;
  J[0] += kMass;
  J[2] += kMass;
  const Vec3<double> momentum = J.cwiseProduct(omega);
  const Vec3<double> torque =
      kMass * math::cross<double>(kCentre, Vec3<double>(R.transpose() * kGravity));
  return (torque - math::cross<double>(omega, momentum)).cwiseQuotient(J);
}

Rates calcRates(const Mat3<double>& R, const Vec3<double>& omega) {
  return {R * math::skew<double>(omega), calcOmegaDot(R, omega)};
}

void advance(Mat3<double>& R, Vec3<double>& omega, double h) {
  const Rates k1 = calcRates(R, omega);
  const Rates k2 = calcRates(R + 0.5 * h * k1.R, omega + 0.5 * h * k1.omega);
  const Rates k3 = calcRates(R + 0.5 * h * k2.R, omega + 0.5 * h * k2.omega);
  const Rates k4 = calcRates(R + h * k3.R, omega + h * k3.omega);
  R += h / 6.0 * (k1.R + 2.0 * k2.R + 2.0 * k3.R + k4.R);
  omega += h / 6.0 * (k1.omega + 2.0 * k2.omega + 2.0 * k3.omega + k4.omega);
}

TopSample makeSample(double time, const Mat3<double>& R, const Vec3<double>& omega) {
  TopSample s{time, R, R * kCentre, R * math::cross<double>(omega, kCentre), omega, {}};
  const Vec3<double> acceleration = math::cross<double>(calcOmegaDot(R, omega), kCentre) +
                                    math::cross<double>(omega, math::cross<double>(omega, kCentre));
  s.pivotForce = kMass * (R * acceleration - kGravity);
  return s;
}

const TopSample& findSample(const std::vector<TopSample>& reference, double time) {
  const double interval = reference[1].time - reference[0].time;
  const auto index = static_cast<std::size_t>(std::lround(time / interval));
  return reference.at(index);
}

}  // namespace

std::unique_ptr<system::System> makeHeavyTop(system::Formulation formulation) {
  base::Diagnostics diagnostics;
  system::Builder builder(diagnostics);
  builder.setFormulation(formulation);
  builder.setGravity(kGravity);
  Vec6<double> twist;
  twist << math::cross<double>(kSpin, kCentre), kSpin;
  const system::NodeIndex node =
      builder.addNode("top", {Mat3<double>::Identity(), kCentre}, {}, twist);
  const Mat3<double> inertia = kInertia.asDiagonal();
  builder.elements<mechanics::Inertia>().add(
      "top", {node}, {}, {mechanics::makeMass(kMass, Vec3<double>::Zero(), inertia)});
  using Pivot = mechanics::Joint<mechanics::SphericalRows>;
  Pivot::Parameters<double> pivot;
  pivot.frames.D_A = math::Frame<double>::identity();
  pivot.frames.D_B = {Mat3<double>::Identity(), -kCentre};
  std::array<system::UnknownIndex, 3> forces;
  for (int i = 0; i < 3; ++i) {
    forces[i] = builder.addScalar(system::Kind::kMultiplier, "pivot force " + std::to_string(i),
                                  "pivot position " + std::to_string(i));
  }
  builder.elements<Pivot>().add("pivot", {system::kGround, node}, forces, pivot);
  std::map<std::string, std::unique_ptr<system::Measure>> measures;
  return std::make_unique<system::System>(builder.finish(measures));
}

std::vector<TopSample> integrateHeavyTop(double end, double interval, int substeps) {
  Mat3<double> R = Mat3<double>::Identity();
  Vec3<double> omega = kSpin;
  std::vector<TopSample> samples{makeSample(0.0, R, omega)};
  const int count = static_cast<int>(std::lround(end / interval));
  for (int i = 1; i <= count; ++i) {
    for (int k = 0; k < substeps; ++k) advance(R, omega, interval / substeps);
    samples.push_back(makeSample(i * interval, R, omega));
  }
  return samples;
}

TopError runHeavyTop(system::Formulation formulation, const solve::StepperOptions& options,
                     const std::vector<double>& steps, double from, double end,
                     const std::vector<TopSample>& reference) {
  const auto system = makeHeavyTop(formulation);
  solve::PreparedMachine machine(*system);
  system::State state = system->start();
  solve::TimeStepper stepper(machine, options, state);  // first: it scales the multipliers
  EXPECT_TRUE(solve::makeConsistent(machine, state).ok());
  stepper.start(state, steps.front());
  TopError error;
  for (std::size_t k = 0; state.time < end - 1e-9; ++k) {
    const solve::StepReport report = stepper.step(state, steps[k % steps.size()]);
    EXPECT_TRUE(report.converged()) << messageOf(report.failure) << " at " << state.time;
    if (!report.converged()) break;
    if (state.time < from) continue;
    const TopSample& exact = findSample(reference, state.time);
    EXPECT_NEAR(exact.time, state.time, 1e-9);
    const auto& motion = machine.assembler().calcMotion(state).nodes[1];
    const Vec3<double> velocity = motion.frame.R * motion.twist.head<3>();
    error.position = std::max(error.position, (motion.frame.x - exact.x).cwiseAbs().maxCoeff());
    error.velocity = std::max(error.velocity, (velocity - exact.velocity).cwiseAbs().maxCoeff());
    const Vec3<double> force = state.value.tail<3>();
    error.multiplier = std::max(error.multiplier, (force + exact.pivotForce).cwiseAbs().maxCoeff());
  }
  return error;
}

}  // namespace flexloop::test
