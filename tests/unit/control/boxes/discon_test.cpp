// Wind-turbine controllers with the function DISCON.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/linear_machine.hpp"
#include "control/boxes/box.hpp"
#include "control/boxes/discon/discon_code.hpp"
#include "support/box_file.hpp"
#include "support/machine_modes.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::test {
namespace {

std::string turbine(const std::string& more) {
  return "  turbine: {type: discon, path: boxes/discon.so, " + more + "}\n";
}
std::string complaintAbout(const std::string& keys) {
  return mistakesOf("blocks: {v: {type: discon, " + keys + "}}\n");
}

// The torque is k ω², and the pitch the sum of the samples from the second on, in single precision.
TEST(Discon, SamplesAndHolds) {
  const ModelRun run =
      runModel("blocks:\n  w: {type: ramp, slope: 1, start: 2}\n" +
                   turbine("inputs: {generator_speed: w}, sample: 0.1"),
               "w, turbine.torque, turbine.pitch, turbine.pitch1, turbine.pitch3, turbine.yaw_rate",
               "end: 1, step: 50 ms");
  double pitch = 0.0, speed = 0.0;
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    if (i % 2 == 0) {
      speed = run.column("w")[i];
      if (i > 0) pitch += 0.1 * (speed - 1.0);
    }
    EXPECT_NEAR(run.column("turbine.torque")[i], 2.0 * speed * speed, 1e-5) << i;
    EXPECT_NEAR(run.column("turbine.pitch")[i], pitch, 1e-6) << i;
    // It sets the pitch of all blades only.
    EXPECT_EQ(run.column("turbine.pitch1")[i], run.column("turbine.pitch")[i]) << i;
    EXPECT_EQ(run.column("turbine.pitch3")[i], run.column("turbine.pitch")[i]) << i;
    EXPECT_EQ(run.column("turbine.yaw_rate")[i], 0.0) << i;
  }
}

TEST(Discon, EachBladeHasItsRecords) {
  const ModelRun run = runModel(
      "blocks:\n" +
          turbine("inputs: {generator_speed: 1, blade_pitch: [0.1, 0.2, 0.3], record_120: 3}"),
      "turbine.pitch1, turbine.pitch2, turbine.pitch3, turbine.pitch", "end: 50 ms, step: 10 ms");
  EXPECT_NEAR(run.last("turbine.pitch1"), 0.1, 1e-7);
  EXPECT_NEAR(run.last("turbine.pitch2"), 0.2, 1e-7);
  EXPECT_NEAR(run.last("turbine.pitch3"), 0.3, 1e-7);
}

// Static variables of one are not those of the other, in one process or in two; a second run begins anew.
TEST(Discon, EachInstanceHasItsOwnLibrary) {
  for (const char* isolate : {"true", "false"}) {
    const std::string rest =
        std::string(", outputs: [pitch, record_101], isolate: ") + isolate + "}\n";
    const model::Model model = buildModel(
        "blocks:\n"
        "  a: {type: discon, path: boxes/discon.so, inputs: {generator_speed: 2}" +
        rest + "  b: {type: discon, path: boxes/discon.so, inputs: {generator_speed: 5}" + rest +
        "outputs: [a.pitch, a.record_101, b.pitch]\nanalysis: {time: {end: 0.1, step: 10 ms}}\n");
    for (int k = 0; k < 2; ++k) {
      const ModelRun run = runModel(model);
      EXPECT_NEAR(run.last("a.pitch"), 0.1, 1e-6) << isolate << k;
      EXPECT_NEAR(run.last("b.pitch"), 0.4, 1e-6) << isolate << k;
      EXPECT_EQ(run.last("a.record_101"), 11.0) << isolate << k;
    }
  }
}

TEST(Discon, ReadsItsParametersFile) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("DISCON.IN", "7.5\n");
  const ModelRun run =
      runModel("blocks:\n" + turbine("parameters_file: " + file + ", inputs: {generator_speed: 2}"),
               "turbine.torque", "end: 10 ms, step: 10 ms");
  EXPECT_NEAR(run.last("turbine.torque"), 30.0, 1e-5);
}

TEST(Discon, FailuresAndMessagesAreReported) {
  const ModelRun run =
      tryModel("blocks:\n" + turbine("inputs: {generator_speed: 2, record_120: 1}"),
               "turbine.torque", "end: 0.1, step: 10 ms");
  ASSERT_TRUE(run.report.failure);
  EXPECT_TRUE(
      says(run.report.failure->message,
           "controller 'turbine' failed in DISCON at t = 0.05 s: the pitch drive has failed"));
  EXPECT_TRUE(says(run.report.failure->hint, "the controller itself reports this"));
  ::testing::internal::CaptureStderr();
  runModel("blocks:\n" + turbine("inputs: {record_120: 2}, isolate: false"), "turbine.torque",
           "end: 0.1, step: 10 ms");
  EXPECT_TRUE(says(::testing::internal::GetCapturedStderr(),
                   "note: controller 'turbine' at t = 0.02 s: a word of the controller"));
}

// A cart whose speed is controlled; every call of the controller leaves a letter in the file.
std::string makeTallied(const std::string& file, const std::string& more) {
  return R"(nodes: {cart: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {cart: {node: cart, mass: 10}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 1000}}
sensors: {v: {measure: velocity, node: cart, direction: [1, 0, 0]}}
blocks:
  t: {type: discon, path: )" +
         testing::boxFile("discon_tally") + R"(, parameters_file: )" + file +
         ", inputs: {generator_speed: v" + more + R"(
loads: {push: {node: cart, force: [1, 0, 0], signal: t.torque}}
analysis: {time: {end: 10, step: 10 ms}}
)";
}

// Late in a run its memory is that of a thousand calls. Modes want it some thirty times: a process of its own repeats the calls twice and is
// copied from then on; the same code within the program repeats them each time. The numbers are the same.
TEST(Discon, LateInARunItsCallsAreNotRepeatedForEachQuestion) {
  std::vector<std::size_t> calls;
  std::vector<analysis::ModeResult> found;
  for (const char* isolate :
       {"}, outputs: [torque], isolate: true}", "}, outputs: [torque], isolate: false}"}) {
    const testing::TemporaryFolder folder;
    const std::string file = folder.write("tally", "");
    found.push_back(
        modesOf(makeTallied(file, isolate), {}, {model::OperatingPoint::Kind::kTime, 10.0}));
    calls.push_back(testing::readWhole(file).size());
  }
  EXPECT_LT(calls[0], calls[1] / 3);
  ASSERT_EQ(found[0].modes.size(), found[1].modes.size());
  for (std::size_t k = 0; k < found[0].modes.size(); ++k) {
    EXPECT_EQ(found[0].modes[k].eigenvalue, found[1].modes[k].eigenvalue) << k;
  }
  // 10 s² + 20 s + 1030, late by half a period.
  EXPECT_LT(distanceTo(found[0], {-1.0, 10.099}), 0.1);
}

// A controller that fails while it is asked has held outputs, which are no answer: there are no modes and no responses without it. Here it is
// a copy of its process that crashes.
TEST(Discon, AFaultWhileItIsAskedEndsLinearAnalyses) {
  const testing::TemporaryFolder folder;
  const std::string text = "flexloop: 1\n" + makeTallied(folder.write("tally", ""),
                                                         ", record_120: 1}, outputs: [torque]}");
  const model::OperatingPoint late{model::OperatingPoint::Kind::kTime, 10.0};
  const model::Model model = buildModel(text.substr(text.find('\n') + 1));
  const analysis::OperatingState point = analysis::findOperatingPoint(model, late);
  ASSERT_TRUE(point.ok());
  const analysis::ModeResult modes = analysis::findModes(model, point.state, {});
  ASSERT_TRUE(modes.failure);
  EXPECT_TRUE(says(modes.failure->message, "controller 't' crashed")) << modes.failure->message;
  api::LinearMachine machine({folder.write("m.yaml", text), {}, nullptr},
                             {.inputs = {"t.torque"}, .outputs = {"v"}, .cut = {}});
  const auto failure = machine.linearize(late);
  ASSERT_TRUE(failure);
  EXPECT_TRUE(says(failure->message, "controller 't' crashed")) << failure->message;
}

// Its past takes a bounded room. What has no room is not returned to; all else goes on.
TEST(Discon, OnlySoManyCallsAreKept) {
  control::DisconPlan plan;
  plan.name = "turbine";
  plan.library = testing::boxFile("discon");
  plan.symbol = "DISCON";
  plan.inputs = {20};
  plan.outputs = {101};
  plan.sample = 0.1;
  plan.room = 5 * 12;
  control::BoxSettings settings;
  settings.name = "turbine";
  settings.path = plan.library;
  settings.inputs = settings.outputs = 1;
  settings.isolate = false;
  settings.form = std::make_shared<control::DisconForm>(plan);
  const auto opened = control::Box::open(settings);
  ASSERT_TRUE(opened);
  control::Box& box = *opened.value();
  ::testing::internal::CaptureStderr();
  std::vector<std::vector<unsigned char>> memories(1);
  ASSERT_FALSE(box.save(memories[0]));
  double u = 2.0, calls = 0.0;
  for (int k = 1; k <= 8; ++k) {
    ASSERT_FALSE(box.output(0.1 * k, &u, &calls));
    EXPECT_EQ(calls, k);
    ASSERT_FALSE(box.save(memories.emplace_back()));
  }
  const std::string note = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(
      says(note, "note: controller 'turbine' at t = 0.6 s: the calls so far fill the room"));
  EXPECT_EQ(note.find("note", 1), std::string::npos);
  for (const int k : {5, 0, 3}) {
    ASSERT_FALSE(box.restore(memories[k]));
    ASSERT_FALSE(box.output(0.1 * (k + 1), &u, &calls));
    EXPECT_EQ(calls, k + 1);
  }
  const control::BoxFault fault = box.restore(memories[6]);
  EXPECT_TRUE(says(fault.message, "its memory is gone: only its first 5 calls are kept"));
  EXPECT_TRUE(says(fault.hint, "ask for modes and linearisations at an earlier time"));
}

TEST(Discon, MistakesAreNamed) {
  EXPECT_TRUE(says(complaintAbout("path: none.so"), "there is no file"));
  EXPECT_TRUE(says(complaintAbout("path: boxes/cubic.so"), "it has no function DISCON"));
  EXPECT_TRUE(says(complaintAbout("path: boxes/discon.so, inputs: {generator_sped: 1}"),
                   "did you mean 'generator_speed'?"));
  EXPECT_TRUE(says(complaintAbout("path: boxes/discon.so, inputs: {rotor_speed: [1, 2]}"),
                   "'rotor_speed' takes one and not 2 signals"));
  EXPECT_TRUE(says(complaintAbout("path: boxes/discon.so, inputs: {rotor_speed: 1, record_21: 2}"),
                   "record 21 is set twice"));
  EXPECT_TRUE(
      says(complaintAbout("path: boxes/discon.so, outputs: [torqe]"), "did you mean 'torque'?"));
  EXPECT_TRUE(
      says(complaintAbout("path: boxes/discon.so, inputs: {record_9999: 1}"), "there is no input"));
  EXPECT_TRUE(
      says(complaintAbout("path: boxes/discon.so, parameters_file: none.in"), "there is no file"));
}

}  // namespace
}  // namespace flexloop::test
