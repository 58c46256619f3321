// Runs with black boxes as users see them: paths, exit codes, messages, and what is on disk afterwards.
#include <filesystem>

#include <gtest/gtest.h>

#include "io/result_reader.hpp"
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
                          "config: segv", "config: loop, time_limit: 0.2 s"}) {
    folder_.write("m.yaml", model("path: vendor/libcrash.so, " + std::string(how)));
    const ProgramResult result = run({"run", "m.yaml", "--csv", "m.csv"});
    EXPECT_EQ(result.exitCode, 3) << result.errors;
    EXPECT_NE(result.errors.find("error: at t = 1"), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("black box 'ctl' "), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find(" in block_output at t = 1.0"), std::string::npos)
        << result.errors;
    EXPECT_NE(result.errors.find("the results up to then are in out/m/result.h5"),
              std::string::npos)
        << result.errors;
    EXPECT_EQ(result.errors.find("a smaller rho"), std::string::npos) << "no help against a crash";
    const io::Result data = io::readResult(folder_.file("out/m/result.h5"));
    EXPECT_FALSE(data.complete);
    ASSERT_GE(data.time.size(), 100u);
    EXPECT_NEAR(data.time.back(), 1.0, 1e-9);
    EXPECT_NEAR(data.values[0].back(), 3.0, 1e-9) << "½ 6 t²";
    EXPECT_NE(readWhole(folder_.file("m.csv")).find("\n1,"), std::string::npos);
  }
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
            "'vendor/libother.so'\n  hint: build the library, or mend 'path'\n");
}

TEST_F(BoxRun, AFaultEndsTheSearchForAnEquilibriumToo) {
  folder_.write(
      "m.yaml",
      "flexloop: 1\nblocks:\n  u: {type: constant, value: 1}\n  ctl: {type: library, path: " +
          boxFile("values") + ", inputs: [u], outputs: [a, b]}\noutputs: [ctl.a]\n");
  const ProgramResult result = run({"equilibrium", "m.yaml"});
  EXPECT_EQ(result.exitCode, 3);
  EXPECT_EQ(
      result.errors,
      "error: black box 'ctl' returned nan as output 2 in block_output at t = 0 s: not a finite "
      "number\n  hint: look at its inputs and its 'config'\n");
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
