#include "analysis/records/free_response.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>
#include <utility>

#include "analysis/records/amplitude_fit.hpp"
#include "analysis/records/thinned_record.hpp"
#include "linalg/signals/matrix_pencil.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

constexpr double kRounding = 1e-11;  // of the largest singular value, and of the motion
constexpr double kAboveNoise = 3.0;
constexpr double kStandsStill =
    2e-2;  // |s| times the duration of what cannot be distinguished from a line
constexpr double kDiesAtOnce = 1e-3;  // |z|: nothing is left in the second sample
constexpr double kSmallest = 1e-6;    // of the record, root mean square
constexpr int kMostStanding = 3;

// The last quarter of the singular values is noise, if there is any.
int chooseOrder(const linalg::MatrixPencil& pencil) {
  const std::vector<double>& sigma = pencil.singularValues();
  const std::size_t most = sigma.size() - (sigma.size() + 3) / 4;
  const double noise = sigma[(most + sigma.size()) / 2];
  const double least = std::max(kAboveNoise * noise, kRounding * sigma.front());
  std::size_t order = 0;
  while (order < most && sigma[order] > least) ++order;
  return std::min(static_cast<int>(order), pencil.mostRoots());
}

struct Roots {
  std::vector<Complex> moving;
  int standing = 0;
};

Roots sortOut(const std::vector<Complex>& all, double duration) {
  Roots roots;
  for (const Complex& z : all) {
    if (std::abs(z) < kDiesAtOnce) continue;
    if (std::abs(std::log(z)) * duration < kStandsStill) {
      ++roots.standing;
    } else if (z.imag() >= 0.0) {
      roots.moving.push_back(z);
    }
  }
  roots.standing = std::clamp(roots.standing, 1, kMostStanding);
  return roots;
}

std::vector<DampedMode> makeModes(const AmplitudeFit& fit, double step) {
  std::vector<DampedMode> modes;
  for (const AmplitudeFit::Part& part : fit.calcParts()) {
    modes.push_back({std::log(part.z) / step, std::abs(part.amplitude), std::arg(part.amplitude)});
  }
  std::sort(modes.begin(), modes.end(), [](const DampedMode& a, const DampedMode& b) {
    const auto key = [](const DampedMode& mode) {
      return std::tuple(mode.eigenvalue.imag(), std::abs(mode.eigenvalue.real()));
    };
    return key(a) < key(b);
  });
  return modes;
}

}  // namespace

double DampedMode::frequency() const {
  return std::abs(eigenvalue.imag()) / (2.0 * pi);
}

double DampedMode::dampingRatio() const {
  return -eigenvalue.real() / std::abs(eigenvalue);
}

FreeResponse fitFreeResponse(std::vector<double> values, double interval) {
  assert(values.size() >= 8);
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0.0;
  for (double& value : values) {
    value -= mean;
    squares += value * value;
  }
  const double size = std::sqrt(squares / count);
  FreeResponse response{.modes = {}, .offset = mean};
  // What is left of a constant is rounding.
  if (size <= kRounding * std::abs(mean)) return response;

  const ThinnedRecord record(std::move(values));
  const linalg::MatrixPencil pencil(record.calcValues());
  const double step = interval * static_cast<double>(record.every());
  const Roots roots =
      sortOut(pencil.calcRoots(chooseOrder(pencil)), count / static_cast<double>(record.every()));
  AmplitudeFit fit(record, roots.moving, roots.standing);
  fit.dropIdle(std::pow(kSmallest * size, 2));
  response.modes = makeModes(fit, step);
  response.offset += fit.offset();
  if (std::abs(response.offset) < kRounding * (size + std::abs(mean))) response.offset = 0.0;
  response.drift = fit.drift() / step;
  response.residual = fit.calcResidual() / size;
  return response;
}

std::vector<Complex> calcEigenvalues(const std::vector<double>& values, double interval,
                                     int count) {
  std::vector<Complex> eigenvalues = linalg::MatrixPencil(values).calcRoots(count);
  for (Complex& eigenvalue : eigenvalues) eigenvalue = std::log(eigenvalue) / interval;
  std::sort(eigenvalues.begin(), eigenvalues.end(),
            [](const auto& a, const auto& b) { return a.imag() < b.imag(); });
  return eigenvalues;
}

}  // namespace flexloop::analysis
