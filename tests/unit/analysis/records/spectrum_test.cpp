// Spectra of sines against their closed forms, for every window.
#include "analysis/records/spectrum.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace flexloop::analysis {
namespace {

using std::numbers::pi;

constexpr int kCount = 500;
constexpr double kInterval = 0.004;  // bins of 0.5 Hz

std::vector<double> makeSine(double frequency, double amplitude, double phase, int count = kCount) {
  std::vector<double> values;
  for (int n = 0; n < count; ++n) {
    values.push_back(amplitude * std::cos(2.0 * pi * frequency * n * kInterval + phase));
  }
  return values;
}

std::vector<double> sum(std::vector<double> first, const std::vector<double>& second) {
  for (std::size_t i = 0; i < first.size(); ++i) first[i] += second[i];
  return first;
}

SpectrumSettings settingsOf(const std::string& window, int padding = 1) {
  SpectrumSettings settings;
  settings.window = window;
  settings.padding = padding;
  return settings;
}

class EveryWindow : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryWindow, SineOnABinHasItsAmplitude) {
  const Spectrum spectrum =
      calcSpectrum(makeSine(20.0, 1.7, 0.4), kInterval, settingsOf(GetParam()));
  ASSERT_EQ(spectrum.frequency.size(), kCount / 2 + 1u);
  EXPECT_DOUBLE_EQ(spectrum.frequency[40], 20.0);
  EXPECT_DOUBLE_EQ(spectrum.frequency.back(), 125.0);
  EXPECT_NEAR(spectrum.amplitude[40], 1.7, 1e-12);
  EXPECT_NEAR(spectrum.amplitude[60], 0.0, 1e-12);
  ASSERT_EQ(spectrum.peaks.size(), 1u);
  EXPECT_NEAR(spectrum.peaks[0].frequency, 20.0, 1e-10);
  EXPECT_NEAR(spectrum.peaks[0].amplitude, 1.7, 1e-10);
}

// The image at negative frequency, 100 bins away, moves them by what its side lobes leave there.
TEST_P(EveryWindow, SineBetweenBinsIsFoundByInterpolation) {
  const double images = GetParam() == "rectangular" || GetParam() == "hamming" ? 1e-2 : 2e-5;
  for (const int padding : {1, 2, 3, 8}) {
    for (const double part : {-0.49, -0.25, 0.1, 0.5}) {
      const double frequency = (100.0 + part) * 0.5;
      const Spectrum spectrum =
          calcSpectrum(makeSine(frequency, 0.3, 1.1), kInterval, settingsOf(GetParam(), padding));
      ASSERT_EQ(spectrum.peaks.size(), 1u) << padding << " " << part;
      EXPECT_NEAR(spectrum.peaks[0].frequency, frequency, images * 0.5) << padding << " " << part;
      EXPECT_NEAR(spectrum.peaks[0].amplitude, 0.3, images) << padding << " " << part;
    }
  }
}

TEST_P(EveryWindow, ParsevalHolds) {
  const std::vector<double> values =
      sum(makeSine(13.3, 1.0, 0.0), sum(makeSine(77.7, 0.4, 2.0), makeSine(0.0, 0.25, 0.0)));
  SpectrumSettings settings = settingsOf(GetParam());
  settings.keepsMean = true;
  const Spectrum spectrum = calcSpectrum(values, kInterval, settings);
  const WindowFunction window(GetParam());
  const std::vector<double> weights = window.calcWeights(values.size());
  double inTime = 0.0, inFrequency = 0.0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    inTime += std::pow(weights[n] * values[n] / window.mean(kCount), 2) / kCount;
  }
  for (std::size_t k = 0; k < spectrum.amplitude.size(); ++k) {
    const bool isSingle = k == 0 || k + 1 == spectrum.amplitude.size();
    inFrequency += (isSingle ? 1.0 : 0.5) * std::pow(spectrum.amplitude[k], 2);
  }
  EXPECT_NEAR(inFrequency, inTime, 1e-12 * inTime);
}

TEST_P(EveryWindow, KernelIsTheTransformOfTheWeights) {
  const WindowFunction window(GetParam());
  const std::vector<double> weights = window.calcWeights(50);
  for (const double offset : {0.0, 0.3, -1.0, 2.5, 7.25, -20.1}) {
    std::complex<double> direct = 0.0;
    for (std::size_t n = 0; n < 50; ++n) {
      direct += weights[n] / 50.0 * std::polar(1.0, -2.0 * pi * offset * (n - 24.5) / 50.0);
    }
    EXPECT_LT(std::abs(window.calcKernel(offset, 50) - direct), 1e-14) << offset;
  }
}

TEST_P(EveryWindow, EnvelopeIsAboveTheSideLobes) {
  const WindowFunction window(GetParam());
  for (double offset = window.lobe() + 0.1; offset < 100.0; offset += 0.37) {
    const double kernel = std::abs(window.calcKernel(offset, 100000));
    EXPECT_LE(kernel, 1.01 * window.calcEnvelope(offset) + 1e-8) << offset;
  }
}

// The exponential one has tests of its own.
std::vector<std::string> sumsOfCosines() {
  std::vector<std::string> names = windowNames();
  std::erase(names, kExponentialWindow);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, EveryWindow, ::testing::ValuesIn(sumsOfCosines()),
                         [](const auto& window) { return window.param; });

// What a sine half way between two bins keeps of its amplitude is |W(1/2)|/W(0) = (2/π) Σ ±a_j /
// (a_0 (1 − 4j²)): 2/π without window, 8/3π for hann; the others by
//   python3 -c "import numpy as np, scipy.signal as s; w = s.get_window('flattop', 100000);
//   print(abs(sum(w*np.exp(-1j*np.pi*np.arange(100000)/100000)))/sum(w))"
TEST(Spectrum, SineBetweenBinsLosesWhatTheWindowSays) {
  const std::vector<std::pair<std::string, double>> kept{{"rectangular", 2.0 / pi},
                                                         {"hann", 8.0 / (3.0 * pi)},
                                                         {"hamming", 0.817388350},
                                                         {"blackman", 0.881162606},
                                                         {"flattop", 0.998874893}};
  for (const auto& [window, share] : kept) {
    const Spectrum spectrum =
        calcSpectrum(makeSine(60.25, 1.0, 0.7), kInterval, settingsOf(window));
    const double images = window == "rectangular" ? 3e-3 : 3e-4;
    EXPECT_NEAR(spectrum.amplitude[120], share, images) << window;
    EXPECT_NEAR(spectrum.amplitude[121], share, images) << window;
  }
}

// Weights by scipy.signal.get_window(name, 7), which are periodic unless told otherwise.
TEST(Spectrum, WindowsAreThoseOfOthers) {
  const std::vector<std::pair<std::string, double>> third{{"hann", 0.611260466978},
                                                          {"hamming", 0.642359629620},
                                                          {"blackman", 0.459182957546},
                                                          {"flattop", 0.010703716716},
                                                          {"rectangular", 1.0}};
  for (const auto& [window, weight] : third) {
    EXPECT_NEAR(WindowFunction(window).calcWeights(7)[2], weight, 1e-9) << window;
  }
}

TEST(Spectrum, MeanIsRemovedUnlessKept) {
  const std::vector<double> values = sum(makeSine(20.0, 1.0, 0.0), makeSine(0.0, 5.0, 0.0));
  SpectrumSettings settings;
  EXPECT_NEAR(calcSpectrum(values, kInterval, settings).amplitude[0], 0.0, 1e-12);
  settings.keepsMean = true;
  const Spectrum spectrum = calcSpectrum(values, kInterval, settings);
  EXPECT_NEAR(spectrum.amplitude[0], 5.0, 1e-12);
  ASSERT_EQ(spectrum.peaks.size(), 1u);
  EXPECT_NEAR(spectrum.peaks[0].frequency, 20.0, 1e-6);
}

TEST(Spectrum, PeaksAreSortedAndAsManyAsWanted) {
  const std::vector<double> values =
      sum(makeSine(20.1, 0.1, 0.0), sum(makeSine(31.7, 1.0, 1.0), makeSine(80.0, 0.01, 2.0)));
  SpectrumSettings settings;
  const Spectrum all = calcSpectrum(values, kInterval, settings);
  ASSERT_EQ(all.peaks.size(), 3u);
  EXPECT_NEAR(all.peaks[0].frequency, 31.7, 1e-4);
  EXPECT_NEAR(all.peaks[1].frequency, 20.1, 1e-3);
  EXPECT_NEAR(all.peaks[2].frequency, 80.0, 1e-3);
  EXPECT_NEAR(all.peaks[2].amplitude, 0.01, 1e-5);
  settings.peaks = 2;
  EXPECT_EQ(calcSpectrum(values, kInterval, settings).peaks.size(), 2u);
  settings.peaks = 0;
  EXPECT_TRUE(calcSpectrum(values, kInterval, settings).peaks.empty());
}

TEST(Spectrum, OddAndPrimeLengths) {
  for (const int count : {2, 3, 499, 501}) {
    const Spectrum spectrum = calcSpectrum(makeSine(25.0, 1.0, 0.0, count), kInterval, {});
    EXPECT_EQ(spectrum.amplitude.size(), count / 2 + 1u);
  }
  const Spectrum spectrum = calcSpectrum(makeSine(25.0, 2.0, 0.0, 499), kInterval, {});
  ASSERT_FALSE(spectrum.peaks.empty());
  EXPECT_NEAR(spectrum.peaks[0].frequency, 25.0, 1e-4);
  EXPECT_NEAR(spectrum.peaks[0].amplitude, 2.0, 1e-4);
}

TEST(Spectrum, NothingMovesInAConstant) {
  const Spectrum spectrum = calcSpectrum(std::vector<double>(64, 2.5), kInterval, {});
  EXPECT_TRUE(spectrum.peaks.empty());
  for (const double amplitude : spectrum.amplitude) EXPECT_NEAR(amplitude, 0.0, 1e-14);
}

}  // namespace
}  // namespace flexloop::analysis
