#include "analysis/records/damped_peaks.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

constexpr int kMostRounds = 100;
// Change of a pole in a round, relative to its distance from the unit circle: none, and too much for a pole that is known.
constexpr double kSame = 1e-13, kUnsettled = 1e-6;
// 1 − z^N of a sine that fits into the record and does not decay: its amplitude is not seen.
constexpr double kNoShare = 1e-12;
// Of the value at a maximum: others explain all of it if no more is left.
constexpr double kExplained = 1e-3;

// A pole of the windowed record and the residue of it, with the conjugate ones: C/(1 − z w) + C*/(1 − z* w).
struct Pole {
  std::ptrdiff_t bin = 0, side = 1;
  Complex z, C;
  double change = 0.0;  // in the last round

  Complex calcOwn(const Complex& w) const { return C / (1.0 - z * w); }
  Complex calcImage(const Complex& w) const { return std::conj(C) / (1.0 - std::conj(z) * w); }
};

class PoleFit {
 public:
  explicit PoleFit(const WindowedRecord& record) : record_(record) {}

  // Bins that are half the width of the window apart, so that the values differ, and noise does not count.
  void add(double frequency) {
    const double last = 0.5 * static_cast<double>(record_.size);
    const double bin = std::clamp(std::round(frequency), 1.0, std::max(last - 1.0, 1.0));
    const double width = std::ceil(record_.decay * static_cast<double>(record_.size) / (2.0 * pi));
    const double most = std::max(1.0, std::floor(0.5 * std::min(bin, last - bin)));
    poles_.push_back({static_cast<std::ptrdiff_t>(bin),
                      static_cast<std::ptrdiff_t>(std::clamp(width, 1.0, most)),
                      {},
                      {},
                      0.0});
  }

  void solve() {
    for (int round = 0; round < kMostRounds; ++round) {
      double change = 0.0;
      for (Pole& pole : poles_) change = std::max(change, improve(pole));
      fitConstant();
      if (change < kSame) return;
    }
  }

  // Maxima between others that are the sum of their slopes have no pole. Gives their number.
  std::size_t removeExplained(std::vector<SpectrumPeak>& peaks) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < poles_.size(); ++i) {
      const Complex own = poles_[i].calcOwn(calcTurn(poles_[i].bin));
      if (std::abs(own) < kExplained * std::abs(valueAt(poles_[i].bin))) continue;
      poles_[kept] = poles_[i];
      peaks[kept++] = peaks[i];
    }
    const std::size_t removed = poles_.size() - kept;
    poles_.resize(kept);
    peaks.resize(kept);
    return removed;
  }

  const std::vector<Pole>& poles() const { return poles_; }

 private:
  Complex calcTurn(std::ptrdiff_t bin) const {
    return std::polar(1.0,
                      -2.0 * pi * static_cast<double>(bin) / static_cast<double>(record_.size));
  }

  // The spectrum of a real record is even but for the sign of its phase.
  Complex valueAt(std::ptrdiff_t bin) const {
    const auto size = static_cast<std::ptrdiff_t>(record_.size);
    if (bin < 0) return std::conj(record_.values[static_cast<std::size_t>(-bin)]);
    if (2 * bin > size) return std::conj(record_.values[static_cast<std::size_t>(size - bin)]);
    return record_.values[static_cast<std::size_t>(bin)];
  }

  Complex calcConstant(const Complex& w) const {
    return constant_ / (1.0 - std::exp(-record_.decay) * w);
  }

  // What the pole has to explain at a bin.
  Complex calcRemainder(const Pole& pole, std::ptrdiff_t bin) const {
    const Complex w = calcTurn(bin);
    Complex rest = valueAt(bin) - calcConstant(w) - pole.calcImage(w);
    for (const Pole& other : poles_) {
      if (&other != &pole) rest -= other.calcOwn(w) + other.calcImage(w);
    }
    return rest;
  }

  // (20.21) by least squares.
  double improve(Pole& pole) {
    const Complex w = calcTurn(pole.bin), X = calcRemainder(pole, pole.bin);
    Complex product = 0.0;
    double square = 0.0;
    for (const std::ptrdiff_t bin : {pole.bin - pole.side, pole.bin + pole.side}) {
      const Complex own = calcRemainder(pole, bin);
      const Complex a = own * calcTurn(bin) - X * w;
      product += std::conj(a) * (own - X);
      square += std::norm(a);
    }
    const Complex before = pole.z;
    pole.z = square > 0.0 ? product / square : Complex(0.0);
    pole.C = X * (1.0 - pole.z * w);
    pole.change = std::abs(pole.z - before) / std::abs(1.0 - std::abs(pole.z));
    return pole.change;
  }

  // By the value at zero frequency, whether or not the mean is still there.
  void fitConstant() {
    Complex rest = record_.values.front();
    for (const Pole& pole : poles_) rest -= pole.calcOwn(1.0) + pole.calcImage(1.0);
    constant_ = rest.real() * (1.0 - std::exp(-record_.decay));
  }

  const WindowedRecord& record_;
  std::vector<Pole> poles_;
  double constant_ = 0.0;
};

// (20.20), (20.22).
void describe(const Pole& pole, const WindowedRecord& record, SpectrumPeak& peak) {
  const auto size = static_cast<double>(record.size);
  const Complex windowed = std::log(pole.z);
  const Complex s = windowed + record.decay;  // by the interval
  const Complex share = 1.0 - std::exp(windowed * size);
  const double frequency = s.imag() * size / (2.0 * pi);
  const double amplitude = 2.0 * std::abs(pole.C / share) * size * record.mean;
  const auto side = static_cast<double>(pole.side);
  const bool isBeside = std::abs(frequency - static_cast<double>(pole.bin)) <= 1.0 + side;
  if (!isBeside || !(pole.change < kUnsettled) || !(std::abs(share) > kNoShare) ||
      !std::isfinite(amplitude))
    return;
  peak = {frequency, amplitude, -s.real() / std::abs(s)};
}

}  // namespace

void fitDampedPeaks(const WindowedRecord& record, std::vector<SpectrumPeak>& peaks) {
  PoleFit fit(record);
  for (const SpectrumPeak& peak : peaks) fit.add(peak.frequency);
  fit.solve();
  // Poles of nothing but round-off would keep the others from settling.
  if (fit.removeExplained(peaks) > 0) fit.solve();
  for (std::size_t i = 0; i < peaks.size(); ++i) describe(fit.poles()[i], record, peaks[i]);
  std::stable_sort(peaks.begin(), peaks.end(), [](const SpectrumPeak& a, const SpectrumPeak& b) {
    return a.amplitude > b.amplitude;
  });
}

}  // namespace flexloop::analysis
