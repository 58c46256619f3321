#include "math/so3.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "math/dual.hpp"
#include "math/tangent_derivatives.hpp"
#include "math/taylor.hpp"
#include "support/matrix_matchers.hpp"
#include "support/screw_samples.hpp"

namespace flexloop::math {
namespace {

using namespace flexloop::test;

constexpr double kTolerance = 1e-14;

QuadMatrix<3, 3> quadTangentSO3(const QuadMatrix<3>& w) {
  return quadTangent<3>(quadSkew(w));
}

QuadMatrix<3, 3> quadTangentInverseSO3(const QuadMatrix<3>& w) {
  return quadInverse<3>(quadTangentSO3(w));
}

// The derivatives that are needed: T and T⁻¹ differentiated twice, and twice more by Taylor2.
template <class F, class Truth>
void expectDerivativesUpToFour(Truth truth, double theta) {
  const double q = theta * theta;
  const auto check = [&](double actual, int D) {
    // What an error of one unit in the last place of q does is allowed on top of the value: the
    // coefficients have zeros, and g has a pole at 2π.
    const double condition = magnitude(truth(D, q)) + magnitude(truth(D + 1, q)) * q;
    EXPECT_LE(magnitude(Quad(actual) - truth(D, q)), 2e-15 * condition)
        << "theta " << theta << ", derivative " << D;
  };
  check(F::template derivative<0>(q), 0);
  check(F::template derivative<1>(q), 1);
  check(F::template derivative<2>(q), 2);
  check(F::template derivative<3>(q), 3);
  check(F::template derivative<4>(q), 4);
}

TEST(RotationCoefficients, AgreeWithExtendedPrecision) {
  const auto c = [](int n) { return [n](int D, double q) { return quadStumpff(n, D, q); }; };
  for (double theta : anglesBelowTwoPi()) {
    expectDerivativesUpToFour<Stumpff<0>>(c(0), theta);
    expectDerivativesUpToFour<Stumpff<1>>(c(1), theta);
    expectDerivativesUpToFour<Stumpff<2>>(c(2), theta);
    expectDerivativesUpToFour<Stumpff<3>>(c(3), theta);
    expectDerivativesUpToFour<InverseTangentCoefficient>(quadInverseTangent, theta);
  }
}

TEST(RotationCoefficients, AreContinuousAtTheLimitsOfTheSeries) {
  const auto expectNoJump = [](auto function, double limit) {
    const double below = function(std::nextafter(limit, 0.0)), above = function(limit);
    EXPECT_TRUE(isNear(above, below, 3e-15, 0.0)) << "limit " << limit;
  };
  expectNoJump(Stumpff<2>::derivative<0, double>, kShortSeriesLimit);
  expectNoJump(Stumpff<3>::derivative<0, double>, Stumpff<3>::longSeriesLimit(0));
  expectNoJump(Stumpff<3>::derivative<1, double>, Stumpff<3>::longSeriesLimit(1));
  expectNoJump(Stumpff<3>::derivative<2, double>, Stumpff<3>::longSeriesLimit(2));
  expectNoJump(InverseTangentCoefficient::derivative<0, double>, kShortSeriesLimit);
  expectNoJump(InverseTangentCoefficient::derivative<1, double>, kShortSeriesLimit);
}

TEST(SO3, SkewAndAxial) {
  const Vec3<double> w(0.3, -0.8, 0.5), v(-0.2, 0.6, 0.9), e(0.1, 0.7, -0.4);
  EXPECT_TRUE(isNear((skew(w) * v).eval(), cross(w, v), 1e-16));
  EXPECT_TRUE(isNear(axial(skew(w)), w, 0.0));
  EXPECT_TRUE(isNear(skewSquared(w), (skew(w) * skew(w)).eval(), 3e-16));
  EXPECT_TRUE(
      isNear(skewAnticommutator(w, e), (skew(w) * skew(e) + skew(e) * skew(w)).eval(), 3e-16));
}

TEST(SO3, ExponentialAgreesWithExtendedPrecision) {
  for (const auto& w : rotationVectors(anglesBelowTwoPi())) {
    EXPECT_TRUE(isNear(expSO3(w), quadExponential<3>(quadSkew(toQuad(w))), kTolerance)) << w;
    EXPECT_TRUE(isRotation(expSO3(w), kTolerance)) << w;
  }
}

TEST(SO3, LogarithmRecoversTheRotationVector) {
  for (const auto& w : rotationVectors(anglesBelowPi())) {
    const Mat3<double> R = toDouble<3, 3>(quadExponential<3>(quadSkew(toQuad(w))));
    EXPECT_TRUE(isNear(logSO3(R), w, kTolerance, 0.0)) << w;
  }
}

TEST(SO3, LogarithmAtHalfATurnIsEitherOfTheTwo) {
  for (const auto& axis : axes()) {
    const Mat3<double> R = 2.0 * axis * axis.transpose() - Mat3<double>::Identity();
    const Vec3<double> w = logSO3(R);
    EXPECT_NEAR(w.norm(), std::numbers::pi, kTolerance);
    EXPECT_TRUE(isNear(expSO3(w), R, kTolerance)) << axis;
  }
}

TEST(SO3, TangentAgreesWithExtendedPrecision) {
  for (const auto& w : rotationVectors(anglesBelowTwoPi())) {
    EXPECT_TRUE(isNear(tangentSO3(w), quadTangentSO3(toQuad(w)), kTolerance)) << w;
  }
}

TEST(SO3, InverseTangentAgreesWithExtendedPrecision) {
  for (const auto& w : rotationVectors(anglesBelowTwoPi())) {
    const double condition = conditionNearTwoPi(w);
    EXPECT_TRUE(
        isNear(tangentInverseSO3(w), quadTangentInverseSO3(toQuad(w)), kTolerance * condition))
        << w;
  }
}

TEST(SO3, DerivativesOfTangentsAgreeWithExtendedPrecisionDifferences) {
  for (const auto& w : rotationVectors(anglesBelowTwoPi())) {
    const double condition = conditionNearTwoPi(w);
    for (const auto& direction : screwDirections()) {
      const Vec3<double> e = direction.head<3>();
      EXPECT_TRUE(isNear(tangentDerivativeSO3(w, e),
                         quadDirectional(quadTangentSO3, toQuad(w), toQuad(e)), kTolerance))
          << w;
      EXPECT_TRUE(isNear(tangentInverseDerivativeSO3(w, e),
                         quadDirectional(quadTangentInverseSO3, toQuad(w), toQuad(e)),
                         kTolerance * condition))
          << w;
    }
  }
}

// Dual numbers through log ∘ exp must give the identity, at zero as anywhere else.
TEST(SO3, LogarithmOfExponentialHasUnitDerivative) {
  for (const auto& w : rotationVectors(anglesBelowPi())) {
    Vec3<Dual<3>> seeded;
    for (int i = 0; i < 3; ++i) seeded[i] = Dual<3>::variable(w[i], i);
    const Vec3<Dual<3>> back = logSO3(expSO3(seeded));
    Mat3<double> J;
    for (int i = 0; i < 3; ++i) J.row(i) = back[i].d.array().matrix().transpose();
    EXPECT_TRUE(isNear(J, Mat3<double>::Identity(), 3e-14)) << w;
  }
}

TEST(SO3, TangentsByDualNumbersAgreeWithTheirDerivatives) {
  for (const auto& w : rotationVectors(anglesBelowTwoPi())) {
    const double condition = conditionNearTwoPi(w);
    for (const auto& direction : screwDirections()) {
      const Vec3<double> e = direction.tail<3>();
      Vec3<Dual<1>> seeded;
      for (int i = 0; i < 3; ++i) {
        seeded[i] = Dual<1>(w[i]);
        seeded[i].d[0] = e[i];
      }
      const auto derivative = [](const Mat3<Dual<1>>& A) {
        return Mat3<double>(A.unaryExpr([](const Dual<1>& x) { return x.d[0]; }));
      };
      EXPECT_TRUE(isNear(derivative(tangentSO3(seeded)), tangentDerivativeSO3(w, e), 1e-14)) << w;
      EXPECT_TRUE(isNear(derivative(tangentInverseSO3(seeded)), tangentInverseDerivativeSO3(w, e),
                         1e-14 * condition))
          << w;
      // dR = R (T e)^
      const Mat3<double> dR = expSO3(w) * skew<double>(tangentSO3(w) * e);
      EXPECT_TRUE(isNear(derivative(expSO3(seeded)), dR, 1e-14)) << w;
    }
  }
}

// Along w(t): Ω = T ẇ, Ω̇ = T ẅ + DT[ẇ] ẇ, Ṙ = R Ω̂, R̈ = R (Ω̂² + Ω̂̇).
TEST(SO3, SecondDerivativesInTime) {
  const Vec3<double> velocity(0.7, -0.4, 1.1), acceleration(-0.9, 0.2, 0.6);
  for (const auto& w : rotationVectors(anglesBelowPi())) {
    Vec3<Taylor2> moving;
    for (int i = 0; i < 3; ++i) moving[i] = Taylor2(w[i], velocity[i], acceleration[i]);
    const Mat3<Taylor2> R = expSO3(moving);
    const Vec3<double> Omega = tangentSO3(w) * velocity;
    const Vec3<double> rate =
        tangentSO3(w) * acceleration + tangentDerivativeSO3(w, velocity) * velocity;
    const Mat3<double> second = expSO3(w) * (skewSquared(Omega) + skew(rate));
    const Mat3<double> actual = R.unaryExpr([](const Taylor2& x) { return x.second; });
    EXPECT_TRUE(isNear(actual, second, 2e-14)) << w;
    const Vec3<Taylor2> back = logSO3(R);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(back[i].first, velocity[i], 3e-14) << w;
      EXPECT_NEAR(back[i].second, acceleration[i], 3e-13) << w;
    }
  }
}

TEST(SO3, OrthonormalizedIsTheNearestRotation) {
  Mat3<double> R = expSO3(Vec3<double>(0.4, -1.0, 0.7));
  Mat3<double> stretch = Mat3<double>::Identity() * (1.0 + 1e-9);
  stretch(0, 1) = stretch(1, 0) = 3e-9;
  EXPECT_TRUE(isNear(orthonormalized<double>(R * stretch), R, 1e-15));
}

}  // namespace
}  // namespace flexloop::math
