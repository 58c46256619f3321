// Roots of polynomials: closed forms, and numbers of mpmath where there is none.
#include "linalg/roots/polynomial_roots.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;
using math::Polynomial;

// In the order of calcRoots, each to `tolerance` of its own size.
void expectRoots(const Polynomial& p, const std::vector<Complex>& expected, double tolerance) {
  const std::vector<Complex> roots = calcRoots(p);
  ASSERT_EQ(roots.size(), expected.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    EXPECT_LE(std::abs(roots[i] - expected[i]), tolerance * std::abs(expected[i]))
        << roots[i] << " instead of " << expected[i];
  }
}

Polynomial withRoots(const std::vector<double>& roots) {
  Polynomial p{{1.0}};
  for (const double root : roots) p = p * Polynomial{{-root, 1.0}};
  return p;
}

TEST(Polynomial, SumProductAndValue) {
  const Polynomial a{{1.0, 2.0}}, b{{-3.0, 0.0, 4.0}};
  EXPECT_EQ((a + b).coefficients, (std::vector<double>{-2.0, 2.0, 4.0}));
  EXPECT_EQ((b + a).coefficients, (a + b).coefficients);
  EXPECT_EQ((a * b).coefficients, (std::vector<double>{-3.0, -6.0, 4.0, 8.0}));
  EXPECT_EQ((2.0 * b).coefficients, (std::vector<double>{-6.0, 0.0, 8.0}));
  EXPECT_TRUE((a * Polynomial{}).coefficients.empty());
  EXPECT_EQ(b.at(2.0), 13.0);
  EXPECT_EQ(b.at(Complex(0.0, 1.0)), Complex(-7.0, 0.0));
  EXPECT_EQ(Polynomial{}.at(5.0), 0.0);
}

TEST(PolynomialRoots, OfLowDegree) {
  EXPECT_TRUE(calcRoots({}).empty());
  EXPECT_TRUE(calcRoots({{7.0}}).empty());
  expectRoots({{3.0, 2.0}}, {-1.5}, 1e-15);
  expectRoots({{-6.0, 1.0, 1.0}}, {-3.0, 2.0}, 1e-15);
  expectRoots({{5.0, -2.0, 1.0}}, {{1.0, -2.0}, {1.0, 2.0}}, 1e-15);
  // The small root is not lost in the difference of large numbers.
  expectRoots({{1.0, 1e9, 1.0}}, {-1e9, -1e-9}, 1e-15);
  expectRoots({{0.04, 0.4, 1.0}}, {-0.2, -0.2}, 1e-15);
}

TEST(PolynomialRoots, WholeNumbersAndRootsOfUnity) {
  expectRoots(withRoots({1.0, 2.0, 3.0, 4.0, 5.0}), {1.0, 2.0, 3.0, 4.0, 5.0}, 1e-13);
  std::vector<Complex> unity;
  for (const int k : {-2, 2, -1, 1, 0})
    unity.push_back(std::polar(1.0, 0.4 * std::numbers::pi * k));
  expectRoots({{-1.0, 0.0, 0.0, 0.0, 0.0, 1.0}}, unity, 1e-15);
}

TEST(PolynomialRoots, LeadingAndTrailingZeros) {
  expectRoots({{-6.0, 1.0, 1.0, 0.0, 0.0}}, {-3.0, 2.0}, 1e-15);
  expectRoots({{0.0, 0.0, -6.0, 1.0, 1.0}}, {-3.0, 0.0, 0.0, 2.0}, 1e-15);
  EXPECT_TRUE(calcRoots({{0.0, 0.0}}).empty());
}

// mpmath 1.2, 50 digits: polyroots of the coefficients as doubles.
TEST(PolynomialRoots, AsMpmath) {
  expectRoots({{2.0, -3.0, 0.5, 7.0, 1e-3, 1.0}},
              {{-0.86190508932641761, 0.0},
               {0.0142466413364458, -2.7211639561405457},
               {0.0142466413364458, 2.7211639561405457},
               {0.41620590332676301, -0.37434841532767337},
               {0.41620590332676301, 0.37434841532767337}},
              1e-15);
  expectRoots({{1.0, 1e8, 1.0, 1e-8}},
              {{-49999999.999999994, -86602540.378443861},
               {-49999999.999999994, 86602540.378443861},
               {-1.0000000000000001e-8, 0.0}},
              1e-14);
}

// A scheme at low frequency: next to a root of size 1 stands a pair of size 1e-9 whose real part is
// smaller by another eight digits.
TEST(PolynomialRoots, SmallRootsKeepTheirDigits) {
  const std::vector<Complex> roots = calcRoots({{1e-16, 3e-16, 4.0, 1.2}});
  ASSERT_EQ(roots.size(), 3u);
  EXPECT_NEAR(roots[0].real(), -3.3333333333333334, 1e-14);
  EXPECT_NEAR(roots[2].imag(), 4.9999999999999999e-9, 1e-23);
  EXPECT_NEAR(roots[2].real(), -3.375e-17, 1e-23);
  EXPECT_EQ(roots[1], std::conj(roots[2]));
}

TEST(PolynomialRoots, SpreadOverManyPowersOfTen) {
  for (const double tiny : {1e-6, 1e-12, 1e-17}) {
    // (1 + x²)(1 + tiny x): one root far out.
    expectRoots({{1.0, tiny, 1.0, tiny}}, {-1.0 / tiny, {0.0, -1.0}, {0.0, 1.0}}, 1e-14);
  }
}

}  // namespace
}  // namespace flexloop::linalg
