// Scalar coefficients of rotations as functions of q = θ² (docs/theory/02, section 2.3). They are
// analytic in q, so that their derivatives exist at θ = 0 as well:
//
//   c_n(q) = Σ_k (−q)^k / (2k + n)!                               (2.10)
//            c_0 = cos θ,  c_1 = sin θ/θ,  c_2 = (1 − cos θ)/θ²,  c_3 = (θ − sin θ)/θ³
//   g(q)   = (1 − (θ/2) cot(θ/2)) / θ²                            (2.14)
//   h(u)   = θ / sin θ  with  u = 1 − cos θ                       (2.19)
//
// Each is a type with the member derivative<D>(x), the D-th derivative with respect to its
// argument, for double and Pack; `coefficient<F, D>(x)` evaluates it for any scalar.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "math/scalar.hpp"

namespace flexloop::math {

namespace detail {

/// Coefficients of a power series. They are made when compiling, in long double, and rounded at the
/// end.
using SeriesTable = std::array<long double, 64>;

constexpr SeriesTable differentiated(SeriesTable series, int times) {
  for (; times > 0; --times) {
    for (std::size_t k = 0; k + 1 < series.size(); ++k) series[k] = (k + 1) * series[k + 1];
    series.back() = 0.0L;
  }
  return series;
}

/// Number of terms after which the series changes nothing in double precision at x.
constexpr int termsNeeded(const SeriesTable& series, long double x) {
  constexpr long double kNegligible = 0x1p-58L;
  const auto magnitude = [](long double a) { return a < 0.0L ? -a : a; };
  long double power = 1.0L;
  int k = 0;
  do {
    power *= x;
    ++k;
  } while (magnitude(series[k] * power) > kNegligible * magnitude(series[0]));
  return k;
}

template <int K>
constexpr std::array<double, K> truncated(const SeriesTable& series) {
  std::array<double, K> result{};
  for (int k = 0; k < K; ++k) result[k] = static_cast<double>(series[k]);
  return result;
}

/// Σ c_k x^k. Even and odd powers are summed by separate Horner schemes, which halves the latency.
template <class B, std::size_t K>
inline B polynomial(const std::array<double, K>& c, const B& x) {
  static_assert(K >= 3);
  constexpr int kLast = static_cast<int>(K) - 1;
  const B x2 = x * x;
  B sum = B(c[kLast]), other = B(c[kLast - 1]);
#pragma GCC unroll 64
  for (int k = kLast - 2; k >= 1; k -= 2) {
    sum = sum * x2 + c[k];
    other = other * x2 + c[k - 1];
  }
  if constexpr (kLast % 2 == 1) {
    return sum * x + other;
  } else {
    return (sum * x + other) * x + c[0];
  }
}

/// c_n, equation (2.10).
constexpr SeriesTable stumpffSeries(int n) {
  long double term = 1.0L;
  for (int i = 2; i <= n; ++i) term /= i;
  SeriesTable series{};
  for (int k = 0; k < static_cast<int>(series.size()); ++k) {
    series[k] = term;
    term /= -static_cast<long double>(2 * k + n + 1) * (2 * k + n + 2);
  }
  return series;
}

/// g, by the differential equation (2.15).
constexpr SeriesTable inverseTangentSeries() {
  SeriesTable g{};
  g[0] = 1.0L / 12.0L;
  for (std::size_t k = 1; k < g.size(); ++k) {
    for (std::size_t i = 0; i < k; ++i) g[k] += g[i] * g[k - 1 - i];
    g[k] /= 2 * k + 3;
  }
  return g;
}

inline constexpr long double kTwoPiSquared =
    4.0L * std::numbers::pi_v<long double> * std::numbers::pi_v<long double>;

/// What the poles at θ = 2π and 4π leave of g: 2 Σ_{n ≥ 3} (2πn)^(−2k−2), equation (2.17).
constexpr SeriesTable inverseTangentFarSeries() {
  // The sum over n converges slowly for the first terms; there the two poles are subtracted from g,
  // which costs at most ten of the 64 bits.
  constexpr int kSubtracted = 3;
  SeriesTable far = inverseTangentSeries();
  for (std::size_t k = kSubtracted; k < far.size(); ++k) far[k] = 0.0L;
  for (int n = 1; n <= 300; ++n) {
    const long double ratio = 1.0L / (n * n * kTwoPiSquared);
    long double term = 2.0L * ratio;
    for (std::size_t k = 0; k < far.size(); ++k, term *= ratio) {
      if (k < kSubtracted && n <= 2) far[k] -= term;
      if (k >= kSubtracted && n > 2) far[k] += term;
    }
  }
  return far;
}

/// h, equation (2.20).
constexpr SeriesTable logarithmSeries() {
  SeriesTable h{};
  h[0] = 1.0L;
  for (std::size_t k = 1; k < h.size(); ++k) h[k] = h[k - 1] * k / (2.0L * k + 1.0L);
  return h;
}

}  // namespace detail

/// Below this q the coefficients are evaluated by their short Taylor series only: rotations up to
/// one radian between the frames of an element are the common case.
inline constexpr double kShortSeriesLimit = 1.0;

/// c_n, equation (2.10).
template <int n>
struct Stumpff {
  template <int D, class B>
  static B derivative(const B& q) {
    if (all(q < kShortSeriesLimit)) return detail::polynomial(kShort<D>, q);
    constexpr double limit = longSeriesLimit(D);
    const auto inSeries = q < limit;
    const B series = detail::polynomial(kLong<D>, notAbove(q, limit));
    if (all(inSeries)) return series;
    return select(inSeries, series, closedForm<D>(notBelow(q, limit)));
  }

  /// The closed form subtracts nearly equal numbers at small q, once more with each derivative; the
  /// alternating series does so at large q. The limits are where both lose about the same (2.13).
  static constexpr double longSeriesLimit(int D) {
    constexpr double kLimits[] = {4.0, 9.0, 16.0, 25.0, 36.0, 49.0};
    return kLimits[D];
  }

 private:
  template <int>
  friend struct Stumpff;

  template <int D>
  static constexpr auto kSeries = detail::differentiated(detail::stumpffSeries(n), D);
  template <int D>
  static constexpr auto kShort =
      detail::truncated<detail::termsNeeded(kSeries<D>, kShortSeriesLimit)>(kSeries<D>);
  template <int D>
  static constexpr auto kLong =
      detail::truncated<detail::termsNeeded(kSeries<D>, longSeriesLimit(D))>(kSeries<D>);

  /// Recurrences (2.11) and (2.12).
  template <int D, class B>
  static B closedForm(const B& q) {
    if constexpr (D > 0 && n == 0) {
      return -0.5 * Stumpff<1>::template closedForm<D - 1>(q);
    } else if constexpr (D > 0) {
      const B lower = Stumpff<n - 1>::template closedForm<D - 1>(q);
      return (lower - double(n + 2 * (D - 1)) * closedForm<D - 1>(q)) / (2.0 * q);
    } else if constexpr (n == 0) {
      return cos(sqrt(q));
    } else if constexpr (n == 1) {
      const B theta = sqrt(q);
      return sin(theta) / theta;
    } else if constexpr (n == 2) {
      const B sine = sin(0.5 * sqrt(q));  // no cancellation where cos θ is near one
      return 2.0 * sine * sine / q;
    } else {
      constexpr double first = static_cast<double>(detail::stumpffSeries(n - 2)[0]);
      return (first - Stumpff<n - 2>::template closedForm<0>(q)) / q;
    }
  }
};

/// g, equation (2.14), for 0 ≤ θ < 2π.
struct InverseTangentCoefficient {
  template <int D, class B>
  static B derivative(const B& q) {
    if (all(q < kShortSeriesLimit)) return detail::polynomial(kShort<D>, q);
    return detail::polynomial(kFar<D>, q) + pole<D>(q, 1) + pole<D>(q, 2);
  }

 private:
  template <int D>
  static constexpr auto kNearSeries = detail::differentiated(detail::inverseTangentSeries(), D);
  template <int D>
  static constexpr auto kFarSeries = detail::differentiated(detail::inverseTangentFarSeries(), D);
  template <int D>
  static constexpr auto kShort =
      detail::truncated<detail::termsNeeded(kNearSeries<D>, kShortSeriesLimit)>(kNearSeries<D>);
  template <int D>
  static constexpr auto kFar =
      detail::truncated<detail::termsNeeded(kFarSeries<D>, detail::kTwoPiSquared)>(kFarSeries<D>);

  /// D-th derivative of 2 / (4π²n² − q).
  template <int D, class B>
  static B pole(const B& q, int n) {
    const B inverse = 1.0 / (double(n * n * detail::kTwoPiSquared) - q);
    B result = 2.0 * inverse;
    for (int i = 1; i <= D; ++i) result *= double(i) * inverse;
    return result;
  }
};

/// Largest argument of h: θ = 60°, six elements of a beam to a full turn.
inline constexpr double kLogSeriesLimit = 0.5;

/// h, equation (2.19), for 0 ≤ u ≤ kLogSeriesLimit.
struct LogarithmCoefficient {
  template <int D, class B>
  static B derivative(const B& u) {
    return detail::polynomial(kTerms<D>, u);
  }

 private:
  template <int D>
  static constexpr auto kSeries = detail::differentiated(detail::logarithmSeries(), D);
  template <int D>
  static constexpr auto kTerms =
      detail::truncated<detail::termsNeeded(kSeries<D>, kLogSeriesLimit)>(kSeries<D>);
};

namespace detail {

template <class F, int D>
struct DerivativeOf {
  template <int E, class B>
  static B derivative(const B& x) {
    return F::template derivative<D + E>(x);
  }
};

}  // namespace detail

/// The D-th derivative of the coefficient F at x, for any scalar.
template <class F, int D = 0, class S>
inline S coefficient(const S& x) {
  return AnalyticLift<S>::template apply<detail::DerivativeOf<F, D>>(x);
}

}  // namespace flexloop::math
