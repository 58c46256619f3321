#include "math/dual.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace flexloop::math {
namespace {

using D2 = Dual<2>;

const double kX = 0.7, kY = -1.3;
const D2 kDualX = D2::variable(kX, 0), kDualY = D2::variable(kY, 1);

void expectDual(const D2& actual, double value, double dx, double dy) {
  EXPECT_DOUBLE_EQ(actual.value, value);
  EXPECT_NEAR(actual.d[0], dx, 1e-15 * (1.0 + std::abs(dx)));
  EXPECT_NEAR(actual.d[1], dy, 1e-15 * (1.0 + std::abs(dy)));
}

TEST(Dual, Arithmetic) {
  expectDual(kDualX + kDualY, kX + kY, 1, 1);
  expectDual(kDualX - kDualY, kX - kY, 1, -1);
  expectDual(kDualX * kDualY, kX * kY, kY, kX);
  expectDual(kDualX / kDualY, kX / kY, 1 / kY, -kX / (kY * kY));
  expectDual(-kDualX, -kX, -1, 0);
}

TEST(Dual, ArithmeticWithDouble) {
  expectDual(kDualX + 2.0, kX + 2.0, 1, 0);
  expectDual(2.0 + kDualX, kX + 2.0, 1, 0);
  expectDual(kDualX - 2.0, kX - 2.0, 1, 0);
  expectDual(2.0 - kDualX, 2.0 - kX, -1, 0);
  expectDual(kDualX * 3, kX * 3, 3, 0);
  expectDual(3 * kDualX, kX * 3, 3, 0);
  expectDual(kDualX / 4.0, kX / 4.0, 0.25, 0);
  expectDual(2.0 / kDualX, 2.0 / kX, -2.0 / (kX * kX), 0);
}

TEST(Dual, CompoundAssignment) {
  D2 x = kDualX;
  x += kDualY;
  x *= kDualX;
  x -= 1.0;
  x /= kDualY;
  x += 0.5;
  x *= 2.0;
  x /= 4.0;
  x -= kDualX;
  // ((x + y) x − 1) / (2 y) + 1/4 − x
  expectDual(x, ((kX + kY) * kX - 1) / (2 * kY) + 0.25 - kX, (2 * kX + kY) / (2 * kY) - 1,
             (1 - kX * kX) / (2 * kY * kY));
}

TEST(Dual, Functions) {
  expectDual(sqrt(kDualX), std::sqrt(kX), 0.5 / std::sqrt(kX), 0);
  expectDual(abs(kDualY), -kY, 0, -1);
  expectDual(abs(kDualX), kX, 1, 0);
  expectDual(sin(kDualX * kDualY), std::sin(kX * kY), std::cos(kX * kY) * kY,
             std::cos(kX * kY) * kX);
  expectDual(cos(kDualX * kDualY), std::cos(kX * kY), -std::sin(kX * kY) * kY,
             -std::sin(kX * kY) * kX);
  const double r2 = kX * kX + kY * kY;
  expectDual(atan2(kDualY, kDualX), std::atan2(kY, kX), -kY / r2, kX / r2);
}

TEST(Dual, ComparisonLooksAtTheValue) {
  EXPECT_TRUE(kDualY < kDualX);
  EXPECT_TRUE(kDualX > 0.5);
  EXPECT_TRUE(kDualX >= D2(kX));
  EXPECT_TRUE(kDualX == D2(kX));
  EXPECT_TRUE(kDualX != kDualY);
  EXPECT_EQ(valueOf(kDualX), kX);
}

TEST(Dual, SelectionKeepsTheOtherBranchOut) {
  const D2 zero = D2::variable(0.0, 0);
  const D2 bad = sqrt(zero) * 0.0;  // derivative is infinity times zero
  ASSERT_TRUE(std::isnan(bad.d[0]));
  expectDual(select(true, zero, bad), 0.0, 1, 0);
}

// Numbers of directions that do not fill the last chunk of the vector unit.
template <int N>
void expectAllDirections() {
  Dual<N> sum = 0.0;
  for (int i = 0; i < N; ++i) sum += (i + 1.0) * Dual<N>::variable(i, i);
  const Dual<N> copy = sum;
  for (int i = 0; i < N; ++i) EXPECT_EQ(copy.d[i], i + 1.0);
  EXPECT_EQ(copy.d.array().sum(), N * (N + 1) / 2.0);
}

TEST(Dual, AnyNumberOfDirections) {
  expectAllDirections<1>();
  expectAllDirections<3>();
  expectAllDirections<4>();
  expectAllDirections<6>();
  expectAllDirections<12>();
  expectAllDirections<13>();
}

TEST(Dual, DerivativesFromAndToEigen) {
  const Eigen::Array2d slopes(3.0, -4.0);
  const D2 x(1.0, 2.0 * slopes);
  expectDual(x, 1.0, 6.0, -8.0);
  expectDual(D2(0.0, x.d.unaryExpr([](double d) { return d / 2.0; })), 0.0, 3.0, -4.0);
  const auto difference = [](double a, double b) { return a - b; };
  expectDual(D2(0.0, x.d.binaryExpr(kDualX.d, difference)), 0.0, 5.0, -8.0);
}

TEST(Dual, MatricesOfEigenMixWithDoubles) {
  Eigen::Matrix2d A;
  A << 1, 2, 3, 4;
  const Eigen::Matrix<D2, 2, 1> x(kDualX, kDualY);
  const Eigen::Matrix<D2, 2, 1> y = A * x + 2.0 * x - Eigen::Vector2d(1, 1);
  expectDual(y[0], 3 * kX + 2 * kY - 1, 3, 2);
  expectDual(y[1], 3 * kX + 6 * kY - 1, 3, 6);
  expectDual(x.squaredNorm(), kX * kX + kY * kY, 2 * kX, 2 * kY);
  expectDual(x.dot(A * x), kX * kX + 5 * kX * kY + 4 * kY * kY, 2 * kX + 5 * kY, 5 * kX + 8 * kY);
  const double norm = std::hypot(kX, kY);
  expectDual(x.normalized()[0], kX / norm, kY * kY / std::pow(norm, 3),
             -kX * kY / std::pow(norm, 3));
}

}  // namespace
}  // namespace flexloop::math
