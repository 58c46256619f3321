// Mass, centre and inertia of a machine against the sums over its bodies, in machines of any size.
#include <gtest/gtest.h>

#include "analysis/check/model_check.hpp"
#include "base/text_format.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// Two bodies of 1 and 3 units of mass at (1, 2, -1) and (2, -1, 0) units of length.
std::string twoBodies(double length, double mass) {
  const double inertia = mass * length * length;
  return base::formatText(
      "nodes: {A: [%.17g, %.17g, %.17g], B: [%.17g, %.17g, 0]}\n"
      "bodies: {a: {node: A, mass: %.17g, inertia: [%.17g, %.17g, %.17g]},\n"
      "  b: {node: B, mass: %.17g, inertia: [%.17g, %.17g, %.17g]}}\n",
      length, 2.0 * length, -length, 2.0 * length, -length, mass, 0.1 * inertia, 0.1 * inertia,
      0.1 * inertia, 3.0 * mass, 0.2 * inertia, 0.2 * inertia, 0.2 * inertia);
}

TEST(MassProperties, AreThoseOfTheBodiesInAnyUnits) {
  for (const double length : {1e-12, 1.0, 1e12}) {
    for (const double mass : {1e-12, 1e12}) {
      const model::Model model = buildModel(twoBodies(length, mass));
      const auto found = analysis::calcMassProperties(model.system(), model.start());
      EXPECT_NEAR(found.mass, 4.0 * mass, 1e-15 * mass);
      EXPECT_LT((found.centre / length - math::Vec3<double>(1.75, -0.25, -0.25)).norm(), 4e-15);
      // ¾ m of the squares of the distance (1, −3, 1) between both, and what they have themselves.
      math::Mat3<double> inertia = 0.3 * math::Mat3<double>::Identity();
      const math::Vec3<double> d(1.0, -3.0, 1.0);
      inertia += 0.75 * (d.dot(d) * math::Mat3<double>::Identity() - d * d.transpose());
      EXPECT_LT((found.inertia / (mass * length * length) - inertia).norm(), 1e-13);
    }
  }
}

TEST(MassProperties, HaveNoCentreOffAPlaneOfSymmetry) {
  const model::Model model = buildModel(
      "nodes: {A: [0.6, 0, 0]}\nbodies: {a: {node: A, mass: 0.3, inertia: [1, 1, 1]}}\n");
  const auto centre = analysis::calcMassProperties(model.system(), model.start()).centre;
  EXPECT_EQ(centre[1], 0.0);
  EXPECT_EQ(centre[2], 0.0);
}

}  // namespace
}  // namespace flexloop::test
