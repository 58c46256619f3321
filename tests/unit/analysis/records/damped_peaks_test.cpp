// Spectra of decaying sines under an exponential window against their closed forms.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "analysis/records/spectrum.hpp"

namespace flexloop::analysis {
namespace {

using std::numbers::pi;
using Complex = std::complex<double>;

constexpr int kCount = 1000;
constexpr double kInterval = 1e-3, kTau = 0.15;

struct Decay {
  double frequency = 0.0, dampingRatio = 0.0, amplitude = 1.0, phase = 0.0;

  double turn() const { return 2.0 * pi * frequency; }  // Im s
  double rate() const {                                 // −Re s
    return turn() * dampingRatio / std::sqrt(1.0 - dampingRatio * dampingRatio);
  }
};

std::vector<double> makeRecord(const std::vector<Decay>& decays, double offset = 0.0,
                               double scale = 1.0) {
  std::vector<double> values(kCount, offset);
  for (const Decay& d : decays) {
    for (int n = 0; n < kCount; ++n) {
      const double t = kInterval * n;
      values[n] += d.amplitude * std::exp(-d.rate() * t) * std::cos(d.turn() * t + d.phase);
    }
  }
  for (double& value : values) value *= scale;
  return values;
}

SpectrumSettings exponential(double tau = kTau, int padding = 1) {
  SpectrumSettings settings;
  settings.window = kExponentialWindow;
  settings.timeConstant = tau;
  settings.padding = padding;
  return settings;
}

void expectPeak(const SpectrumPeak& peak, const Decay& decay, double tolerance) {
  EXPECT_NEAR(peak.frequency, decay.frequency, tolerance * decay.frequency);
  EXPECT_NEAR(peak.amplitude, decay.amplitude, tolerance * decay.amplitude);
  ASSERT_TRUE(peak.dampingRatio.has_value());
  EXPECT_NEAR(*peak.dampingRatio, decay.dampingRatio, tolerance);
}

// Σ e^{(s − 1/τ) n h} e^{−2πi k n/N} is a geometric sum.
TEST(DampedPeaks, SpectrumIsTheGeometricSum) {
  const Decay decay{40.3, 0.01, 2.0, 0.7};
  SpectrumSettings settings = exponential();
  settings.keepsMean = true;
  const Spectrum spectrum = calcSpectrum(makeRecord({decay}), kInterval, settings);
  const auto sumOf = [](Complex exponent) {
    return (1.0 - std::exp(exponent * double(kCount))) / (1.0 - std::exp(exponent));
  };
  const double weights = sumOf(-kInterval / kTau).real();
  for (int k = 1; k < kCount / 2; k += 7) {
    const Complex bin(0.0, -2.0 * pi * k / kCount);
    const Complex s(-(decay.rate() + 1.0 / kTau) * kInterval, decay.turn() * kInterval);
    const Complex c = std::polar(0.5 * decay.amplitude, decay.phase);
    const Complex X = c * sumOf(s + bin) + std::conj(c) * sumOf(std::conj(s) + bin);
    EXPECT_NEAR(spectrum.amplitude[k], 2.0 * std::abs(X) / weights, 1e-12) << k;
  }
}

TEST(DampedPeaks, DampingIsThatOfTheRecordWhateverTheWindow) {
  for (const double ratio : {1e-5, 1e-3, 0.01, 0.05, 0.2}) {
    for (const double tau : {0.05, 0.15, 1.0}) {
      for (const int padding : {1, 4}) {
        const Decay decay{40.3, ratio, 2.0, 0.7};
        const Spectrum spectrum =
            calcSpectrum(makeRecord({decay}), kInterval, exponential(tau, padding));
        ASSERT_EQ(spectrum.peaks.size(), 1u) << ratio << " " << tau << " " << padding;
        expectPeak(spectrum.peaks[0], decay, 1e-9);
      }
    }
  }
}

TEST(DampedPeaks, OffsetsAndKeptMeansDoNotCount) {
  const Decay decay{40.3, 0.02, 0.3, -1.0};
  for (const bool keeps : {false, true}) {
    SpectrumSettings settings = exponential();
    settings.keepsMean = keeps;
    const Spectrum spectrum = calcSpectrum(makeRecord({decay}, 5.0), kInterval, settings);
    ASSERT_FALSE(spectrum.peaks.empty());
    expectPeak(spectrum.peaks[0], decay, 1e-8);
  }
}

TEST(DampedPeaks, OfSeveralModesAreFoundTogether) {
  const std::vector<Decay> decays{
      {30.4, 0.005, 1.0, 0.2}, {95.1, 0.01, 0.4, 1.2}, {213.7, 0.003, 0.5, -2.0}};
  const Spectrum spectrum = calcSpectrum(makeRecord(decays), kInterval, exponential());
  ASSERT_EQ(spectrum.peaks.size(), 3u);
  for (const Decay& decay : decays) {
    const auto is = [&](const SpectrumPeak& p) {
      return std::abs(p.frequency - decay.frequency) < 1.0;
    };
    const auto peak = std::find_if(spectrum.peaks.begin(), spectrum.peaks.end(), is);
    ASSERT_NE(peak, spectrum.peaks.end());
    expectPeak(*peak, decay, 1e-8);
  }
}

TEST(DampedPeaks, DoNotDependOnUnits) {
  const Decay decay{40.3, 0.01, 1.0, 0.7};
  for (const double scale : {1e-12, 1e12}) {
    for (const double slower : {1e-9, 1e9}) {
      const Spectrum spectrum = calcSpectrum(makeRecord({decay}, 0.0, scale), slower * kInterval,
                                             exponential(slower * kTau));
      ASSERT_EQ(spectrum.peaks.size(), 1u);
      expectPeak(spectrum.peaks[0], {decay.frequency / slower, 0.01, scale, 0.7}, 1e-9);
    }
  }
}

// 1 % of noise leaves the damping within a few per cent, where that of the raw half width would be seven times too large.
TEST(DampedPeaks, NoiseChangesThemLittle) {
  const Decay decay{40.3, 0.01, 1.0, 0.7};
  std::vector<double> values = makeRecord({decay});
  unsigned seed = 1;
  for (double& value : values) {
    seed = 1664525u * seed + 1013904223u;
    value += 0.02 * (seed / 4294967296.0 - 0.5);
  }
  const Spectrum spectrum = calcSpectrum(values, kInterval, exponential());
  ASSERT_FALSE(spectrum.peaks.empty());
  EXPECT_NEAR(*spectrum.peaks[0].dampingRatio, 0.01, 0.001);
  EXPECT_NEAR(spectrum.peaks[0].frequency, 40.3, 0.05);
}

// What does not decay has no damping, on a bin and between bins.
TEST(DampedPeaks, OfASteadySine) {
  for (const double frequency : {40.0, 40.5}) {
    const Decay decay{frequency, 0.0, 1.0, 0.3};
    const Spectrum spectrum = calcSpectrum(makeRecord({decay}), kInterval, exponential());
    ASSERT_EQ(spectrum.peaks.size(), 1u);
    expectPeak(spectrum.peaks[0], decay, 1e-9);
  }
}

TEST(DampedPeaks, OfWindowsOutOfAllProportionAreFinite) {
  for (const double tau : {1e-9, 1e9}) {
    for (const double frequency : {0.8, 40.0, 499.9}) {
      const Spectrum spectrum =
          calcSpectrum(makeRecord({{frequency, 0.0, 1.0, 0.3}}), kInterval, exponential(tau));
      for (const double amplitude : spectrum.amplitude) EXPECT_TRUE(std::isfinite(amplitude));
      for (const SpectrumPeak& peak : spectrum.peaks) {
        EXPECT_TRUE(std::isfinite(peak.frequency) && std::isfinite(peak.amplitude));
        EXPECT_TRUE(std::isfinite(peak.dampingRatio.value_or(0.0)));
      }
    }
  }
}

}  // namespace
}  // namespace flexloop::analysis
