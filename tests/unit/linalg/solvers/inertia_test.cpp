// Numbers of negative eigenvalues, against matrices that are made of known ones.
#include "linalg/solvers/inertia.hpp"

#include <cmath>

#include <Eigen/QR>
#include <gtest/gtest.h>

namespace flexloop::linalg {
namespace {

// Q diag(1, 2, …, −1, −2, …) Qᵀ with `negative` of n negative, and rows and columns scaled over twelve decades.
SparseMatrix makeMatrix(int n, int negative) {
  Eigen::MatrixXd random(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) random(i, j) = std::sin(1.0 + i * n + j * j);
  }
  const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(random).householderQ();
  Eigen::VectorXd values(n), scale(n);
  for (int i = 0; i < n; ++i) {
    values[i] = (i < negative ? -1.0 : 1.0) * (1.0 + i);
    scale[i] = std::pow(10.0, 6.0 * std::sin(i));
  }
  const Eigen::MatrixXd A = Q * values.asDiagonal() * Q.transpose();
  const Eigen::MatrixXd scaled = scale.asDiagonal() * A * scale.asDiagonal();
  return scaled.sparseView(0.0, 0.0);
}

TEST(Inertia, CountsNegativeEigenvaluesOfSmallAndLargeMatrices) {
  for (const int n : {1, 5, 40, 90, 200}) {
    for (const int negative : {0, 1, n / 2, n}) {
      const std::optional<int> count = countNegativeEigenvalues(makeMatrix(n, negative));
      ASSERT_TRUE(count) << n;
      EXPECT_EQ(*count, negative) << n;
    }
  }
}

// [K Gᵀ; G 0] has one negative eigenvalue for each constraint, and one for each negative direction that they allow.
TEST(Inertia, OfConstraintsTellsTheStiffnessTheyAllow) {
  for (const double k : {-3.0, 3.0}) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3, 3);
    A(0, 0) = -7.0;  // held by the constraint
    A(1, 1) = k;
    A(0, 2) = A(2, 0) = 1e-9;
    EXPECT_EQ(countNegativeEigenvalues(A.sparseView()), k < 0.0 ? 2 : 1);
  }
}

TEST(Inertia, OfASingularMatrixIsNotKnown) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Ones(2, 2);
  EXPECT_FALSE(countNegativeEigenvalues(A.sparseView()));
}

}  // namespace
}  // namespace flexloop::linalg
