#include "analysis/records/thinned_record.hpp"

#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <utility>

#include "analysis/records/window_function.hpp"

namespace flexloop::analysis {
namespace {

constexpr std::size_t kMostValues = 8192;
constexpr std::size_t kZeros = 8;  // of the low pass, to each side

// sin x / x between its first zeros, faded out by a window.
std::vector<double> makeLowPass(std::size_t every) {
  const std::size_t reach = kZeros * every, length = 2 * reach + 1;
  // A window is even about its length over two; its first weight has no partner.
  std::vector<double> filter = WindowFunction("blackman").calcWeights(length + 1);
  filter.erase(filter.begin());
  for (std::size_t i = 0; i < length; ++i) {
    const double x = std::numbers::pi * (static_cast<double>(i) - static_cast<double>(reach)) /
                     static_cast<double>(every);
    if (x != 0.0) filter[i] *= std::sin(x) / x;
  }
  const double sum = std::accumulate(filter.begin(), filter.end(), 0.0);
  for (double& weight : filter) weight /= sum;
  return filter;
}

}  // namespace

ThinnedRecord::ThinnedRecord(std::vector<double> values)
    : record_(std::move(values)),
      every_((record_.size() + kMostValues - 1) / kMostValues),
      filter_{1.0} {
  if (every_ == 1) return;
  filter_ = makeLowPass(every_);
  reach_ = filter_.size() / 2;
}

double ThinnedRecord::filter(std::size_t centre) const {
  return std::inner_product(filter_.begin(), filter_.end(),
                            record_.begin() + static_cast<std::ptrdiff_t>(centre - reach_), 0.0);
}

std::vector<double> ThinnedRecord::calcValues() const {
  std::vector<double> values;
  for (std::size_t n = reach_; n + reach_ < record_.size(); n += every_)
    values.push_back(filter(n));
  return values;
}

std::vector<ThinnedRecord::Sample> ThinnedRecord::calcSamples() const {
  std::mt19937 generator(1);  // the same numbers in every run
  std::vector<Sample> samples;
  for (std::size_t start = reach_; start + reach_ < record_.size(); start += every_) {
    const std::size_t n = start + generator() % every_;
    if (n + reach_ >= record_.size()) break;
    samples.push_back(
        {static_cast<double>(n) / static_cast<double>(every_), filter(n), record_[n]});
  }
  return samples;
}

std::complex<double> ThinnedRecord::calcGain(const std::complex<double>& z) const {
  const std::complex<double> s = std::log(z) / static_cast<double>(every_);
  std::complex<double> gain = filter_[reach_];
  for (std::size_t m = 1; m <= reach_; ++m) {
    gain += 2.0 * filter_[reach_ + m] * std::cosh(s * static_cast<double>(m));
  }
  return gain;
}

}  // namespace flexloop::analysis
