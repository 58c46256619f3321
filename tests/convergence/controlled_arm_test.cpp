// Order 2 in positions, velocities, multipliers, states and signals of a flexible arm whose controllers
// read an acceleration, a joint force, and each other in an algebraic loop. With index 3: the shift that closes
// positions with index 2 leans on stiffness as long as steps do not resolve it, so that small errors of the mean
// motion fall slower than with order 2 until they do.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/load.hpp"
#include "support/model_run.hpp"
#include "support/places.hpp"

namespace flexloop::test {
namespace {

// What each output stands for.
const std::vector<std::string> kPositions{"hand.x", "hand.z", "theta1", "theta2"};
const std::vector<std::string> kVelocities{"speed.x", "speed.z"};
const std::vector<std::string> kMultipliers{"pull"};
const std::vector<std::string> kStates{"travel", "relief"};
const std::vector<std::string> kSignals{"shake", "calm", "want1", "want2"};

Record run(const std::string& step, const std::string& rho) {
  return runModel(api::loadModel({inProject("models/controlled_arm/model.yaml"),
                                  {{},
                                   {"analysis.time.step=" + step, "analysis.time.rho=" + rho,
                                    "analysis.time.constraints=index3"}}}))
      .record;
}

// Largest difference over the times of the coarser record.
double compare(const Record& coarse, const Record& fine, const std::string& output) {
  double largest = 0.0;
  for (std::size_t i = 0; i < coarse.times().size(); ++i) {
    const double t = coarse.times()[i];
    if (t < 0.05) continue;
    largest = std::max(largest, std::abs(coarse.column(output)[i] - fine.at(t, output)));
  }
  return largest;
}

class ControlledArm : public testing::TestWithParam<std::string> {};

TEST_P(ControlledArm, ConvergesWithOrder2InEverything) {
  const Record fine = run("0.0625 ms", GetParam());
  const Record middle = run("0.25 ms", GetParam());
  const Record coarse = run("0.5 ms", GetParam());
  for (const auto* group : {&kPositions, &kVelocities, &kMultipliers, &kStates, &kSignals}) {
    for (const std::string& output : *group) {
      const double order = std::log2(compare(coarse, fine, output) / compare(middle, fine, output));
      EXPECT_GT(order, 1.8) << output;
      EXPECT_LT(order, 2.6) << output;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rho, ControlledArm, testing::Values("0.5", "0.8"),
                         [](const auto& rho) { return "rho0" + rho.param.substr(2); });

}  // namespace
}  // namespace flexloop::test
