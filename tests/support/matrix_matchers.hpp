// Assertions on matrices and on the group SE(3), for EXPECT_TRUE. Each message names the worst
// entry.
#pragma once

#include <algorithm>
#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include "math/se3.hpp"
#include "support/quad.hpp"

namespace flexloop::test {

/// |A − B| ≤ tolerance · max(scale, |B|max) for all entries. A NaN on either side fails. Scale 1
/// asks for absolute accuracy near zero, scale 0 for accuracy relative to the largest entry.
template <class A, class B>
testing::AssertionResult isNear(const A& actual, const B& expected, double tolerance,
                                double scale = 1.0) {
  double largest = scale, worst = 0.0;
  int row = 0, column = 0;
  for (int i = 0; i < expected.rows(); ++i) {
    for (int j = 0; j < expected.cols(); ++j) {
      largest = std::max(largest, std::abs(static_cast<double>(expected(i, j))));
      const double error = std::abs(static_cast<double>(Quad(actual(i, j)) - Quad(expected(i, j))));
      if (error <= worst) continue;
      worst = error, row = i, column = j;
      if (std::isnan(error)) break;
    }
    if (std::isnan(worst)) break;
  }
  if (worst <= tolerance * largest) return testing::AssertionSuccess();
  std::ostringstream text;
  text.precision(17);
  text << "entry (" << row << ", " << column << ") is " << actual(row, column) << ", expected "
       << static_cast<double>(expected(row, column)) << ", error " << worst << ", allowed "
       << tolerance * largest;
  return testing::AssertionFailure() << text.str();
}

inline testing::AssertionResult isNear(double actual, double expected, double tolerance,
                                       double scale = 1.0) {
  using Scalar = Eigen::Matrix<double, 1, 1>;
  return isNear(Scalar(actual), Scalar(expected), tolerance, scale);
}

/// Rᵀ R = I and det R = 1.
inline testing::AssertionResult isRotation(const math::Mat3<double>& R, double tolerance) {
  const math::Vec3<double> third = math::cross<double>(R.col(0), R.col(1));
  auto orthogonal = isNear((R.transpose() * R).eval(), math::Mat3<double>::Identity(), tolerance);
  return orthogonal ? isNear(third, R.col(2), tolerance) : orthogonal;
}

inline testing::AssertionResult isSameFrame(const math::Frame<double>& actual,
                                            const math::Frame<double>& expected, double tolerance) {
  auto rotation = isNear(actual.R, expected.R, tolerance);
  return rotation ? isNear(actual.x, expected.x, tolerance) : rotation;
}

/// exp(log(F)) = F
inline testing::AssertionResult isRecoveredByExpLog(const math::Frame<double>& F,
                                                    double tolerance) {
  return isSameFrame(math::expSE3(math::logSE3(F)), F, tolerance);
}

/// log(exp(d)) = d, for an angle below π; relative to the larger of translation and rotation.
inline testing::AssertionResult isRecoveredByLogExp(const math::Vec6<double>& d, double tolerance) {
  return isNear(math::logSE3(math::expSE3(d)), d, tolerance, 0.0);
}

/// T(d) T(d)⁻¹ = I
inline testing::AssertionResult hasInverseTangents(const math::Vec6<double>& d, double tolerance) {
  const math::Mat6<double> T = math::tangentSE3(d), inverse = math::tangentInverseSE3(d);
  const double scale = std::max(1.0, largestEntry(inverse));
  return isNear((T * inverse).eval(), math::Mat6<double>::Identity(), tolerance, scale);
}

/// T(−d) = Ad(exp d) T(d)
inline testing::AssertionResult hasTangentReversedByAdjoint(const math::Vec6<double>& d,
                                                            double tolerance) {
  const math::Vec6<double> reversed = -d;
  return isNear((math::adjoint(math::expSE3(d)) * math::tangentSE3(d)).eval(),
                math::tangentSE3(reversed), tolerance);
}

}  // namespace flexloop::test
