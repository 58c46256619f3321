// Helpers common to all scalar types S with which the mechanics is evaluated:
//
//   double     the plain value
//   Pack       the values of four elements at once            (pack.hpp)
//   Dual<N>    value and N directional derivatives            (dual.hpp)
//   Taylor2    value, first and second derivative in time     (taylor.hpp)
//
// Generic code writes `sqrt(x)` unqualified, and branches by `select(mask, a, b)`, where the mask
// is a bool or, for Pack, one truth value per lane. Both arguments of select are evaluated.
#pragma once

#include <cmath>

namespace flexloop::math {

using std::abs;
using std::atan2;
using std::cos;
using std::sin;
using std::sqrt;

template <class S>
inline S select(bool condition, const S& ifTrue, const S& ifFalse) {
  return condition ? ifTrue : ifFalse;
}

inline bool any(bool condition) {
  return condition;
}
inline bool all(bool condition) {
  return condition;
}

/// The value without its derivatives; a Pack is its own value.
inline double valueOf(double x) {
  return x;
}

/// Maximum and minimum; a NaN in x survives (the comparison is then false).
template <class S>
inline S notBelow(const S& x, double bound) {
  return select(x < bound, S(bound), x);
}
template <class S>
inline S notAbove(const S& x, double bound) {
  return select(x > bound, S(bound), x);
}

/// Extends an analytic function of one real variable to the scalar S. The function is a type F with
///   template <int D, class B> static B derivative(const B& x);   the D-th derivative at x, B =
///   double or Pack.
/// Scalars that carry derivatives specialise this with the chain rule, so that the branches inside
/// F are taken by value only and a branch not taken cannot leave a NaN in a derivative.
template <class S>
struct AnalyticLift {
  template <class F>
  static S apply(const S& x) {
    return F::template derivative<0>(x);
  }
};

}  // namespace flexloop::math
