// Runs with black boxes as users see them: paths, exit codes, messages, and what is on disk afterwards.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <sys/wait.h>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "results/result_reader.hpp"
#include "support/box_file.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

namespace fs = std::filesystem;
using testing::boxFile;
using testing::ProgramResult;
using testing::readWhole;
using testing::runProgram;
using testing::TemporaryFolder;

std::string model(const std::string& box) {
  return R"(flexloop: 1
nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 1}}
sensors: {p: {measure: position, node: cart, direction: [1, 0, 0]}}
blocks:
  u: {type: constant, value: 3}
  ctl: {type: library, )" +
         box + R"(, inputs: [u], outputs: [force]}
loads: {push: {node: cart, force: [1, 0, 0], signal: ctl}}
outputs: [p, ctl.force]
analysis: {time: {end: 2, step: 10 ms}}
)";
}

class BoxRun : public ::testing::Test {
 protected:
  // The library stands beside the model, in a folder of its own.
  void SetUp() override {
    fs::create_directories(folder_.file("vendor"));
    fs::copy_file(boxFile("crash"), folder_.file("vendor/libcrash.so"));
  }
  ProgramResult run(const std::vector<std::string>& words) {
    return runProgram(words, folder_.file(""));
  }

  TemporaryFolder folder_;
};

TEST_F(BoxRun, ACrashEndsWithCode3AMessageAndTheResultsUpToThen) {
  for (const char* how : {"config: segv, sample: 5 ms", "config: segv, sample: 5 ms, isolate: true",
                          "config: segv", "config: loop, time_limit: 0.2 s", "config: exit"}) {
    folder_.write("m.yaml", model("path: vendor/libcrash.so, " + std::string(how)));
    const ProgramResult result = run({"run", "m.yaml", "--csv", "m.csv"});
    EXPECT_EQ(result.exitCode, 3) << result.errors;
    EXPECT_NE(result.errors.find("error: at t = 1"), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("black box 'ctl' "), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find(" in block_output at t = 1.0"), std::string::npos)
        << result.errors;
    EXPECT_NE(result.errors.find("the results so far are in out/m/result.h5"), std::string::npos)
        << result.errors;
    EXPECT_EQ(result.errors.find("a smaller rho"), std::string::npos) << "no help against a crash";
    const results::Result data = results::readResult(folder_.file("out/m/result.h5"));
    EXPECT_FALSE(data.complete);
    ASSERT_GE(data.time.size(), 100u);
    EXPECT_NEAR(data.time.back(), 1.0, 1e-9);
    EXPECT_NEAR(data.values[0].back(), 3.0, 1e-9) << "½ 6 t²";
    EXPECT_NE(readWhole(folder_.file("m.csv")).find("\n1,"), std::string::npos);
  }
}

// The box of L7, among others: a heap that is damaged inside of the C library, which then holds its lock.
TEST_F(BoxRun, WhateverEndsABoxTheResultsUpToThenAreThere) {
  fs::copy_file(boxFile("wild"), folder_.file("vendor/libwild.so"));
  const std::pair<const char*, const char*> cases[] = {
      {"double_free", "its heap is damaged (SIGABRT)"},
      {"handlers_hang, time_limit: 0.2 s", "did not answer within 0.2 s"},
      {"throw", "threw a C++ exception"},
      {"quick_exit", "ended its process with exit(0)"},
      {"kill_group", "was killed"}};
  for (const auto& [how, words] : cases) {
    for (const char* clock : {"", ", sample: 5 ms"}) {
      folder_.write("m.yaml",
                    model("path: vendor/libwild.so, config: " + std::string(how) + clock));
      const ProgramResult result = run({"run", "m.yaml"});
      EXPECT_EQ(result.exitCode, 3) << how << result.errors;
      EXPECT_NE(result.errors.find(words), std::string::npos) << how << result.errors;
      EXPECT_NE(result.errors.find("black box 'ctl' "), std::string::npos) << result.errors;
      const results::Result data = results::readResult(folder_.file("out/m/result.h5"));
      ASSERT_GE(data.time.size(), 100u) << how;
      EXPECT_NEAR(data.time.back(), 1.0, 1e-9) << how;
    }
  }
}

TEST_F(BoxRun, WhatABoxDoesToItsOwnProcessDoesNotShow) {
  fs::copy_file(boxFile("wild"), folder_.file("vendor/libwild.so"));
  for (const char* how : {"print", "close", "thread", "static_thread", "handlers", "modes"}) {
    folder_.write("m.yaml", model("path: vendor/libwild.so, config: " + std::string(how)));
    const ProgramResult result = run({"run", "m.yaml", "--csv", "-", "--quiet"});
    EXPECT_EQ(result.exitCode, 0) << how << result.errors;
    EXPECT_EQ(result.out.find("box prints"), std::string::npos) << "the table is not interrupted";
    EXPECT_NE(result.out.find("\n2,"), std::string::npos) << how;
    EXPECT_TRUE(results::readResult(folder_.file("out/m/result.h5")).complete) << how;
  }
}

// Threads that still run at the end of the program.
TEST_F(BoxRun, ThreadsOfABoxDoNoHarmAtTheEnd) {
  for (const char* isolate : {"true", "false"}) {
    for (const auto& [library, config] : {std::pair("thread", "none"), std::pair("wild", "thread"),
                                          std::pair("wild", "static_thread")}) {
      folder_.write("m.yaml", model("path: " + boxFile(library) + ", isolate: " + isolate +
                                    ", config: " + config));
      const ProgramResult result = run({"run", "m.yaml", "--json", "-"});
      EXPECT_EQ(result.exitCode, 0) << library << ' ' << config << result.errors;
      EXPECT_EQ(result.errors.find("terminate"), std::string::npos) << result.errors;
      EXPECT_NE(result.out.find("\"ctl.force\": 6.0"), std::string::npos) << result.out;
      EXPECT_TRUE(results::readResult(folder_.file("out/m/result.h5")).complete);
    }
  }
}

TEST_F(BoxRun, ATimeLimitThatCannotBeKeptIsReported) {
  folder_.write("m.yaml", model("path: vendor/libcrash.so, isolate: false, time_limit: 1 s"));
  const ProgramResult result = run({"check", "m.yaml"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_NE(result.errors.find("'time_limit' has no effect with 'isolate: false'"),
            std::string::npos)
      << result.errors;
}

TEST_F(BoxRun, ARunThatWaitsForABoxStopsWhenAsked) {
  fs::copy_file(boxFile("wild"), folder_.file("vendor/libwild.so"));
  folder_.write("m.yaml",
                model("path: vendor/libwild.so, time_limit: 1000 s, config: hang") + "title: m\n");
  const pid_t program = testing::startProgram({"run", "m.yaml"}, folder_.file(""));
  std::this_thread::sleep_for(std::chrono::seconds(1));
  kill(program, SIGTERM);
  int status = 0;
  ASSERT_EQ(waitpid(program, &status, 0), program);
  EXPECT_TRUE(WIFEXITED(status)) << "it saved what there was";
  EXPECT_EQ(WEXITSTATUS(status), 4);
  const results::Result data = results::readResult(folder_.file("out/m/result.h5"));
  ASSERT_GE(data.time.size(), 100u);
  EXPECT_NEAR(data.time.back(), 1.0, 1e-9);
}

// L11. The library leaves a file as soon as it is loaded.
class BoxCode : public BoxRun {
 protected:
  void SetUp() override {
    fs::create_directories(folder_.file("vendor"));
    fs::copy_file(boxFile("marker"), folder_.file("vendor/libmarker.so"));
    folder_.write("m.yaml", kModel);
  }
  bool hasRun() { return fs::remove(folder_.file("box_was_here")); }

  static constexpr const char* kModel = R"(flexloop: 1
nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 1}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 100}}
sensors: {p: {measure: position, node: cart, direction: [1, 0, 0]}}
blocks:
  ctl: {type: library, path: vendor/libmarker.so, inputs: [p], outputs: [force]}
  slow: {type: library, path: vendor/libmarker.so, inputs: [p], outputs: [a], sample: 10 ms, initial: [3]}
  lag: {type: nonlinear, path: vendor/libmarker.so, inputs: [p], outputs: [force], states: 1, x0: [1]}
loads: {push: {node: cart, force: [1, 0, 0], signal: ctl}}
outputs: [p, ctl, slow, lag]
analysis: {time: {end: 0.1, step: 10 ms, record: {frames: true}}}
)";
};

TEST_F(BoxCode, CheckRunsNothingAndSaysSo) {
  for (const char* isolate : {"true", "false"}) {
    const std::string set = std::string("blocks.ctl.isolate=") + isolate;
    const ProgramResult result = run({"check", "m.yaml", "--json", "m.json", "--set", set});
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    EXPECT_FALSE(hasRun());
    EXPECT_NE(result.out.find("not checked  ctl slow lag: external code is not run here"),
              std::string::npos)
        << result.out;
    EXPECT_NE(result.out.find("states       1"), std::string::npos) << result.out;
    EXPECT_NE(readWhole(folder_.file("m.json")).find("\"not_checked\""), std::string::npos);
  }
  // What can be known without running it is found.
  const auto errors = [&](const char* set) {
    return run({"check", "m.yaml", "--set", set}).errors;
  };
  EXPECT_NE(errors("blocks.slow.initial=[1, 2]").find("'initial' has 2 entries"),
            std::string::npos);
  EXPECT_NE(errors("blocks.lag.x0=[1, 2]").find("'x0' has 2 entries"), std::string::npos);
  EXPECT_NE(errors("blocks.ctl.path=vendor/none.so").find("there is no file"), std::string::npos);
  EXPECT_FALSE(hasRun());
}

TEST_F(BoxCode, WhatOnlyLooksAtResultsRunsNothing) {
  EXPECT_EQ(run({"run", "m.yaml"}).exitCode, 0);
  EXPECT_TRUE(hasRun()) << "the test is able to see it";
  const std::string result = "out/m/result.h5";
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"export", result, "-o", "m.csv"},
                                             {"export", result, "-o", "m.mat"},
                                             {"export", result, "-o", "m.glb"},
                                             {"export", result, "-o", "m.pvd"},
                                             {"plot", result, "p"},
                                             {"schema"},
                                             {"manual", "pages"}}) {
    const ProgramResult done = run(words);
    EXPECT_EQ(done.exitCode, 0) << words[0] << done.errors;
    EXPECT_FALSE(hasRun()) << words[0];
  }
}

// Modes are computed, and a controller that is left out would give others: ω = √(k + 4).
TEST_F(BoxCode, ExportedModesAreThoseWithTheBox) {
  const ProgramResult result = run({"export", "m.yaml", "-o", "m.vtu", "--modes"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_TRUE(hasRun());
}

TEST_F(BoxRun, PathsAreRelativeToTheFileThatNamesThem) {
  folder_.write("vendor/part.yaml",
                "blocks: {ctl: {type: library, path: ./libcrash.so, inputs: [u], outputs: [y]}}\n");
  folder_.write(
      "m.yaml",
      "flexloop: 1\ninclude: [vendor/part.yaml]\nblocks: {u: {type: constant, value: 3}}\n"
      "outputs: [ctl]\nanalysis: {time: {end: 0.5, step: 0.1}}\n");
  const std::string above = folder_.file("");
  const ProgramResult result = run({"run", above + "/m.yaml", "--json", "-", "--quiet"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_NE(result.out.find("\"ctl\": 6.0"), std::string::npos) << result.out;
}

TEST_F(BoxRun, AMissingLibraryIsBadInput) {
  folder_.write("m.yaml", model("path: vendor/libother.so, sample: 5 ms"));
  const ProgramResult result = run({"check", "m.yaml"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_EQ(result.errors,
            "m.yaml:7:30: error: blocks.ctl: black box 'ctl': there is no file "
            "'vendor/libother.so'\n  hint: build the library, or correct 'path'\n");
}

TEST_F(BoxRun, AFaultEndsTheSearchForAnEquilibriumToo) {
  folder_.write(
      "m.yaml",
      "flexloop: 1\nblocks:\n  u: {type: constant, value: 1}\n  ctl: {type: library, path: " +
          boxFile("values") + ", inputs: [u], outputs: [a, b]}\noutputs: [ctl.a]\n");
  const ProgramResult result = run({"equilibrium", "m.yaml"});
  EXPECT_EQ(result.exitCode, 3);
  EXPECT_EQ(result.errors,
            "error: black box 'ctl' returned nan as output 2 in block_output at t = 0 s: not a "
            "finite number\n  hint: check its inputs and its 'config'\n");
}

TEST_F(BoxRun, ABoxThatCannotBeCalledAtTheStartIsSaid) {
  folder_.write("m.yaml", model("path: vendor/libcrash.so, config: create segv"));
  const ProgramResult result = run({"run", "m.yaml"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_NE(result.errors.find("black box 'ctl' crashed in block_create"), std::string::npos)
      << result.errors;
}

}  // namespace
}  // namespace flexloop
