// Sections of beams: published torsion constants and section values, and what the reader refuses.
#include "mechanics/sections/section.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "base/diagnostics.hpp"
#include "support/matrix_matchers.hpp"
#include "support/static_machine.hpp"

namespace flexloop::mechanics {
namespace {

using std::numbers::pi;

// (7.34) summed as it stands, in long double.
double sumTorsionSeries(long double a, long double b) {
  const long double pi5 = std::pow(std::numbers::pi_v<long double>, 5.0L);
  long double sum = 0.0L;
  for (int n = 3999; n >= 1; n -= 2) {
    sum +=
        std::tanh(n * std::numbers::pi_v<long double> * a / (2.0L * b)) / std::pow(1.0L * n, 5.0L);
  }
  return static_cast<double>(a * b * b * b * (1.0L / 3.0L - 64.0L * b / (pi5 * a) * sum));
}

TEST(Section, TorsionOfRectanglesAsPublished) {
  // Timoshenko & Goodier, Theory of Elasticity, table of k1 in J = k1 a b³.
  const double table[][2] = {{1.0, 0.1406}, {1.2, 0.166}, {1.5, 0.196}, {2.0, 0.229}, {2.5, 0.249},
                             {3.0, 0.263},  {4.0, 0.281}, {5.0, 0.291}, {10.0, 0.312}};
  for (const auto& [ratio, k1] : table) {
    EXPECT_NEAR(calcRectangleTorsion(ratio, 1.0) / ratio, k1, 6e-4) << "a/b = " << ratio;
    EXPECT_DOUBLE_EQ(calcRectangleTorsion(ratio, 1.0), calcRectangleTorsion(1.0, ratio));
  }
  EXPECT_NEAR(calcRectangleTorsion(1.0, 1.0), 0.1405770149, 2e-10);
}

TEST(Section, TorsionSeriesToTheLastDigits) {
  for (const double ratio : {1.0, 1.3, 2.0, 7.0, 60.0, 1e4}) {
    const double expected = sumTorsionSeries(ratio, 1.0);
    EXPECT_NEAR(calcRectangleTorsion(ratio, 1.0), expected, 1e-13 * expected) << ratio;
  }
}

// The section of the Princeton beam (reference page B4).
TEST(Section, PrincetonBeam) {
  const double E = 71.7e9;
  const SectionMatrices section =
      makeSection(makeRectangle(12.377e-3, 3.2024e-3), {E, E / 2.62, 2700.0});
  const math::Vec6<double> C = section.stiffness.diagonal();
  const double expected[] = {2.84191e6, 9.03915e5, 9.03915e5, 3.10334, 2.42873, 36.2794};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(C[i], expected[i], 1e-5 * expected[i]) << i;
  EXPECT_TRUE(section.stiffness.isDiagonal(0.0));
}

TEST(Section, MassOfRectangle) {
  const double b = 0.03, h = 0.01, rho = 1000.0;
  const math::Vec6<double> m = makeSection(makeRectangle(b, h), {1.0, 1.0, rho}).mass.diagonal();
  EXPECT_DOUBLE_EQ(m[0], rho * b * h);
  EXPECT_NEAR(m[4], rho * b * h * h * h / 12.0, 1e-18);
  EXPECT_NEAR(m[5], rho * h * b * b * b / 12.0, 1e-18);
  EXPECT_DOUBLE_EQ(m[3], m[4] + m[5]);
}

TEST(Section, CircleAndTube) {
  const double d = 0.02;
  const SectionShape circle = makeCircle(d);
  EXPECT_NEAR(circle.area, pi * d * d / 4.0, 1e-18);
  EXPECT_NEAR(circle.torsion, pi * std::pow(d, 4) / 32.0, 1e-22);
  EXPECT_NEAR(circle.secondY, pi * std::pow(d, 4) / 64.0, 1e-22);
  EXPECT_DOUBLE_EQ(circle.shearY, 0.9);
  const SectionShape outer = makeCircle(0.05), inner = makeCircle(0.044),
                     tube = makeTube(0.05, 0.044);
  EXPECT_NEAR(tube.area, outer.area - inner.area, 1e-16);
  EXPECT_NEAR(tube.torsion, outer.torsion - inner.torsion, 1e-20);
  EXPECT_DOUBLE_EQ(tube.shearZ, 0.5);
}

TEST(Section, KnowsAxisymmetry) {
  const ElasticMaterial material{2e11, 8e10, 7800.0};
  EXPECT_TRUE(isAxisymmetric(makeSection(makeTube(0.05, 0.04), material)));
  EXPECT_FALSE(isAxisymmetric(makeSection(makeRectangle(0.05, 0.04), material)));
  SectionMatrices coupled = makeSection(makeCircle(0.05), material);
  coupled.stiffness(0, 4) = coupled.stiffness(4, 0) = 1e3;
  EXPECT_FALSE(isAxisymmetric(coupled));
}

// A box of steel of 30 mm by 10 mm, in an element of 0.2 m.
struct Element {
  double length = 0.2;
  math::Mat6<double> C = makeSection(makeRectangle(0.03, 0.01), {2.1e11, 8e10, 7800.0}).stiffness;
  math::Mat6<double> Ce = calcElementStiffness(C, length);
  math::Vec6<double> strain{{1e-4, 2e-4, -3e-4, 0.02, 0.05, -0.04}};

  math::Vec6<double> forces(double s) const { return calcForceMap(Ce, s) * strain; }
};

// No load acts between the nodes: N' = 0 and M' + e_x × N = 0.
TEST(Section, ForcesAlongAnElementAreInEquilibrium) {
  const Element element;
  const math::Vec6<double> middle = element.forces(0.0);
  for (const double s : {-0.1, 0.03, 0.1}) {
    const math::Vec6<double> there = element.forces(s);
    const double size = middle.norm();
    EXPECT_LT((there.head<3>() - middle.head<3>()).norm(), 1e-12 * size);
    const math::Vec3<double> slope = (there.tail<3>() - middle.tail<3>()) / s;
    const math::Vec3<double> N = middle.head<3>();
    EXPECT_LT((slope + math::cross<double>(math::Vec3<double>::UnitX(), N)).norm(), 1e-10 * size);
  }
}

// The law of the material holds in every section, and their energies are that of the element. A quadratic function of s has the
// mean of its two Gauss points.
TEST(Section, StrainsAlongAnElementObeyTheMaterial) {
  const Element element;
  const double gauss = 0.5 * element.length / std::sqrt(3.0);
  double energy = 0.0;
  for (const double s : {-gauss, gauss}) {
    const math::Vec6<double> strain = calcStrainMap(element.Ce, element.length, s) * element.strain;
    const math::Vec6<double> forces = element.forces(s);
    EXPECT_LT((element.C * strain - forces).norm(), 1e-10 * forces.norm());
    energy += 0.5 * strain.dot(forces);
  }
  const double whole = element.strain.dot(element.Ce * element.strain);
  EXPECT_NEAR(energy, whole, 1e-12 * whole);
}

// What resists the mean turn of sections is positive, and does not know how the axes of the section are called.
TEST(Section, TheTurnOfSectionsHasNoPreferredAxis) {
  const ElasticMaterial steel{2.1e11, 8e10, 7800.0};
  const auto turnOf = [&](double width, double height) {
    const math::Mat6<double> C = makeSection(makeRectangle(width, height), steel).stiffness;
    return calcSectionTurn(C, calcElementStiffness(C, 0.2), 0.2);
  };
  const SectionTurn<double> a = turnOf(0.03, 0.01), b = turnOf(0.01, 0.03);
  EXPECT_GT(a.stiffness, 0.0);
  EXPECT_NEAR(a.stiffness, b.stiffness, 1e-12 * a.stiffness);
  EXPECT_NEAR(a.mean, b.mean, 1e-12 * a.mean);
  EXPECT_NEAR(a.difference, -b.difference, 1e-12 * std::abs(a.difference));
  // Of a square, both axes have half of it each: Φ is the share of bending, L²/12 · GA_s/EI over one more than that, of the
  // stiffness against shear.
  const math::Mat6<double> C = makeSection(makeRectangle(0.01, 0.01), steel).stiffness;
  const double bending = 0.2 * 0.2 / 12.0 / C(4, 4), shear = 1.0 / C(1, 1);
  const double Phi = bending / (bending + shear), stiffness = 1.0 / (bending + shear);
  EXPECT_NEAR(turnOf(0.01, 0.01).stiffness, Phi * stiffness, 1e-12 * stiffness);
}

// What the model language says about one section and one material, in a beam without `y_axis`.
std::string complaintAbout(const std::string& section, const std::string& material) {
  try {
    const test::StaticMachine machine("flexloop: 1\nmaterials: {m: " + material +
                                      "}\nsections: {s: " + section +
                                      "}\nnodes: {A: [0, 0, 0], B: [1, 0, 0]}\n" +
                                      "beams: {b: {from: A, to: B, elements: 1, section: s, " +
                                      "material: m, y_axis: [0, 1, 0]}}\n");
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.diagnostics().errors().size(), 1U) << error.what();
    return error.diagnostics().errors().front().message;
  }
  return "";
}

TEST(Section, RefusesWhatCannotBe) {
  const std::string steel = "{E: 210 GPa, nu: 0.3, rho: 7800}";
  const std::string strip = "{type: rectangle, width: 18 mm, height: 2 mm}";
  const auto expectComplaint = [](const std::string& is, const char* part) {
    EXPECT_NE(is.find(part), std::string::npos) << "got: " << is;
  };
  EXPECT_EQ(complaintAbout(strip, steel), "");
  EXPECT_EQ(complaintAbout(strip, "{E: 210 GPa, G: 80 GPa}"), "");
  expectComplaint(complaintAbout(strip, "{E: 210 GPa}"), "'nu' or 'G' is missing");
  expectComplaint(complaintAbout(strip, "{E: 210 GPa, nu: 0.3, G: 80 GPa}"),
                  "'nu' and 'G' cannot be combined");
  expectComplaint(complaintAbout(strip, "{E: -210 GPa, nu: 0.3}"), "must be positive");
  expectComplaint(complaintAbout(strip, "{E: 210 GPa, nu: 0.6}"), "must be at most 0.5");
  expectComplaint(complaintAbout(strip, "{E: 210 GPa, nu: -1}"), "must be greater than -1");
  expectComplaint(complaintAbout(strip, "{E: 210 GPa, nu: 0.3, rho: -1}"), "must not be negative");
  expectComplaint(complaintAbout("{type: rectangle, width: 0, height: 1}", steel), "be positive");
  expectComplaint(complaintAbout("{type: tube, outer: 40 mm, inner: 50 mm}", steel), "not smaller");
  expectComplaint(complaintAbout("{type: stiffness, EA: 1, GAy: 1, GAz: 1, GJ: 1, EIy: 1}", steel),
                  "'EIz' is missing");
  expectComplaint(complaintAbout("{type: general, A: 1, Iy: 1, Iz: 1, J: 1}", steel),
                  "shear areas are missing");
  const std::string rows =
      "[0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], "
      "[0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]}";
  expectComplaint(
      complaintAbout("{type: stiffness, stiffness: [[1, 0.5, 0, 0, 0, 0], " + rows, steel),
      "is not symmetric");
  expectComplaint(
      complaintAbout("{type: stiffness, stiffness: [[-1, 0, 0, 0, 0, 0], " + rows, steel),
      "is not positive definite");
}

}  // namespace
}  // namespace flexloop::mechanics
