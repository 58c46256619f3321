#include "math/pack.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

namespace flexloop::math {
namespace {

const Pack kA(1.5, -2.0, 0.25, 8.0);
const Pack kB(-0.5, 3.0, 4.0, 0.125);

template <class F>
void expectLanes(const Pack& actual, F expected) {
  for (int i = 0; i < Pack::kWidth; ++i) EXPECT_DOUBLE_EQ(actual[i], expected(kA[i], kB[i]));
}

TEST(Pack, ArithmeticActsLaneByLane) {
  expectLanes(kA + kB, [](double a, double b) { return a + b; });
  expectLanes(kA - kB, [](double a, double b) { return a - b; });
  expectLanes(kA * kB, [](double a, double b) { return a * b; });
  expectLanes(kA / kB, [](double a, double b) { return a / b; });
  expectLanes(-kA, [](double a, double) { return -a; });
}

TEST(Pack, DoublesTakePartInAllLanes) {
  expectLanes(kA + 2.0, [](double a, double) { return a + 2.0; });
  expectLanes(2.0 - kA, [](double a, double) { return 2.0 - a; });
  expectLanes(3 * kA, [](double a, double) { return 3 * a; });
  expectLanes(1.0 / kA, [](double a, double) { return 1.0 / a; });
}

TEST(Pack, CompoundAssignment) {
  Pack x = kA;
  x += kB;
  x *= 2.0;
  x -= kA;
  x /= kB;
  expectLanes(x, [](double a, double b) { return ((a + b) * 2.0 - a) / b; });
}

TEST(Pack, Functions) {
  expectLanes(sqrt(kA * kA), [](double a, double) { return std::abs(a); });
  expectLanes(abs(kA), [](double a, double) { return std::abs(a); });
  expectLanes(sin(kA), [](double a, double) { return std::sin(a); });
  expectLanes(cos(kA), [](double a, double) { return std::cos(a); });
  expectLanes(atan2(kA, kB), [](double a, double b) { return std::atan2(a, b); });
  EXPECT_FALSE(std::signbit(abs(Pack(-0.0))[0]));
}

TEST(Pack, ComparisonAndSelection) {
  const PackMask less = kA < kB;  // lanes 1 and 2
  EXPECT_FALSE(less[0]);
  EXPECT_TRUE(less[1]);
  EXPECT_TRUE(less[2]);
  EXPECT_FALSE(less[3]);
  expectLanes(select(less, kA, kB), [](double a, double b) { return std::fmin(a, b); });
  EXPECT_TRUE(any(less));
  EXPECT_FALSE(all(less));
  EXPECT_TRUE(all(less | !less));
  EXPECT_FALSE(any(less & !less));
  EXPECT_TRUE(all(kA == kA));
  EXPECT_FALSE(any(kA != kA));
  EXPECT_TRUE(all(kA <= kA) && all(kA >= kA));
  EXPECT_FALSE(any(kA > kA));
}

TEST(Pack, MaskIsNoBool) {
  EXPECT_FALSE((std::is_convertible_v<PackMask, bool>));
}

TEST(Pack, BoundsLetNotANumberThrough) {
  const Pack x(0.0, 5.0, std::numeric_limits<double>::quiet_NaN(), 1.0);
  EXPECT_EQ(notBelow(x, 1.0)[0], 1.0);
  EXPECT_EQ(notBelow(x, 1.0)[1], 5.0);
  EXPECT_TRUE(std::isnan(notBelow(x, 1.0)[2]));
  EXPECT_EQ(notAbove(x, 2.0)[1], 2.0);
  EXPECT_TRUE(std::isnan(notAbove(x, 2.0)[2]));
}

TEST(Pack, LanesCanBeWritten) {
  Pack x = kA;
  x.set(2, 7.0);
  EXPECT_EQ(x[1], kA[1]);
  EXPECT_EQ(x[2], 7.0);
}

TEST(Pack, MatricesOfEigenMixWithDoubles) {
  Eigen::Matrix3d D;
  D << 1, 2, 3, -4, 5, 6, 7, -8, 9;
  const Eigen::Matrix<Pack, 3, 3> P = D.cast<Pack>() * kA;
  const Eigen::Matrix<Pack, 3, 3> product = D * P + P * D - 0.5 * P.transpose();
  const Eigen::Matrix<Pack, 3, 1> vector = P * Eigen::Vector3d(1, 2, 3);
  const Pack length = P.col(0).norm();
  for (int lane = 0; lane < Pack::kWidth; ++lane) {
    const Eigen::Matrix3d one = D * kA[lane];
    const Eigen::Matrix3d expected = D * one + one * D - 0.5 * one.transpose();
    EXPECT_NEAR(product(1, 2)[lane], expected(1, 2), 1e-12);
    EXPECT_NEAR(vector[2][lane], (one * Eigen::Vector3d(1, 2, 3))[2], 1e-12);
    EXPECT_NEAR(length[lane], one.col(0).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace flexloop::math
