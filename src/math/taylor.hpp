// A quantity along a motion: its value and its first two derivatives in time,
//
//   x = (x, ẋ, ẍ),   f(x) = (f, f' ẋ, f' ẍ + f'' ẋ²),   x y = (x y, ẋ y + x ẏ, ẍ y + 2 ẋ ẏ + x ÿ).
//
// `second` is the second derivative itself, not the Taylor coefficient ẍ/2. Comparisons look at the
// value.
#pragma once

#include <cmath>

#include <Eigen/Core>

#include "math/scalar.hpp"

namespace flexloop::math {

struct Taylor2 {
  double value, first, second;

  Taylor2() = default;  // not initialised, like double
  Taylor2(double x) : value(x), first(0.0), second(0.0) {}
  Taylor2(double x, double velocity, double acceleration)
      : value(x), first(velocity), second(acceleration) {}

  Taylor2 operator-() const { return {-value, -first, -second}; }
  Taylor2& operator+=(const Taylor2& b) { return *this = *this + b; }
  Taylor2& operator-=(const Taylor2& b) { return *this = *this - b; }
  Taylor2& operator*=(const Taylor2& b) { return *this = *this * b; }
  Taylor2& operator/=(const Taylor2& b) { return *this = *this / b; }
  Taylor2& operator*=(double b) { return *this = *this * b; }
  Taylor2& operator/=(double b) { return *this = *this / b; }

  friend Taylor2 operator+(const Taylor2& a, const Taylor2& b) {
    return {a.value + b.value, a.first + b.first, a.second + b.second};
  }
  friend Taylor2 operator-(const Taylor2& a, const Taylor2& b) {
    return {a.value - b.value, a.first - b.first, a.second - b.second};
  }
  friend Taylor2 operator*(const Taylor2& a, const Taylor2& b) {
    return {a.value * b.value, a.first * b.value + a.value * b.first,
            a.second * b.value + 2.0 * a.first * b.first + a.value * b.second};
  }
  friend Taylor2 operator/(const Taylor2& a, const Taylor2& b) {
    // From the derivatives of q b = a.
    const double inverse = 1.0 / b.value;
    const double q = a.value / b.value;
    const double q1 = (a.first - q * b.first) * inverse;
    const double q2 = (a.second - 2.0 * q1 * b.first - q * b.second) * inverse;
    return {q, q1, q2};
  }
  friend Taylor2 operator+(const Taylor2& a, double b) { return {a.value + b, a.first, a.second}; }
  friend Taylor2 operator-(const Taylor2& a, double b) { return {a.value - b, a.first, a.second}; }
  friend Taylor2 operator*(const Taylor2& a, double b) {
    return {a.value * b, a.first * b, a.second * b};
  }
  friend Taylor2 operator/(const Taylor2& a, double b) {
    return {a.value / b, a.first / b, a.second / b};
  }
  friend Taylor2 operator+(double a, const Taylor2& b) { return b + a; }
  friend Taylor2 operator-(double a, const Taylor2& b) {
    return {a - b.value, -b.first, -b.second};
  }
  friend Taylor2 operator*(double a, const Taylor2& b) { return b * a; }
  friend Taylor2 operator/(double a, const Taylor2& b) { return Taylor2(a) / b; }

  friend bool operator<(const Taylor2& a, const Taylor2& b) { return a.value < b.value; }
  friend bool operator>(const Taylor2& a, const Taylor2& b) { return a.value > b.value; }
  friend bool operator<=(const Taylor2& a, const Taylor2& b) { return a.value <= b.value; }
  friend bool operator>=(const Taylor2& a, const Taylor2& b) { return a.value >= b.value; }
  friend bool operator==(const Taylor2& a, const Taylor2& b) { return a.value == b.value; }
  friend bool operator!=(const Taylor2& a, const Taylor2& b) { return a.value != b.value; }
};

inline double valueOf(const Taylor2& x) {
  return x.value;
}

/// Chain rule for f(x), given f and its first two derivatives at x.value.
inline Taylor2 chain(const Taylor2& x, double f, double f1, double f2) {
  return {f, f1 * x.first, f1 * x.second + f2 * x.first * x.first};
}

/// The derivatives are infinite at zero.
inline Taylor2 sqrt(const Taylor2& a) {
  const double root = std::sqrt(a.value);
  return chain(a, root, 0.5 / root, -0.25 / (root * a.value));
}

/// At zero the derivative of the right branch is taken.
inline Taylor2 abs(const Taylor2& a) {
  return a.value < 0.0 ? -a : a;
}

inline Taylor2 sin(const Taylor2& a) {
  const double s = std::sin(a.value);
  return chain(a, s, std::cos(a.value), -s);
}

inline Taylor2 cos(const Taylor2& a) {
  const double c = std::cos(a.value);
  return chain(a, c, -std::sin(a.value), -c);
}

inline Taylor2 atan2(const Taylor2& y, const Taylor2& x) {
  // φ̇ r² = x ẏ − y ẋ with r² = x² + y², and its derivative.
  const double inverse = 1.0 / (x.value * x.value + y.value * y.value);
  const double phi1 = (x.value * y.first - y.value * x.first) * inverse;
  const double halfRate = x.value * x.first + y.value * y.first;
  const double phi2 = (x.value * y.second - y.value * x.second - 2.0 * phi1 * halfRate) * inverse;
  return {std::atan2(y.value, x.value), phi1, phi2};
}

template <>
struct AnalyticLift<Taylor2> {
  template <class F>
  static Taylor2 apply(const Taylor2& x) {
    return chain(x, F::template derivative<0>(x.value), F::template derivative<1>(x.value),
                 F::template derivative<2>(x.value));
  }
};

}  // namespace flexloop::math

namespace Eigen {

template <>
struct NumTraits<flexloop::math::Taylor2> : GenericNumTraits<double> {
  using Real = flexloop::math::Taylor2;
  using NonInteger = flexloop::math::Taylor2;
  using Nested = flexloop::math::Taylor2;
  using Literal = double;
  enum { RequireInitialization = 0, ReadCost = 3, AddCost = 3, MulCost = 9 };
};

template <class BinaryOp>
struct ScalarBinaryOpTraits<flexloop::math::Taylor2, double, BinaryOp> {
  using ReturnType = flexloop::math::Taylor2;
};
template <class BinaryOp>
struct ScalarBinaryOpTraits<double, flexloop::math::Taylor2, BinaryOp> {
  using ReturnType = flexloop::math::Taylor2;
};

}  // namespace Eigen
