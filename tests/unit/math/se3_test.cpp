#include "math/se3.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "math/tangent_derivatives.hpp"
#include "support/matrix_matchers.hpp"
#include "support/screw_samples.hpp"

namespace flexloop::math {
namespace {

using namespace flexloop::test;

constexpr double kTolerance = 1e-14;

Frame<double> someFrame() {
  Vec6<double> d;
  d << 1.2, 0.4, -0.8, 0.9, -1.1, 0.6;
  return expSE3(d);
}

QuadMatrix<6, 6> quadTangentSE3(const QuadMatrix<6>& d) {
  return quadTangent<6>(quadBracket(d));
}

QuadMatrix<6, 6> quadTangentInverseSE3(const QuadMatrix<6>& d) {
  return quadInverse<6>(quadTangentSE3(d));
}

Frame<double> quadExpSE3(const Vec6<double>& d) {
  const Eigen::Matrix4d H = toDouble<4, 4>(quadExponential<4>(quadHomogeneous(toQuad(d))));
  return {H.topLeftCorner<3, 3>(), H.topRightCorner<3, 1>()};
}

TEST(SE3, FramesFormAGroup) {
  const Frame<double> A = someFrame();
  Vec6<double> d = -2.0 * someScrew();
  const Frame<double> B = expSE3(d);
  EXPECT_TRUE(isSameFrame(compose(A, inverse(A)), Frame<double>::identity(), 1e-15));
  EXPECT_TRUE(isSameFrame(compose(inverse(A), B), relative(A, B), 1e-15));
  EXPECT_TRUE(isSameFrame(compose(A, relative(A, B)), B, 1e-15));
}

TEST(SE3, AdjointInAllFormsIsOneMatrix) {
  const Frame<double> F = someFrame();
  const Vec6<double> v = someScrew();
  const Mat6<double> Ad = adjoint(F), inverseAd = adjoint(inverse(F));
  EXPECT_TRUE(isNear((Ad * inverseAd).eval(), Mat6<double>::Identity(), 1e-15));
  EXPECT_TRUE(isNear(applyAdjoint(F, v), (Ad * v).eval(), 1e-15));
  EXPECT_TRUE(isNear(applyAdjointInverse(F, v), (inverseAd * v).eval(), 1e-15));
  EXPECT_TRUE(isNear(applyAdjointTransposed(F, v), (Ad.transpose() * v).eval(), 1e-15));
  EXPECT_TRUE(
      isNear(applyAdjointInverseTransposed(F, v), (inverseAd.transpose() * v).eval(), 1e-15));
}

TEST(SE3, BracketInAllFormsIsOneMatrix) {
  const Vec6<double> v = someScrew(), w = logSE3(someFrame());
  EXPECT_TRUE(isNear(bracketMatrix(v), quadBracket(toQuad(v)), 0.0));
  EXPECT_TRUE(isNear(bracket(v, w), (bracketMatrix(v) * w).eval(), 1e-15));
  EXPECT_TRUE(isNear(coBracket(v, w), (bracketMatrix(v).transpose() * w).eval(), 1e-15));
}

// Ad(exp d) = exp(ad_d)
TEST(SE3, AdjointOfExponentialIsExponentialOfBracket) {
  for (const auto& d : screws({0.0, 1e-6, 0.8, 2.5, 3.1})) {
    EXPECT_TRUE(isNear(adjoint(expSE3(d)), quadExponential<6>(quadBracket(toQuad(d))), kTolerance));
  }
}

TEST(SE3, ExponentialAgreesWithExtendedPrecision) {
  for (const auto& d : screws(anglesBelowTwoPi())) {
    EXPECT_TRUE(isSameFrame(expSE3(d), quadExpSE3(d), kTolerance)) << d;
  }
}

TEST(SE3, LogarithmRecoversTheScrew) {
  for (const auto& d : screws(anglesBelowPi())) {
    const Frame<double> F = quadExpSE3(d);
    EXPECT_TRUE(isNear(secondOf(logSE3(F)), secondOf(d), kTolerance, 0.0)) << d;
    EXPECT_TRUE(isNear(firstOf(logSE3(F)), firstOf(d), kTolerance)) << d;
    EXPECT_TRUE(isRecoveredByLogExp(d, kTolerance)) << d;
    EXPECT_TRUE(isRecoveredByExpLog(F, kTolerance)) << d;
  }
}

TEST(SE3, ExponentialOfLogarithmAtHalfATurn) {
  for (const auto& d : screws({std::numbers::pi})) {
    EXPECT_TRUE(isRecoveredByExpLog(quadExpSE3(d), kTolerance)) << d;
  }
}

TEST(SE3, TangentsAgreeWithExtendedPrecision) {
  for (const auto& d : screws(anglesBelowTwoPi())) {
    EXPECT_TRUE(isNear(tangentSE3(d), quadTangentSE3(toQuad(d)), kTolerance)) << d;
    EXPECT_TRUE(isNear(tangentInverseSE3(d), quadTangentInverseSE3(toQuad(d)),
                       kTolerance * conditionNearTwoPi(d)))
        << d;
  }
}

TEST(SE3, TangentIdentities) {
  for (const auto& d : screws(anglesBelowTwoPi())) {
    EXPECT_TRUE(hasInverseTangents(d, kTolerance)) << d;
    EXPECT_TRUE(hasTangentReversedByAdjoint(d, kTolerance)) << d;
  }
}

TEST(SE3, AppliedTangentsAreTheMatrices) {
  const Vec6<double> v = someScrew();
  for (const auto& d : screws(anglesBelowTwoPi())) {
    const Mat6<double> T = tangentSE3(d), inverseT = tangentInverseSE3(d);
    const double scale = std::max(1.0, largestEntry(inverseT));
    EXPECT_TRUE(isNear(applyTangent(d, v), (T * v).eval(), 2e-15));
    EXPECT_TRUE(isNear(applyTangentTransposed(d, v), (T.transpose() * v).eval(), 2e-15));
    EXPECT_TRUE(isNear(applyTangentInverse(d, v), (inverseT * v).eval(), 2e-15, scale));
    EXPECT_TRUE(isNear(applyTangentInverseTransposed(d, v), (inverseT.transpose() * v).eval(),
                       2e-15, scale));
  }
}

TEST(SE3, DerivativesOfTangentsAgreeWithExtendedPrecisionDifferences) {
  const auto directions = screwDirections();
  std::size_t next = 0;
  for (const auto& d : screws(anglesBelowTwoPi())) {
    const Vec6<double>& e = directions[next++ % directions.size()];
    EXPECT_TRUE(isNear(tangentDerivativeSE3(d, e),
                       quadDirectional(quadTangentSE3, toQuad(d), toQuad(e)), kTolerance))
        << d;
    EXPECT_TRUE(isNear(tangentInverseDerivativeSE3(d, e),
                       quadDirectional(quadTangentInverseSE3, toQuad(d), toQuad(e)),
                       kTolerance * conditionNearTwoPi(d)))
        << d;
  }
}

}  // namespace
}  // namespace flexloop::math
