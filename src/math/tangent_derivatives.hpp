// Directional derivatives of T and T⁻¹ on SO(3) and SE(3) (docs/theory/02, section 2.10).
// Both have the form A(w) = I + α(q) ŵ + β(q) ŵ² with q = w·w, so that
//
//   DA(w)[e]     = α ê + β (ŵê + êŵ) + 2 (w·e) (α' ŵ + β' ŵ²)                  (2.36)
//   D²A(w)[e, f] = 2 (w·f) (α' ê + β' (ŵê + êŵ)) + 2 (w·e) (α' f̂ + β' (ŵf̂ + f̂ŵ))
//                + β (êf̂ + f̂ê) + (2 (e·f) α' + 4 (w·e)(w·f) α'') ŵ
//                + (2 (e·f) β' + 4 (w·e)(w·f) β'') ŵ²                           (2.37)
//
// and on SE(3), with d = (u; w), the matrix A(d) = [A(w), DA(w)[u]; 0, A(w)] has the derivative
//
//   DA(d)[e] = [DA(w)[e_w],  DA(w)[e_u] + D²A(w)[u, e_w];  0,  DA(w)[e_w]],   e = (e_u; e_w) (2.38)
#pragma once

#include "math/se3.hpp"

namespace flexloop::math {

namespace detail {

template <class Family, class S>
inline Mat3<S> derivativeSO3(const Vec3<S>& w, const Vec3<S>& e) {
  const S q = w.squaredNorm(), twice = 2.0 * w.dot(e);
  Mat3<S> result = Family::template beta<0>(q) * skewAnticommutator<S>(w, e) +
                   (twice * Family::template beta<1>(q)) * skewSquared<S>(w);
  const Vec3<S> odd = Family::template alpha<0>(q) * e + (twice * Family::template alpha<1>(q)) * w;
  return result + skew<S>(odd);
}

template <class Family, class S>
inline Mat3<S> secondDerivativeSO3(const Vec3<S>& w, const Vec3<S>& e, const Vec3<S>& f) {
  const S q = w.squaredNorm();
  const S we = 2.0 * w.dot(e), wf = 2.0 * w.dot(f), ef = 2.0 * e.dot(f);
  const S alpha1 = Family::template alpha<1>(q), alpha2 = Family::template alpha<2>(q);
  const S beta1 = Family::template beta<1>(q), beta2 = Family::template beta<2>(q);
  const Vec3<S> mixed = wf * e + we * f;
  const Vec3<S> odd = alpha1 * mixed + (ef * alpha1 + we * wf * alpha2) * w;
  return Family::template beta<0>(q) * skewAnticommutator<S>(e, f) +
         beta1 * skewAnticommutator<S>(w, mixed) +
         (ef * beta1 + we * wf * beta2) * skewSquared<S>(w) + skew<S>(odd);
}

template <class Family, class S>
inline Mat6<S> derivativeSE3(const Vec6<S>& d, const Vec6<S>& e) {
  const Vec3<S> u = firstOf(d), w = secondOf(d), eu = firstOf(e), ew = secondOf(e);
  return blockTriangular<S>(
      derivativeSO3<Family, S>(w, ew),
      derivativeSO3<Family, S>(w, eu) + secondDerivativeSO3<Family, S>(w, u, ew));
}

}  // namespace detail

/// d/ds T(w + s e) at s = 0. It is also the upper right block of T on SE(3) for e = u (2.32).
template <class S>
inline Mat3<S> tangentDerivativeSO3(const Vec3<S>& w, const Vec3<S>& e) {
  return detail::derivativeSO3<detail::TangentFamily, S>(w, e);
}

/// d/ds T(w + s e)⁻¹ at s = 0, for |w| < 2π.
template <class S>
inline Mat3<S> tangentInverseDerivativeSO3(const Vec3<S>& w, const Vec3<S>& e) {
  return detail::derivativeSO3<detail::TangentInverseFamily, S>(w, e);
}

/// d/ds T(d + s e) at s = 0.
template <class S>
inline Mat6<S> tangentDerivativeSE3(const Vec6<S>& d, const Vec6<S>& e) {
  return detail::derivativeSE3<detail::TangentFamily, S>(d, e);
}

/// d/ds T(d + s e)⁻¹ at s = 0, for a rotation below 2π.
template <class S>
inline Mat6<S> tangentInverseDerivativeSE3(const Vec6<S>& d, const Vec6<S>& e) {
  return detail::derivativeSE3<detail::TangentInverseFamily, S>(d, e);
}

}  // namespace flexloop::math
