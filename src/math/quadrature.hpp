// Gauss and Gauss–Lobatto points on [−1, 1], and Lagrange polynomials, for few points.
//
// n Gauss points integrate polynomials up to degree 2n − 1 exactly, n Gauss–Lobatto points (which
// include both ends) up to degree 2n − 3.
#pragma once

#include <array>

namespace flexloop::math {

template <int n>
struct Quadrature {
  std::array<double, n> points;
  std::array<double, n> weights;
};

template <int n>
constexpr Quadrature<n> gaussPoints() {
  static_assert(n >= 1 && n <= 4);
  if constexpr (n == 1) {
    return {{0.0}, {2.0}};
  } else if constexpr (n == 2) {
    constexpr double x = 0.57735026918962576451;  // √(1/3)
    return {{-x, x}, {1.0, 1.0}};
  } else if constexpr (n == 3) {
    constexpr double x = 0.77459666924148337704;  // √(3/5)
    return {{-x, 0.0, x}, {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0}};
  } else {
    constexpr double x = 0.86113631159405257522;  // √(3/7 + √(24/245))
    constexpr double y = 0.33998104358485626480;  // √(3/7 − √(24/245))
    constexpr double a = 0.34785484513745385737;  // 1/2 − √(5/216)
    constexpr double b = 0.65214515486254614263;
    return {{-x, -y, y, x}, {a, b, b, a}};
  }
}

template <int n>
constexpr Quadrature<n> lobattoPoints() {
  static_assert(n >= 2 && n <= 4);
  if constexpr (n == 2) {
    return {{-1.0, 1.0}, {1.0, 1.0}};
  } else if constexpr (n == 3) {
    return {{-1.0, 0.0, 1.0}, {1.0 / 3.0, 4.0 / 3.0, 1.0 / 3.0}};
  } else {
    constexpr double x = 0.44721359549995793928;  // √(1/5)
    return {{-1.0, -x, x, 1.0}, {1.0 / 6.0, 5.0 / 6.0, 5.0 / 6.0, 1.0 / 6.0}};
  }
}

template <int n>
struct Lagrange {
  std::array<double, n> value;       // N_i(x)
  std::array<double, n> derivative;  // N_i'(x)
};

/// The polynomials that are one at one of the points and zero at the others.
template <int n>
constexpr Lagrange<n> calcLagrange(const std::array<double, n>& points, double x) {
  Lagrange<n> result{};
  for (int i = 0; i < n; ++i) {
    double value = 1.0;
    double derivative = 0.0;
    for (int j = 0; j < n; ++j) {
      if (j == i) continue;
      const double span = points[i] - points[j];
      derivative = (derivative * (x - points[j]) + value) / span;
      value *= (x - points[j]) / span;
    }
    result.value[i] = value;
    result.derivative[i] = derivative;
  }
  return result;
}

}  // namespace flexloop::math
