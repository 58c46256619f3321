// Krylov–Schur on operators whose eigenvalues are known.
#include "linalg/roots/krylov_schur.hpp"

#include <complex>

#include <gtest/gtest.h>

#include "linalg/roots/fixed_vector.hpp"
#include "linalg/roots/sorted_schur.hpp"

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;

TEST(SortedSchur, SortsByModulusAndKeepsPairsTogether) {
  // Blocks with the eigenvalues 1, ±3i, -2, 0.5 ± 2.5i, coupled above the diagonal.
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(6, 6);
  A(0, 0) = 1.0;
  A.block<2, 2>(1, 1) << 0.0, 9.0, -1.0, 0.0;
  A(3, 3) = -2.0;
  A.block<2, 2>(4, 4) << 0.5, 2.5, -2.5, 0.5;
  A(0, 3) = A(1, 4) = A(2, 5) = 0.7;
  const SortedSchur<double> real = calcSortedSchur(A);
  EXPECT_LT((real.Q * real.T * real.Q.transpose() - A).norm(), 1e-13);
  EXPECT_NEAR(real.T.topLeftCorner(2, 2).trace(), 0.0, 1e-13);
  EXPECT_NEAR(real.T.block(2, 2, 2, 2).trace(), 1.0, 1e-13);
  EXPECT_NEAR(real.T(4, 4), -2.0, 1e-13);
  EXPECT_NEAR(real.T(5, 5), 1.0, 1e-13);
  const Eigen::MatrixXcd B = A.cast<Complex>() * Complex(0.6, 0.8);
  const SortedSchur<Complex> turned = calcSortedSchur(B);
  EXPECT_LT((turned.Q * turned.T * turned.Q.adjoint() - B).norm(), 1e-13);
  for (int k = 1; k < 6; ++k) {
    EXPECT_LE(std::abs(turned.T(k, k)), std::abs(turned.T(k - 1, k - 1)) + 1e-13);
  }
}

TEST(SortedSchur, GivesIndependentVectorsToAMultipleRoot) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3, 3);
  A << 2.0, 1e-13, 0.5, 0.0, 2.0 + 1e-15, 0.25, 0.0, 0.0, 1.0;
  const SmallEigensystem system = calcEigensystem(A);
  for (int k = 0; k < 3; ++k) {
    const Eigen::VectorXcd z = system.vectors.col(k);
    EXPECT_LT((A * z - system.values[k] * z).norm(), 1e-12);
  }
  EXPECT_LT(std::abs(system.vectors.col(0).dot(system.vectors.col(1))), 1e-12);
}

// The diagonal operator 1, 1/2, 1/3, ... with 1/2 twice.
TEST(KrylovSchur, FindsTheSecondCopyOnAFreshStart) {
  constexpr int kSize = 400;
  Eigen::VectorXd diagonal(kSize);
  for (int i = 0; i < kSize; ++i) diagonal[i] = 1.0 / (i + 1);
  diagonal[kSize - 1] = 0.5;
  int products = 0;
  KrylovSchur<double> krylov(
      [&](const Eigen::VectorXd& x, Eigen::VectorXd& y) {
        ++products;
        y = diagonal.cwiseProduct(x);
      },
      kSize, 24);
  Eigen::VectorXd blind = makeFixedVector(kSize, 1);
  blind[kSize - 1] = 0.0;
  ASSERT_TRUE(krylov.start(blind, 0));
  while (krylov.locked() < 4 && products < 1000) {
    krylov.improve();
    while (krylov.ritz(krylov.locked()).residual < 1e-13) krylov.lock(1);
  }
  ASSERT_GE(krylov.locked(), 4);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(krylov.ritz(k).value.real(), diagonal[k], 1e-12);
  const int before = krylov.locked();
  ASSERT_TRUE(krylov.start(makeFixedVector(kSize, 2), 1));
  for (int k = 0; k < 5; ++k) krylov.improve();
  EXPECT_NEAR(krylov.ritz(before).value.real(), 0.5, 1e-12);
  EXPECT_LT(products, 400);
}

TEST(KrylovSchur, EndsInAnInvariantSpace) {
  const Eigen::MatrixXd A{{0.0, -2.0, 0.0}, {2.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  KrylovSchur<double> krylov([&](const Eigen::VectorXd& x, Eigen::VectorXd& y) { y = A * x; }, 3,
                             9);
  ASSERT_TRUE(krylov.start(Eigen::Vector3d(1.0, 1.0, 1.0), 1));
  EXPECT_FALSE(krylov.improve());
  EXPECT_EQ(krylov.columns(), 2);
  EXPECT_EQ(krylov.ritz(0).width, 2);
  EXPECT_NEAR(krylov.ritz(0).value.imag(), 2.0, 1e-14);
  krylov.lock(2);
  EXPECT_FALSE(krylov.start(Eigen::Vector3d(1.0, 2.0, 0.0), 0));
}

}  // namespace
}  // namespace flexloop::linalg
