// `flexloop identify` as users see it.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/box_file.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using testing::boxFile;
using testing::ProgramResult;
using testing::runProgram;

class IdentifyCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("m.yaml",
                  "flexloop: 1\nblocks:\n  r: {type: sine, amplitude: 1, frequency: 1}\n"
                  "  box: {type: library, path: " +
                      boxFile("gains") +
                      ", inputs: [-r], outputs: [u], config: \"kp=100 ki=20 kd=6\"}\n"
                      "  still: {type: library, path: " +
                      boxFile("cubic") +
                      ", inputs: [r, r], outputs: [a, b]}\n"
                      "analysis: {time: {end: 1, step: 0.01}}\n");
  }
  ProgramResult run(std::vector<std::string> words) {
    words.insert(words.begin(), {"identify", "m.yaml"});
    return runProgram(words, folder_.file(""));
  }

  testing::TemporaryFolder folder_;
};

TEST_F(IdentifyCommand, WritesATableAndJson) {
  const ProgramResult table = run({"--block", "box", "--at", "0.3"});
  EXPECT_EQ(table.exitCode, 0) << table.errors;
  EXPECT_NE(table.out.find("box: gains by perturbation at 0.3 s (steps of 0.001 s)"),
            std::string::npos)
      << table.out;
  const ProgramResult result =
      run({"--block", "box", "--order", "integrals", "--json", "-", "--quiet"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["block"], "box");
  ASSERT_EQ(json["gains"].size(), 1u);
  const auto& gains = json["gains"][0];
  EXPECT_EQ(gains["input"], "-r");
  EXPECT_EQ(gains["output"], "box");
  EXPECT_NEAR(gains["kp"].get<double>(), 100, 1e-8);
  EXPECT_NEAR(gains["ki"].get<double>(), 20, 1e-5);
  EXPECT_NEAR(gains["kd"].get<double>(), 6, 1e-9);
  EXPECT_TRUE(gains.contains("kiii"));
  EXPECT_LT(json["residual"].get<double>(), 1e-9);
}

TEST_F(IdentifyCommand, SaysWhatIsWrong) {
  const auto errors = [&](const std::vector<std::string>& words) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exitCode, 2);
    return result.errors;
  };
  EXPECT_EQ(errors({"--block", "bax"}),
            "error: --block: the model has no block 'bax'\n  hint: did you mean 'box'?\n");
  EXPECT_EQ(errors({"--block", "still"}),
            "error: black box 'still' cannot be perturbed: it has no block_save and "
            "block_restore\n  hint: export both from the library\n");
  EXPECT_EQ(errors({"--block", "box", "--order", "pd"}),
            "error: --order: there is no 'pd'\n  hint: known: pid, integrals, derivatives\n");
  EXPECT_EQ(errors({"--block", "box", "--delta", "0"}),
            "error: --delta must be above 0 and at most 1\n  hint: 0.1 is typical\n");
  EXPECT_EQ(errors({"--block", "box", "--at", "0.1", "--about", "initial"}),
            "error: --at cannot be combined with --about\n  hint: give only one of them\n");
  EXPECT_NE(errors({}).find("--block is required"), std::string::npos);
}

}  // namespace
}  // namespace flexloop
