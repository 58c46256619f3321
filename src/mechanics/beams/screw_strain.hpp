// The strain of a curve of frames F = F_r exp(w), e = T(w) w', and what its virtual work needs
// (docs/theory/07_beams.md, section 7.5). With w = (u; ω), z = (a; b), q = ω·ω, s = u·ω, α = −c_2(q),
// β = c_3(q) and c = ω×b, h = ω×c, g = ω×a + u×b,
//
//     T(w) z = (a + αg + β(ω×g + u×c) + 2s(α'c + β'h);  b + αc + βh).                    (7.19)
#pragma once

#include "math/se3.hpp"

namespace flexloop::mechanics {

template <class S>
class ScrewStrain {
 public:
  using Vec3 = math::Vec3<S>;
  using Vec6 = math::Vec6<S>;

  explicit ScrewStrain(const Vec6& w) : u_(math::firstOf(w)), omega_(math::secondOf(w)) {
    const S q = omega_.squaredNorm();
    s_ = u_.dot(omega_);
    alpha_ = -math::coefficient<math::Stumpff<2>>(q);
    alpha1_ = -math::coefficient<math::Stumpff<2>, 1>(q);
    alpha2_ = -math::coefficient<math::Stumpff<2>, 2>(q);
    beta_ = math::coefficient<math::Stumpff<3>>(q);
    beta1_ = math::coefficient<math::Stumpff<3>, 1>(q);
    beta2_ = math::coefficient<math::Stumpff<3>, 2>(q);
  }

  // T(w) z
  Vec6 apply(const Vec6& z) const {
    const Vec3 a = math::firstOf(z), b = math::secondOf(z);
    const Vec3 c = cross(omega_, b), h = cross(omega_, c), g = cross(omega_, a) + cross(u_, b);
    const S twice = 2.0 * s_;
    return math::joined<S>(a + alpha_ * g + beta_ * (cross(omega_, g) + cross(u_, c)) +
                               (twice * alpha1_) * c + (twice * beta1_) * h,
                           b + alpha_ * c + beta_ * h);
  }

  // d/dt of T(w) z for w' = wdot at fixed z.
  Vec6 applyRate(const Vec6& wdot, const Vec6& z) const {
    const Vec3 a = math::firstOf(z), b = math::secondOf(z);
    const Vec3 du = math::firstOf(wdot), dw = math::secondOf(wdot);
    const Vec3 c = cross(omega_, b), h = cross(omega_, c), g = cross(omega_, a) + cross(u_, b);
    const Vec3 dc = cross(dw, b), dh = cross(dw, c) + cross(omega_, dc);
    const Vec3 dg = cross(dw, a) + cross(du, b);
    const S dq = 2.0 * omega_.dot(dw);
    const S twice = 2.0 * s_, dtwice = 2.0 * (du.dot(omega_) + u_.dot(dw));
    const S dalpha = alpha1_ * dq, dbeta = beta1_ * dq;
    const Vec3 second = cross(omega_, g) + cross(u_, c);
    const Vec3 dsecond = cross(dw, g) + cross(omega_, dg) + cross(du, c) + cross(u_, dc);
    return math::joined<S>(dalpha * g + alpha_ * dg + dbeta * second + beta_ * dsecond +
                               (dtwice * alpha1_ + twice * alpha2_ * dq) * c +
                               (twice * alpha1_) * dc +
                               (dtwice * beta1_ + twice * beta2_ * dq) * h + (twice * beta1_) * dh,
                           dalpha * c + alpha_ * dc + dbeta * h + beta_ * dh);
  }

  // T(w)ᵀ σ
  Vec6 applyTransposed(const Vec6& sigma) const {
    return math::applyTangentTransposed<S>(math::joined<S>(u_, omega_), sigma);
  }

  // The gradient of σ·T(w) z with respect to w, by running (7.19) backwards (7.20).
  Vec6 gradient(const Vec6& z, const Vec6& sigma) const {
    const Vec3 a = math::firstOf(z), b = math::secondOf(z);
    const Vec3 f = math::firstOf(sigma), m = math::secondOf(sigma);
    const Vec3 c = cross(omega_, b), h = cross(omega_, c), g = cross(omega_, a) + cross(u_, b);
    const S twice = 2.0 * s_;
    const Vec3 second = cross(omega_, g) + cross(u_, c);
    const Vec3 g_bar = alpha_ * f + beta_ * cross(f, omega_);
    const Vec3 h_bar = beta_ * m + (twice * beta1_) * f;
    const Vec3 c_bar =
        alpha_ * m + beta_ * cross(f, u_) + (twice * alpha1_) * f + cross(h_bar, omega_);
    const S fc = f.dot(c), fh = f.dot(h);
    const S q_bar = (f.dot(g) + m.dot(c)) * alpha1_ + (f.dot(second) + m.dot(h)) * beta1_ +
                    twice * (fc * alpha2_ + fh * beta2_);
    const S s_bar = 2.0 * (alpha1_ * fc + beta1_ * fh);
    return math::joined<S>(cross(b, g_bar) + beta_ * cross(c, f) + s_bar * omega_,
                           cross(c, h_bar) + cross(b, c_bar) + cross(a, g_bar) +
                               beta_ * cross(g, f) + (2.0 * q_bar) * omega_ + s_bar * u_);
  }

 private:
  static Vec3 cross(const Vec3& a, const Vec3& b) { return math::cross<S>(a, b); }

  Vec3 u_, omega_;
  S s_, alpha_, alpha1_, alpha2_, beta_, beta1_, beta2_;
};

}  // namespace flexloop::mechanics
