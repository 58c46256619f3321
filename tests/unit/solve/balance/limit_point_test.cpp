// Equilibria beyond limit points, and which of several is found, against closed forms.
#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "support/equilibrium_search.hpp"

namespace flexloop {
namespace {

using solve::Stability;
using solve::Wanted;

using Found = test::FoundEquilibrium;

// Two springs of stiffness k from (±a, 0) to an apex that starts at the height b with both relaxed. At the height z
// they carry −P with P(z) = −2 k (l − l₀) z / l, l = √(a² + z²). The limit points are where l³ = l₀ a².
struct Toggle {
  double k = 1000.0, a = 1.0, b = 0.3;

  double relaxed() const { return std::hypot(a, b); }
  double load(double z) const {
    const double l = std::hypot(a, z);
    return -2.0 * k * (l - relaxed()) * z / l;
  }
  double limitHeight() const { return std::sqrt(std::pow(relaxed() * a * a, 2.0 / 3.0) - a * a); }
  double limitLoad() const { return load(limitHeight()); }
  double heightBefore(double P) const {
    return test::bisect([&](double z) { return load(z) - P; }, limitHeight(), b);
  }
  double heightBeyond(double P) const {
    return test::bisect([&](double z) { return load(z) - P; }, -b, -1e4 * a);
  }
  // The mass is of no account; `shift` moves the whole machine up.
  std::string model(double P, const std::string& mass, double shift = 0.0) const {
    const std::string spring =
        "stiffness: " + test::writeNumber(k) + ", length: " + test::writeNumber(relaxed()) + "}\n";
    const std::string z = test::writeNumber(shift) + "], ";
    return "flexloop: 1\nnodes: {c: {position: [0, 0, " + test::writeNumber(b + shift) +
           "], free: [z]}}\n" + mass +
           "springs:\n  l: {type: distance, between: [ground, c], at: [" + test::writeNumber(-a) +
           ", 0, " + z + spring + "  r: {type: distance, between: [ground, c], at: [" +
           test::writeNumber(a) + ", 0, " + z + spring + "loads: {push: {node: c, force: [0, 0, " +
           test::writeNumber(-P) + "]}}\n";
  }
};

TEST(LimitPoint, AToggleSnapsThroughInAllScales) {
  for (const double force : {1e-12, 1.0, 1e12}) {
    for (const double length : {1e-12, 1.0, 1e12}) {
      const Toggle toggle{1000.0 * force / length, length, 0.3 * length};
      const Found found =
          test::findEquilibriumOf(toggle.model(40.0 * force, "bodies: {c: {node: c, mass: 1}}\n"));
      ASSERT_TRUE(found.report.ok())
          << messageOf(found.report.failure) << " at " << force << ", " << length;
      const double expected = toggle.heightBeyond(40.0 * force);
      EXPECT_NEAR(found.state.frames[1].x[2] / expected, 1.0, 1e-10) << force << ", " << length;
      EXPECT_EQ(found.report.stability, Stability::kStable);
      ASSERT_EQ(found.report.limits.size(), 2u) << force << ", " << length;
      const double limit = toggle.limitLoad() / (40.0 * force);
      EXPECT_NEAR(found.report.limits[0], limit, 1e-6 * limit);
      EXPECT_NEAR(found.report.limits[1], -limit, 1e-6 * limit);
    }
  }
}

// A move of the whole machine, apex at the origin or far from it, changes nothing.
TEST(LimitPoint, AToggleSnapsThroughWhereverTheOriginIs) {
  for (const double shift : {-0.3, -0.3 + 1e-6, -1.0, 0.0, 5.0, 1000.0}) {
    const Toggle toggle;
    const Found found = test::findEquilibriumOf(toggle.model(40.0, "", shift));
    ASSERT_TRUE(found.report.ok()) << messageOf(found.report.failure) << " at " << shift;
    EXPECT_NEAR(found.state.frames[1].x[2] - shift, toggle.heightBeyond(40.0), 1e-8) << shift;
    EXPECT_EQ(found.report.stability, Stability::kStable);
  }
}

TEST(LimitPoint, AToggleStaysWhileItCanBearTheLoad) {
  const Toggle toggle;
  for (const double share : {0.1, 0.5, 0.9, 0.99, 0.999, 0.9999}) {
    const double P = share * toggle.limitLoad();
    const Found found = test::findEquilibriumOf(toggle.model(P, ""));
    ASSERT_TRUE(found.report.ok()) << messageOf(found.report.failure) << " at " << share;
    EXPECT_NEAR(found.state.frames[1].x[2], toggle.heightBefore(P), 1e-8) << share;
    EXPECT_TRUE(found.report.limits.empty()) << share;
  }
  for (const double share : {1.0001, 1.01, 2.0, 100.0, 1e6}) {
    const double P = share * toggle.limitLoad();
    const Found found = test::findEquilibriumOf(toggle.model(P, ""));
    ASSERT_TRUE(found.report.ok()) << messageOf(found.report.failure) << " at " << share;
    const double expected = toggle.heightBeyond(P);
    EXPECT_NEAR(found.state.frames[1].x[2] / expected, 1.0, 1e-8) << share;
    EXPECT_EQ(found.report.limits.size(), 2u) << share;
  }
}

// The same toggle of two hinged beams, which stay straight: EI is large enough that they do not buckle.
TEST(LimitPoint, AToggleOfBeamsSnapsThroughWithElementsOfAllOrders) {
  for (const double length : {1e-12, 1.0, 1e12}) {
    for (const int order : {1, 2, 3}) {
      const double a = length, b = 0.3 * length, l = std::hypot(a, b);
      const double EA = 1000.0 * l, EI = 0.2 * EA * l * l;
      const Toggle toggle{EA / l, a, b};
      const double P = 40.0 * length;
      const std::string hinge = "{type: hinge, axis: [0, 1, 0], between: ";
      const std::string beam =
          ", elements: 2, order: " + std::to_string(order) + ", section: bar, y_axis: [0, 1, 0]}\n";
      const Found found = test::findEquilibriumOf(
          "flexloop: 1\nsections: {bar: {type: stiffness, EA: " + test::writeNumber(EA) +
          ", GAy: " + test::writeNumber(EA) + ", GAz: " + test::writeNumber(EA) +
          ", GJ: " + test::writeNumber(EI) + ", EIy: " + test::writeNumber(EI) +
          ", EIz: " + test::writeNumber(EI) + "}}\nnodes: {c: {position: [0, 0, " +
          test::writeNumber(b) + "], free: [z]}, l0: [" + test::writeNumber(-a) +
          ", 0, 0], l1: [0, 0, " + test::writeNumber(b) + "], r0: [" + test::writeNumber(a) +
          ", 0, 0], r1: [0, 0, " + test::writeNumber(b) + "]}\nbeams:\n  l: {from: l0, to: l1" +
          beam + "  r: {from: r0, to: r1" + beam + "joints:\n  a: " + hinge +
          "[ground, l0]}\n  b: " + hinge + "[c, l1]}\n  c: " + hinge +
          "[ground, r0]}\n  d: " + hinge + "[c, r1]}\nloads: {push: {node: c, force: [0, 0, " +
          test::writeNumber(-P) + "]}}\n");
      ASSERT_TRUE(found.report.ok()) << messageOf(found.report.failure) << ", order " << order;
      EXPECT_NEAR(found.state.frames[1].x[2] / toggle.heightBeyond(P), 1.0, 1e-7) << order;
      EXPECT_EQ(found.report.stability, Stability::kStable) << order;
      EXPECT_EQ(found.report.limits.size(), 2u) << order;
    }
  }
}

// A rigid bar of length L from a slider on x, held by a spring that is relaxed at the angle t₀, to an apex on z:
// P = k L (cos t − cos t₀) tan t.
TEST(LimitPoint, AMechanismWithJointsSnapsThrough) {
  const double k = 500.0, start = 0.4, P = 60.0;
  const auto load = [&](double t) { return k * (std::cos(t) - std::cos(start)) * std::tan(t); };
  const double angle = test::bisect([&](double t) { return load(t) - P; }, -start, -1.5);
  const Found found =
      test::findEquilibriumOf(R"(
flexloop: 1
nodes:
  bar: {position: [)" + test::writeNumber(0.5 * std::cos(start)) +
                              ", 0, " + test::writeNumber(0.5 * std::sin(start)) + R"(]}
  apex: {position: [0, 0, )" + test::writeNumber(std::sin(start)) +
                              R"(], free: [z]}
  shoe: {position: [)" + test::writeNumber(std::cos(start)) +
                              R"(, 0, 0], free: [x]}
bodies: {bar: {node: bar, mass: 1, inertia: [1, 1, 1]}}
joints:
  top: {type: hinge, between: [bar, apex], axis: [0, 1, 0]}
  foot: {type: hinge, between: [bar, shoe], axis: [0, 1, 0]}
springs: {s: {type: linear, between: [ground, shoe], direction: [1, 0, 0], stiffness: )" +
                              test::writeNumber(k) + R"(}}
loads: {push: {node: apex, force: [0, 0, )" +
                              test::writeNumber(-P) + "]}}\n");
  ASSERT_TRUE(found.report.ok()) << messageOf(found.report.failure);
  EXPECT_NEAR(found.state.frames[2].x[2], std::sin(angle), 1e-9);
  EXPECT_EQ(found.report.limits.size(), 2u);
}

TEST(LimitPoint, IsNamedWhereNothingLiesBeyond) {
  const Found found = test::findEquilibriumOf(R"yaml(
flexloop: 1
nodes: {plate: {position: [0, 0, 0], free: [x]}}
bodies: {plate: {node: plate, mass: 1}}
springs: {k: {type: linear, between: [ground, plate], direction: [1, 0, 0], stiffness: 1}}
sensors: {p: {measure: position, node: plate, direction: [1, 0, 0]}}
blocks: {pull: {type: expression, value: "= 0.5*exp(p)", inputs: [p]}}
loads: {field: {node: plate, force: [1, 0, 0], signal: pull}}
)yaml");
  EXPECT_FALSE(found.report.ok());
  // λ/2 exp(x) = x has its largest λ, 2/e, at x = 1.
  EXPECT_NE(messageOf(found.report.failure).find("can carry only 73.58 %"), std::string::npos)
      << messageOf(found.report.failure);
}

// A shallow arch whose symmetric states are crossed by others, at 110 N, before they end at a limit point, at 142 N. Up to there the symmetric
// state with the full load is the first; beyond, the arch snaps through. By displacement control of the
// crown with its side motion held: P(z).
TEST(LimitPoint, AnArchThatBifurcatesFirstIsFollowedToItsLimitPoint) {
  const auto arch = [](double P, const char* crown) {
    return R"(
flexloop: 1
sections: {s: {type: stiffness, EA: 1e5, GAy: 1e5, GAz: 1e5, GJ: 5, EIy: 5, EIz: 5}}
nodes:
  A: {position: [-0.5, 0, 0], free: []}
  B: {position: [0.5, 0, 0], free: []}
  M: {position: [0, 0, 0.08], free: )" +
           std::string(crown) + R"(}
beams:
  l: {from: A, to: M, elements: 6, section: s, y_axis: [0, 1, 0]}
  r: {from: M, to: B, elements: 6, section: s, y_axis: [0, 1, 0]}
loads: {p: {node: M, force: [0, 0, )" +
           test::writeNumber(-P) + "]}}\n";
  };
  for (const double P : {112.9, 118.0, 120.0, 130.0, 140.0}) {
    // Without freedom to the side there is nothing to bifurcate to.
    const Found held = test::findEquilibriumOf(arch(P, "[z]"));
    ASSERT_TRUE(held.report.ok()) << messageOf(held.report.failure);
    for (const Wanted wanted : {Wanted::kFirst, Wanted::kLoaded}) {
      const Found found = test::findEquilibriumOf(arch(P, "[x, z, ry]"), wanted);
      ASSERT_TRUE(found.report.ok()) << messageOf(found.report.failure);
      EXPECT_NEAR(found.state.frames[3].x[2], held.state.frames[3].x[2], 1e-9) << P;
      EXPECT_GT(found.state.frames[3].x[2], 0.05) << P;
      EXPECT_EQ(found.report.stability, Stability::kUnstable) << P;
      EXPECT_TRUE(found.report.limits.empty()) << P;
      EXPECT_LT(found.report.lostShare, 0.0) << P;
    }
    const Found stable = test::findEquilibriumOf(arch(P, "[x, z, ry]"), Wanted::kStable);
    ASSERT_TRUE(stable.report.ok()) << messageOf(stable.report.failure);
    EXPECT_TRUE(stable.report.hasLeft) << P;
    EXPECT_LT(stable.state.frames[3].x[2], -0.05) << P;
  }
  for (const double P : {148.0, 180.0}) {
    const Found held = test::findEquilibriumOf(arch(P, "[z]"));
    const Found found = test::findEquilibriumOf(arch(P, "[x, z, ry]"));
    ASSERT_TRUE(held.report.ok() && found.report.ok()) << messageOf(found.report.failure);
    ASSERT_EQ(held.report.limits.size(), 2u) << P;
    ASSERT_EQ(found.report.limits.size(), 2u) << P;
    EXPECT_NEAR(found.report.limits[0], held.report.limits[0], 1e-6) << P;
    EXPECT_NEAR(found.report.limits[1], held.report.limits[1], 1e-6) << P;
    EXPECT_NEAR(found.state.frames[3].x[2], held.state.frames[3].x[2], 1e-9) << P;
    EXPECT_EQ(found.report.stability, Stability::kStable) << P;
  }
}

// A straight column above Euler's load is in balance; the bent one is stable. Clamped at one end, free at the other.
TEST(LimitPoint, AColumnIsFoundStraightOrBent) {
  const std::string column = R"(
flexloop: 1
sections: {s: {type: stiffness, EA: 1e6, GAy: 1e6, GAz: 1e6, GJ: 2, EIy: 1, EIz: 2}}
nodes: {root: {position: [0, 0, 0], free: []}, tip: [0, 0, 1]}
beams: {c: {from: root, to: tip, elements: 8, order: 3, section: s, y_axis: [0, 1, 0]}}
loads: {push: {node: tip, force: [0, 0, -3]}}
)";
  const Found straight = test::findEquilibriumOf(column);
  ASSERT_TRUE(straight.report.ok()) << messageOf(straight.report.failure);
  EXPECT_NEAR(straight.state.frames[2].x[0], 0.0, 1e-9);
  EXPECT_EQ(straight.report.stability, Stability::kUnstable);
  const Found bent = test::findEquilibriumOf(column, Wanted::kStable);
  ASSERT_TRUE(bent.report.ok()) << messageOf(bent.report.failure);
  EXPECT_TRUE(bent.report.hasLeft);
  EXPECT_EQ(bent.report.stability, Stability::kStable);
  // √(P/EI) L = K(sin²(t/2)) gives the angle t of the tip, z = 2 E/K − 1, x = 2 sin(t/2)/√P.
  const double t =
      2.0 *
      std::asin(std::sqrt(test::bisect(
          [](double m) { return std::comp_ellint_1(std::sqrt(m)) - std::sqrt(3.0); }, 0.0, 0.99)));
  const double K = std::sqrt(3.0), E = std::comp_ellint_2(std::sin(0.5 * t));
  EXPECT_NEAR(bent.state.frames[2].x[2], 2.0 * E / K - 1.0, 2e-5);
  EXPECT_NEAR(std::abs(bent.state.frames[2].x[0]), 2.0 * std::sin(0.5 * t) / K, 2e-5);
}

// One that is equally stiff in all directions turns about its axis without any force, once it is bent: that is no instability.
// Masses do not matter, nor do sizes.
TEST(LimitPoint, ARoundColumnIsFoundBentToSomeSide) {
  const double m = test::bisect(
      [](double k) { return std::comp_ellint_1(std::sqrt(k)) - std::sqrt(3.0); }, 0.0, 0.99);
  const double K = std::sqrt(3.0), E = std::comp_ellint_2(std::sqrt(m));
  for (const char* order : {"1", "2", "3"}) {
    for (const double EI : {1e-6, 1e5}) {
      for (const double mass : {0.0, 1.0}) {
        if ((EI > 1.0) != (mass > 0.0)) continue;
        std::ostringstream text;
        const double EA = 1e6 * EI;
        text << "flexloop: 1\nsections: {s: {type: stiffness, EA: " << EA << ", GAy: " << EA
             << ", GAz: " << EA << ", GJ: " << 2.0 * EI << ", EIy: " << EI << ", EIz: " << EI;
        if (mass > 0.0) text << ", rhoA: 1, rhoJ: [0.02, 0.01, 0.01]";
        text << "}}\n"
                "nodes: {root: {position: [0, 0, 0], free: []}, tip: [0, 0, 1]}\n"
                "beams: {c: {from: root, to: tip, elements: 8, order: "
             << order << ", section: s, y_axis: [0, 1, 0]}}\n"
             << "loads: {push: {node: tip, force: [0, 0, " << -3.0 * EI << "]}}\n";
        SCOPED_TRACE(text.str());
        const Found bent = test::findEquilibriumOf(text.str(), Wanted::kStable);
        ASSERT_TRUE(bent.report.ok()) << messageOf(bent.report.failure);
        EXPECT_TRUE(bent.report.hasLeft);
        EXPECT_EQ(bent.report.stability, Stability::kStable);
        const auto& tip = bent.state.frames[2].x;
        EXPECT_NEAR(tip[2], 2.0 * E / K - 1.0, 2e-3);
        EXPECT_NEAR(std::hypot(tip[0], tip[1]), 2.0 * std::sqrt(m) / K, 2e-3);
      }
    }
  }
}

}  // namespace
}  // namespace flexloop
