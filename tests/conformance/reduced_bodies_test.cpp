// Reduced parts made by hand, with the checks of every registered type: parts with one, two and three interfaces, with and
// without modes, in one set.
#include <gtest/gtest.h>

#include "conformance/check_tools.hpp"
#include "conformance/element_checks.hpp"
#include "math/jet.hpp"
#include "support/part_samples.hpp"
#include "system/jet_view.hpp"

namespace flexloop::test {
namespace {

using math::Vec3;

struct Machine {
  system::System system;
  const mechanics::ReducedBodies& bodies() const {
    return dynamic_cast<const mechanics::ReducedBodies&>(*system.sets()[0]);
  }
};

Machine makeMachine() {
  base::Diagnostics diagnostics;
  system::Builder builder(diagnostics);
  const math::Frame<double> place{math::expSO3<double>(Vec3<double>(0.3, -1.2, 2.0)),
                                  Vec3<double>(0.4, 0.1, -0.7)};
  addPart(builder, "one", makeRandomPart(1, 0, 1), place);
  addPart(builder, "two", makeRandomPart(2, 3, 2), place);
  addPart(builder, "three", makeRandomPart(3, 1, 3), place);
  addPart(builder, "modes", makeRandomPart(1, 2, 4), place);
  addPart(builder, "stiff", makeRandomPart(2, 0, 5), place);
  std::map<std::string, std::unique_ptr<system::Measure>> measures;
  return {builder.finish(measures)};
}

class ReducedBodiesCheck : public testing::TestWithParam<int> {
 protected:
  const Machine machine = makeMachine();
  const MotionSample sample = makeRandomMotion(machine.system, GetParam());
  const system::ElementSet& set = machine.bodies();
  system::Environment environment;

  void SetUp() override { environment.gravity << 0.3, -2.0, -4.0; }
};

TEST_P(ReducedBodiesCheck, HasExactTangents) {
  const CheckReport report = checkTangents(set, sample, environment);
  EXPECT_TRUE(report.ok()) << report.text();
}

TEST_P(ReducedBodiesCheck, SumsItsElements) {
  const CheckReport report = checkSum(machine.system, set, sample, environment);
  EXPECT_TRUE(report.ok()) << report.text();
}

TEST_P(ReducedBodiesCheck, IsObjectiveAndBalanced) {
  CheckReport report = checkObjectivity(set, sample, environment);
  report.add(checkBalance(set, sample, environment));
  EXPECT_TRUE(report.ok()) << report.text();
}

TEST_P(ReducedBodiesCheck, KeepsItsEnergy) {
  const CheckReport report = checkEnergy(set, sample, environment);
  EXPECT_TRUE(report.ok()) << report.text();
}

TEST_P(ReducedBodiesCheck, HasExactTimeDerivatives) {
  const CheckReport report = checkTimeDerivatives(machine.system, set, sample, environment);
  EXPECT_TRUE(report.ok()) << report.text();
}

TEST_P(ReducedBodiesCheck, NeitherAllocatesNorChangesAnything) {
  const CheckReport report = checkPurity(machine.system, set, sample, environment);
  EXPECT_TRUE(report.ok()) << report.text();
}

// Rates, jets and gradients of the energies against each other and against the energy along the motion.
TEST_P(ReducedBodiesCheck, HasExactDerivativesOfEnergies) {
  const mechanics::ReducedBodies& bodies = machine.bodies();
  for (int e = 0; e < bodies.size(); ++e) {
    const int n = bodies.freedoms(e);
    const system::Energy energy = bodies.energy(sample.motion(), environment, e);
    const auto at = [&](double h) {
      return bodies.energy(advanced(sample, h).motion(), environment, e);
    };
    const auto slope = [&](double h) -> Eigen::Vector2d {
      return Eigen::Vector2d(at(h).kinetic - at(-h).kinetic, at(h).potential - at(-h).potential) /
             (2.0 * h);
    };
    const Eigen::Vector2d expected = (4.0 * slope(0.5 * kStep) - slope(kStep)) / 3.0;
    const system::Energy rates = bodies.sumEnergyRates(sample.motion(), environment, e, 1);
    const double scale = 1.0 + std::abs(energy.total()) + expected.norm();
    EXPECT_NEAR(rates.kinetic, expected[0], 10.0 * kDifferences * scale);
    EXPECT_NEAR(rates.potential, expected[1], 10.0 * kDifferences * scale);

    const system::Energy weights{0.7, -1.3};
    system::Tangents t;
    for (Eigen::MatrixXd* X : {&t.K, &t.C, &t.M}) X->setZero(n + 1, n + 1);
    bodies.subtractEnergyGradient(sample.motion(), environment, e, weights, t);
    for (int first = 0; first < 2 * n; first += math::Jet::kDirections) {
      const auto jet =
          bodies.energyJet(sample.motion(), environment, e, system::makeSeeds(first, 2 * n, n));
      EXPECT_NEAR(jet.kinetic.value, energy.kinetic, kRounding * scale);
      EXPECT_NEAR(jet.potential.value, energy.potential, kRounding * scale);
      EXPECT_NEAR(jet.kinetic.first, rates.kinetic, kRounding * scale);
      EXPECT_NEAR(jet.potential.first, rates.potential, kRounding * scale);
      for (int j = first; j < std::min(first + math::Jet::kDirections, 2 * n); ++j) {
        const double is = -(j < n ? t.K : t.C)(n, j % n);
        const double other = weights.kinetic * jet.kinetic.d[j - first] +
                             weights.potential * jet.potential.d[j - first];
        EXPECT_NEAR(is, other, kRounding * scale) << "element " << e << " direction " << j;
      }
    }
  }
}

// Damping by mass acts against ground, so rigid motions do matter; parts whose masses are the same in all directions have gyroscopic
// matrices that are skew.
TEST(ReducedBodiesWithMassDamping, HaveExactDerivatives) {
  base::Diagnostics diagnostics;
  system::Builder builder(diagnostics);
  const BeamPart beam{.length = 0.7,
                      .massPerLength = 1.3,
                      .polarInertia = 0.02,
                      .EA = 5.0,
                      .GJ = 1.0,
                      .EIy = 2.0,
                      .EIz = 1.0};
  addPart(builder, "random", makeRandomPart(2, 3, 2), math::Frame<double>::identity(),
          math::Vec6<double>::Zero(), {}, 0.7);
  addPart(builder, "beam", makeBeamPart(beam, 2, 5, true), math::Frame<double>::identity(),
          math::Vec6<double>::Zero(), {}, 0.4);
  std::map<std::string, std::unique_ptr<system::Measure>> measures;
  const Machine machine{builder.finish(measures)};
  EXPECT_FALSE(machine.bodies().matrices(0).isSkew);
  EXPECT_TRUE(machine.bodies().matrices(1).isSkew);
  system::Environment environment;
  environment.gravity << 0.3, -2.0, -4.0;
  for (const int seed : {1, 2, 3}) {
    const MotionSample sample = makeRandomMotion(machine.system, seed);
    CheckReport report = checkTangents(machine.bodies(), sample, environment);
    report.add(checkTimeDerivatives(machine.system, machine.bodies(), sample, environment));
    report.add(checkEnergy(machine.bodies(), sample, environment));
    report.add(checkPurity(machine.system, machine.bodies(), sample, environment));
    EXPECT_TRUE(report.ok()) << report.text();
  }
}

INSTANTIATE_TEST_SUITE_P(States, ReducedBodiesCheck, testing::Values(1, 2, 3));

}  // namespace
}  // namespace flexloop::test
