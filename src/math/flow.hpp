// A quantity of any scalar type S with its time derivative,
//
//   x = (x, ẋ),   f(x) = (f, f' ẋ),   x y = (x y, ẋ y + x ẏ).
//
// Where Taylor2 differentiates numbers, this differentiates what carries derivatives itself: with
// S = Dual<N> the partial derivatives of a rate come out exactly. Comparisons look at the value.
#pragma once

#include <concepts>

#include <Eigen/Core>

#include "math/pack.hpp"
#include "math/rotation_coefficients.hpp"
#include "math/scalar.hpp"
#include "math/turns.hpp"

namespace flexloop::math {

template <class S>
concept NotDouble = !std::same_as<S, double>;

template <class S>
struct Flow {
  S value, first;

  Flow() {}  // NOLINT(modernize-use-equals-default): not initialised, like double
  Flow(double x) : value(x), first(0.0) {}
  Flow(const S& x) requires NotDouble<S> : value(x), first(0.0) {}
  Flow(const S& x, const S& rate) : value(x), first(rate) {}

  Flow operator-() const { return {S(-value), S(-first)}; }
  Flow& operator+=(const Flow& b) { return *this = *this + b; }
  Flow& operator-=(const Flow& b) { return *this = *this - b; }
  Flow& operator*=(const Flow& b) { return *this = *this * b; }
  Flow& operator/=(const Flow& b) { return *this = *this / b; }

  friend Flow operator+(const Flow& a, const Flow& b) {
    return {S(a.value + b.value), S(a.first + b.first)};
  }
  friend Flow operator-(const Flow& a, const Flow& b) {
    return {S(a.value - b.value), S(a.first - b.first)};
  }
  friend Flow operator*(const Flow& a, const Flow& b) {
    return {S(a.value * b.value), S(a.first * b.value + a.value * b.first)};
  }
  friend Flow operator/(const Flow& a, const Flow& b) {
    const S q = a.value / b.value;
    return {q, S((a.first - q * b.first) / b.value)};
  }

  friend auto operator<(const Flow& a, const Flow& b) { return a.value < b.value; }
  friend auto operator>(const Flow& a, const Flow& b) { return a.value > b.value; }
  friend auto operator<=(const Flow& a, const Flow& b) { return a.value <= b.value; }
  friend auto operator>=(const Flow& a, const Flow& b) { return a.value >= b.value; }
};

template <class S>
Flow<S> select(bool condition, const Flow<S>& ifTrue, const Flow<S>& ifFalse) {
  return condition ? ifTrue : ifFalse;
}
inline Flow<Pack> select(const PackMask& mask, const Flow<Pack>& ifTrue,
                         const Flow<Pack>& ifFalse) {
  return {select(mask, ifTrue.value, ifFalse.value), select(mask, ifTrue.first, ifFalse.first)};
}

template <class S>
Flow<S> sqrt(const Flow<S>& a) {
  const S root = sqrt(a.value);
  return {root, S(0.5 * a.first / root)};
}

template <class S>
Flow<S> sin(const Flow<S>& a) {
  return {S(sin(a.value)), S(a.first * cos(a.value))};
}

template <class S>
Flow<S> cos(const Flow<S>& a) {
  return {S(cos(a.value)), S(-a.first * sin(a.value))};
}

template <class S>
Flow<S> atan2(const Flow<S>& y, const Flow<S>& x) {
  const S square = x.value * x.value + y.value * y.value;
  return {S(atan2(y.value, x.value)), S((x.value * y.first - y.value * x.first) / square)};
}

template <class S>
Flow<S> rounded(const Flow<S>& x) {
  return {S(rounded(x.value)), S(0.0)};
}

template <class S>
struct AnalyticLift<Flow<S>> {
  template <class F>
  static Flow<S> apply(const Flow<S>& x) {
    using Derivative = detail::DerivativeOf<F, 1>;
    return {AnalyticLift<S>::template apply<F>(x.value),
            S(AnalyticLift<S>::template apply<Derivative>(x.value) * x.first)};
  }
};

}  // namespace flexloop::math

namespace Eigen {

template <class S>
struct NumTraits<flexloop::math::Flow<S>> : GenericNumTraits<double> {
  using Real = flexloop::math::Flow<S>;
  using NonInteger = flexloop::math::Flow<S>;
  using Nested = flexloop::math::Flow<S>;
  using Literal = double;
  enum { RequireInitialization = 0, ReadCost = 2, AddCost = 2, MulCost = 6 };
};

template <class S, class BinaryOp>
struct ScalarBinaryOpTraits<flexloop::math::Flow<S>, double, BinaryOp> {
  using ReturnType = flexloop::math::Flow<S>;
};
template <class S, class BinaryOp>
struct ScalarBinaryOpTraits<double, flexloop::math::Flow<S>, BinaryOp> {
  using ReturnType = flexloop::math::Flow<S>;
};
template <flexloop::math::NotDouble S, class BinaryOp>
struct ScalarBinaryOpTraits<flexloop::math::Flow<S>, S, BinaryOp> {
  using ReturnType = flexloop::math::Flow<S>;
};
template <flexloop::math::NotDouble S, class BinaryOp>
struct ScalarBinaryOpTraits<S, flexloop::math::Flow<S>, BinaryOp> {
  using ReturnType = flexloop::math::Flow<S>;
};

}  // namespace Eigen
