#include "fem/elements/solid_shapes.hpp"

#include <gtest/gtest.h>

#include "fem/elements/solid_tables.hpp"

namespace flexloop::fem {
namespace {

class SolidShapes : public testing::TestWithParam<ElementShape> {};

TEST_P(SolidShapes, AreOneAtTheirNodeAndZeroAtTheOthers) {
  for (int i = 0; i < nodeCount(GetParam()); ++i) {
    const ShapeValues values = calcSolidShape(GetParam(), referencePoint(GetParam(), i));
    for (int j = 0; j < values.nodes; ++j) EXPECT_NEAR(values.N[j], i == j ? 1.0 : 0.0, 1e-15);
  }
}

TEST_P(SolidShapes, SumToOne) {
  const ShapeValues values = calcSolidShape(GetParam(), {0.21, 0.13, -0.4});
  EXPECT_NEAR(values.N.head(values.nodes).sum(), 1.0, 1e-15);
  EXPECT_LT(values.dN.topRows(values.nodes).colwise().sum().norm(), 1e-14);
}

TEST_P(SolidShapes, HaveTheDerivativesOfTheirValues) {
  const Eigen::Vector3d xi(0.21, 0.13, -0.4);
  const ShapeValues values = calcSolidShape(GetParam(), xi);
  const double h = 1e-4;
  for (int k = 0; k < 3; ++k) {
    const Eigen::Vector3d step = h * Eigen::Vector3d::Unit(k);
    const auto up = calcSolidShape(GetParam(), xi + step).N;
    const auto down = calcSolidShape(GetParam(), xi - step).N;
    EXPECT_LT(((up - down) / (2 * h) - values.dN.col(k)).norm(), 1e-7);
  }
}

// Of the reference shapes: 8 of the cube, 1/6, 1 and, for the collapsed cube, the cube again.
TEST_P(SolidShapes, RulesHaveTheVolumeOfTheReferenceShape) {
  const SolidTable& table = solidTable(GetParam());
  double volume = 8.0;
  if (GetParam() == ElementShape::kTet4 || GetParam() == ElementShape::kTet10) volume = 1.0 / 6.0;
  if (GetParam() == ElementShape::kWedge6 || GetParam() == ElementShape::kWedge15) volume = 1.0;
  for (const RuleTable* rule : {&table.stiffness, &table.mass, &table.stress}) {
    EXPECT_NEAR(rule->weights.sum(), volume, 1e-14);
  }
}

// ∫ ξᵃ ηᵇ ζᶜ over the tetrahedron is a! b! c! / (a + b + c + 3)!.
TEST(SolidRules, OfTheTetrahedronAreExactToDegreeFive) {
  const RuleTable& rule = solidTable(ElementShape::kTet10).mass;
  const auto integrate = [&](int a, int b, int c) {
    double sum = 0.0;
    for (int q = 0; q < rule.points; ++q) {
      sum += rule.weights[q] * std::pow(rule.xi(0, q), a) * std::pow(rule.xi(1, q), b) *
             std::pow(rule.xi(2, q), c);
    }
    return sum;
  };
  const auto factorial = [](int n) { return std::tgamma(n + 1.0); };
  for (int a = 0; a <= 5; ++a) {
    for (int b = 0; a + b <= 5; ++b) {
      for (int c = 0; a + b + c <= 5; ++c) {
        const double exact = factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + 3);
        EXPECT_NEAR(integrate(a, b, c), exact, 1e-15);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SolidShapes,
                         testing::Values(ElementShape::kTet4, ElementShape::kTet10,
                                         ElementShape::kPyramid5, ElementShape::kWedge6,
                                         ElementShape::kWedge15, ElementShape::kHex8,
                                         ElementShape::kHex20),
                         [](const auto& test) { return nameOf(test.param); });

}  // namespace
}  // namespace flexloop::fem
