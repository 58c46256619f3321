// Forward differentiation: a value with its derivatives in N directions,
//
//   x = (x, d),   d_i = ∂x/∂s_i,
//   f(x) = (f(x), f'(x) d),
//   x y = (x y, x d_y + y d_x),
//   x / y = (x / y, (d_x − (x / y) d_y) / y).
//
// Derivatives are exact up to rounding. Comparisons look at the value only.
#pragma once

#include <cmath>

#include <Eigen/Core>

#include "math/scalar.hpp"

namespace flexloop::math {

/// The N derivatives, in chunks of the vector unit. Not an Eigen array: copies of those are moved
/// in pieces of other sizes than they were written in, on which the processor stalls (three times
/// slower in the logarithm of a relative frame).
template <int N>
class Derivatives {
 public:
  Derivatives() {}  // NOLINT(modernize-use-equals-default): not initialised, like double
  Derivatives(const Derivatives& b) { *this = b; }
  template <class Expression>
  Derivatives(const Eigen::ArrayBase<Expression>& b) : Derivatives(zero()) {
    for (int i = 0; i < N; ++i) (*this)[i] = b.coeff(i);
  }
  Derivatives& operator=(const Derivatives& b) {  // NOLINT(bugprone-unhandled-self-assignment)
    for (int k = 0; k < kChunks; ++k) chunks_[k] = b.chunks_[k];
    return *this;
  }
  static Derivatives zero() {
    Derivatives result;
    for (int k = 0; k < kChunks; ++k) result.chunks_[k] = Chunk{};
    return result;
  }

  double operator[](int i) const { return reinterpret_cast<const double*>(chunks_)[i]; }
  double& operator[](int i) { return reinterpret_cast<double*>(chunks_)[i]; }
  Eigen::Map<const Eigen::Array<double, N, 1>> array() const {
    return Eigen::Map<const Eigen::Array<double, N, 1>>(reinterpret_cast<const double*>(chunks_));
  }

  /// f of each derivative, and of each pair of derivatives; named as in Eigen.
  template <class F>
  Derivatives unaryExpr(F f) const {
    Derivatives result = zero();
    for (int i = 0; i < N; ++i) result[i] = f((*this)[i]);
    return result;
  }
  template <class F>
  Derivatives binaryExpr(const Derivatives& b, F f) const {
    Derivatives result = zero();
    for (int i = 0; i < N; ++i) result[i] = f((*this)[i], b[i]);
    return result;
  }

  /// p·a + q·b
  static Derivatives combine(double p, const Derivatives& a, double q, const Derivatives& b) {
    Derivatives result;
    for (int k = 0; k < kChunks; ++k) result.chunks_[k] = p * a.chunks_[k] + q * b.chunks_[k];
    return result;
  }
  Derivatives operator-() const {
    Derivatives result;
    for (int k = 0; k < kChunks; ++k) result.chunks_[k] = -chunks_[k];
    return result;
  }
  friend Derivatives operator+(const Derivatives& a, const Derivatives& b) {
    Derivatives result;
    for (int k = 0; k < kChunks; ++k) result.chunks_[k] = a.chunks_[k] + b.chunks_[k];
    return result;
  }
  friend Derivatives operator-(const Derivatives& a, const Derivatives& b) {
    Derivatives result;
    for (int k = 0; k < kChunks; ++k) result.chunks_[k] = a.chunks_[k] - b.chunks_[k];
    return result;
  }
  friend Derivatives operator*(const Derivatives& a, double b) {
    Derivatives result;
    for (int k = 0; k < kChunks; ++k) result.chunks_[k] = a.chunks_[k] * b;
    return result;
  }
  friend Derivatives operator*(double a, const Derivatives& b) { return b * a; }

 private:
#ifdef __AVX__
  static constexpr int kChunkSize = 4;
#else
  static constexpr int kChunkSize = 2;
#endif
  static constexpr int kChunks = (N + kChunkSize - 1) / kChunkSize;
  // may_alias: single derivatives are read and written through double*. Attributes need a typedef.
  // NOLINTNEXTLINE(modernize-use-using)
  typedef double Chunk __attribute__((vector_size(8 * kChunkSize), may_alias));
  Chunk chunks_[kChunks];  // the lanes after N take part in the arithmetic and are never read
};

template <int N>
struct Dual {
  static constexpr int kDirections = N;

  double value;
  Derivatives<N> d;

  Dual() {}  // NOLINT(modernize-use-equals-default): not initialised, like double
  Dual(double x) : value(x), d(Derivatives<N>::zero()) {}
  Dual(double x, const Derivatives<N>& derivatives) : value(x), d(derivatives) {}

  /// The i-th independent variable: derivative one in direction i.
  static Dual variable(double x, int i) {
    Dual result(x);
    result.d[i] = 1.0;
    return result;
  }

  Dual operator-() const { return Dual(-value, -d); }
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }
  Dual& operator+=(double b) { return value += b, *this; }
  Dual& operator-=(double b) { return value -= b, *this; }
  Dual& operator*=(double b) { return *this = *this * b; }
  Dual& operator/=(double b) { return *this *= 1.0 / b; }

  friend Dual operator+(const Dual& a, const Dual& b) { return Dual(a.value + b.value, a.d + b.d); }
  friend Dual operator-(const Dual& a, const Dual& b) { return Dual(a.value - b.value, a.d - b.d); }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return Dual(a.value * b.value, Derivatives<N>::combine(a.value, b.d, b.value, a.d));
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double quotient = a.value / b.value;
    const double inverse = 1.0 / b.value;
    return Dual(quotient, Derivatives<N>::combine(inverse, a.d, -quotient * inverse, b.d));
  }
  friend Dual operator+(const Dual& a, double b) { return Dual(a.value + b, a.d); }
  friend Dual operator-(const Dual& a, double b) { return Dual(a.value - b, a.d); }
  friend Dual operator*(const Dual& a, double b) { return Dual(a.value * b, a.d * b); }
  friend Dual operator/(const Dual& a, double b) { return Dual(a.value / b, a.d * (1.0 / b)); }
  friend Dual operator+(double a, const Dual& b) { return Dual(a + b.value, b.d); }
  friend Dual operator-(double a, const Dual& b) { return Dual(a - b.value, -b.d); }
  friend Dual operator*(double a, const Dual& b) { return Dual(a * b.value, a * b.d); }
  friend Dual operator/(double a, const Dual& b) {
    const double quotient = a / b.value;
    return Dual(quotient, (-quotient / b.value) * b.d);
  }

  friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend bool operator!=(const Dual& a, const Dual& b) { return a.value != b.value; }
  friend bool operator<(const Dual& a, double b) { return a.value < b; }
  friend bool operator>(const Dual& a, double b) { return a.value > b; }
  friend bool operator<=(const Dual& a, double b) { return a.value <= b; }
  friend bool operator>=(const Dual& a, double b) { return a.value >= b; }
  friend bool operator==(const Dual& a, double b) { return a.value == b; }
  friend bool operator!=(const Dual& a, double b) { return a.value != b; }
};

template <int N>
inline double valueOf(const Dual<N>& x) {
  return x.value;
}

/// The derivative is infinite at zero.
template <int N>
inline Dual<N> sqrt(const Dual<N>& a) {
  const double root = std::sqrt(a.value);
  return Dual<N>(root, a.d * (0.5 / root));
}

/// At zero the derivative of the right branch is taken.
template <int N>
inline Dual<N> abs(const Dual<N>& a) {
  return a.value < 0.0 ? -a : a;
}

template <int N>
inline Dual<N> sin(const Dual<N>& a) {
  return Dual<N>(std::sin(a.value), a.d * std::cos(a.value));
}

template <int N>
inline Dual<N> cos(const Dual<N>& a) {
  return Dual<N>(std::cos(a.value), a.d * (-std::sin(a.value)));
}

template <int N>
inline Dual<N> atan2(const Dual<N>& y, const Dual<N>& x) {
  const double r = 1.0 / (x.value * x.value + y.value * y.value);
  return Dual<N>(std::atan2(y.value, x.value),
                 Derivatives<N>::combine(x.value * r, y.d, -y.value * r, x.d));
}

template <int N>
struct AnalyticLift<Dual<N>> {
  template <class F>
  static Dual<N> apply(const Dual<N>& x) {
    return Dual<N>(F::template derivative<0>(x.value), F::template derivative<1>(x.value) * x.d);
  }
};

}  // namespace flexloop::math

namespace Eigen {

template <int N>
struct NumTraits<flexloop::math::Dual<N>> : GenericNumTraits<double> {
  using Real = flexloop::math::Dual<N>;
  using NonInteger = flexloop::math::Dual<N>;
  using Nested = flexloop::math::Dual<N>;
  using Literal = double;
  enum { RequireInitialization = 0, ReadCost = 1 + N, AddCost = 1 + N, MulCost = 1 + 2 * N };
};

template <int N, class BinaryOp>
struct ScalarBinaryOpTraits<flexloop::math::Dual<N>, double, BinaryOp> {
  using ReturnType = flexloop::math::Dual<N>;
};
template <int N, class BinaryOp>
struct ScalarBinaryOpTraits<double, flexloop::math::Dual<N>, BinaryOp> {
  using ReturnType = flexloop::math::Dual<N>;
};

}  // namespace Eigen
