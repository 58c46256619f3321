// The units of a pencil, and that roots do not depend on them.
#include "linalg/roots/pencil_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "linalg/roots/all_roots.hpp"
#include "linalg/roots/shift_invert.hpp"
#include "linalg/solvers/exact_product.hpp"

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXd;
using Eigen::VectorXd;

QuadraticPencil makePencil(const MatrixXd& K, const MatrixXd& C, const MatrixXd& M) {
  return {K.sparseView(), C.sparseView(), M.sparseView()};
}

// In other units: R P(s/time) S.
QuadraticPencil change(const QuadraticPencil& pencil, const VectorXd& R, const VectorXd& S,
                       double time) {
  const auto scaled = [&](const SparseMatrix& matrix, double factor) {
    SparseMatrix changed = matrix;
    for (int j = 0; j < changed.outerSize(); ++j) {
      for (SparseMatrix::InnerIterator it(changed, j); it; ++it) {
        it.valueRef() *= R[it.row()] * factor * S[j];
      }
    }
    return changed;
  };
  return {scaled(pencil.K, 1.0), scaled(pencil.C, time), scaled(pencil.M, time * time)};
}

VectorXd makeUnits(int size, std::mt19937& random, double decades) {
  std::uniform_real_distribution<double> exponent(-decades, decades);
  return VectorXd::NullaryExpr(size, [&] { return std::pow(10.0, exponent(random)); });
}

// A hinged body with a PID on its angle: J s³ + (c + kd) s² + (k + kp) s + ki = 0. Unknowns are the angle, the sliding
// that the hinge prevents and its force, the measured angle, the integral and the torque.
QuadraticPencil makeHinge() {
  MatrixXd K = MatrixXd::Zero(6, 6), C = K, M = K;
  M(0, 0) = 0.01;
  C(0, 0) = 0.02;
  K(0, 0) = 20.0;
  K(0, 5) = 1.0;
  M(1, 1) = 3.0;
  K(1, 2) = K(2, 1) = 1.0;
  K(3, 3) = 1.0;
  K(3, 0) = -1.0;
  C(4, 4) = 1.0;
  K(4, 3) = -1.0;
  K(5, 5) = 1.0;
  K(5, 3) = -15.0;
  C(5, 3) = -0.4;
  K(5, 4) = -30.0;
  return makePencil(K, C, M);
}
// mpmath: polyroots([0.01, 0.42, 35, 30])
const std::vector<Complex> kHingeRoots{{-0.8659558799940502, 0.0},
                                       {-20.56702206000297, 55.14868390278862}};

TEST(PencilScaling, IsOfPowersOfTwo) {
  std::mt19937 random(1);
  const QuadraticPencil pencil =
      change(makeHinge(), makeUnits(6, random, 15.0), makeUnits(6, random, 15.0), 1e7);
  const PencilScaling scaling = findScaling(pencil);
  int exponent = 0;
  for (const VectorXd& factors : {scaling.rows, scaling.columns}) {
    for (const double factor : factors) EXPECT_EQ(std::frexp(factor, &exponent), 0.5);
  }
  EXPECT_EQ(std::frexp(scaling.rate, &exponent), 0.5);
}

TEST(PencilScaling, MakesTheSameOfAMachineInAllUnits) {
  std::mt19937 random(2);
  const PencilScaling own = findScaling(makeHinge());
  const QuadraticPencil expected = applyScaling(makeHinge(), own);
  for (int round = 0; round < 20; ++round) {
    const QuadraticPencil pencil =
        change(makeHinge(), makeUnits(6, random, 15.0), makeUnits(6, random, 15.0),
               makeUnits(1, random, 15.0)[0]);
    const QuadraticPencil scaled = applyScaling(pencil, findScaling(pencil));
    const MatrixXd ratio =
        (MatrixXd(expected.K).array() == 0.0)
            .select(1.0, MatrixXd(scaled.K).array() / MatrixXd(expected.K).array());
    EXPECT_LT(ratio.maxCoeff(), 4.1);
    EXPECT_GT(ratio.minCoeff(), 0.24);
  }
}

TEST(PencilScaling, AllRootsAreThoseOfTheMachineInAllUnits) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    const double time = makeUnits(1, random, 15.0)[0];
    const QuadraticPencil pencil =
        change(makeHinge(), makeUnits(6, random, 15.0), makeUnits(6, random, 15.0), time);
    const AllRoots roots = findAllRoots(pencil);
    ASSERT_TRUE(roots.ok);
    ASSERT_EQ(roots.pairs.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_LT(std::abs(roots.pairs[i].value * time - kHingeRoots[i]),
                1e-12 * std::abs(kHingeRoots[i]));
    }
  }
}

// 300 masses in a row from a wall, each with its own force as a signal: the roots are 2 sin((2k − 1) π/(4n + 2)) i.
TEST(PencilScaling, NearestRootsAreThoseOfTheMachineInAllUnits) {
  const int n = 300;
  MatrixXd K = MatrixXd::Zero(2 * n, 2 * n), M = K;
  for (int i = 0; i < n; ++i) {
    M(i, i) = 1.0;
    K(i, n + i) = 1.0;       // its own force, stretched by the link before it
    K(n + i, n + i) = -1.0;  // force = stretch
    K(n + i, i) = 1.0;
    if (i > 0) K(n + i, i - 1) = -1.0;
    if (i + 1 < n) K(i, n + i + 1) = -1.0;
  }
  std::mt19937 random(4);
  for (int round = 0; round < 4; ++round) {
    const double time = makeUnits(1, random, 15.0)[0];
    const QuadraticPencil pencil =
        change(makePencil(K, MatrixXd::Zero(2 * n, 2 * n), M), makeUnits(2 * n, random, 15.0),
               makeUnits(2 * n, random, 15.0), time);
    const NearestResult result = findNearest(pencil, {.count = 5});
    ASSERT_TRUE(result.converged()) << messageOf(result.failure);
    for (int k = 1; k <= 5; ++k) {
      const double exact = 2.0 * std::sin((2 * k - 1) * std::numbers::pi / (4 * n + 2));
      EXPECT_LT(std::abs(result.pairs[k - 1].value * time - Complex(0.0, exact)), 1e-9 * exact);
    }
  }
}

// Three rows of masses between walls, which small forces of one row on the next couple in a circle, from one side only: the
// more masses, the more often a fit to all entries would count them.
QuadraticPencil makeRowsWithLoads(int n, double load) {
  MatrixXd K = MatrixXd::Zero(3 * n, 3 * n), M = MatrixXd::Identity(3 * n, 3 * n);
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < n; ++i) {
      const int u = row * n + i, other = (row + 1) % 3 * n + i;
      K(u, u) = 2.0 * (row + 1);
      if (i > 0) K(u, u - 1) = K(u - 1, u) = -1.0 * (row + 1);
      if (i > row * n / 4) K(u, other) = load;
      if (i > 1) K(u, other - 1) = -0.3 * load;
    }
  }
  return makePencil(K, MatrixXd::Zero(3 * n, 3 * n), M);
}

TEST(PencilScaling, UnitsOfMotionsDoNotFollowTheSmallEntriesOfLoads) {
  for (const int n : {20, 200}) {
    const QuadraticPencil pencil = makeRowsWithLoads(n, 1e-9);
    const PencilScaling scaling = findScalingForPivots(pencil);
    const VectorXd ratio = scaling.rows.cwiseQuotient(scaling.columns);
    EXPECT_LE(ratio.maxCoeff() / ratio.minCoeff(), 4.0) << n;
    const QuadraticPencil scaled = applyScaling(pencil, scaling);
    EXPECT_LE(MatrixXd(scaled.K).cwiseAbs().maxCoeff(), 2.0) << n;
    EXPECT_LE(MatrixXd(scaled.M).cwiseAbs().maxCoeff(), 2.0) << n;
  }
}

// Terms that cancel to 1e-24 of their size keep all digits of what is left.
TEST(ExactProduct, KeepsWhatIsLeftOfLargeTerms) {
  MatrixXd K(1, 3);
  K << 1e12 + 1.0, -1e12, 3.0;
  MatrixXd square = MatrixXd::Zero(3, 3);
  square.row(0) = K;
  const QuadraticPencil pencil = makePencil(square, MatrixXd::Zero(3, 3), MatrixXd::Zero(3, 3));
  Eigen::VectorXcd z(3);
  z << 1e12 - 1.0, 1e12, 1e-3;
  // (1e12 + 1)(1e12 − 1) − 1e24 + 3e-3 = −1 + 3e-3
  EXPECT_NEAR(applyExactly(pencil, {}, 0.0, z)[0].real(), -0.997, 1e-15);
  EXPECT_NEAR(applyExactly({&pencil.K}, 0.0, z.real())[0], -0.997, 1e-15);
}

}  // namespace
}  // namespace flexloop::linalg
