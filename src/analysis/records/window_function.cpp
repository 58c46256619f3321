#include "analysis/records/window_function.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

struct NamedWindow {
  std::string name;
  std::vector<double> terms;
};

const std::vector<NamedWindow>& windows() {
  static const std::vector<NamedWindow> all{
      {"hann", {0.5, 0.5}},
      {"rectangular", {1.0}},
      {"hamming", {0.54, 0.46}},
      {"blackman", {0.42, 0.5, 0.08}},
      {"flattop", {0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368}},
      {kExponentialWindow, {1.0}}};
  return all;
}

// Mean of exp(−2πi n x/N) over n, with the phase relative to the middle of the samples.
double calcDirichlet(double x, double size) {
  constexpr double kNear = 1e-9;  // where sin πx / N sin(πx/N) is 1 − O(x²)
  if (std::abs(x) < kNear) return 1.0;
  return std::sin(pi * x) / (size * std::sin(pi * x / size));
}

}  // namespace

WindowFunction::WindowFunction(const std::string& name, double decay) : decay_(decay) {
  assert((name == kExponentialWindow) == (decay > 0.0));
  const auto found = std::find_if(windows().begin(), windows().end(),
                                  [&](const NamedWindow& window) { return window.name == name; });
  assert(found != windows().end());
  terms_ = found->terms;
}

double WindowFunction::mean(std::size_t size) const {
  if (decay_ == 0.0) return terms_.front();
  const auto count = static_cast<double>(size);
  return std::expm1(-decay_ * count) / (count * std::expm1(-decay_));
}

std::vector<double> WindowFunction::calcWeights(std::size_t size) const {
  std::vector<double> weights(size);
  if (decay_ > 0.0) {
    for (std::size_t n = 0; n < size; ++n) weights[n] = std::exp(-decay_ * static_cast<double>(n));
    return weights;
  }
  for (std::size_t n = 0; n < size; ++n) {
    const double angle = 2.0 * pi * static_cast<double>(n) / static_cast<double>(size);
    double sign = 1.0;
    for (std::size_t j = 0; j < terms_.size(); ++j, sign = -sign) {
      weights[n] += sign * terms_[j] * std::cos(static_cast<double>(j) * angle);
    }
  }
  return weights;
}

Complex WindowFunction::calcKernel(double offset, std::size_t size) const {
  const auto count = static_cast<double>(size);
  Complex kernel = terms_.front() * calcDirichlet(offset, count);
  for (std::size_t j = 1; j < terms_.size(); ++j) {
    const auto shift = static_cast<double>(j);
    // The window is even about N/2, the samples lie about (N − 1)/2.
    const Complex turn = std::polar(1.0, pi * shift / count);
    kernel += 0.5 * terms_[j] *
              (std::conj(turn) * calcDirichlet(offset - shift, count) +
               turn * calcDirichlet(offset + shift, count));
  }
  return kernel;
}

double WindowFunction::calcEnvelope(double offset) const {
  double sum = terms_.front() / offset;
  double sign = -1.0;
  for (std::size_t j = 1; j < terms_.size(); ++j, sign = -sign) {
    const double shift = static_cast<double>(j);
    sum += sign * terms_[j] * offset / (offset * offset - shift * shift);
  }
  return std::abs(sum) / pi;
}

const std::vector<std::string>& windowNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const NamedWindow& window : windows()) list.push_back(window.name);
    return list;
  }();
  return names;
}

}  // namespace flexloop::analysis
