#include "math/taylor.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "math/rotation_coefficients.hpp"

namespace flexloop::math {
namespace {

// x(t) = 0.6 + 1.1 t − 0.45 t² and y(t) = −1.4 + 0.3 t + 0.8 t² at t = 0.
const Taylor2 kX(0.6, 1.1, -0.9), kY(-1.4, 0.3, 1.6);

void expectTaylor(const Taylor2& actual, double value, double first, double second) {
  EXPECT_DOUBLE_EQ(actual.value, value);
  EXPECT_NEAR(actual.first, first, 1e-15 * (1.0 + std::abs(first)));
  EXPECT_NEAR(actual.second, second, 2e-15 * (1.0 + std::abs(second)));
}

void expectSame(const Taylor2& a, const Taylor2& b) {
  expectTaylor(a, b.value, b.first, b.second);
}

TEST(Taylor2, Arithmetic) {
  expectTaylor(kX + kY, 0.6 - 1.4, 1.4, 0.7);
  expectTaylor(kX - kY, 2.0, 0.8, -2.5);
  expectTaylor(kX * kY, -0.84, 1.1 * -1.4 + 0.6 * 0.3, -0.9 * -1.4 + 2 * 1.1 * 0.3 + 0.6 * 1.6);
  expectTaylor(-kX, -0.6, -1.1, 0.9);
  expectSame((kX / kY) * kY, kX);
}

TEST(Taylor2, ArithmeticWithDouble) {
  expectTaylor(kX + 1.0, 1.6, 1.1, -0.9);
  expectTaylor(1.0 - kX, 0.4, -1.1, 0.9);
  expectTaylor(2 * kX, 1.2, 2.2, -1.8);
  expectTaylor(kX / 2.0, 0.3, 0.55, -0.45);
  expectSame(2.0 / kX, Taylor2(2.0) / kX);
}

TEST(Taylor2, CompoundAssignment) {
  Taylor2 x = kX;
  x += kY;
  x *= kX;
  x -= kY;
  x /= kX;
  x *= 2.0;
  x /= 4.0;
  expectSame(x, 0.5 * ((kX + kY) - kY / kX));
}

TEST(Taylor2, Functions) {
  const double s = std::sin(0.6), c = std::cos(0.6);
  expectTaylor(sin(kX), s, c * 1.1, c * -0.9 - s * 1.21);
  expectTaylor(cos(kX), c, -s * 1.1, s * 0.9 - c * 1.21);
  expectSame(sqrt(kX) * sqrt(kX), kX);
  expectSame(abs(kY), -kY);
  expectSame(abs(kX), kX);
}

// In polar coordinates: x = r cos φ, y = r sin φ give φ back.
TEST(Taylor2, ArcTangent) {
  const Taylor2 phi(2.1, 0.7, -0.4), r(1.3, -0.5, 0.9);
  expectSame(atan2(r * sin(phi), r * cos(phi)), phi);
}

TEST(Taylor2, ComparisonLooksAtTheValue) {
  EXPECT_TRUE(kY < kX);
  EXPECT_TRUE(kX >= Taylor2(0.6));
  EXPECT_TRUE(kX == Taylor2(0.6));
  EXPECT_EQ(valueOf(kX), 0.6);
  expectSame(select(kX < kY, kX, kY), kY);
}

// A coefficient of rotations is lifted by its own derivatives; here against the closed form,
// evaluated with the arithmetic of Taylor2.
TEST(Taylor2, AnalyticFunctionsFollowTheChainRule) {
  const Taylor2 theta(1.7, 0.8, -0.3), q = theta * theta;
  expectSame(coefficient<Stumpff<1>>(q), sin(theta) / theta);
  expectSame(coefficient<Stumpff<2>>(q), (1.0 - cos(theta)) / q);
  const Taylor2 half = 0.5 * theta;
  expectSame(coefficient<InverseTangentCoefficient>(q), (1.0 - half * cos(half) / sin(half)) / q);
}

// q = (θ₀ t)² passes zero with q̇ = 0: c_1 = 1 − θ₀² t²/6 + … has the second derivative −θ₀²/3.
TEST(Taylor2, CoefficientsAreSmoothAtZero) {
  const Taylor2 theta(0.0, 1.5, 0.0), q = theta * theta;
  expectTaylor(coefficient<Stumpff<1>>(q), 1.0, 0.0, -1.5 * 1.5 / 3.0);
  expectTaylor(coefficient<Stumpff<2>>(q), 0.5, 0.0, -1.5 * 1.5 / 12.0);
  expectTaylor(coefficient<InverseTangentCoefficient>(q), 1.0 / 12.0, 0.0, 1.5 * 1.5 / 360.0);
}

TEST(Taylor2, MatricesOfEigenMixWithDoubles) {
  Eigen::Matrix2d A;
  A << 1, 2, 3, 4;
  const Eigen::Matrix<Taylor2, 2, 1> x(kX, kY);
  const Eigen::Matrix<Taylor2, 2, 1> y = A * x - 2.0 * x;
  expectSame(y[0], 2.0 * kY - kX);
  expectSame(x.squaredNorm(), kX * kX + kY * kY);
  expectSame(x.norm() * x.norm(), kX * kX + kY * kY);
}

}  // namespace
}  // namespace flexloop::math
