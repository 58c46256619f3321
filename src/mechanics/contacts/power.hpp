// Functions of contact laws for every scalar of math/scalar.hpp.
//
//     powerOf(x, n) = xⁿ for x > 0, else 0, with derivatives of the side on which x is
//     Decay:  e^(−q)
#pragma once

#include <cmath>

#include "math/dual.hpp"
#include "math/flow.hpp"
#include "math/jet.hpp"
#include "math/pack.hpp"
#include "math/taylor.hpp"

namespace flexloop::mechanics {

inline double powerOf(double x, double n) {
  return x > 0.0 ? std::pow(x, n) : 0.0;
}
inline math::Pack powerOf(math::Pack x, math::Pack n) {
  return math::mapLanes([](double a, double b) { return powerOf(a, b); }, x, n);
}
template <int N>
math::Dual<N> powerOf(const math::Dual<N>& x, double n) {
  return {powerOf(x.value, n), x.d * (n * powerOf(x.value, n - 1.0))};
}
inline math::Taylor2 powerOf(const math::Taylor2& x, double n) {
  return math::chain(x, powerOf(x.value, n), n * powerOf(x.value, n - 1.0),
                     n * (n - 1.0) * powerOf(x.value, n - 2.0));
}
inline math::Jet powerOf(const math::Jet& x, double n) {
  return math::chain(x, powerOf(x.value, n), n * powerOf(x.value, n - 1.0),
                     n * (n - 1.0) * powerOf(x.value, n - 2.0),
                     n * (n - 1.0) * (n - 2.0) * powerOf(x.value, n - 3.0));
}
template <class S, class P>
math::Flow<S> powerOf(const math::Flow<S>& x, const P& n) {
  return {powerOf(x.value, n), S(n * powerOf(x.value, P(n - 1.0)) * x.first)};
}

struct Decay {
  template <int D, class B>
  static B derivative(const B& q) {
    if constexpr (std::is_same_v<B, double>) {
      return D % 2 == 0 ? std::exp(-q) : -std::exp(-q);
    } else {
      return math::mapLanes([](double a) { return D % 2 == 0 ? std::exp(-a) : -std::exp(-a); }, q);
    }
  }
};

}  // namespace flexloop::mechanics
