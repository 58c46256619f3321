// Angles over many turns. An angle φ is known up to 2πn; the functions here choose n.
#pragma once

#include <cmath>
#include <numbers>

#include "math/dual.hpp"
#include "math/pack.hpp"
#include "math/taylor.hpp"

namespace flexloop::math {

/// The nearest whole number. It does not move with its argument, so all derivatives are zero.
inline double rounded(double x) {
  return std::round(x);
}
inline Pack rounded(Pack x) {
  return mapLanes([](double lane) { return std::round(lane); }, x);
}
inline Taylor2 rounded(const Taylor2& x) {
  return Taylor2(std::round(x.value));
}
template <int N>
Dual<N> rounded(const Dual<N>& x) {
  return Dual<N>(std::round(x.value));
}

/// φ + 2πn nearest to zero.
template <class S>
S wrapped(const S& angle) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  return angle - kTurn * rounded(S(angle * (1.0 / kTurn)));
}

/// φ + 2πn nearest to `reference`.
template <class S>
S nearestTurn(const S& angle, const S& reference) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  return angle + kTurn * rounded(S((reference - angle) * (1.0 / kTurn)));
}

}  // namespace flexloop::math
