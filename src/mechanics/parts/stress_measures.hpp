// Numbers that sum up a state of stress (xx, yy, zz, xy, yz, zx), for any scalar (docs/theory/31_reduced_bodies.md, section
// 31.6).
#pragma once

#include "math/scalar.hpp"
#include "math/se3.hpp"

namespace flexloop::mechanics {

// (31.17); without a slope where all stress vanishes.
template <class S>
S calcVonMisesStress(const math::Vec6<S>& s) {
  using math::sqrt, std::sqrt;
  const S xy = s[0] - s[1], yz = s[1] - s[2], zx = s[2] - s[0];
  const S square =
      0.5 * (xy * xy + yz * yz + zx * zx) + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]);
  return square > S(0.0) ? S(sqrt(square)) : S(0.0);
}

struct PrincipalAxes {
  math::Vec3<double> values;      // falling
  math::Mat3<double> directions;  // by column
};
PrincipalAxes findPrincipalAxes(const math::Vec6<double>& stress);

namespace detail {
template <class S>
double numberOf(const S& x) {
  if constexpr (std::is_same_v<S, double>) {
    return x;
  } else {
    return numberOf(x.value);
  }
}
}  // namespace detail

// The principal stress of this rank, 0 for the largest tension. The direction of the numbers alone is turned as the derivatives
// say, (31.18); the quotient of Rayleigh then has all derivatives up to the third.
template <class S>
S calcPrincipalStress(const math::Vec6<S>& s, int rank) {
  // Neighbours closer than this are one value for derivatives: their directions are any in a plane.
  constexpr double kSame = 1e-9;
  math::Vec6<double> numbers;
  for (int i = 0; i < 6; ++i) numbers[i] = detail::numberOf(s[i]);
  const PrincipalAxes axes = findPrincipalAxes(numbers);
  if constexpr (std::is_same_v<S, double>) return axes.values[rank];
  math::Mat3<S> stress;
  stress << s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2];
  const math::Vec3<S> n0 = axes.directions.col(rank).template cast<S>();
  const math::Vec3<S> product = stress * n0;
  math::Vec3<S> n = n0;
  const double size = axes.values.cwiseAbs().maxCoeff();
  for (int j = 0; j < 3; ++j) {
    const double gap = axes.values[rank] - axes.values[j];
    if (j == rank || !(std::abs(gap) > kSame * size)) continue;
    const math::Vec3<S> other = axes.directions.col(j).template cast<S>();
    const S share = other.dot(product) / S(gap);
    n += other * share;
  }
  return n.dot(math::Vec3<S>(stress * n)) / n.dot(n);
}

}  // namespace flexloop::mechanics
