// The direct solvers: same answers, the right one chosen, singular matrices told.
#include "linalg/solvers/sparse_solver.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "linalg/solvers/sparse_rank.hpp"

namespace flexloop::linalg {
namespace {

using Triplets = std::vector<Eigen::Triplet<double, int>>;

SparseMatrix assemble(int n, const Triplets& entries) {
  SparseMatrix matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  matrix.makeCompressed();
  return matrix;
}

// The Laplace operator on a grid, made unsymmetric and well conditioned.
SparseMatrix makeGrid(int nx, int ny, int nz) {
  const auto index = [=](int i, int j, int k) { return (k * ny + j) * nx + i; };
  Triplets entries;
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        const int here = index(i, j, k);
        entries.emplace_back(here, here, 6.5);
        const auto couple = [&](int other) {
          entries.emplace_back(here, other, -1.0);
          entries.emplace_back(other, here, -0.9);
        };
        if (i + 1 < nx) couple(index(i + 1, j, k));
        if (j + 1 < ny) couple(index(i, j + 1, k));
        if (k + 1 < nz) couple(index(i, j, k + 1));
      }
    }
  }
  return assemble(nx * ny * nz, entries);
}

Eigen::VectorXd makeVector(int n) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  return Eigen::VectorXd::NullaryExpr(n, [&] { return uniform(generator); });
}

void expectSolves(SparseSolver& solver, const SparseMatrix& matrix) {
  ASSERT_TRUE(solver.factorize(matrix).ok);
  const Eigen::VectorXd exact = makeVector(static_cast<int>(matrix.rows()));
  Eigen::VectorXd x = matrix * exact;
  solver.solve(x);
  EXPECT_LT((x - exact).cwiseAbs().maxCoeff(), 1e-12) << solver.name();
}

TEST(SparseSolver, KluAndMumpsSolveAgainAndAgain) {
  SparseMatrix matrix = makeGrid(7, 6, 5);
  for (const SolverChoice choice : {SolverChoice::kKlu, SolverChoice::kMumps}) {
    const auto solver = makeSparseSolver(matrix, choice);
    ASSERT_NE(solver, nullptr);
    for (const double scale : {1.0, 3.0, 0.1}) expectSolves(*solver, scale * matrix);
  }
}

TEST(SparseSolver, ChoosesByTheWorkPerEntry) {
  EXPECT_EQ(makeSparseSolver(makeGrid(2000, 1, 1))->name(), "KLU");
  EXPECT_EQ(makeSparseSolver(makeGrid(14, 14, 14))->name(), "MUMPS");
}

TEST(SparseSolver, TellsASingularMatrix) {
  SparseMatrix matrix = makeGrid(4, 4, 1);
  const auto solver = makeSparseSolver(matrix, SolverChoice::kKlu);
  for (int k = matrix.outerIndexPtr()[5]; k < matrix.outerIndexPtr()[6]; ++k) {
    matrix.valuePtr()[k] = 0.0;
  }
  EXPECT_FALSE(solver->factorize(matrix).ok);
}

// [M Bᵀ; B 0]: the multiplier comes after the node it holds and finds a pivot.
TEST(SparseSolver, EliminatesGroupsOfASaddlePoint) {
  constexpr int kNodes = 50;
  Triplets entries;
  std::vector<int> groups;
  for (int i = 0; i < kNodes; ++i) {
    entries.emplace_back(i, i, 2.0 + 0.01 * i);
    groups.push_back(i);
  }
  for (int i = 0; i < kNodes; ++i) {
    const int multiplier = kNodes + i;
    groups.push_back(i);
    entries.emplace_back(multiplier, multiplier, 0.0);
    for (const int node : {i, i - 1}) {
      if (node < 0) continue;
      entries.emplace_back(multiplier, node, node == i ? 1.0 : -0.5);
      entries.emplace_back(node, multiplier, node == i ? 1.0 : -0.5);
    }
  }
  const SparseMatrix matrix = assemble(2 * kNodes, entries);
  const auto solver = makeSparseSolver(matrix, SolverChoice::kAutomatic, groups);
  expectSolves(*solver, matrix);
}

TEST(SparseRank, FindsDependentRowsAndTheirWeights) {
  // Row 2 = 2·row 0 − row 1; row 3 stands alone.
  SparseMatrix matrix(4, 5);
  const Triplets entries{{0, 0, 1.0}, {0, 2, 1.0}, {1, 1, 1.0},  {1, 2, 0.5},
                         {2, 0, 2.0}, {2, 2, 1.5}, {2, 1, -1.0}, {3, 4, 1.0}};
  matrix.setFromTriplets(entries.begin(), entries.end());
  SparseRank rank(matrix);
  EXPECT_EQ(rank.report().rank, 3);
  ASSERT_EQ(rank.report().dependent.size(), 1U);
  EXPECT_EQ(rank.report().takesPart, (std::vector<bool>{true, true, true, false}));
  const RowDependency dependency = rank.findDependency(rank.report().dependent.front());
  EXPECT_EQ(dependency.rows.size(), 3U);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(5);
  for (std::size_t k = 0; k < dependency.rows.size(); ++k) {
    sum += dependency.weights[k] * Eigen::MatrixXd(matrix).row(dependency.rows[k]).transpose();
  }
  EXPECT_LT(sum.norm(), 1e-12);
}

}  // namespace
}  // namespace flexloop::linalg
