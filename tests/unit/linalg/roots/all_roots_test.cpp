// Exact elimination of what has no derivative, and all roots of small pencils.
#include "linalg/roots/all_roots.hpp"

#include <cmath>
#include <vector>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "linalg/state_space/explicit_form.hpp"

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXd;

QuadraticPencil makePencil(const MatrixXd& K, const MatrixXd& C, const MatrixXd& M) {
  return {K.sparseView(), C.sparseView(), M.sparseView()};
}

// Two masses on springs, of which a constraint makes one: (m1 + m2) s² + k1 + k2 = 0.
TEST(AllRoots, AConstraintAddsNoRoots) {
  MatrixXd K(3, 3), M = MatrixXd::Zero(3, 3);
  K << 30.0, 0.0, 1.0, 0.0, 42.0, -1.0, 1.0, -1.0, 0.0;
  M(0, 0) = 2.0;
  M(1, 1) = 6.0;
  const AllRoots roots = findAllRoots(makePencil(K, MatrixXd::Zero(3, 3), M));
  ASSERT_TRUE(roots.ok);
  ASSERT_EQ(roots.pairs.size(), 1u);
  EXPECT_NEAR(std::abs(roots.pairs[0].value - Complex(0.0, 3.0)), 0.0, 1e-14);
  EXPECT_NEAR(std::abs(roots.pairs[0].vector[0] - roots.pairs[0].vector[1]), 0.0, 1e-14);
}

// The same with a stiffness that is nothing but round-off of forces that cancel: 2 s² + 2 s² + 36 = 0.
TEST(AllRoots, AStiffnessOfRoundOffHidesNoRoots) {
  for (const double roundOff : {1e-17, 1e-40, 1e-200}) {
    MatrixXd K(3, 3), M = MatrixXd::Zero(3, 3);
    K << roundOff, 0.0, 1.0, 0.0, 36.0, -1.0, 1.0, -1.0, 0.0;
    M(0, 0) = M(1, 1) = 2.0;
    const AllRoots roots = findAllRoots(makePencil(K, MatrixXd::Zero(3, 3), M));
    ASSERT_EQ(roots.pairs.size(), 1u) << roundOff;
    EXPECT_NEAR(std::abs(roots.pairs[0].value - Complex(0.0, 3.0)), 0.0, 1e-14);
  }
}

// An algebraic signal y = x'' fed back by −g y: (m + g) s² + c s + k = 0.
TEST(AllRoots, AnAccelerationThatIsFedBackIsAMass) {
  MatrixXd K(2, 2), C = MatrixXd::Zero(2, 2), M(2, 2);
  K << 50.0, 3.0, 0.0, 1.0;
  C(0, 0) = 4.0;
  M << 2.0, 0.0, -1.0, 0.0;
  const AllRoots roots = findAllRoots(makePencil(K, C, M));
  ASSERT_TRUE(roots.ok);
  ASSERT_EQ(roots.pairs.size(), 1u);
  EXPECT_NEAR(std::abs(roots.pairs[0].value - Complex(-0.4, std::sqrt(10.0 - 0.16))), 0.0, 1e-14);
}

// Frequencies 10⁷ apart: the slow ones keep their digits.
TEST(AllRoots, SlowRootsDoNotDrownInFastOnes) {
  MatrixXd K(2, 2), M = MatrixXd::Identity(2, 2);
  K << 1e14 + 2.0, -2.0, -2.0, 2.0;
  const AllRoots roots = findAllRoots(makePencil(K, MatrixXd::Zero(2, 2), M));
  ASSERT_EQ(roots.pairs.size(), 2u);
  // ω² = 2 − 4/10¹⁴ …
  EXPECT_NEAR(roots.pairs[0].value.imag(), std::sqrt(2.0), 1e-13);
  EXPECT_NEAR(roots.pairs[0].value.real(), 0.0, 1e-13);
  EXPECT_NEAR(roots.pairs[1].value.imag(), 1e7, 1e-6);
}

TEST(AllRoots, ASingularPencilIsTold) {
  MatrixXd K(2, 2);
  K << 1.0, 1.0, 1.0, 1.0;
  const AllRoots roots = findAllRoots(makePencil(K, MatrixXd::Zero(2, 2), MatrixXd::Zero(2, 2)));
  EXPECT_FALSE(roots.ok);
  EXPECT_GE(roots.singularEquation, 0);
}

TEST(AllRoots, NoDerivativeMeansNoRoots) {
  const MatrixXd zero = MatrixXd::Zero(2, 2);
  const AllRoots roots = findAllRoots(makePencil(MatrixXd::Identity(2, 2), zero, zero));
  EXPECT_TRUE(roots.ok);
  EXPECT_TRUE(roots.pairs.empty());
}

// x1 is prescribed as w: m2 x2'' = k (w − x2), and the force that it takes is m1 w'' + k (w − x2).
TEST(ExplicitForm, PrescribedMotionsEnterWithTheirDerivatives) {
  const double k = 8.0, m1 = 3.0, m2 = 2.0;
  MatrixXd K(3, 3), M = MatrixXd::Zero(3, 3), F(3, 1);
  K << k, -k, 1.0, -k, k, 0.0, 1.0, 0.0, 0.0;
  M(0, 0) = m1;
  M(1, 1) = m2;
  F << 0.0, 0.0, 1.0;
  const ExplicitForm form = makeExplicitForm(makePencil(K, MatrixXd::Zero(3, 3), M), {F});
  ASSERT_TRUE(form.ok);
  ASSERT_EQ(form.A.rows(), 2);
  const Complex s(0.3, 1.1);
  Eigen::VectorXcd u = form.V.cast<Complex>() *
                       (s * Eigen::MatrixXcd::Identity(2, 2) - form.A.cast<Complex>()).inverse() *
                       form.B[0].cast<Complex>();
  Complex power = 1.0;
  for (const MatrixXd& part : form.W) {
    u += power * part.cast<Complex>();
    power *= s;
  }
  const Complex x2 = k / (m2 * s * s + k);
  EXPECT_NEAR(std::abs(u[0] - 1.0), 0.0, 1e-13);
  EXPECT_NEAR(std::abs(u[1] - x2), 0.0, 1e-13);
  EXPECT_NEAR(std::abs(u[2] + m1 * s * s + k * (1.0 - x2)), 0.0, 1e-12);
}

}  // namespace
}  // namespace flexloop::linalg
