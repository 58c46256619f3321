// Chirps, pulses and noise: values, derivatives, breaks, and what is refused.
#include <cmath>

#include <gtest/gtest.h>

#include "control/sources/excitations.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using control::Chirp;
using control::Noise;
using control::Pulse;
using math::Taylor2;

// scipy.signal.chirp([0.3, 1.1, 2.9], f0=0.5, t1=3, f1=4, method=…, phi=-90+30): a cosine, so that
// the phase of the sine is 30 degrees.
TEST(Excitations, SweepLikeScipy) {
  const double phase = std::acos(-1.0) / 6.0, start = 0.2;
  const Chirp linear({2.0, 0.5, phase}, {0.5, 4.0, Chirp::Sweep::kLinear}, start, 3.0);
  EXPECT_NEAR(linear.at(start + 0.3).value, 0.5 + 2 * 0.9747611941912218, 1e-13);
  EXPECT_NEAR(linear.at(start + 1.1).value, 0.5 + 2 * 0.8471219213821368, 1e-13);
  EXPECT_NEAR(linear.at(start + 2.9).value, 0.5 + 2 * 0.3729877825758114, 1e-13);
  const Chirp logarithmic({2.0, 0.5, phase}, {0.5, 4.0, Chirp::Sweep::kLogarithmic}, start, 3.0);
  EXPECT_NEAR(logarithmic.at(start + 0.3).value, 0.5 + 2 * 0.9999999066124492, 1e-13);
  EXPECT_NEAR(logarithmic.at(start + 1.1).value, 0.5 + 2 * -0.5451935915331558, 1e-13);
  EXPECT_NEAR(logarithmic.at(start + 2.9).value, 0.5 + 2 * -0.9997318367753272, 1e-13);
  for (const Chirp* chirp : {&linear, &logarithmic}) {
    EXPECT_EQ(chirp->at(0.1).value, 0.5);
    EXPECT_EQ(chirp->at(3.2).value, 0.5);
    EXPECT_EQ(chirp->breaks(), (std::vector<double>{0.2, 3.2}));
  }
}

TEST(Excitations, SweepWithTheirDerivatives) {
  const double h = 1e-5;
  for (const Chirp::Sweep sweep : {Chirp::Sweep::kLinear, Chirp::Sweep::kLogarithmic}) {
    for (const double to : {4.0, 0.1, 0.5}) {
      const Chirp chirp({2.0, 0.5, 0.3}, {0.5, to, sweep}, 0.0, 3.0);
      const Taylor2 y = chirp.at(1.7);
      const double before = chirp.at(1.7 - h).value, after = chirp.at(1.7 + h).value;
      EXPECT_NEAR(y.first, (after - before) / (2 * h), 1e-6);
      EXPECT_NEAR(y.second, (after - 2 * y.value + before) / (h * h), 1e-3);
    }
  }
}

TEST(Excitations, PulsesAreHighFromTheirEdgeOn) {
  const Pulse pulse(0.25, 0.1, 0.04, {-1.0, 2.0});
  EXPECT_EQ(pulse.at(0.0).value, -1.0);
  ASSERT_EQ(pulse.periodicBreaks().size(), 2u);
  const system::Clock up = pulse.periodicBreaks()[0], down = pulse.periodicBreaks()[1];
  for (const std::int64_t k : {0, 1, 2, 3, 17, 999, 123456789}) {
    EXPECT_NEAR(up.instant(k), 0.25 + 0.1 * static_cast<double>(k), 1e-15 + 1e-15 * up.instant(k));
    EXPECT_EQ(pulse.at(std::nextafter(up.instant(k), 0.0)).value, -1.0);
    EXPECT_EQ(pulse.at(up.instant(k)).value, 2.0);
    EXPECT_EQ(pulse.at(std::nextafter(down.instant(k), 0.0)).value, 2.0);
    EXPECT_EQ(pulse.at(down.instant(k)).value, -1.0);
  }
}

// A pulse train that has begun before the start of time.
TEST(Excitations, PulsesMayStartBeforeTheSimulation) {
  const Pulse pulse(-1.05, 0.5, 0.25, {0.0, 1.0});
  EXPECT_EQ(pulse.at(0.0).value, 1.0);
  EXPECT_EQ(pulse.at(0.19).value, 1.0);
  EXPECT_EQ(pulse.at(0.21).value, 0.0);
  EXPECT_EQ(pulse.at(0.46).value, 1.0);
}

// The force 2 N on 1 kg in the first half of each period of 0.1 s: the velocity grows by 0.1 m/s per
// period, and in period k = 0, 1 … the cart moves by 0.1·0.1 k + ½·2·0.05² + 0.1·0.05 m. The edges
// 0.05 + k/10 are not the points k/100 of the grid, but for round-off.
TEST(Excitations, EveryEdgeOfAPulseTrainEndsAStep) {
  const char* text = R"(
nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 1}}
sensors:
  x: {measure: position, node: cart, direction: [1, 0, 0]}
  v: {measure: velocity, node: cart, direction: [1, 0, 0]}
blocks: {train: {type: pulse, period: 0.1, duty: 0.5, high: 2}}
loads: {push: {node: cart, force: [1, 0, 0], signal: train}}
)";
  double position = 0.0;
  for (int k = 0; k < 10; ++k) position += 0.01 * k + 0.0025 + 0.005;
  for (const char* step : {"0.01", "0.007", "0.03, adaptive: true, tolerance: 1e-6"}) {
    const ModelRun run = runModel(text, "x, v", "end: 1, step: " + std::string(step));
    EXPECT_NEAR(run.last("x"), position, 1e-9) << step;
    EXPECT_NEAR(run.last("v"), 1.0, 1e-9) << step;
  }
}

// The first numbers of SplitMix64 with the seed 1234567, as published with many implementations
// (https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64).
TEST(Excitations, NoiseIsMadeBySplitMix64) {
  const std::vector<std::uint64_t> expected{6457827717110365317U, 3203168211198807973U,
                                            9817491932198370423U, 4593380528125082431U,
                                            16408922859458223821U};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(control::splitMix64(1234567, i + 1), expected[i]);
  }
}

// Mean, deviation, fourth moment and correlation of neighbours, each within five standard errors.
TEST(Excitations, NoiseHasItsDistribution) {
  const int n = 100000;
  for (const bool isUniform : {false, true}) {
    const Noise noise(
        {isUniform ? Noise::Distribution::kUniform : Noise::Distribution::kGaussian, 0.0, 1.0, 5},
        0.001, Noise::Shape::kHold);
    double mean = 0, square = 0, fourth = 0, neighbours = 0, largest = 0;
    for (int k = 0; k < n; ++k) {
      const double y = noise.at(0.001 * (k + 0.5)).value;
      mean += y / n;
      square += y * y / n;
      fourth += y * y * y * y / n;
      neighbours += y * noise.at(0.001 * (k + 1.5)).value / n;
      largest = std::max(largest, std::abs(y));
    }
    const double error = 5.0 / std::sqrt(n);
    const double kurtosis = isUniform ? 1.8 : 3.0;
    EXPECT_NEAR(mean, 0.0, error);
    EXPECT_NEAR(square, 1.0, error * std::sqrt(kurtosis - 1.0));
    EXPECT_NEAR(fourth, kurtosis, error * std::sqrt(96.0));
    EXPECT_NEAR(neighbours, 0.0, error);
    EXPECT_LE(largest, isUniform ? std::sqrt(3.0) : 6.0);
  }
}

TEST(Excitations, NoiseIsJoinedByStraightLines) {
  const Noise::Numbers numbers{Noise::Distribution::kGaussian, 2.0, 0.5, 3};
  const Noise hold(numbers, 0.3, Noise::Shape::kHold);
  const Noise linear(numbers, 0.3, Noise::Shape::kLinear);
  const system::Clock clock = linear.periodicBreaks().front();
  for (int k = 0; k < 20; ++k) {
    const double a = hold.at(clock.instant(k)).value, b = hold.at(clock.instant(k + 1)).value;
    EXPECT_EQ(hold.at(std::nextafter(clock.instant(k + 1), 0.0)).value, a);
    EXPECT_EQ(linear.at(clock.instant(k)).value, a);
    const Taylor2 y = linear.at(clock.instant(k) + 0.075);
    EXPECT_NEAR(y.value, 0.75 * a + 0.25 * b, 1e-14);
    EXPECT_NEAR(y.first, (b - a) / 0.3, 1e-13);
  }
}

// The variance of (13.20), and its power at low frequencies: the mean over a long time T0 has the
// variance S(0)/(2 T0) = σ² T/T0.
TEST(Excitations, NoiseHasItsSpectrum) {
  const double period = 0.1;
  const int periods = 200, trials = 400;
  double variance = 0, meanSquare = 0;
  for (int seed = 0; seed < trials; ++seed) {
    const Noise noise({Noise::Distribution::kGaussian, 0.0, 3.0, static_cast<std::uint64_t>(seed)},
                      period, Noise::Shape::kLinear);
    double mean = 0;
    for (int k = 0; k < 4 * periods; ++k) {
      const double y = noise.at(period * (k + 0.5) / 4).value;
      mean += y / (4 * periods);
      variance += y * y / (4 * periods * trials);
    }
    meanSquare += mean * mean / trials;
  }
  // Of four equidistant points per period the mean of (1−b)² + b² is 0.65625 instead of 2/3.
  EXPECT_NEAR(variance / 9.0, 0.65625, 0.02);
  EXPECT_NEAR(meanSquare / (9.0 / periods), 1.0, 5.0 * std::sqrt(2.0 / trials));
}

TEST(Excitations, AreRefusedWhereTheyMakeNoSense) {
  const auto expectTold = [](const std::string& block, const std::string& message) {
    EXPECT_TRUE(says(mistakesOf("blocks: {s: {" + block + "}}\n"), message));
  };
  expectTold("type: chirp, from: 0, to: 3 Hz, duration: 1, sweep: logarithmic",
             "frequency of zero");
  expectTold("type: chirp, from: 1, to: 3 rad/s, duration: 1", "rad/s");
  expectTold("type: chirp, from: 1, to: 3, duration: 0", "positive");
  expectTold("type: pulse, period: 1", "either 'width'");
  expectTold("type: pulse, period: 1, width: 0.1, duty: 0.1", "either 'width'");
  expectTold("type: pulse, period: 1, width: 1", "shorter than its period");
  expectTold("type: pulse, period: 1, duty: 0", "longer than zero");
  expectTold("type: noise, period: 0", "positive");
  expectTold("type: noise, period: 1, seed: 1.5", "whole number");
  expectTold("type: noise, period: 1, seed: -1", "not be negative");
}

}  // namespace
}  // namespace flexloop::test
