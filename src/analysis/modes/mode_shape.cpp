#include "analysis/modes/mode_shape.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using linalg::Eigenpair;

constexpr double kNoMotion = 1e-9;  // of the largest entry: a displacement by round-off

// The largest displacement becomes one; where nothing is displaced, the largest entry.
void normalize(const system::System& system, Eigen::VectorXcd& shape) {
  Complex largest = 0.0, any = 0.0;
  for (int u = 0; u < shape.size(); ++u) {
    const bool isTranslation =
        system.kinds()[u] == system::Kind::kMotion && !system.isRotation({u});
    // A slightly larger entry that comes later does not take over: symmetric shapes keep their sign.
    if (isTranslation && std::abs(shape[u]) > 1.000001 * std::abs(largest)) largest = shape[u];
    if (std::abs(shape[u]) > std::abs(any)) any = shape[u];
  }
  if (std::abs(largest) < kNoMotion * std::abs(any)) largest = any;
  if (largest == 0.0) return;
  shape /= largest;
  // Round-off would be taken for a motion where shapes are described and compared.
  bool isStill = true;
  for (int u = 0; u < shape.size(); ++u) {
    const bool isMotion = system.kinds()[u] == system::Kind::kMotion;
    if (isMotion && std::abs(shape[u]) > kNoMotion) isStill = false;
  }
  for (int u = 0; isStill && u < shape.size(); ++u) {
    if (system.kinds()[u] == system::Kind::kMotion) shape[u] = 0.0;
  }
}

}  // namespace

Mode makeMode(const system::System& system, const LinearModel& linear, const Eigenpair& pair) {
  Mode mode{pair.value,
            linear.expansion * pair.vector,
            pair.residual,
            {},
            std::max(pair.uncertainty, 0.0)};
  normalize(system, mode.shape);
  return mode;
}

bool isMoving(const system::System& system, const Eigen::VectorXcd& shape) {
  for (int u = 0; u < shape.size(); ++u) {
    const bool isMotion = system.kinds()[u] == system::Kind::kMotion;
    if (isMotion && std::abs(shape[u]) > 1e-6) return true;
  }
  return false;
}

bool isIdle(const LinearModel& linear, const system::System& system, const Eigenpair& pair) {
  if (pair.value != 0.0) return false;
  Eigen::VectorXcd shape = linear.expansion * pair.vector;
  normalize(system, shape);
  return !isMoving(system, shape);
}

double Mode::frequencyHz() const {
  return std::abs(eigenvalue.imag()) / (2.0 * std::numbers::pi);
}

double Mode::dampingRatio() const {
  const double size = std::abs(eigenvalue);
  return size > 0.0 ? -eigenvalue.real() / size : 0.0;
}

void arrangeModes(std::vector<Mode>& modes) {
  std::stable_sort(modes.begin(), modes.end(), [](const Mode& a, const Mode& b) {
    const double fa = std::abs(a.eigenvalue.imag()), fb = std::abs(b.eigenvalue.imag());
    if (fa != fb) return fa < fb;
    return std::abs(a.eigenvalue.real()) < std::abs(b.eigenvalue.real());
  });
}

}  // namespace flexloop::analysis
