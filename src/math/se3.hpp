// Frames and screw motions, SE(3) (docs/theory/02, sections 2.6 to 2.9). Vectors of six hold the
// translation first, then the rotation: d = (u; w), velocity (v; ω), force (f; m).
//
//   F = (R, x),  A B = (R_A R_B, x_A + R_A x_B)                    (2.24)
//   Ad_F = [R, x̂ R; 0, R],   ad_d = [ŵ, û; 0, ŵ]                   (2.26), (2.27)
//   exp(d) = (exp(w), T(w)ᵀ u)                                     (2.29)
//   T(d) = Σ (−1)^k/(k+1)! ad_d^k,   F⁻¹ Ḟ = (T(d) ḋ)^ for F = exp(d)      (2.31)
//   T(d)^{±1} = I + α ad_d + β ad_d² + 2 (u·w) [0, α' ŵ + β' ŵ²; 0, 0]  (2.33)
//       T: α = −c_2(q), β = c_3(q);   T⁻¹: α = ½, β = g(q);   q = w·w
#pragma once

#include "math/so3.hpp"

namespace flexloop::math {

template <class S>
using Vec6 = Eigen::Matrix<S, 6, 1>;
template <class S>
using Mat6 = Eigen::Matrix<S, 6, 6>;

/// Rotation R and origin x of a frame, in the frame it is placed in.
template <class S>
struct Frame {
  Mat3<S> R;
  Vec3<S> x;

  static Frame identity() { return {Mat3<S>::Identity(), Vec3<S>::Zero()}; }
};

/// A B
template <class S>
inline Frame<S> compose(const Frame<S>& A, const Frame<S>& B) {
  return {A.R * B.R, A.x + A.R * B.x};
}

template <class S>
inline Frame<S> inverse(const Frame<S>& A) {
  return {A.R.transpose(), -(A.R.transpose() * A.x)};
}

/// A⁻¹ B: the frame B as seen from A.
template <class S>
inline Frame<S> relative(const Frame<S>& A, const Frame<S>& B) {
  return {A.R.transpose() * B.R, A.R.transpose() * (B.x - A.x)};
}

template <class S>
inline Vec6<S> joined(const Vec3<S>& first, const Vec3<S>& second) {
  Vec6<S> v;
  v.template head<3>() = first;
  v.template tail<3>() = second;
  return v;
}

template <class S>
inline Vec3<S> firstOf(const Vec6<S>& v) {
  return v.template head<3>();
}
template <class S>
inline Vec3<S> secondOf(const Vec6<S>& v) {
  return v.template tail<3>();
}

/// [diagonal, corner; 0, diagonal]
template <class S>
inline Mat6<S> blockTriangular(const Mat3<S>& diagonal, const Mat3<S>& corner) {
  Mat6<S> A;
  A.template topLeftCorner<3, 3>() = diagonal;
  A.template topRightCorner<3, 3>() = corner;
  A.template bottomLeftCorner<3, 3>().setZero();
  A.template bottomRightCorner<3, 3>() = diagonal;
  return A;
}

template <class S>
inline Mat6<S> adjoint(const Frame<S>& F) {
  return blockTriangular<S>(F.R, skew<S>(F.x) * F.R);
}

/// Ad_F v: a velocity in the coordinates of F, brought to the coordinates F is placed in.
template <class S>
inline Vec6<S> applyAdjoint(const Frame<S>& F, const Vec6<S>& v) {
  const Vec3<S> rotated = F.R * secondOf(v);
  return joined<S>(F.R * firstOf(v) + cross<S>(F.x, rotated), rotated);
}

/// Ad_F⁻¹ v
template <class S>
inline Vec6<S> applyAdjointInverse(const Frame<S>& F, const Vec6<S>& v) {
  const Vec3<S> omega = secondOf(v);
  return joined<S>(F.R.transpose() * (firstOf(v) - cross<S>(F.x, omega)), F.R.transpose() * omega);
}

/// Ad_Fᵀ f: a force in the coordinates F is placed in, brought to the coordinates of F.
template <class S>
inline Vec6<S> applyAdjointTransposed(const Frame<S>& F, const Vec6<S>& f) {
  const Vec3<S> force = firstOf(f);
  return joined<S>(F.R.transpose() * force, F.R.transpose() * (secondOf(f) - cross<S>(F.x, force)));
}

/// Ad_F⁻ᵀ f
template <class S>
inline Vec6<S> applyAdjointInverseTransposed(const Frame<S>& F, const Vec6<S>& f) {
  const Vec3<S> force = F.R * firstOf(f);
  return joined<S>(force, F.R * secondOf(f) + cross<S>(F.x, force));
}

/// ad_v
template <class S>
inline Mat6<S> bracketMatrix(const Vec6<S>& v) {
  return blockTriangular<S>(skew<S>(secondOf(v)), skew<S>(firstOf(v)));
}

/// ad_v w
template <class S>
inline Vec6<S> bracket(const Vec6<S>& v, const Vec6<S>& w) {
  const Vec3<S> omega = secondOf(v), rotation = secondOf(w);
  return joined<S>(cross<S>(omega, firstOf(w)) + cross<S>(firstOf(v), rotation),
                   cross<S>(omega, rotation));
}

/// ad_vᵀ p
template <class S>
inline Vec6<S> coBracket(const Vec6<S>& v, const Vec6<S>& p) {
  const Vec3<S> omega = secondOf(v), force = firstOf(p);
  return joined<S>(cross<S>(force, omega),
                   cross<S>(force, firstOf(v)) + cross<S>(secondOf(p), omega));
}

template <class S>
inline Frame<S> expSE3(const Vec6<S>& d) {
  const Vec3<S> u = firstOf(d), w = secondOf(d);
  const S q = w.squaredNorm();
  const S c2 = coefficient<Stumpff<2>>(q);
  const Vec3<S> wu = cross<S>(w, u);
  return {skewQuadratic<S>(w, coefficient<Stumpff<1>>(q), c2),
          u + c2 * wu + coefficient<Stumpff<3>>(q) * cross<S>(w, wu)};
}

/// Rotation angle at most π, as logSO3.
template <class S>
inline Vec6<S> logSE3(const Frame<S>& F) {
  const Vec3<S> w = logSO3<S>(F.R);
  const S g = coefficient<InverseTangentCoefficient>(S(w.squaredNorm()));
  const Vec3<S> wx = cross<S>(w, F.x);
  return joined<S>(F.x - 0.5 * wx + g * cross<S>(w, wx), w);
}

namespace detail {

/// α, β of (2.33) for T, and their derivatives.
struct TangentFamily {
  static constexpr bool kAlphaIsConstant = false;
  template <int D, class S>
  static S alpha(const S& q) {
    return -coefficient<Stumpff<2>, D>(q);
  }
  template <int D, class S>
  static S beta(const S& q) {
    return coefficient<Stumpff<3>, D>(q);
  }
};

/// The same for T⁻¹.
struct TangentInverseFamily {
  static constexpr bool kAlphaIsConstant = true;
  template <int D, class S>
  static S alpha(const S&) {
    return S(D == 0 ? 0.5 : 0.0);
  }
  template <int D, class S>
  static S beta(const S& q) {
    return coefficient<InverseTangentCoefficient, D>(q);
  }
};

template <class Family, class S>
inline Mat6<S> matrixSE3(const Vec6<S>& d) {
  const Vec3<S> u = firstOf(d), w = secondOf(d);
  const S q = w.squaredNorm(), twice = 2.0 * u.dot(w);
  const S alpha = Family::template alpha<0>(q), beta = Family::template beta<0>(q);
  Mat3<S> corner = alpha * skew<S>(u) + beta * skewAnticommutator<S>(w, u) +
                   (twice * Family::template beta<1>(q)) * skewSquared<S>(w);
  if constexpr (!Family::kAlphaIsConstant)
    corner += (twice * Family::template alpha<1>(q)) * skew<S>(w);
  return blockTriangular<S>(skewQuadratic<S>(w, alpha, beta), corner);
}

/// The matrix of matrixSE3 times v.
template <class Family, class S>
inline Vec6<S> applySE3(const Vec6<S>& d, const Vec6<S>& v) {
  const Vec3<S> u = firstOf(d), w = secondOf(d);
  const S q = w.squaredNorm(), twice = 2.0 * u.dot(w);
  const S alpha = Family::template alpha<0>(q), beta = Family::template beta<0>(q);
  const Vec6<S> once = bracket<S>(d, v), again = bracket<S>(d, once);
  Vec6<S> result = v + alpha * once + beta * again;
  result.template head<3>() += (twice * Family::template beta<1>(q)) * secondOf(again);
  if constexpr (!Family::kAlphaIsConstant) {
    result.template head<3>() += (twice * Family::template alpha<1>(q)) * secondOf(once);
  }
  return result;
}

/// The transposed matrix of matrixSE3 times f.
template <class Family, class S>
inline Vec6<S> applyTransposedSE3(const Vec6<S>& d, const Vec6<S>& f) {
  const Vec3<S> u = firstOf(d), w = secondOf(d);
  const S q = w.squaredNorm(), twice = 2.0 * u.dot(w);
  const S alpha = Family::template alpha<0>(q), beta = Family::template beta<0>(q);
  const Vec6<S> once = coBracket<S>(d, f), again = coBracket<S>(d, once);
  Vec6<S> result = f + alpha * once + beta * again;
  result.template tail<3>() += (twice * Family::template beta<1>(q)) * firstOf(again);
  if constexpr (!Family::kAlphaIsConstant) {
    result.template tail<3>() += (twice * Family::template alpha<1>(q)) * firstOf(once);
  }
  return result;
}

}  // namespace detail

/// T(d)
template <class S>
inline Mat6<S> tangentSE3(const Vec6<S>& d) {
  return detail::matrixSE3<detail::TangentFamily>(d);
}

/// T(d)⁻¹, for a rotation below 2π.
template <class S>
inline Mat6<S> tangentInverseSE3(const Vec6<S>& d) {
  return detail::matrixSE3<detail::TangentInverseFamily>(d);
}

/// T(d) v
template <class S>
inline Vec6<S> applyTangent(const Vec6<S>& d, const Vec6<S>& v) {
  return detail::applySE3<detail::TangentFamily>(d, v);
}

/// T(d)⁻¹ v
template <class S>
inline Vec6<S> applyTangentInverse(const Vec6<S>& d, const Vec6<S>& v) {
  return detail::applySE3<detail::TangentInverseFamily>(d, v);
}

/// T(d)ᵀ f
template <class S>
inline Vec6<S> applyTangentTransposed(const Vec6<S>& d, const Vec6<S>& f) {
  return detail::applyTransposedSE3<detail::TangentFamily>(d, f);
}

/// T(d)⁻ᵀ f
template <class S>
inline Vec6<S> applyTangentInverseTransposed(const Vec6<S>& d, const Vec6<S>& f) {
  return detail::applyTransposedSE3<detail::TangentInverseFamily>(d, f);
}

}  // namespace flexloop::math
