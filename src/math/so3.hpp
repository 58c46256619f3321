// Rotations, SO(3) (docs/theory/02, sections 2.1 to 2.5). With the rotation vector w, θ = |w| and
// ŵ = skew(w):
//
//   ŵ v = w × v                                                    (2.2)
//   exp(w)  = I + c_1 ŵ + c_2 ŵ²                                   (2.5)
//   T(w)    = I − c_2 ŵ + c_3 ŵ²,   exp(w)ᵀ d/dt exp(w) = (T(w) ẇ)^   (2.7), (2.8)
//   T(w)⁻¹  = I + ½ ŵ + g ŵ²                                       (2.9)
//
// with the coefficients of rotation_coefficients.hpp. All functions work for every scalar S of
// scalar.hpp.
#pragma once

#include <Eigen/Core>

#include "math/rotation_coefficients.hpp"
#include "math/scalar.hpp"

namespace flexloop::math {

template <class S>
using Vec3 = Eigen::Matrix<S, 3, 1>;
template <class S>
using Mat3 = Eigen::Matrix<S, 3, 3>;

/// a × b. Eigen's own cross product is in a header that includes the decompositions.
template <class S>
inline Vec3<S> cross(const Vec3<S>& a, const Vec3<S>& b) {
  return Vec3<S>(a.y() * b.z() - a.z() * b.y(), a.z() * b.x() - a.x() * b.z(),
                 a.x() * b.y() - a.y() * b.x());
}

template <class S>
inline Mat3<S> skew(const Vec3<S>& w) {
  Mat3<S> A;
  A << S(0.0), -w.z(), w.y(), w.z(), S(0.0), -w.x(), -w.y(), w.x(), S(0.0);
  return A;
}

/// The vector of the skew-symmetric part of A: axial(skew(w)) = w.
template <class S>
inline Vec3<S> axial(const Mat3<S>& A) {
  return Vec3<S>(0.5 * (A(2, 1) - A(1, 2)), 0.5 * (A(0, 2) - A(2, 0)), 0.5 * (A(1, 0) - A(0, 1)));
}

/// ŵ ê + ê ŵ = w eᵀ + e wᵀ − 2 (w·e) I, without the cancellation on the diagonal.
template <class S>
inline Mat3<S> skewAnticommutator(const Vec3<S>& w, const Vec3<S>& e) {
  const S xx = 2.0 * (w.x() * e.x()), yy = 2.0 * (w.y() * e.y()), zz = 2.0 * (w.z() * e.z());
  const S xy = w.x() * e.y() + w.y() * e.x();
  const S yz = w.y() * e.z() + w.z() * e.y();
  const S zx = w.z() * e.x() + w.x() * e.z();
  Mat3<S> A;
  A << -(yy + zz), xy, zx, xy, -(zz + xx), yz, zx, yz, -(xx + yy);
  return A;
}

/// ŵ²
template <class S>
inline Mat3<S> skewSquared(const Vec3<S>& w) {
  const S xx = w.x() * w.x(), yy = w.y() * w.y(), zz = w.z() * w.z();
  const S xy = w.x() * w.y(), yz = w.y() * w.z(), zx = w.z() * w.x();
  Mat3<S> A;
  A << -(yy + zz), xy, zx, xy, -(zz + xx), yz, zx, yz, -(xx + yy);
  return A;
}

/// I + α ŵ + β ŵ², the form of exp, T and T⁻¹.
template <class S>
inline Mat3<S> skewQuadratic(const Vec3<S>& w, const S& alpha, const S& beta) {
  const Vec3<S> aw = w * alpha, bw = w * beta;
  const S xx = w.x() * bw.x(), yy = w.y() * bw.y(), zz = w.z() * bw.z();
  const S xy = w.x() * bw.y(), yz = w.y() * bw.z(), zx = w.z() * bw.x();
  Mat3<S> A;
  A << 1.0 - (yy + zz), xy - aw.z(), zx + aw.y(),  //
      xy + aw.z(), 1.0 - (zz + xx), yz - aw.x(),   //
      zx - aw.y(), yz + aw.x(), 1.0 - (xx + yy);
  return A;
}

template <class S>
inline Mat3<S> expSO3(const Vec3<S>& w) {
  const S q = w.squaredNorm();
  return skewQuadratic<S>(w, coefficient<Stumpff<1>>(q), coefficient<Stumpff<2>>(q));
}

template <class S>
inline Mat3<S> tangentSO3(const Vec3<S>& w) {
  const S q = w.squaredNorm();
  return skewQuadratic<S>(w, -coefficient<Stumpff<2>>(q), coefficient<Stumpff<3>>(q));
}

/// Exists for |w| < 2π.
template <class S>
inline Mat3<S> tangentInverseSO3(const Vec3<S>& w) {
  return skewQuadratic<S>(w, S(0.5), coefficient<InverseTangentCoefficient>(S(w.squaredNorm())));
}

namespace detail {

/// Logarithm at any angle through the unit quaternion (2.22), (2.23). R has no angle near zero.
template <class S>
Vec3<S> logSO3ByQuaternion(const Mat3<S>& R) {
  const S trace = R.trace();
  const Vec3<S> twiceAxial(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
  const S xy = R(0, 1) + R(1, 0), yz = R(1, 2) + R(2, 1), zx = R(2, 0) + R(0, 2);

  // Rows 4 p_i (p_0, p_1, p_2, p_3) of the quaternion p; the one with the largest p_i² is free of
  // cancellation.
  S square = 1.0 + trace;  // 4 p_i²
  S scalar = square;
  Vec3<S> vector = twiceAxial;
  const auto take = [&](const S& newSquare, const S& newScalar, const S& x, const S& y,
                        const S& z) {
    const auto larger = newSquare > square;
    square = select(larger, newSquare, square);
    scalar = select(larger, newScalar, scalar);
    vector.x() = select(larger, x, vector.x());
    vector.y() = select(larger, y, vector.y());
    vector.z() = select(larger, z, vector.z());
  };
  const S xx = 1.0 + R(0, 0) - R(1, 1) - R(2, 2);
  const S yy = 1.0 + R(1, 1) - R(2, 2) - R(0, 0);
  const S zz = 1.0 + R(2, 2) - R(0, 0) - R(1, 1);
  take(xx, twiceAxial.x(), xx, xy, zx);
  take(yy, twiceAxial.y(), xy, yy, yz);
  take(zz, twiceAxial.z(), zx, yz, zz);

  // p and −p are the same rotation; p_0 ≥ 0 gives θ ≤ π. The common factor 4 p_i drops out of both
  // the angle and the direction.
  const S sign = select(scalar < 0.0, S(-1.0), S(1.0));
  const S length = sqrt(S(vector.squaredNorm()));
  const S theta = 2.0 * atan2(length, S(sign * scalar));
  return vector * S(sign * theta / length);
}

}  // namespace detail

/// The rotation vector of R with |w| ≤ π. At the angle π, w and −w are both right and either is
/// returned.
template <class S>
inline Vec3<S> logSO3(const Mat3<S>& R) {
  const S u = 0.5 * (3.0 - R.trace());  // 1 − cos θ
  const auto small = u < kLogSeriesLimit;
  // θ/sin θ depends on u so weakly that the rounding of u does no harm at small angles, where the
  // axial vector carries the relative accuracy (2.19).
  const auto bySeries = [&]() -> Vec3<S> {
    return axial<S>(R) * coefficient<LogarithmCoefficient>(notAbove(u, kLogSeriesLimit));
  };
  if (all(small)) return bySeries();
  Vec3<S> general = detail::logSO3ByQuaternion<S>(R);
  if (!any(small)) return general;
  const Vec3<S> series = bySeries();
  return Vec3<S>(select(small, series.x(), general.x()), select(small, series.y(), general.y()),
                 select(small, series.z(), general.z()));
}

/// One Newton step to the nearest rotation, R (3 I − Rᵀ R) / 2: an error ε of orthogonality becomes
/// ¾ ε².
template <class S>
inline Mat3<S> orthonormalized(const Mat3<S>& R) {
  const Mat3<S> C = R.transpose() * R;
  return 1.5 * R - 0.5 * (R * C);
}

}  // namespace flexloop::math
