// Factors of sparse symmetric matrices, against products with known solutions.
#include "linalg/symmetric/symmetric_factors.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "linalg/symmetric/nested_dissection.hpp"

namespace flexloop::linalg {
namespace {

using Eigen::MatrixXd;

// A grid of springs with a spring to the ground at one corner.
SparseMatrix makeGrid(int n, double ground) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto spring = [&](int a, int b) {
    entries.emplace_back(a, a, 1.0);
    entries.emplace_back(b, b, 1.0);
    entries.emplace_back(std::max(a, b), std::min(a, b), -1.0);
  };
  for (int x = 0; x < n; ++x) {
    for (int y = 0; y < n; ++y) {
      if (x + 1 < n) spring(x * n + y, (x + 1) * n + y);
      if (y + 1 < n) spring(x * n + y, x * n + y + 1);
    }
  }
  entries.emplace_back(0, 0, ground);
  SparseMatrix A(n * n, n * n);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

MatrixXd makeSolution(int rows, int columns) {
  MatrixXd X(rows, columns);
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) X(i, j) = std::sin(1.0 + 3.0 * i + 7.0 * j);
  }
  return X;
}

TEST(SymmetricFactors, SolveSeveralRightHandSidesInEveryStore) {
  const SparseMatrix A = makeGrid(25, 1.0);
  const MatrixXd X = makeSolution(625, 7);
  for (const FactorStore store : {FactorStore::kDouble, FactorStore::kSingle, FactorStore::kDisk}) {
    SymmetricFactors factors;
    SymmetricOptions options;
    options.store = store;
    const auto failure = factors.factorize(A, options);
    ASSERT_FALSE(failure) << failure->message;
    EXPECT_EQ(factors.report().store, store);
    EXPECT_EQ(factors.report().negativePivots, 0);
    EXPECT_TRUE(factors.report().nullRows.empty());
    MatrixXd B = multiplySymmetric(A, X);
    EXPECT_LT(factors.solve(B), 1e-12);
    // The condition number is some 1e5.
    EXPECT_LT((B - X).cwiseAbs().maxCoeff(), 1e-10) << static_cast<int>(store);
  }
}

TEST(SymmetricFactors, ChooseTheStoreByTheMemoryThatIsThere) {
  const SparseMatrix A = makeGrid(40, 1.0);
  SymmetricFactors factors;
  ASSERT_FALSE(factors.factorize(A));
  const double bytes = factors.report().estimatedBytes;
  EXPECT_EQ(factors.report().store, FactorStore::kDouble);
  SymmetricOptions options;
  options.memory = 0.7 * bytes;
  ASSERT_FALSE(factors.factorize(A, options));
  EXPECT_EQ(factors.report().store, FactorStore::kSingle);
  options.memory = 0.3 * bytes;
  ASSERT_FALSE(factors.factorize(A, options));
  EXPECT_EQ(factors.report().store, FactorStore::kDisk);
}

// A free grid has one null row; whichever it is, the others can be eliminated.
TEST(SymmetricFactors, ListNullRows) {
  for (const double scale : {1e-12, 1.0, 1e12}) {
    SymmetricFactors factors;
    ASSERT_FALSE(factors.factorize(scale * makeGrid(10, 0.0)));
    EXPECT_EQ(factors.report().nullRows.size(), 1u) << scale;
  }
}

TEST(SymmetricFactors, CountNegativePivots) {
  SparseMatrix A = makeGrid(12, 1.0);
  for (int i = 0; i < 5; ++i) A.coeffRef(20 * i, 20 * i) = -10.0;
  SymmetricFactors factors;
  ASSERT_FALSE(factors.factorize(A));
  EXPECT_EQ(factors.report().negativePivots, 5);
}

// Sums are taken in another order then.
TEST(SymmetricFactors, SolveWithMoreThreads) {
  const SparseMatrix A = makeGrid(60, 1.0);
  const MatrixXd X = makeSolution(3600, 4);
  MatrixXd B = multiplySymmetric(A, X);
  SymmetricFactors factors;
  SymmetricOptions options;
  options.threads = 2;
  ASSERT_FALSE(factors.factorize(A, options));
  factors.solve(B);
  EXPECT_LT((B - X).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(NestedDissection, IsAnOrderWithZeroDiagonalsLast) {
  SparseMatrix A = makeGrid(30, 1.0);
  A.conservativeResize(902, 902);
  A.insert(900, 17) = 1.0;
  A.insert(901, 33) = 1.0;
  const std::vector<int> positions = makeNestedDissection(A);
  std::vector<bool> taken(902, false);
  for (const int position : positions) taken.at(position) = true;
  EXPECT_EQ(std::count(taken.begin(), taken.end(), true), 902);
  EXPECT_GE(positions[900], 900);
  EXPECT_GE(positions[901], 900);
}

}  // namespace
}  // namespace flexloop::linalg
