// Four values of one quantity, one per element of a batch, computed together by the vector unit:
//
//   (p ∘ q)[i] = p[i] ∘ q[i],   i = 0 … 3.
//
// A double converts to a Pack with the same value in all lanes. Comparisons give a PackMask, which
// is consumed by select, any and all; there is no conversion to bool, so that a branch on a Pack by
// oversight does not compile. For the same reason Eigen's products of large matrices (8 rows and
// more) do not; write A.lazyProduct(B) there.
#pragma once

#include <cmath>
#include <cstdint>

#include <Eigen/Core>
#ifdef __AVX__
#include <immintrin.h>
#endif

#include "math/scalar.hpp"

namespace flexloop::math {

struct PackMask {
  // NOLINTNEXTLINE(modernize-use-using): attributes need a typedef
  typedef std::int64_t Lanes __attribute__((vector_size(32)));
  Lanes lanes;  // all bits set where true

  bool operator[](int i) const { return lanes[i] != 0; }
  friend PackMask operator&(PackMask a, PackMask b) { return {a.lanes & b.lanes}; }
  friend PackMask operator|(PackMask a, PackMask b) { return {a.lanes | b.lanes}; }
  friend PackMask operator!(PackMask a) { return {~a.lanes}; }
};

struct alignas(32) Pack {
  static constexpr int kWidth = 4;
  // NOLINTNEXTLINE(modernize-use-using): attributes need a typedef
  typedef double Lanes __attribute__((vector_size(32)));
  Lanes lanes;

  Pack() = default;
  Pack(double x) : lanes{x, x, x, x} {}
  explicit Pack(Lanes x) : lanes(x) {}
  Pack(double x0, double x1, double x2, double x3) : lanes{x0, x1, x2, x3} {}

  double operator[](int i) const { return lanes[i]; }
  void set(int i, double x) { lanes[i] = x; }

  Pack operator-() const { return Pack(-lanes); }
  Pack& operator+=(Pack b) { return lanes += b.lanes, *this; }
  Pack& operator-=(Pack b) { return lanes -= b.lanes, *this; }
  Pack& operator*=(Pack b) { return lanes *= b.lanes, *this; }
  Pack& operator/=(Pack b) { return lanes /= b.lanes, *this; }
  friend Pack operator+(Pack a, Pack b) { return Pack(a.lanes + b.lanes); }
  friend Pack operator-(Pack a, Pack b) { return Pack(a.lanes - b.lanes); }
  friend Pack operator*(Pack a, Pack b) { return Pack(a.lanes * b.lanes); }
  friend Pack operator/(Pack a, Pack b) { return Pack(a.lanes / b.lanes); }

  friend PackMask operator<(Pack a, Pack b) { return {a.lanes < b.lanes}; }
  friend PackMask operator>(Pack a, Pack b) { return {a.lanes > b.lanes}; }
  friend PackMask operator<=(Pack a, Pack b) { return {a.lanes <= b.lanes}; }
  friend PackMask operator>=(Pack a, Pack b) { return {a.lanes >= b.lanes}; }
  friend PackMask operator==(Pack a, Pack b) { return {a.lanes == b.lanes}; }
  friend PackMask operator!=(Pack a, Pack b) { return {a.lanes != b.lanes}; }
};

inline Pack select(PackMask mask, Pack ifTrue, Pack ifFalse) {
  return Pack(mask.lanes ? ifTrue.lanes : ifFalse.lanes);
}

inline bool any(PackMask mask) {
#ifdef __AVX__
  return _mm256_movemask_pd(_mm256_castsi256_pd(__m256i(mask.lanes))) != 0;
#else
  return ((mask.lanes[0] | mask.lanes[1]) | (mask.lanes[2] | mask.lanes[3])) != 0;
#endif
}

inline bool all(PackMask mask) {
  return !any(!mask);
}

inline Pack valueOf(Pack x) {
  return x;
}

/// Applies a function of doubles lane by lane, for functions without a vector form.
template <class F>
inline Pack mapLanes(F f, Pack a) {
  return Pack(f(a[0]), f(a[1]), f(a[2]), f(a[3]));
}
template <class F>
inline Pack mapLanes(F f, Pack a, Pack b) {
  return Pack(f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3]));
}

inline Pack sqrt(Pack a) {
#ifdef __AVX__
  return Pack(Pack::Lanes(_mm256_sqrt_pd(__m256d(a.lanes))));
#else
  return mapLanes([](double x) { return std::sqrt(x); }, a);
#endif
}

inline Pack abs(Pack a) {
  constexpr std::int64_t kAllButSign = INT64_MAX;
  const PackMask::Lanes mask = {kAllButSign, kAllButSign, kAllButSign, kAllButSign};
  return Pack(Pack::Lanes(PackMask::Lanes(a.lanes) & mask));
}

inline Pack sin(Pack a) {
  return mapLanes([](double x) { return std::sin(x); }, a);
}
inline Pack cos(Pack a) {
  return mapLanes([](double x) { return std::cos(x); }, a);
}
inline Pack atan2(Pack y, Pack x) {
  return mapLanes([](double b, double a) { return std::atan2(b, a); }, y, x);
}

}  // namespace flexloop::math

namespace Eigen {

template <>
struct NumTraits<flexloop::math::Pack> : GenericNumTraits<double> {
  using Real = flexloop::math::Pack;
  using NonInteger = flexloop::math::Pack;
  using Nested = flexloop::math::Pack;
  using Literal = double;
  enum { RequireInitialization = 0, ReadCost = 1, AddCost = 1, MulCost = 1 };
};

template <class BinaryOp>
struct ScalarBinaryOpTraits<flexloop::math::Pack, double, BinaryOp> {
  using ReturnType = flexloop::math::Pack;
};
template <class BinaryOp>
struct ScalarBinaryOpTraits<double, flexloop::math::Pack, BinaryOp> {
  using ReturnType = flexloop::math::Pack;
};

}  // namespace Eigen
