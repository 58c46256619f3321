// Rotation vectors and screws at which the tests of SO(3) and SE(3) look: the angles at which
// formulas change or lose accuracy, about axes that make each quaternion component the largest
// once.
#pragma once

#include <numbers>
#include <vector>

#include "math/se3.hpp"

namespace flexloop::test {

/// From zero to one radian.
inline std::vector<double> smallAngles() {
  std::vector<double> angles = {0.0};
  for (double a = 1e-12; a < 0.5; a *= 10.0) angles.push_back(a);
  angles.insert(angles.end(), {0.5, 0.999, 1.0});
  return angles;
}

/// Up to π, but not π itself, where the logarithm has two values. The limits of the series are met
/// from both sides: 60°, 1, 2 and 3 radians.
inline std::vector<double> anglesBelowPi() {
  constexpr double pi = std::numbers::pi;
  std::vector<double> angles = smallAngles();
  angles.insert(angles.end(),
                {pi / 3 - 1e-9, pi / 3 + 1e-9, 1.001, 1.5, 1.999, 2.001, 2.999, 3.001});
  for (double a = 1e-3; a > 5e-13; a *= 0.1) angles.push_back(pi - a);
  return angles;
}

/// Up to where the tangent is nearly singular, at 2π.
inline std::vector<double> anglesBelowTwoPi() {
  std::vector<double> angles = anglesBelowPi();
  angles.insert(angles.end(),
                {std::numbers::pi, 3.5, 3.999, 4.001, 4.6, 4.999, 5.001, 5.5, 6.0, 6.2});
  return angles;
}

inline std::vector<math::Vec3<double>> axes() {
  using V = math::Vec3<double>;
  return {V(1, 0, 0),
          V(0, 1, 0),
          V(0, 0, -1),
          V(1, 2, 3).normalized(),
          V(-3, 1, 2).normalized(),
          V(2, -3, 1e-9).normalized(),
          V(1e-7, 1, 1e-12).normalized()};
}

inline std::vector<math::Vec3<double>> rotationVectors(const std::vector<double>& angles) {
  std::vector<math::Vec3<double>> result;
  for (double angle : angles) {
    for (const auto& axis : axes()) result.emplace_back(angle * axis);
  }
  return result;
}

/// A translation along, across and oblique to each rotation.
inline std::vector<math::Vec6<double>> screws(const std::vector<double>& angles) {
  std::vector<math::Vec6<double>> result;
  const math::Vec3<double> oblique(0.3, -0.7, 0.5), across(0.0, 1.0, 0.0);
  for (double angle : angles) {
    for (const auto& axis : axes()) {
      for (const math::Vec3<double>& u : {math::Vec3<double>(0.8 * axis), oblique, across}) {
        result.push_back(math::joined<double>(u, angle * axis));
      }
    }
  }
  return result;
}

inline math::Vec6<double> someScrew() {
  math::Vec6<double> v;
  v << 0.7, -0.3, 0.4, 0.2, 0.9, -0.5;
  return v;
}

/// The inverse tangent and its derivatives grow like powers of 1/(2π − θ), and the errors with
/// them.
inline double conditionNearTwoPi(const math::Vec3<double>& w) {
  const double theta = w.norm();
  return 1.0 + theta / (2.0 * std::numbers::pi - theta);
}
inline double conditionNearTwoPi(const math::Vec6<double>& d) {
  return conditionNearTwoPi(math::secondOf(d));
}

/// Directions for derivatives at d, in no special position to it.
inline std::vector<math::Vec6<double>> screwDirections() {
  math::Vec6<double> a, b;
  a << 0.4, 0.1, -0.6, -0.2, 0.9, 0.3;
  b << -0.3, 0.8, 0.2, 0.5, 0.1, -0.7;
  return {a, b, math::Vec6<double>::Unit(3)};
}

}  // namespace flexloop::test
