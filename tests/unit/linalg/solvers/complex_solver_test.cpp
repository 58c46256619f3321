// The pencil at a point, and complex systems with it.
#include "linalg/solvers/complex_solver.hpp"

#include <cmath>
#include <complex>
#include <vector>

#include <gtest/gtest.h>

#include "linalg/roots/quadratic_pencil.hpp"

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;
using Triplets = std::vector<Eigen::Triplet<double, int>>;

SparseMatrix assemble(int n, const Triplets& entries) {
  SparseMatrix matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// Pairs of a mass and of a multiplier that ties it to the one before.
QuadraticPencil makeSaddle(int masses) {
  Triplets K, C, M;
  for (int i = 0; i < masses; ++i) {
    const int mass = 2 * i, multiplier = 2 * i + 1;
    K.emplace_back(mass, mass, 3.0 + 0.1 * i);
    M.emplace_back(mass, mass, 1.0);
    C.emplace_back(mass, mass, 0.2);
    if (i > 0) C.emplace_back(mass, mass - 2, -0.3);
    for (const int other : {mass, mass - 2}) {
      if (other < 0) continue;
      K.emplace_back(multiplier, other, other == mass ? 1.0 : -0.5);
      K.emplace_back(other, multiplier, other == mass ? 1.0 : -0.4);
    }
  }
  return {assemble(2 * masses, K), assemble(2 * masses, C), assemble(2 * masses, M)};
}

Eigen::VectorXcd makeVector(int n) {
  return Eigen::VectorXcd::NullaryExpr(
      n, [](Eigen::Index i) { return Complex(std::sin(1.0 + i), std::cos(3.0 * i)); });
}

TEST(QuadraticPencil, EvaluatesOnOnePattern) {
  const QuadraticPencil pencil = makeSaddle(4);
  const Complex s(-0.3, 2.0);
  const Eigen::MatrixXcd exact = Eigen::MatrixXcd(pencil.K.cast<Complex>()) +
                                 s * Eigen::MatrixXcd(pencil.C.cast<Complex>()) +
                                 s * s * Eigen::MatrixXcd(pencil.M.cast<Complex>());
  const SparseMatrixC P = evaluate(pencil, s), atZero = evaluate(pencil, 0.0);
  EXPECT_LT((Eigen::MatrixXcd(P) - exact).norm(), 1e-14 * exact.norm());
  EXPECT_EQ(P.nonZeros(), atZero.nonZeros());
  EXPECT_EQ(evaluateReal(pencil, 0.0).nonZeros(), P.nonZeros());
  EXPECT_GT(P.nonZeros(), pencil.K.nonZeros());
}

// s² + 2 s + 5 = 0 at s = -1 ± 2i.
TEST(QuadraticPencil, KnowsTheResidualOfAPair) {
  const QuadraticPencil pencil{assemble(1, {{0, 0, 5.0}}), assemble(1, {{0, 0, 2.0}}),
                               assemble(1, {{0, 0, 1.0}})};
  const Eigen::VectorXcd z = Eigen::VectorXcd::Constant(1, Complex(3.0, 4.0));
  EXPECT_LT(calcResidual(pencil, {-1.0, 2.0}, z), 1e-16);
  EXPECT_NEAR(calcResidual(pencil, 1.0, z), 1.0, 1e-15);
  // |P(i)| = |4 + 2i| over 5 + 2 + 1
  EXPECT_NEAR(calcResidual(pencil, {0.0, 1.0}, z), std::sqrt(20.0) / 8.0, 1e-15);
}

TEST(ComplexSparseSolver, SolvesAgainAndAgain) {
  constexpr int kMasses = 40;
  const QuadraticPencil pencil = makeSaddle(kMasses);
  std::vector<int> groups;
  for (int u = 0; u < pencil.size(); ++u) groups.push_back(u / 2);
  const Eigen::VectorXcd exact = makeVector(pencil.size());
  for (const std::vector<int>& given : {std::vector<int>(), groups}) {
    const auto solver = makeComplexSparseSolver(evaluate(pencil, 0.0), given);
    ASSERT_NE(solver, nullptr);
    for (const Complex s : {Complex(0.0, 0.1), Complex(0.0, 30.0), Complex(-2.0, 1.7)}) {
      const SparseMatrixC P = evaluate(pencil, s);
      const FactorReport report = solver->factorize(P);
      ASSERT_TRUE(report.ok);
      EXPECT_GT(report.reciprocalCondition, 0.0);
      Eigen::VectorXcd x = P * exact;
      solver->solve(x);
      EXPECT_LT((x - exact).norm(), 1e-11 * exact.norm());
      x = P.transpose() * exact;
      solver->solveTransposed(x);
      EXPECT_LT((x - exact).norm(), 1e-11 * exact.norm());
    }
  }
}

TEST(ComplexSparseSolver, TellsASingularMatrix) {
  const QuadraticPencil pencil{assemble(2, {{0, 0, 4.0}, {1, 1, 1.0}}), SparseMatrix(2, 2),
                               assemble(2, {{0, 0, 1.0}})};
  const auto solver = makeComplexSparseSolver(evaluate(pencil, 0.0));
  EXPECT_FALSE(solver->factorize(evaluate(pencil, {0.0, 2.0})).ok);
  EXPECT_TRUE(solver->factorize(evaluate(pencil, {0.0, 1.0})).ok);
  EXPECT_EQ(makeComplexSparseSolver(SparseMatrixC(2, 2)), nullptr);
}

}  // namespace
}  // namespace flexloop::linalg
