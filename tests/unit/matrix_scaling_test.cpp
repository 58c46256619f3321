// A matrix in other units is factorised as the same matrix.
#include "linalg/matrix_scaling.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "linalg/factored_matrix.hpp"

namespace flexloop::linalg {
namespace {

// Two translations and a rotation that are coupled, a constraint with a tiny compliance, and a loop of a sensor, a gain and an actuator.
SparseMatrix makeMatrix() {
  const std::vector<Eigen::Triplet<double, int>> entries{
      {0, 0, 2.0}, {0, 2, 0.3},    {2, 0, 0.3},  {1, 1, 2.0},   {2, 2, 0.1}, {0, 3, 1.0},
      {3, 0, 1.0}, {2, 3, 0.5},    {3, 2, 0.5},  {3, 3, -1e-9}, {4, 4, 1.0}, {4, 1, -1e-5},
      {5, 5, 1.0}, {5, 4, -800.0}, {1, 5, -1.0}, {6, 6, 1.0},   {6, 4, -1.0}};
  SparseMatrix matrix(7, 7);
  matrix.setFromTriplets(entries.begin(), entries.end());
  matrix.makeCompressed();
  return matrix;
}

const std::vector<bool> kConstraints{false, false, false, true, false, false, false};

SparseMatrix scale(const SparseMatrix& matrix, const Eigen::ArrayXd& rows,
                   const Eigen::ArrayXd& columns) {
  SparseMatrix scaled = matrix;
  for (int j = 0; j < scaled.cols(); ++j) {
    for (SparseMatrix::InnerIterator it(scaled, j); it; ++it) {
      it.valueRef() *= rows[it.row()] * columns[j];
    }
  }
  return scaled;
}

SparseMatrix balance(const SparseMatrix& matrix) {
  const MatrixScaling scaling = findMatrixScaling(matrix, kConstraints);
  return scale(matrix, scaling.rows, scaling.columns);
}

// Newtons, newton metres, metres, volts, counts, each by powers of two.
const Eigen::ArrayXd kRows =
    Eigen::ArrayXd{{0x1p60, 0x1p60, 0x1p90, 0x1p-30, 0x1p-45, 0x1p7, 0x1p20}};
const Eigen::ArrayXd kColumns =
    Eigen::ArrayXd{{0x1p-30, 0x1p-30, 0x1p0, 0x1p40, 0x1p45, 0x1p-7, 0x1p-20}};

TEST(MatrixScaling, GivesTheSameMatrixInOtherUnits) {
  const SparseMatrix one = balance(makeMatrix());
  const SparseMatrix other = balance(scale(makeMatrix(), kRows, kColumns));
  for (int i = 0; i < 4; ++i) {  // motions and their constraint
    for (int j = 0; j < 4; ++j) {
      if (one.coeff(i, j) == 0.0) continue;
      const double ratio = std::abs(other.coeff(i, j) / one.coeff(i, j));
      EXPECT_LE(std::abs(std::log2(ratio)), 2.0) << i << ", " << j;
    }
  }
}

TEST(MatrixScaling, MakesEquationsOfSizeOne) {
  const SparseMatrix balanced = balance(scale(makeMatrix(), kRows, kColumns));
  for (int i = 0; i < balanced.cols(); ++i) {
    if (kConstraints[i]) continue;
    EXPECT_LE(std::abs(std::log2(std::abs(balanced.coeff(i, i)))), 1.0) << "equation " << i;
  }
}

TEST(MatrixScaling, LeavesNoErrorInSolutions) {
  const SparseMatrix matrix = makeMatrix(), scaled = scale(matrix, kRows, kColumns);
  FactoredMatrix factors;
  factors.setConstraints(kConstraints);
  ASSERT_TRUE(factors.factorize(scaled, SolverChoice::kKlu, {}).ok);
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(7, 1.0, 2.0);
  Eigen::VectorXd solution = (matrix * x).array() * kRows;
  factors.solve(solution);
  for (int i = 0; i < x.size(); ++i) EXPECT_NEAR(solution[i] * kColumns[i], x[i], 1e-10);
}

}  // namespace
}  // namespace flexloop::linalg
