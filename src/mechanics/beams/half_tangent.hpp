// tanh(ad_d/4): how the twist in the middle of an element follows from those of its ends
// (docs/theory/07_beams.md, section 7.3). With d = (u; w), q = w·w and φ(q) = tan(θ/4)/θ,
//
//     tanh(ad_d/4) = φ ad_d + 2φ'(u·w) [0, ŵ; 0, 0].                                           (7.12)
#pragma once

#include <array>

#include "math/rotation_coefficients.hpp"
#include "math/se3.hpp"

namespace flexloop::mechanics {

// φ(q) = tan(√q/4)/√q, for rotations below 2π.
struct HalfTangentCoefficient {
  template <int D, class B>
  static B derivative(const B& q) {
    using math::all, math::any, math::select;
    const auto inSeries = q < math::kShortSeriesLimit;
    if (all(inSeries)) return math::detail::polynomial(kShort<D>, q);
    const B closed = closedForm<D>(math::notBelow(q, math::kShortSeriesLimit));
    if (!any(inSeries)) return closed;
    const B series =
        math::detail::polynomial(kShort<D>, math::notAbove(q, math::kShortSeriesLimit));
    return select(inSeries, series, closed);
  }

 private:
  // 4φ = x⁻¹ tan x with x = θ/4; y = tan x obeys y' = 1 + y², which gives the coefficients.
  static constexpr math::detail::SeriesTable series() {
    math::detail::SeriesTable t{};  // tan x = Σ t_k x^(2k+1)
    t[0] = 1.0L;
    for (std::size_t k = 1; k < t.size(); ++k) {
      for (std::size_t i = 0; i < k; ++i) t[k] += t[i] * t[k - 1 - i];
      t[k] /= 2 * k + 1;
    }
    long double scale = 0.25L;
    for (auto& c : t) {
      c *= scale;
      scale /= 16.0L;
    }
    return t;
  }
  template <int D>
  static constexpr auto kSeries = math::detail::differentiated(series(), D);
  template <int D>
  static constexpr auto kShort =
      math::detail::truncated<math::detail::termsNeeded(kSeries<D>, math::kShortSeriesLimit)>(
          kSeries<D>);

  // Differentiating θφ = tan(θ/4) gives 2qφ' = ¼(1 + qφ²) − φ; its n-th derivative, by the rule of
  // Leibniz, gives that of order n + 1.
  template <int D, class B>
  static B closedForm(const B& q) {
    using std::cos, std::sin, std::sqrt;
    const B theta = sqrt(q);
    const B x = 0.25 * theta;
    std::array<B, D + 1> f, square;  // φ and φ² with their derivatives
    f[0] = sin(x) / (cos(x) * theta);
    for (int n = 0; n < D; ++n) {
      square[n] = B(0.0);
      double binomial = 1.0;
      for (int k = 0; k <= n; ++k) {
        square[n] += binomial * f[k] * f[n - k];
        binomial *= double(n - k) / (k + 1);
      }
      B product = q * square[n];
      if (n == 0) product += B(1.0);
      if (n > 0) product += double(n) * square[n - 1];
      f[n + 1] = (0.25 * product - double(2 * n + 1) * f[n]) / (2.0 * q);
    }
    return f[D];
  }
};

template <class S>
class HalfTangent {
 public:
  explicit HalfTangent(const math::Vec6<S>& d)
      : d_(d), u_(math::firstOf(d)), w_(math::secondOf(d)), s_(u_.dot(w_)) {
    const S q = w_.squaredNorm();
    phi_ = math::coefficient<HalfTangentCoefficient>(q);
    phi1_ = math::coefficient<HalfTangentCoefficient, 1>(q);
    phi2_ = math::coefficient<HalfTangentCoefficient, 2>(q);
  }

  math::Vec6<S> apply(const math::Vec6<S>& v) const {
    math::Vec6<S> result = phi_ * math::bracket<S>(d_, v);
    result.template head<3>() += (2.0 * phi1_ * s_) * math::cross<S>(w_, math::secondOf(v));
    return result;
  }

  math::Vec6<S> applyTransposed(const math::Vec6<S>& f) const {
    math::Vec6<S> result = phi_ * math::coBracket<S>(d_, f);
    result.template tail<3>() += (2.0 * phi1_ * s_) * math::cross<S>(math::firstOf(f), w_);
    return result;
  }

  // The time derivative of the operator for d' = ddot, applied to v.
  math::Vec6<S> applyRate(const math::Vec6<S>& ddot, const math::Vec6<S>& v) const {
    const math::Vec3<S> du = math::firstOf(ddot), dw = math::secondOf(ddot);
    const math::Vec3<S> omega = math::secondOf(v);
    const S dq = 2.0 * w_.dot(dw);
    const S ds = du.dot(w_) + u_.dot(dw);
    math::Vec6<S> result =
        (phi1_ * dq) * math::bracket<S>(d_, v) + phi_ * math::bracket<S>(ddot, v);
    result.template head<3>() +=
        (2.0 * (phi2_ * dq * s_ + phi1_ * ds)) * math::cross<S>(w_, omega) +
        (2.0 * phi1_ * s_) * math::cross<S>(dw, omega);
    return result;
  }

 private:
  math::Vec6<S> d_;
  math::Vec3<S> u_, w_;
  S s_, phi_, phi1_, phi2_;
};

}  // namespace flexloop::mechanics
