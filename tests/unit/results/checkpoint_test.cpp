// A run that goes on from a checkpoint takes the same steps, bit for bit.
#include "results/checkpoint.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "analysis/time/time_analysis.hpp"
#include "base/diagnostics.hpp"
#include "files/file_seal.hpp"
#include "files/hdf5_file.hpp"
#include "results/named_numbers.hpp"
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
  ASSERT_TRUE(report.ok()) << messageOf(report.failure);
  ASSERT_EQ(whole.points.size(), 2u);
  const testing::TemporaryFolder folder;
  for (const analysis::RunPoint& point : whole.points) {
    const std::string file = folder.file("checkpoint.h5");
    results::writeCheckpoint(file, model, point);
    const analysis::RunPoint read = results::readCheckpoint(file, model);
    EXPECT_TRUE(results::nameNumbers(read) == results::nameNumbers(point));
    Keeper rest;
    const analysis::TimeReport again =
        analysis::runTime(model, *model.time(), rest, {&read, {0.0105, 0.03}});
    ASSERT_TRUE(again.ok()) << messageOf(again.failure);
    EXPECT_TRUE(rest.last == whole.last);
  }
}

TEST(Checkpoint, TheMiddleOfASampleIsBetweenTwoInstants) {
  const model::Model model = buildModel(kModel);
  Keeper whole;
  ASSERT_TRUE(analysis::runTime(model, *model.time(), whole, {nullptr, {0.0105}}).ok());
  ASSERT_EQ(whole.points.size(), 1u);
  EXPECT_NEAR(whole.points[0].state.time, 0.0105, 1e-12);
}

TEST(Checkpoint, OtherModelsAndOtherFilesAreRefused) {
  const model::Model model = buildModel(kModel);
  Keeper whole;
  ASSERT_TRUE(analysis::runTime(model, *model.time(), whole, {nullptr, {0.01}}).ok());
  const testing::TemporaryFolder folder;
  const std::string file = folder.file("checkpoint.h5");
  results::writeCheckpoint(file, model, whole.points.at(0));
  std::string text = kModel;
  text.replace(text.find("elements: 3"), 11, "elements: 4");
  EXPECT_THROW(results::readCheckpoint(file, buildModel(text)), base::InputError);
  EXPECT_THROW(results::readCheckpoint(folder.file("nothing.h5"), model), base::InputError);
  std::ofstream(folder.file("text.h5")) << "not a checkpoint";
  EXPECT_THROW(results::readCheckpoint(folder.file("text.h5"), model), base::InputError);
}

analysis::RunPoint makePoint(const model::Model& model) {
  Keeper whole;
  const analysis::TimeReport report =
      analysis::runTime(model, *model.time(), whole, {nullptr, {0.01}});
  EXPECT_TRUE(report.ok()) << messageOf(report.failure);
  return whole.points.at(0);
}

std::string complaintOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return {};
}

TEST(Checkpoint, LostBitsAndBytesAreNoticed) {
  const model::Model model = buildModel(kModel);
  const testing::TemporaryFolder folder;
  const std::string file = folder.file("checkpoint.h5");
  results::writeCheckpoint(file, model, makePoint(model));
  const std::string bytes = testing::readWhole(file);
  std::mt19937 random(12);
  for (int i = 0; i < 1800; ++i) {
    std::string damaged = bytes;
    const std::size_t at = random() % bytes.size();
    if (i % 3 == 2) {
      damaged.resize(at);
    } else {
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    }
    folder.write("checkpoint.h5", damaged);
    EXPECT_NE(complaintOf([&] { results::readCheckpoint(file, model); }), "") << "byte " << at;
  }
}

enum class Damage { kOneLess, kOneMore, kNotANumber };

bool damage(Damage how, double& number) {
  if (how == Damage::kNotANumber) number = std::numeric_limits<double>::quiet_NaN();
  return how == Damage::kNotANumber;
}
bool damage(Damage how, std::vector<double>& list) {
  if (list.empty()) return false;
  if (how == Damage::kOneLess) list.pop_back();
  if (how == Damage::kOneMore) list.push_back(0.0);
  return how != Damage::kNotANumber || damage(how, list[list.size() / 2]);
}
bool damage(Damage how, Eigen::VectorXd& vector) {
  std::vector<double> list(vector.begin(), vector.end());
  if (!damage(how, list)) return false;
  vector = Eigen::Map<Eigen::VectorXd>(list.data(), static_cast<Eigen::Index>(list.size()));
  return true;
}
template <class T>
bool damage(Damage how, std::vector<T>& rows) {
  if (rows.empty() || how == Damage::kNotANumber) return false;
  how == Damage::kOneLess ? rows.pop_back() : static_cast<void>(rows.emplace_back());
  return true;
}
bool damage(Damage, auto&) {
  return false;
}

// Files with a right checksum that no run has written: whatever has another length or is no number is refused.
TEST(Checkpoint, WhatDoesNotFitTheMachineIsRefused) {
  using Point = analysis::RunPoint;
  const model::Model model = buildModel(kModel);
  const Point good = makePoint(model);
  const testing::TemporaryFolder folder;
  const std::string file = folder.file("checkpoint.h5");
  const auto expectRefusal = [&](const Point& point, const std::string& what) {
    results::writeCheckpoint(file, model, point);
    const std::string complaint = complaintOf([&] {
      const Point read = results::readCheckpoint(file, model);
      Keeper rest;
      static_cast<void>(analysis::runTime(model, *model.time(), rest, {&read, {}}));
    });
    EXPECT_NE(complaint.find("checkpoint"), std::string::npos) << what;
  };
  const std::vector<std::function<void(Point&)>> changes = {
      [](Point& p) { p.state.frames[2].x[1] = std::numeric_limits<double>::quiet_NaN(); },
      [](Point& p) { p.state.records[0].pop_back(); },
      [](Point& p) { p.state.records[0] = {1.0}; },
      [](Point& p) {
        std::swap(p.state.records[0][0], p.state.records[0][2]);
        p.state.records[0][0] += 1.0;
      },
      [](Point& p) { p.stepper.factors = {}; },
      [](Point& p) { p.control.next = -1; },
      [](Point& p) { p.control.step = 0.0; },
      [](Point& p) { p.chatter.pause = -1; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Point point = good;
    changes[i](point);
    expectRefusal(point, "change " + std::to_string(i));
  }
  const std::size_t names = results::nameNumbers(good).names.size();
  int damaged = 0;
  for (const Damage how : {Damage::kOneLess, Damage::kOneMore, Damage::kNotANumber}) {
    for (std::size_t i = 0; i < names; ++i) {
      Point point = good;
      std::size_t index = 0;
      std::string what;
      results::eachNamed("", point, [&](const std::string& name, auto& member) {
        if (index++ == i && damage(how, member)) what = name;
      });
      if (what.empty()) continue;
      ++damaged;
      expectRefusal(point, what + ", damage " + std::to_string(static_cast<int>(how)));
    }
  }
  EXPECT_GT(damaged, 200);
}

TEST(Checkpoint, OfAnEarlierVersionIsRefusedWithAReason) {
  const model::Model model = buildModel(kModel);
  const testing::TemporaryFolder folder;
  const std::string file = folder.file("checkpoint.h5");
  {
    files::Hdf5File old = files::Hdf5File::create(file);
    old.setAttribute("/", "program", std::string("flexloop checkpoint 4"));
    old.close();
    files::sealFile(file);
  }
  const std::string complaint = complaintOf([&] { results::readCheckpoint(file, model); });
  EXPECT_NE(complaint.find("not a checkpoint of this version"), std::string::npos) << complaint;
}

// Steps that adapt remember more than others, and more than one kind of memory may have the same length.
TEST(Checkpoint, OtherKindsOfStepsAreRefused) {
  std::string text = kModel;
  text.replace(text.find("rho: 0.8"), 8, "adaptive: true");
  const model::Model fixed = buildModel(kModel), adaptive = buildModel(text);
  for (const auto& [maker, user] : {std::pair(&fixed, &adaptive), std::pair(&adaptive, &fixed)}) {
    const analysis::RunPoint point = makePoint(*maker);
    Keeper rest;
    const std::string complaint = complaintOf([&] {
      static_cast<void>(analysis::runTime(*user, *user->time(), rest, {&point, {}}));
    });
    EXPECT_NE(complaint.find("with these settings"), std::string::npos) << complaint;
  }
}

TEST(Checkpoint, FilesThatHaveChangedAreNamed) {
  const model::Model model = buildModel(kModel);
  const testing::TemporaryFolder folder;
  const std::string file = folder.file("checkpoint.h5");
  model::SourceFiles files{{{"m.yaml", "", "a", false}, {"part.yaml", "", "b", false}}, false};
  results::writeCheckpoint(file, model, makePoint(model), files);
  std::string changed;
  results::readCheckpoint(file, model, files, &changed);
  EXPECT_EQ(changed, "");
  files.files[1].text = "c";
  results::readCheckpoint(file, model, files, &changed);
  EXPECT_EQ(changed, "part.yaml");
}

}  // namespace
}  // namespace flexloop::test
