// Modes of records that are sums of damped sines by construction.
#include "analysis/records/free_response.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "linalg/signals/matrix_pencil.hpp"

namespace flexloop::analysis {
namespace {

using std::numbers::pi;

struct Part {
  double frequency, damping, amplitude, phase;  // Hz, ratio; frequency of the damped sine

  double rate() const {
    return -2.0 * pi * frequency * damping / std::sqrt(1.0 - damping * damping);
  }
  double at(double t) const {
    return amplitude * std::exp(rate() * t) * std::cos(2.0 * pi * frequency * t + phase);
  }
};

// Close together, weakly and strongly damped, far apart in amplitude and frequency.
const std::vector<Part> kParts{{1.0, 0.002, 1.0, 0.3},
                               {1.25, 0.02, 0.5, -2.0},
                               {9.0, 0.05, 0.2, 1.0},
                               {40.0, 0.001, 0.01, 3.0}};

std::vector<double> makeRecord(const std::vector<Part>& parts, double interval, int count,
                               double noise = 0.0) {
  std::mt19937 generator(7);
  std::vector<double> values;
  for (int n = 0; n < count; ++n) {
    double value = 0.0;
    for (const Part& part : parts) value += part.at(n * interval);
    // The sum of twelve even distributions is close to the normal one, and the same everywhere.
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(generator()) / std::mt19937::max();
    values.push_back(value + noise * sum);
  }
  return values;
}

struct Tolerances {
  double frequency, damping, amplitude;  // relative, absolute, relative
};

void expectParts(const FreeResponse& response, const std::vector<Part>& parts,
                 const Tolerances& tolerances) {
  ASSERT_EQ(response.modes.size(), parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const DampedMode& mode = response.modes[i];
    const Part& part = parts[i];
    EXPECT_NEAR(mode.frequency(), part.frequency, tolerances.frequency * part.frequency);
    EXPECT_NEAR(mode.dampingRatio(), part.damping, tolerances.damping);
    EXPECT_NEAR(mode.amplitude, part.amplitude, tolerances.amplitude * part.amplitude);
    EXPECT_NEAR(std::remainder(mode.phase - part.phase, 2.0 * pi), 0.0, tolerances.amplitude);
  }
}

TEST(FreeResponse, SumOfDampedSinesIsTakenApart) {
  const FreeResponse response = fitFreeResponse(makeRecord(kParts, 0.01, 1000), 0.01);
  expectParts(response, kParts, {1e-9, 1e-9, 1e-7});
  EXPECT_LT(response.residual, 1e-10);
  EXPECT_NEAR(response.offset, 0.0, 1e-10);
  EXPECT_EQ(response.drift, 0.0);
}

// Bounds of Cramér and Rao for one sine in noise of 1e-3: about 3e-6 Hz here, and much less than
// these tolerances for all but the weakest part, whose amplitude is ten times the noise.
TEST(FreeResponse, NoiseDegradesItGracefully) {
  for (const double noise : {1e-6, 1e-5, 1e-4, 1e-3}) {
    const FreeResponse response = fitFreeResponse(makeRecord(kParts, 0.01, 1000, noise), 0.01);
    expectParts(response, kParts, {1.0 * noise, 2.0 * noise, 100.0 * noise});
    EXPECT_NEAR(response.residual / (noise / 0.6), 1.0, 0.3);
  }
}

TEST(FreeResponse, FewSamplesAreEnough) {
  const std::vector<Part> parts{{2.0, 0.1, 1.0, 0.5}};
  expectParts(fitFreeResponse(makeRecord(parts, 0.05, 12), 0.05), parts, {1e-6, 1e-6, 1e-5});
}

TEST(FreeResponse, ALongRecordIsThinned) {
  // 60,001 samples at 1 ms, the shared Nyquist frequency of the thinned record is 62.5 Hz.
  const FreeResponse response = fitFreeResponse(makeRecord(kParts, 0.001, 60001), 0.001);
  expectParts(response, kParts, {1e-6, 1e-6, 1e-4});
  EXPECT_LT(response.residual, 1e-6);
}

// At 1 ms, 60,001 samples are thinned to 125 Hz: 70 Hz would look like 55 Hz, and 310 Hz like 60 Hz.
TEST(FreeResponse, WhatThinningCannotShowIsLeftOver) {
  std::vector<Part> parts = kParts;
  parts.push_back({70.0, 1e-5, 0.1, 0.0});
  parts.push_back({310.0, 1e-5, 0.1, 0.0});
  const FreeResponse response = fitFreeResponse(makeRecord(parts, 0.001, 60001), 0.001);
  expectParts(response, kParts, {1e-6, 1e-6, 0.05});
  EXPECT_NEAR(response.modes[0].amplitude, 1.0, 1e-3);
  EXPECT_NEAR(response.modes[0].phase, 0.3, 1e-3);
  EXPECT_GT(response.residual, 0.1);
}

TEST(FreeResponse, OffsetDriftAndRealRootsAreTold) {
  std::vector<double> values;
  for (int n = 0; n < 400; ++n) {
    const double t = 0.01 * n;
    values.push_back(1000.0 - 3.0 * t + 0.5 * std::exp(-2.0 * t) - 0.2 * std::exp(-8.0 * t));
  }
  const FreeResponse response = fitFreeResponse(values, 0.01);
  ASSERT_EQ(response.modes.size(), 2u);
  EXPECT_NEAR(response.modes[0].eigenvalue.real(), -2.0, 1e-4);
  EXPECT_EQ(response.modes[0].frequency(), 0.0);
  EXPECT_EQ(response.modes[0].dampingRatio(), 1.0);
  EXPECT_NEAR(response.modes[0].amplitude, 0.5, 1e-4);
  EXPECT_NEAR(response.modes[0].phase, 0.0, 1e-12);
  EXPECT_NEAR(response.modes[1].eigenvalue.real(), -8.0, 1e-3);
  EXPECT_NEAR(response.modes[1].phase, pi, 1e-12);
  EXPECT_NEAR(response.offset, 1000.0, 1e-4);
  EXPECT_NEAR(response.drift, -3.0, 1e-4);
}

TEST(FreeResponse, GrowthHasNegativeDamping) {
  const std::vector<Part> parts{{0.75, -0.065, 1e-3, 1.0}};
  expectParts(fitFreeResponse(makeRecord(parts, 0.02, 2000), 0.02), parts, {1e-9, 1e-9, 1e-6});
}

TEST(FreeResponse, NothingMovesInAConstant) {
  for (const double value : {0.0, -3.7}) {
    const FreeResponse response = fitFreeResponse(std::vector<double>(100, value), 0.1);
    EXPECT_TRUE(response.modes.empty());
    EXPECT_NEAR(response.offset, value, 1e-13);
    EXPECT_EQ(response.residual, 0.0);
  }
}

TEST(FreeResponse, NoiseAloneHasNoModes) {
  const FreeResponse response = fitFreeResponse(makeRecord({}, 0.01, 2000, 1.0), 0.01);
  EXPECT_LE(response.modes.size(), 1u);
  EXPECT_GT(response.residual, 0.9);
}

TEST(FreeResponse, EigenvaluesOfAKnownNumber) {
  std::vector<double> values;
  for (int n = 0; n < 100; ++n) {
    const double t = 0.02 * n;
    values.push_back(2.0 + std::exp(-3.6 * t) * std::sin(11.4 * t));
  }
  const auto eigenvalues = calcEigenvalues(values, 0.02, 3);
  ASSERT_EQ(eigenvalues.size(), 3u);
  EXPECT_LT(std::abs(eigenvalues[0] - std::complex(-3.6, -11.4)), 1e-9);
  EXPECT_LT(std::abs(eigenvalues[1]), 1e-9);
  EXPECT_LT(std::abs(eigenvalues[2] - std::complex(-3.6, 11.4)), 1e-9);
}

// Singular values of the Hankel matrix by numpy 1.24:
//   y = [0.9**n*np.cos(n) for n in range(12)]
//   np.linalg.svd(scipy.linalg.hankel(y[:9], y[8:]), compute_uv=False)
TEST(MatrixPencil, SingularValuesAreThoseOfTheHankelMatrix) {
  std::vector<double> values;
  for (int n = 0; n < 12; ++n) values.push_back(std::pow(0.9, n) * std::cos(n));
  const linalg::MatrixPencil pencil(values);
  ASSERT_EQ(pencil.singularValues().size(), 4u);
  EXPECT_NEAR(pencil.singularValues()[0], 2.1529026450622304, 1e-13);
  EXPECT_NEAR(pencil.singularValues()[1], 1.494130728162224, 1e-13);
  EXPECT_NEAR(pencil.singularValues()[2], 0.0, 1e-15);
  EXPECT_EQ(pencil.mostRoots(), 3);
}

}  // namespace
}  // namespace flexloop::analysis
