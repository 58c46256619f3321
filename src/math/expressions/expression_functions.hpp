// The functions that an expression may call, with the derivatives that the scalars need:
//
//   f(x):     f, f', f''                        (Jet1)
//   f(x, y):  f, f_x, f_y, f_xx, f_xy, f_yy     (Jet2)
//
// `lift` carries a jet to a scalar type by the chain rule. A derivative of the argument that is
// exactly zero gives a zero, also where the function's own derivative is infinite or undefined:
// sqrt(x) at a constant x = 0 does not move, and x^2 at a negative x needs no logarithm.
//
// At a kink the derivative is that of the right branch; steps (sign, floor, ceil, round) have slope
// zero.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "math/dual.hpp"
#include "math/taylor.hpp"

namespace flexloop::math {

struct Jet1 {
  double f = 0, fx = 0, fxx = 0;
};

struct Jet2 {
  double f = 0, fx = 0, fy = 0, fxx = 0, fxy = 0, fyy = 0;
};

using Function1 = Jet1 (*)(double);
using Function2 = Jet2 (*)(double, double);

struct ExpressionFunction {
  std::string_view name;
  Function1 one = nullptr;  // set for a function of one argument
  Function2 two = nullptr;  // set for a function of two arguments
};

const ExpressionFunction* findExpressionFunction(std::string_view name);
std::vector<std::string> expressionFunctionNames();

Jet2 calcPower(double x, double y);

inline double lift(const Jet1& jet, double) {
  return jet.f;
}
inline double lift(const Jet2& jet, double, double) {
  return jet.f;
}

// a·b where b = 0 wins over an infinite or undefined a.
inline double slope(double a, double b) {
  return b == 0.0 ? 0.0 : a * b;
}

inline Taylor2 lift(const Jet1& jet, const Taylor2& x) {
  return {jet.f, slope(jet.fx, x.first),
          slope(jet.fx, x.second) + slope(jet.fxx, x.first * x.first)};
}

inline Taylor2 lift(const Jet2& jet, const Taylor2& x, const Taylor2& y) {
  const double first = slope(jet.fx, x.first) + slope(jet.fy, y.first);
  const double second = slope(jet.fx, x.second) + slope(jet.fy, y.second) +
                        slope(jet.fxx, x.first * x.first) +
                        2.0 * slope(jet.fxy, x.first * y.first) + slope(jet.fyy, y.first * y.first);
  return {jet.f, first, second};
}

template <int N>
Dual<N> lift(const Jet1& jet, const Dual<N>& x) {
  return Dual<N>(jet.f, x.d.unaryExpr([&](double d) { return slope(jet.fx, d); }));
}

template <int N>
Dual<N> lift(const Jet2& jet, const Dual<N>& x, const Dual<N>& y) {
  return Dual<N>(jet.f, x.d.binaryExpr(y.d, [&](double dx, double dy) {
    return slope(jet.fx, dx) + slope(jet.fy, dy);
  }));
}

}  // namespace flexloop::math
