// A run that goes on from a checkpoint takes the same steps, bit for bit.
#include "io/checkpoint.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "analysis/time_analysis.hpp"
#include "base/diagnostics.hpp"
#include "support/model_run.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::test {
namespace {

// A flexible arm under a sampled servo whose instants fall between the steps, with a relay, a delay
// and a filter, so that every kind of memory is there.
constexpr const char* kModel = R"(
gravity: [0, 0, -9.81]
materials: {soft: {E: 2.1 GPa, nu: 0.3, rho: 1000}}
sections: {bar: {type: rectangle, width: 10 mm, height: 10 mm}}
nodes: {root: [0, 0, 0], tip: [0.3, 0, 0]}
beams: {bar: {from: root, to: tip, elements: 3, section: bar, material: soft, y_axis: [0, 1, 0]}}
joints: {hinge: {type: hinge, between: [ground, root], axis: [0, 1, 0]}}
sensors:
  angle: {measure: angle, joint: hinge}
  tip: {measure: position, node: tip}
blocks:
  law: {type: discrete_pid, input: angle, reference: 0.1, kp: 0.4, ki: 1, kd: 0.01, sample: 1 ms}
  smooth: {type: low_pass, input: law, frequency: 100 Hz}
  late: {type: transport_delay, input: smooth, delay: 2.5 ms}
  kick: {type: relay, input: angle, on_above: 0.01, off_below: -0.01, on_value: 0.01, off_value: -0.01}
  torque: {type: sum, inputs: [late, -kick]}
actuators: {motor: {type: torque, joint: hinge, input: torque}}
outputs: [tip, angle, torque]
analysis: {time: {end: 60 ms, step: 0.3 ms, rho: 0.8}}
)";

class Keeper final : public analysis::Observer {
 public:
  void onStart(const solve::StartReport&) override {}
  void onRecord(const system::State& state, const std::vector<double>&) override { last = state; }
  bool onStep(double) override { return true; }
  void onCheckpoint(const analysis::RunPoint& point) override { points.push_back(point); }

  system::State last;
  std::vector<analysis::RunPoint> points;
};

TEST(Checkpoint, ARunGoesOnWithTheSameBitsAlsoInMidSample) {
  const model::Model model = buildModel(kModel);
  Keeper whole;
  const analysis::TimeReport report =
      analysis::runTime(model, *model.time(), whole, {nullptr, {0.0105, 0.03}});
  ASSERT_TRUE(report.ok) << report.trouble;
  ASSERT_EQ(whole.points.size(), 2u);
  const testing::TemporaryFolder folder;
  for (const analysis::RunPoint& point : whole.points) {
    const std::string file = folder.file("checkpoint.h5");
    io::writeCheckpoint(file, model, point);
    const analysis::RunPoint read = io::readCheckpoint(file, model);
    EXPECT_TRUE(read.state == point.state);
    Keeper rest;
    const analysis::TimeReport again =
        analysis::runTime(model, *model.time(), rest, {&read, {0.0105, 0.03}});
    ASSERT_TRUE(again.ok) << again.trouble;
    EXPECT_TRUE(rest.last == whole.last);
  }
}

TEST(Checkpoint, TheMiddleOfASampleIsBetweenTwoInstants) {
  const model::Model model = buildModel(kModel);
  Keeper whole;
  ASSERT_TRUE(analysis::runTime(model, *model.time(), whole, {nullptr, {0.0105}}).ok);
  ASSERT_EQ(whole.points.size(), 1u);
  EXPECT_NEAR(whole.points[0].state.time, 0.0105, 1e-12);
}

TEST(Checkpoint, OtherModelsAndOtherFilesAreRefused) {
  const model::Model model = buildModel(kModel);
  Keeper whole;
  ASSERT_TRUE(analysis::runTime(model, *model.time(), whole, {nullptr, {0.01}}).ok);
  const testing::TemporaryFolder folder;
  const std::string file = folder.file("checkpoint.h5");
  io::writeCheckpoint(file, model, whole.points.at(0));
  std::string text = kModel;
  text.replace(text.find("elements: 3"), 11, "elements: 4");
  EXPECT_THROW(io::readCheckpoint(file, buildModel(text)), base::InputError);
  EXPECT_THROW(io::readCheckpoint(folder.file("nothing.h5"), model), base::InputError);
  std::ofstream(folder.file("text.h5")) << "no checkpoint";
  EXPECT_THROW(io::readCheckpoint(folder.file("text.h5"), model), base::InputError);
}

}  // namespace
}  // namespace flexloop::test
