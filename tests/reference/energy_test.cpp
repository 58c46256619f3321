// A flexible pendulum without damping keeps its energy as far as the scheme allows.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "analysis/time/time_analysis.hpp"
#include "results/run_summary.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"
#include "system/assembler.hpp"

namespace flexloop {
namespace {

// A bar of 1 m and 10 mm × 10 mm, so soft that it bends visibly, released from the horizontal.
constexpr const char* kPendulum = R"(
gravity: [0, 0, -9.81]
materials: {plastic: {E: 2.1 GPa, nu: 0.3, rho: 7800}}
sections: {bar: {type: rectangle, width: 10 mm, height: 10 mm}}
nodes:
  top: [0, 0, 0]
  tip: [1, 0, 0]
beams:
  bar: {from: top, to: tip, elements: 40, section: bar, material: plastic, y_axis: [0, 1, 0]}
joints:
  pivot: {type: hinge, between: [ground, top], axis: [0, 1, 0]}
outputs:
  - {name: tip, measure: position, node: tip}
analysis:
  time: {end: 10, step: 1 ms}
)";

model::Model makePendulum(const std::string& rho, const std::string& end) {
  return test::buildModel(kPendulum,
                          {{}, {"analysis.time.rho=" + rho, "analysis.time.end=" + end}});
}

class EnergyObserver final : public analysis::Observer {
 public:
  explicit EnergyObserver(const model::Model& model) : assembler_(model.system()) {}

  void onStart(const solve::StartReport&) override {}
  void onRecord(const system::State& state, const std::vector<double>& outputs) override {
    const system::Energy energy = assembler_.calcEnergy(state);
    if (state.time == 0.0) start_ = energy.total();
    exchanged_ = std::max(exchanged_, energy.kinetic);
    drift_ = std::max(drift_, std::abs(energy.total() - start_));
    last_ = outputs;
  }
  bool onStep(double) override { return true; }

  // The largest change of the energy, as a share of the largest kinetic energy.
  double drift() const { return drift_ / exchanged_; }
  const std::vector<double>& lastOutputs() const { return last_; }

 private:
  system::Assembler assembler_;
  double start_ = 0.0, exchanged_ = 0.0, drift_ = 0.0;
  std::vector<double> last_;
};

TEST(BeamPendulum, KeepsItsEnergyForTenSecondsWithoutNumericalDamping) {
  const model::Model model = makePendulum("1", "10");
  EnergyObserver observer(model);
  const analysis::TimeReport report = analysis::runTime(model, *model.time(), observer);
  ASSERT_TRUE(report.ok()) << messageOf(report.failure);
  EXPECT_TRUE(report.energy.isConservative);
  EXPECT_LT(observer.drift(), 1e-4);
}

TEST(BeamPendulum, TellsWhatTheSchemeDissipates) {
  const model::Model model = makePendulum("0.8", "2");
  EnergyObserver observer(model);
  const analysis::TimeReport report = analysis::runTime(model, *model.time(), observer);
  ASSERT_TRUE(report.ok()) << messageOf(report.failure);
  EXPECT_GT(report.energy.dissipatedShare, 0.0);
  EXPECT_LT(report.energy.dissipatedShare, 1e-4);
  std::string summary;
  for (const std::string& line : results::describeRun({.title = "",
                                 .report = report,
                                 .outputs = model.outputs().names(),
                                 .lastValues = observer.lastOutputs(),
                                 .records = 2001,
                                 .wallTime = 1.0,
                                 .resultFile = ""})) {
    summary += line + "\n";
  }
  EXPECT_TRUE(test::says(summary, "numerical dissipation"));
  // Other codes with 160 elements, at 0.1 ms.
  EXPECT_NEAR(observer.lastOutputs()[0], 0.99944975, 1e-4);
  EXPECT_NEAR(observer.lastOutputs()[2], -0.03277870, 1e-3);
}

}  // namespace
}  // namespace flexloop
