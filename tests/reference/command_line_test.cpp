// The program as its users see it: exit codes, files, and messages.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <sys/wait.h>
#include <thread>

#include <gtest/gtest.h>

#include "results/result_reader.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

namespace fs = std::filesystem;
using testing::ProgramResult;
using testing::readWhole;
using testing::runProgram;
using testing::startProgram;
using testing::TemporaryFolder;

constexpr const char* kFall = R"(flexloop: 1
title: Falling ball
parameters: {g: 9.81, h0: 2}
gravity: [0, 0, = -g]
nodes:
  ball: {position: [0, 0, = h0], free: [z]}
bodies:
  ball: {node: ball, mass: 1.5}
sensors:
  z: {measure: position, node: ball, direction: [0, 0, 1]}
analysis:
  time: {end: 1, step: 0.1}
)";

class CommandLine : public ::testing::Test {
 protected:
  ProgramResult run(const std::vector<std::string>& words) {
    return runProgram(words, folder_.file(""));
  }
  void SetUp() override { folder_.write("fall.yaml", kFall); }

  TemporaryFolder folder_;
};

std::string lastLine(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  const std::size_t start = text.rfind('\n', end);
  return text.substr(start + 1, end - start);
}

TEST_F(CommandLine, TellsItsVersionAndItsCommands) {
  EXPECT_EQ(run({"--version"}).out.rfind("flexloop ", 0), 0u);
  const ProgramResult help = run({"--help"});
  EXPECT_EQ(help.exitCode, 0);
  for (const char* command : {"check", "run", "equilibrium", "schema", "manual"}) {
    EXPECT_NE(help.out.find(command), std::string::npos) << command;
  }
}

TEST_F(CommandLine, AnUnknownCommandOrOptionIsBadInput) {
  const ProgramResult command = run({"chekc", "fall.yaml"});
  EXPECT_EQ(command.exitCode, 2);
  EXPECT_NE(command.errors.find("did you mean 'check'?"), std::string::npos) << command.errors;
  const ProgramResult option = run({"run", "fall.yaml", "--sped", "3"});
  EXPECT_EQ(option.exitCode, 2);
  EXPECT_NE(option.errors.find("--sped"), std::string::npos) << option.errors;
  EXPECT_EQ(run({}).exitCode, 2);
  EXPECT_EQ(run({"run"}).exitCode, 2);
}

TEST_F(CommandLine, RunWritesItsFiles) {
  const ProgramResult result = run({"run", "fall.yaml"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_NE(result.out.find("Falling ball"), std::string::npos);
  EXPECT_NE(result.out.find("out/fall/result.h5"), std::string::npos);
  const results::Result recorded = results::readResult(folder_.file("out/fall/result.h5"));
  EXPECT_TRUE(recorded.complete);
  EXPECT_EQ(recorded.modelText, kFall);
  EXPECT_EQ(recorded.outputs, (std::vector<std::string>{"z"}));
  ASSERT_EQ(recorded.time.size(), 11u);
  EXPECT_NEAR(recorded.values[0].back(), 2.0 - 0.5 * 9.81, 1e-12);
  EXPECT_FALSE(fs::exists(folder_.file("out/fall/result.h5.partial")));
  EXPECT_NE(readWhole(folder_.file("out/fall/run.log")).find("Falling ball"), std::string::npos);
}

TEST_F(CommandLine, AModelCalledModelIsNamedAfterItsFolder) {
  fs::create_directories(folder_.file("ball"));
  folder_.write("ball/model.yaml", kFall);
  EXPECT_EQ(run({"run", "ball/model.yaml", "--quiet"}).exitCode, 0);
  EXPECT_TRUE(fs::exists(folder_.file("out/ball/result.h5")));
}

TEST_F(CommandLine, CsvHasOneRowPerRecordAndNothingElseOnStandardOutput) {
  const ProgramResult result = run({"run", "fall.yaml", "--csv", "-", "--out", "there"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_EQ(result.out.substr(0, 11), "time,z\n0,2\n");
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 12);
  EXPECT_EQ(lastLine(result.out).substr(0, 2), "1,");
  EXPECT_TRUE(fs::exists(folder_.file("there/result.h5")));
  EXPECT_EQ(run({"run", "fall.yaml", "--csv", "fall.csv"}).exitCode, 0);
  EXPECT_EQ(readWhole(folder_.file("fall.csv")), result.out);
}

TEST_F(CommandLine, QuietSaysNothing) {
  const ProgramResult result = run({"run", "fall.yaml", "--quiet"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_EQ(result.out + result.errors, "");
}

TEST_F(CommandLine, ValuesCanBeOverridden) {
  const auto end = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"run", "fall.yaml", "--csv", "-", "--quiet"});
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    return lastLine(result.out);
  };
  EXPECT_EQ(end({"-p", "g=0"}), "1,2");
  EXPECT_EQ(end({"-p", "g=0", "-p", "h0=5 mm"}), "1,0.005");
  EXPECT_EQ(end({"--set", "gravity=[0,0,0]", "--end", "3"}), "3,2");
  EXPECT_EQ(
      end({"--set", "gravity=[0,0,0]", "--set", "nodes.ball.position=[0,0,7]", "--step", "0.5"}),
      "1,7");
  EXPECT_EQ(end({"-p", "g=0", "--rho", "1", "--end", "20 ms", "--step", "5 ms"}), "0.02,2");
}

TEST_F(CommandLine, JsonSummarises) {
  const ProgramResult run1 = run({"run", "fall.yaml", "--json", "-"});
  EXPECT_NE(run1.out.find("\"complete\": true"), std::string::npos) << run1.out;
  EXPECT_NE(run1.out.find("\"steps\": 10"), std::string::npos);
  const ProgramResult check = run({"check", "fall.yaml", "--json", "-"});
  EXPECT_NE(check.out.find("\"freedoms\": 1"), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("\"mass\": 1.5"), std::string::npos);
}

// A servo of the wrong sign: on the terminal, in the JSON, and in the file that is looked at later.
TEST_F(CommandLine, ARunThatIsNotToBeTrustedSaysSoEverywhere) {
  folder_.write("cart.yaml", R"(flexloop: 1
nodes: {a: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {cart: {node: a, mass: 1}}
sensors: {x: {measure: position, node: a, direction: [1, 0, 0]}}
blocks: {servo: {type: pid, input: x, kp: 100, kd: -4}}
actuators: {motor: {type: force, node: a, direction: [1, 0, 0], input: servo}}
analysis: {time: {end: 10, step: 1 ms}}
)");
  const ProgramResult result = run({"run", "cart.yaml", "--json", "cart.json"});
  EXPECT_EQ(result.exitCode, 0);
  const std::string line = "do not trust this run: the motion grows without bound since t = ";
  EXPECT_NE(result.errors.find("warning: " + line), std::string::npos) << result.errors;
  const std::string json = readWhole(folder_.file("cart.json"));
  EXPECT_NE(json.find("\"trusted\": false"), std::string::npos) << json;
  EXPECT_NE(json.find("\"verdict\": \"" + line), std::string::npos) << json;
  EXPECT_NE(json.find("\"doubling_time\""), std::string::npos) << json;
  const results::ResultFile file(folder_.file("out/cart/result.h5"));
  EXPECT_EQ(file.end().verdict.rfind(line, 0), 0u) << file.end().verdict;
  const ProgramResult fall = run({"run", "fall.yaml", "--json", "-"});
  EXPECT_EQ(fall.errors.find("do not trust"), std::string::npos) << fall.errors;
  EXPECT_NE(fall.out.find("\"trusted\": true"), std::string::npos) << fall.out;
  EXPECT_EQ(results::ResultFile(folder_.file("out/fall/result.h5")).end().verdict, "");
}

TEST_F(CommandLine, CheckDescribesTheModel) {
  const ProgramResult result = run({"check", "fall.yaml"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  for (const char* text : {"Falling ball", "1.5 kg", "(0, 0, 2) m", "mobility     1"}) {
    EXPECT_NE(result.out.find(text), std::string::npos) << text << "\n" << result.out;
  }
}

TEST_F(CommandLine, EquilibriumGivesTheOutputs) {
  folder_.write("hang.yaml", R"(flexloop: 1
gravity: [0, 0, -10]
nodes: {m: {position: [0, 0, 0], free: [z]}}
bodies: {m: {node: m, mass: 2}}
springs: {k: {type: linear, between: [ground, m], direction: [0, 0, 1], stiffness: 100}}
sensors: {z: {measure: position, node: m, direction: [0, 0, 1]}}
)");
  const ProgramResult result = run({"equilibrium", "hang.yaml", "--json", "-"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_NE(result.out.find("\"z\": -0.2"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("\"iterations\":"), std::string::npos);
  // Nothing holds the ball that falls.
  const ProgramResult fall = run({"equilibrium", "fall.yaml"});
  EXPECT_EQ(fall.exitCode, 3) << fall.out;
  EXPECT_NE(fall.errors.find("ball"), std::string::npos) << fall.errors;
}

TEST_F(CommandLine, SchemaAndManualAreWritten) {
  EXPECT_EQ(run({"schema"}).out.substr(0, 1), "{");
  EXPECT_EQ(run({"manual", "pages"}).exitCode, 0);
  EXPECT_TRUE(fs::exists(folder_.file("pages/joints.md")));
}

TEST_F(CommandLine, WithoutSettingsThereIsNothingToRun) {
  folder_.write("bare.yaml", "flexloop: 1\n");
  const ProgramResult result = run({"run", "bare.yaml"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_NE(result.errors.find("bare.yaml: error:"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("analysis"), std::string::npos);
}

TEST_F(CommandLine, AFolderThatCannotBeWrittenIsOtherTrouble) {
  folder_.write("taken", "a file, not a folder");
  const ProgramResult result = run({"run", "fall.yaml", "--out", "taken/here"});
  EXPECT_EQ(result.exitCode, 4);
  EXPECT_NE(result.errors.find("taken"), std::string::npos) << result.errors;
}

TEST_F(CommandLine, AFailureIsNamedAndItsResultsAreKept) {
  // At 0.5 s the foot of a ladder of 1 m is driven farther than 1 m from the wall.
  folder_.write("torn.yaml", R"(flexloop: 1
nodes: {foot: [0.6, 0, 0], top: [0, 0, 0.8]}
bodies:
  foot: {node: foot, mass: 1, inertia: [1, 1, 1]}
  top: {node: top, mass: 1, inertia: [1, 1, 1]}
blocks: {pull: {type: ramp, start: 0.1, slope: 1}}
joints:
  floor: {type: slider, between: [ground, foot], axis: [1, 0, 0], drive: pull}
  wall: {type: slider, between: [ground, top], axis: [0, 0, 1]}
  ladder: {type: distance, between: [foot, top], length: 1}
sensors: {x: {measure: position, node: foot, direction: [1, 0, 0]}}
analysis: {time: {end: 1, step: 10 ms}}
)");
  const ProgramResult result = run({"run", "torn.yaml"});
  EXPECT_EQ(result.exitCode, 3) << result.out;
  EXPECT_NE(result.errors.find("error: at t = 0."), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("out/torn/result.h5"), std::string::npos) << result.errors;
  const results::Result recorded = results::readResult(folder_.file("out/torn/result.h5"));
  EXPECT_FALSE(recorded.complete);
  EXPECT_GE(recorded.time.size(), 48u);
  EXPECT_LE(recorded.time.size(), 52u);
  for (const double x : recorded.values[0]) EXPECT_LE(x, 1.0 + 1e-6);
}

TEST_F(CommandLine, AKilledRunLeavesReadableResults) {
  const pid_t child =
      startProgram({"run", "fall.yaml", "--end", "1e4", "--step", "1e-4"}, folder_.file(""));
  const std::string partial = folder_.file("out/fall/result.h5.partial");
  for (int i = 0; i < 300 && (!fs::exists(partial) || fs::file_size(partial) < 100000); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const results::Result recorded = results::readResult(partial);
  EXPECT_FALSE(recorded.complete);
  EXPECT_GT(recorded.time.size(), 1000u);
  EXPECT_FALSE(fs::exists(folder_.file("out/fall/result.h5")));
}

TEST_F(CommandLine, AnInterruptedRunClosesItsFiles) {
  const pid_t child =
      startProgram({"run", "fall.yaml", "--end", "1e4", "--step", "1e-4"}, folder_.file(""));
  const std::string partial = folder_.file("out/fall/result.h5.partial");
  for (int i = 0; i < 300 && !fs::exists(partial); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 4);
  EXPECT_FALSE(results::readResult(folder_.file("out/fall/result.h5")).complete);
}

}  // namespace
}  // namespace flexloop
