// Panels against dense solutions: trees, rings and arrows of groups of unknowns, with rows that do not go in the order of the columns.
#include "linalg/solvers/panel_factors.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace flexloop::linalg {
namespace {

struct Problem {
  SparseMatrix A;
  std::vector<int> rows, columns;  // pivots
};

// Groups of up to `widest` unknowns, each coupled to some of those before it; about a quarter of the entries of a
// block are missing, the diagonal dominates. Rows of A are shuffled, and the pivots say how.
Problem makeProblem(std::mt19937& random, int groups, int widest, int reach) {
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  std::vector<int> first{0};
  for (int g = 0; g < groups; ++g)
    first.push_back(first.back() + 1 + static_cast<int>(random() % widest));
  const int n = first.back();
  Problem problem;
  problem.rows.resize(n);
  std::iota(problem.rows.begin(), problem.rows.end(), 0);
  problem.columns = problem.rows;
  std::shuffle(problem.rows.begin(), problem.rows.end(), random);
  std::shuffle(problem.columns.begin(), problem.columns.end(), random);
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](int i, int j, double value) {
    entries.emplace_back(problem.rows[i], problem.columns[j], value);
  };
  const auto couple = [&](int g, int h) {
    for (int i = first[g]; i < first[g + 1]; ++i) {
      for (int j = first[h]; j < first[h + 1]; ++j) {
        if (i == j) add(i, j, 100.0 + number(random));
        if (i == j || random() % 4 == 0) continue;
        add(i, j, number(random));
        if (random() % 8 != 0 && g != h) add(j, i, number(random));
      }
    }
  };
  for (int g = 0; g < groups; ++g) {
    couple(g, g);
    if (g > 0) couple(g, std::max(0, g - 1 - static_cast<int>(random() % reach)));
    if (g == groups - 1) couple(g, 0);
  }
  problem.A.resize(n, n);
  problem.A.setFromTriplets(entries.begin(), entries.end());
  return problem;
}

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

TEST(PanelFactors, SolveAsDenseFactorsDo) {
  std::mt19937 random(1);
  for (int k = 0; k < 200; ++k) {
    Problem problem = makeProblem(random, 1 + k % 30, 1 + k % 13, 1 + k % 5);
    SparseMatrix& A = problem.A;
    PanelFactors factors;
    ASSERT_TRUE(factors.analyze(A, problem.rows, problem.columns, kAny));
    for (int values = 0; values < 2; ++values) {
      ASSERT_GT(factors.factorize(A), 0.1);
      const Eigen::PartialPivLU<Eigen::MatrixXd> dense{Eigen::MatrixXd(A)};
      const Eigen::VectorXd b = Eigen::VectorXd::Random(A.rows()),
                            c = Eigen::VectorXd::Random(A.rows());
      Eigen::VectorXd x = b, y = c, z = b;
      factors.solvePair(x, y);
      factors.solve(z);
      EXPECT_LT((x - dense.solve(b)).cwiseAbs().maxCoeff(), 1e-13);
      EXPECT_LT((y - dense.solve(c)).cwiseAbs().maxCoeff(), 1e-13);
      EXPECT_LT((z - x).cwiseAbs().maxCoeff(), 1e-15);
      A.coeffs() *= -3.0;  // the same factors again with other values
    }
  }
}

TEST(PanelFactors, ForgetWhatIsNotANumber) {
  std::mt19937 random(2);
  const Problem problem = makeProblem(random, 12, 7, 2);
  PanelFactors factors;
  ASSERT_TRUE(factors.analyze(problem.A, problem.rows, problem.columns, kAny));
  ASSERT_GT(factors.factorize(problem.A), 0.1);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(problem.A.rows());
  Eigen::VectorXd good = b, bad = b, again = b;
  factors.solve(good);
  bad[0] = std::numeric_limits<double>::quiet_NaN();
  factors.solve(bad);
  factors.solve(again);
  EXPECT_EQ(good, again);
  SparseMatrix broken = problem.A;
  broken.coeffs()[0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(factors.factorize(broken), 0.0);
  ASSERT_GT(factors.factorize(problem.A), 0.1);
  again = b;
  factors.solve(again);
  EXPECT_EQ(good, again);
}

TEST(PanelFactors, TellWhatHasNoPivotAndWhatIsTooLarge) {
  SparseMatrix A(3, 3);
  const std::vector<Eigen::Triplet<double>> entries{{0, 0, 1.0}, {1, 0, 1.0}, {0, 1, 1.0},
                                                    {1, 1, 1.0}, {2, 2, 1.0}, {2, 1, 1.0}};
  A.setFromTriplets(entries.begin(), entries.end());
  PanelFactors factors;
  EXPECT_FALSE(factors.analyze(A, {0, 1, 2}, {0, 1, 2}, 3));
  ASSERT_TRUE(factors.analyze(A, {0, 1, 2}, {0, 1, 2}, kAny));
  EXPECT_EQ(factors.factorize(A), 0.0);
}

}  // namespace
}  // namespace flexloop::linalg
