// Every type with branches, on its own samples: all analyses see the branch that fits, and say so where two
// do.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "analysis/linear_model.hpp"
#include "analysis/operating_point.hpp"
#include "analysis/time_analysis.hpp"
#include "control/block_set.hpp"
#include "io/model_reader.hpp"
#include "model/build.hpp"
#include "support/built_sample.hpp"

namespace flexloop::test {
namespace {

struct Case {
  std::string name, text;
};

// The samples of blocks on a machine that springs hold.
std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (const system::TypeEntry& entry : fullRegistry().entries()) {
    if (entry.section != "blocks" || entry.type == "library") continue;
    for (std::size_t i = 0; i < entry.samples.size(); ++i) {
      const std::string& text = entry.samples[i];
      if (text.find("springs:") != std::string::npos || text.find("cart") == std::string::npos) {
        continue;
      }
      cases.push_back({entry.type + "_" + std::to_string(i + 1), text + R"(
springs:
  hold_x: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 700, damping: 5}
  hold_z: {type: linear, between: [ground, cart], direction: [0, 0, 1], stiffness: 900, damping: 5}
)"});
    }
  }
  return cases;
}

model::Model build(const std::string& text) {
  return model::buildModel(io::readModelText(text, sampleFile(), fullRegistry()), fullRegistry());
}

class FirstState final : public analysis::Observer {
 public:
  void onStart(const solve::StartReport&) override {}
  void onRecord(const system::State& state, const std::vector<double>&) override {
    if (state.time == 0.0) first = state;
  }
  bool onStep(double) override { return false; }

  system::State first;
};

class Branches : public testing::TestWithParam<Case> {};

TEST_P(Branches, AreTheSameAtTheStartOfARunAndOfModes) {
  const model::Model model = build(GetParam().text);
  const analysis::OperatingState start = analysis::findOperatingPoint(model, {});
  ASSERT_TRUE(start.ok) << start.trouble;
  model::TimeSettings settings;
  settings.end = 0.01;
  settings.step = 0.001;
  settings.scheme = {solve::makeChungHulbert(0.8), solve::makeJansenWhitingHulbert(0.8)};
  FirstState run;
  static_cast<void>(analysis::runTime(model, settings, run));
  EXPECT_EQ(start.state.history, run.first.history);
  for (int u = 0; u < run.first.value.size(); ++u) {
    EXPECT_NEAR(start.state.value[u], run.first.value[u],
                1e-12 * (1.0 + std::abs(run.first.value[u])))
        << model.system().unknownName({u});
  }
}

// Nothing wants to switch at an equilibrium, and all equations of blocks hold.
TEST_P(Branches, FitTheEquilibrium) {
  const model::Model model = build(GetParam().text);
  const analysis::OperatingState rest =
      analysis::findOperatingPoint(model, {model::OperatingPoint::Kind::kEquilibrium, 0.0});
  if (!rest.ok) {
    EXPECT_FALSE(rest.trouble.empty());
    GTEST_SKIP() << rest.trouble;
  }
  system::Assembler assembler(model.system());
  std::vector<double> indicators;
  assembler.calcIndicators(rest.state, indicators);
  for (std::size_t i = 0; i < indicators.size(); ++i) {
    EXPECT_GE(indicators[i], -1e-9) << "indicator " << i;
  }
  Eigen::VectorXd r;
  assembler.calcResidual(rest.state, r);
  EXPECT_LT(r.cwiseAbs().maxCoeff(), 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Registry, Branches, testing::ValuesIn(allCases()),
                         [](const auto& sample) { return sample.param.name; });

}  // namespace
}  // namespace flexloop::test
