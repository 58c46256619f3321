#include "analysis/records/spectrum.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "analysis/records/damped_peaks.hpp"
#include "linalg/signals/fourier.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;

// Of the highest peak: what rounding leaves, and what the iterations of a simulation may.
constexpr double kLowestPeak = 1e-6;
// Side lobes of several peaks may add up.
constexpr double kAboveLobes = 2.0;
constexpr double kRounding = 1e-13;  // of the largest value
// Bins from a maximum to its sine: half a bin, and what a flat top adds.
constexpr double kFarthest = 0.75;
constexpr double kFewestPeriods = 0.75;  // of a sine in the record; a slow decay looks like less
constexpr int kBisections = 60;

// The transform of a record of `size` values, padded, with the window's mean taken out.
struct Transform {
  std::vector<Complex> values;
  std::size_t size = 0;
  int padding = 1;
};

Transform calcTransform(std::vector<double> values, const WindowFunction& window,
                        const SpectrumSettings& settings) {
  const std::size_t size = values.size();
  std::vector<double> weights = window.calcWeights(size);
  for (double& weight : weights) weight /= static_cast<double>(size) * window.mean(size);
  // With the weights of the window, so that nothing is left of it at zero frequency (20.4).
  const double mean = std::inner_product(values.begin(), values.end(), weights.begin(), 0.0);
  for (std::size_t n = 0; n < size; ++n) {
    values[n] = weights[n] * (settings.keepsMean ? values[n] : values[n] - mean);
  }
  values.resize(size * static_cast<std::size_t>(settings.padding));
  return {linalg::calcFourier(values), size, settings.padding};
}

// Finds the maxima of a spectrum that are no side lobes of higher ones.
class PeakSearch {
 public:
  PeakSearch(const Transform& transform, const std::vector<double>& amplitude,
             const WindowFunction& window, bool isDamped)
      : transform_(transform), amplitude_(amplitude), window_(window), isDamped_(isDamped) {}

  // Frequencies in bins of the record without padding.
  std::vector<SpectrumPeak> find(int most, double lowest) const {
    std::vector<SpectrumPeak> peaks;
    const std::vector<std::size_t> maxima = findMaxima();
    if (maxima.empty()) return peaks;
    lowest = std::max(lowest, kLowestPeak * amplitude_[maxima.front()]);
    for (const std::size_t k : maxima) {
      if (static_cast<int>(peaks.size()) == most || amplitude_[k] < lowest) break;
      if (!isDamped_ && isSideLobe(k, peaks)) continue;
      const SpectrumPeak peak = isDamped_ ? readMaximum(k) : locate(k);
      if (peak.frequency >= kFewestPeriods) peaks.push_back(peak);
    }
    return peaks;
  }

 private:
  std::vector<std::size_t> findMaxima() const {
    std::vector<std::size_t> maxima;
    // Between the bins of a damped record, the step at its end makes ripples of their own maxima.
    const std::size_t stride = isDamped_ ? static_cast<std::size_t>(transform_.padding) : 1;
    for (std::size_t k = stride; k + stride < amplitude_.size(); k += stride) {
      // At zero there is no image to share the amplitude with; the slope of what decays continues.
      const double left = amplitude_[k - stride] * (isDamped_ && k == stride ? 2.0 : 1.0);
      if (amplitude_[k] > left && amplitude_[k] >= amplitude_[k + stride]) {
        maxima.push_back(k);
      }
    }
    std::stable_sort(maxima.begin(), maxima.end(),
                     [&](std::size_t a, std::size_t b) { return amplitude_[a] > amplitude_[b]; });
    return maxima;
  }

  // Of the peaks, of their images at negative frequency, or of the mean.
  bool isSideLobe(std::size_t k, const std::vector<SpectrumPeak>& peaks) const {
    const double at = static_cast<double>(k) / transform_.padding;
    // A mean has no image with which it shares its amplitude.
    double height =
        2.0 * amplitude_.front() * (at > window_.lobe() ? calcSideLobe(at) : calcKernelSize(at));
    for (const SpectrumPeak& peak : peaks) {
      const double distance = std::abs(at - peak.frequency);
      // A flat top has several maxima, and nothing can tell two sines that are closer.
      if (distance < 1.0) return true;
      if (distance > window_.lobe()) height += peak.amplitude * calcSideLobe(distance);
      height += peak.amplitude * calcSideLobe(std::max(at + peak.frequency, window_.lobe() + 1.0));
    }
    return amplitude_[k] <= kAboveLobes * height;
  }

  double calcSideLobe(double distance) const {
    return window_.calcEnvelope(distance) / window_.mean(transform_.size);
  }

  double calcKernelSize(double offset) const {
    return std::abs(window_.calcKernel(offset, transform_.size)) / window_.mean(transform_.size);
  }

  // As it is: what damps the oscillation is not known yet.
  SpectrumPeak readMaximum(std::size_t k) const {
    return {static_cast<double>(k) / transform_.padding, amplitude_[k], {}};
  }

  // The sine that would give the values here and one bin to each side; (20.8), (20.9).
  SpectrumPeak locate(std::size_t k) const {
    const double ratio = measureRatio(k);
    double low = -kFarthest, high = kFarthest;
    for (int i = 0; i < kBisections; ++i) {
      const double middle = 0.5 * (low + high);
      (calcRatio(middle) < ratio ? low : high) = middle;
    }
    const double shift = 0.5 * (low + high);
    return {static_cast<double>(k) / transform_.padding + shift,
            amplitude_[k] / calcKernelSize(shift),
            {}};
  }

  double measureRatio(std::size_t k) const {
    const auto size = static_cast<double>(transform_.size);
    const auto bin = static_cast<std::ptrdiff_t>(k), side = std::ptrdiff_t{transform_.padding};
    const Complex turn = std::polar(1.0, std::numbers::pi * (size - 1.0) / size);
    return ((valueAt(bin + side) * turn - valueAt(bin - side) * std::conj(turn)) / valueAt(bin))
        .real();
  }

  // Also beyond both ends: the spectrum of a real record is even but for the sign of its phase.
  Complex valueAt(std::ptrdiff_t k) const {
    const std::vector<Complex>& X = transform_.values;
    const auto length = static_cast<std::ptrdiff_t>(transform_.size) * transform_.padding;
    if (k < 0) return std::conj(X[static_cast<std::size_t>(-k)]);
    if (2 * k > length) return std::conj(X[static_cast<std::size_t>(length - k)]);
    return X[static_cast<std::size_t>(k)];
  }

  double calcRatio(double shift) const {
    const auto kernel = [&](double offset) { return window_.calcKernel(offset, transform_.size); };
    return ((kernel(1.0 - shift) - kernel(-1.0 - shift)) / kernel(-shift)).real();
  }

  const Transform& transform_;
  const std::vector<double>& amplitude_;
  const WindowFunction& window_;
  bool isDamped_;  // by the window
};

// What damps is known of the bins without padding.
void fitPoles(const Transform& transform, double decay, double mean,
              std::vector<SpectrumPeak>& peaks) {
  WindowedRecord record{.values = {}, .size = transform.size, .decay = decay, .mean = mean};
  for (std::size_t k = 0; 2 * k <= transform.size; ++k) {
    record.values.push_back(transform.values[k * static_cast<std::size_t>(transform.padding)]);
  }
  fitDampedPeaks(record, peaks);
}

}  // namespace

Spectrum calcSpectrum(std::vector<double> values, double interval,
                      const SpectrumSettings& settings) {
  assert(values.size() >= 2 && settings.padding >= 1);
  const bool isDamped = settings.window == kExponentialWindow;
  const double decay = isDamped ? interval / settings.timeConstant : 0.0;
  const WindowFunction window(settings.window, decay);
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  const Transform transform = calcTransform(std::move(values), window, settings);
  const std::size_t length = transform.size * static_cast<std::size_t>(settings.padding);
  const double bin = 1.0 / (interval * static_cast<double>(transform.size));
  Spectrum spectrum;
  for (std::size_t k = 0; k < transform.values.size(); ++k) {
    // A sine has half of its amplitude at the negative frequency, unless that is the same.
    const double both = k == 0 || 2 * k == length ? 1.0 : 2.0;
    spectrum.frequency.push_back(static_cast<double>(k) * bin / settings.padding);
    spectrum.amplitude.push_back(both * std::abs(transform.values[k]));
  }
  spectrum.peaks = PeakSearch(transform, spectrum.amplitude, window, isDamped)
                       .find(settings.peaks, kRounding * largest);
  if (isDamped) fitPoles(transform, decay, window.mean(transform.size), spectrum.peaks);
  for (SpectrumPeak& peak : spectrum.peaks) peak.frequency *= bin;
  return spectrum;
}

}  // namespace flexloop::analysis
