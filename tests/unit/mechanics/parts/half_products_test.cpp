// Products by one half of a matrix against those of the whole one.
#include "mechanics/parts/half_products.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace flexloop::mechanics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Sizes around whole blocks, and without rows at all.
TEST(HalfMatrix, MultipliesAsTheWholeMatrixDoes) {
  std::srand(7);
  for (const int n : {0, 1, 3, 4, 5, 8, 11, 30}) {
    const MatrixXd X = MatrixXd::Random(n, n);
    for (const double sign : {1.0, -1.0}) {
      const MatrixXd A = X + sign * X.transpose();
      const HalfMatrix half(A, sign > 0.0 ? Symmetry::kSymmetric : Symmetry::kSkew);
      HalfMatrix::Workspace work(n);
      const VectorXd x = VectorXd::Random(n), u = VectorXd::Random(n);
      VectorXd y(n), w(n), alone(n);
      half.multiply(x, u, y, w, work);
      half.multiply(x, alone, work);
      // Sums of n products of numbers up to two.
      const double rounding = 4e-16 * n;
      EXPECT_LE((y - A * x).norm(), rounding * y.norm()) << n;
      EXPECT_LE((w - A * u).norm(), rounding * w.norm()) << n;
      EXPECT_LE((alone - A * x).norm(), rounding * y.norm()) << n;
    }
  }
}

// The rows that fill up the last block do not count, whatever was multiplied before.
TEST(HalfMatrix, HalvesOfOneSizeShareAWorkspace) {
  const int n = 6;
  const MatrixXd X = MatrixXd::Random(n, n), A = X + X.transpose(), B = X - X.transpose();
  const HalfMatrix a(A, Symmetry::kSymmetric), b(B, Symmetry::kSkew);
  HalfMatrix::Workspace work(n);
  const VectorXd x = VectorXd::Random(n);
  VectorXd y(n), w(n);
  a.multiply(x, x, y, w, work);
  b.multiply(x, y, work);
  EXPECT_LE((y - B * x).norm(), 1e-14 * x.norm());
}

}  // namespace
}  // namespace flexloop::mechanics
