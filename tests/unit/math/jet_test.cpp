// The arithmetic of jets is written out; that of nested flows, duals and Taylor numbers is not, and must give the same.
#include "math/jet.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "math/flow.hpp"
#include "math/so3.hpp"
#include "math/taylor.hpp"

namespace flexloop::math {
namespace {

using Partials = Flow<Dual<Jet::kDirections>>;
using Along = Flow<Taylor2>;

// Two quantities along a motion, with different derivatives in all directions.
constexpr std::array<std::array<double, 4>, 2> kAlong{
    {{0.6, 1.1, -0.9, 0.4}, {-1.4, 0.3, 1.6, -0.7}}};
double direction(int quantity, int i) {
  return std::sin(1.0 + 3.0 * quantity + i);
}
double rateDirection(int quantity, int i) {
  return std::cos(2.0 - 5.0 * quantity + i);
}

Jet makeJet(int k) {
  Jet jet(kAlong[k][0], kAlong[k][1], kAlong[k][2], kAlong[k][3]);
  for (int i = 0; i < Jet::kDirections; ++i) {
    jet.d[i] = direction(k, i);
    jet.dFirst[i] = rateDirection(k, i);
  }
  return jet;
}

Partials makePartials(int k) {
  Dual<Jet::kDirections> value(kAlong[k][0]), first(kAlong[k][1]);
  for (int i = 0; i < Jet::kDirections; ++i) {
    value.d[i] = direction(k, i);
    first.d[i] = rateDirection(k, i);
  }
  return {value, first};
}

Along makeAlong(int k) {
  return {Taylor2(kAlong[k][0], kAlong[k][1], kAlong[k][2]),
          Taylor2(kAlong[k][1], kAlong[k][2], kAlong[k][3])};
}

template <class Formula>
void expectSame(const Formula& formula) {
  const Jet jet = formula(makeJet(0), makeJet(1));
  const Partials partials = formula(makePartials(0), makePartials(1));
  const Along along = formula(makeAlong(0), makeAlong(1));
  const auto expectNear = [](double is, double expected) {
    EXPECT_NEAR(is, expected, 1e-13 * (1.0 + std::abs(expected)));
  };
  expectNear(jet.value, along.value.value);
  expectNear(jet.first, along.value.first);
  expectNear(jet.second, along.value.second);
  expectNear(jet.third, along.first.second);
  for (int i = 0; i < Jet::kDirections; ++i) {
    expectNear(jet.d[i], partials.value.d[i]);
    expectNear(jet.dFirst[i], partials.first.d[i]);
  }
}

TEST(Jet, Arithmetic) {
  expectSame([](const auto& x, const auto& y) { return x + y; });
  expectSame([](const auto& x, const auto& y) { return x - y; });
  expectSame([](const auto& x, const auto& y) { return x * y; });
  expectSame([](const auto& x, const auto& y) { return x / y; });
  expectSame([](const auto& x, const auto& y) { return -x * y; });
}

TEST(Jet, ArithmeticWithDouble) {
  expectSame([](const auto& x, const auto& y) { return (x + 2.0) * (y - 3.0); });
  expectSame([](const auto& x, const auto& y) { return (2.0 + x) * (3.0 - y); });
  expectSame([](const auto& x, const auto& y) { return (x * 2.0) * (0.7 * y); });
  expectSame([](const auto& x, const auto& y) { return (x / 3.0) + (2.0 / y); });
}

TEST(Jet, CompoundAssignment) {
  expectSame([](const auto& x, const auto& y) {
    auto z = x;
    z += y;
    z *= x;
    z -= y;
    z /= x;
    return z;
  });
}

TEST(Jet, Functions) {
  expectSame([](const auto& x, const auto& y) { return sqrt(x * x + y * y); });
  expectSame([](const auto& x, const auto& y) { return sin(x) * cos(y); });
  expectSame([](const auto& x, const auto& y) { return atan2(x, y) + atan2(y, x); });
  expectSame([](const auto& x, const auto& y) { return x - rounded(y) * y; });
}

TEST(Jet, Rotations) {
  expectSame([](const auto& x, const auto& y) {
    using S = std::decay_t<decltype(x)>;
    const Mat3<S> R = expSO3<S>(Vec3<S>(x, y, x * y));
    const Vec3<S> w = logSO3<S>(R * expSO3<S>(Vec3<S>(y, S(0.2), x)));
    return S(w[0] + 2.0 * w[1] - R(0, 2));
  });
}

TEST(Jet, ComparesByValue) {
  EXPECT_TRUE(makeJet(0) > makeJet(1));
  EXPECT_FALSE(makeJet(0) <= makeJet(1));
  EXPECT_TRUE(Jet(0.6) == makeJet(0));
}

}  // namespace
}  // namespace flexloop::math
