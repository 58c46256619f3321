// Everything that a sensor must know of its formula, from one evaluation: a quantity with three
// derivatives along a motion, and with the partial derivatives of itself and of its rate in twelve
// directions s_i,
//
//   x = (x, ẋ, ẍ, x⃛;  d_i = ∂x/∂s_i,  ḋ_i = ∂ẋ/∂s_i),
//   f(x) = (f, f' ẋ, f' ẍ + f'' ẋ², f' x⃛ + 3 f'' ẋ ẍ + f''' ẋ³;  f' d,  f' ḋ + f'' ẋ d).
//
// `second` and `third` are the derivatives themselves, not Taylor coefficients. Comparisons look at the
// value. The arithmetic is compiled once, in jet.cpp: an operation costs a call, and a formula that is
// rarely evaluated costs the compiler little.
#pragma once

#include <Eigen/Core>

#include "math/dual.hpp"
#include "math/scalar.hpp"

namespace flexloop::math {

struct Jet {
  static constexpr int kDirections = 12;
  using Directions = Derivatives<kDirections>;

  double value, first, second, third;
  Directions d, dFirst;

  Jet() {}  // NOLINT(modernize-use-equals-default): not initialised, like double
  Jet(double x);
  Jet(double x, double firstDerivative, double secondDerivative, double thirdDerivative);
  Jet(const Jet& b);
  Jet& operator=(const Jet& b);

  Jet operator-() const;
  Jet& operator+=(const Jet& b);
  Jet& operator-=(const Jet& b);
  Jet& operator*=(const Jet& b) { return *this = *this * b; }
  Jet& operator/=(const Jet& b) { return *this = *this / b; }
  Jet& operator*=(double b) { return *this = *this * b; }

  friend Jet operator+(const Jet& a, const Jet& b);
  friend Jet operator-(const Jet& a, const Jet& b);
  friend Jet operator*(const Jet& a, const Jet& b);
  friend Jet operator/(const Jet& a, const Jet& b);
  friend Jet operator+(const Jet& a, double b);
  friend Jet operator-(const Jet& a, double b) { return a + -b; }
  friend Jet operator*(const Jet& a, double b);
  friend Jet operator/(const Jet& a, double b);
  friend Jet operator+(double a, const Jet& b) { return b + a; }
  friend Jet operator-(double a, const Jet& b) { return -b + a; }
  friend Jet operator*(double a, const Jet& b) { return b * a; }
  friend Jet operator/(double a, const Jet& b) { return Jet(a) / b; }

  friend bool operator<(const Jet& a, const Jet& b) { return a.value < b.value; }
  friend bool operator>(const Jet& a, const Jet& b) { return a.value > b.value; }
  friend bool operator<=(const Jet& a, const Jet& b) { return a.value <= b.value; }
  friend bool operator>=(const Jet& a, const Jet& b) { return a.value >= b.value; }
  friend bool operator==(const Jet& a, const Jet& b) { return a.value == b.value; }
  friend bool operator!=(const Jet& a, const Jet& b) { return a.value != b.value; }
};

inline double valueOf(const Jet& x) {
  return x.value;
}

/// Chain rule for f(x), given f and its first three derivatives at x.value.
Jet chain(const Jet& x, double f, double f1, double f2, double f3);

/// The derivatives are infinite at zero.
Jet sqrt(const Jet& a);
Jet sin(const Jet& a);
Jet cos(const Jet& a);
Jet atan2(const Jet& y, const Jet& x);
/// The nearest whole number, which does not move with its argument.
Jet rounded(const Jet& x);

template <>
struct AnalyticLift<Jet> {
  template <class F>
  static Jet apply(const Jet& x) {
    return chain(x, F::template derivative<0>(x.value), F::template derivative<1>(x.value),
                 F::template derivative<2>(x.value), F::template derivative<3>(x.value));
  }
};

}  // namespace flexloop::math

namespace Eigen {

template <>
struct NumTraits<flexloop::math::Jet> : GenericNumTraits<double> {
  using Real = flexloop::math::Jet;
  using NonInteger = flexloop::math::Jet;
  using Nested = flexloop::math::Jet;
  using Literal = double;
  enum { RequireInitialization = 0, ReadCost = 28, AddCost = 28, MulCost = 90 };
};

template <class BinaryOp>
struct ScalarBinaryOpTraits<flexloop::math::Jet, double, BinaryOp> {
  using ReturnType = flexloop::math::Jet;
};
template <class BinaryOp>
struct ScalarBinaryOpTraits<double, flexloop::math::Jet, BinaryOp> {
  using ReturnType = flexloop::math::Jet;
};

}  // namespace Eigen
