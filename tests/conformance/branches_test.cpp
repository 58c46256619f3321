// Every type with branches, on its own samples: all analyses see the branch that fits, and say so where two
// do.
#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "analysis/balance/operating_point.hpp"
#include "analysis/linear/linear_model.hpp"
#include "analysis/time/time_analysis.hpp"
#include "control/blocks/block_set.hpp"
#include "language/model_reader.hpp"
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
  return model::buildModel(language::readModelText(text, sampleFile(), fullRegistry()),
                           fullRegistry());
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
  ASSERT_TRUE(start.ok()) << messageOf(start.failure);
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
  if (!rest.ok()) {
    EXPECT_FALSE(messageOf(rest.failure).empty());
    GTEST_SKIP() << messageOf(rest.failure);
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

// Position of the cart along x at rest, pushed by a small force.
std::optional<double> findPushed(const std::string& text, double force) {
  const model::Model model = build(
      text + "actuators: {slight_push: {type: force, node: cart, direction: [1, 0, 0], input: " +
      std::to_string(force) + "}}\n");
  const analysis::OperatingState rest =
      analysis::findOperatingPoint(model, {model::OperatingPoint::Kind::kEquilibrium, 0.0});
  if (!rest.ok()) return std::nullopt;
  const auto& nodes = model.system().nodes();
  const auto cart = std::find_if(nodes.begin(), nodes.end(),
                                 [](const system::Node& node) { return node.name == "cart"; });
  return rest.state.frames[cart - nodes.begin()].x[0];
}

// Modes, frequency responses and state equations come from one linear model. At frequency zero it moves as
// equilibria do: P(0) δ = f beside the difference of two of them.
TEST_P(Branches, GiveTheLinearModelTheSlopesOfEquilibria) {
  const std::string& text = GetParam().text;
  const model::Model model = build(text);
  const control::BlockSet* blocks = control::findBlocks(model.system());
  if (blocks != nullptr && !blocks->sampled().empty())
    GTEST_SKIP() << "P(s) holds the outputs of sampled blocks";
  const analysis::OperatingState rest =
      analysis::findOperatingPoint(model, {model::OperatingPoint::Kind::kEquilibrium, 0.0});
  if (!rest.ok()) GTEST_SKIP() << messageOf(rest.failure);
  const analysis::LinearModel linear = analysis::linearize(model, rest.state);
  if (!linear.warnings.empty()) GTEST_SKIP() << linear.warnings[0];
  const double force = 1e-3;
  const auto above = findPushed(text, force), below = findPushed(text, -force);
  ASSERT_TRUE(above && below);
  const auto& system = model.system();
  int x = -1;
  for (std::size_t i = 0; i < linear.unknowns.size(); ++i) {
    if (linear.unknowns[i] >= 0 && system.unknownName({linear.unknowns[i]}) == "motion of cart x")
      x = static_cast<int>(i);
  }
  ASSERT_GE(x, 0);
  const Eigen::MatrixXd P = Eigen::MatrixXcd(analysis::evaluate(linear, 0.0)).real();
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(P);
  const Eigen::VectorXd push = Eigen::VectorXd::Unit(P.rows(), x);
  Eigen::VectorXd delta = lu.solve(push);
  if ((P * delta - push).norm() > 1e-9) GTEST_SKIP() << "an integral takes the force";
  // What integrates a rate is determined in the limit only.
  if (!lu.isInvertible()) {
    const Eigen::MatrixXcd nearZero = analysis::evaluate(linear, 1e-8);
    delta = nearZero.fullPivLu().solve(push.cast<std::complex<double>>()).real();
  }
  constexpr double kSpringAlone = 1.0 / 700.0;
  EXPECT_NEAR((*above - *below) / (2.0 * force), delta[x],
              1e-5 * std::abs(delta[x]) + 1e-12 * kSpringAlone);
}

INSTANTIATE_TEST_SUITE_P(Registry, Branches, testing::ValuesIn(allCases()),
                         [](const auto& sample) { return sample.param.name; });

}  // namespace
}  // namespace flexloop::test
