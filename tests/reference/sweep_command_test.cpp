// `flexloop sweep` and `flexloop modes --sensitivity` as their users see them: a mass with
// s³ + 10 s² + 16 s + ki = 0, stable up to ki = 160.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using testing::ProgramResult;
using testing::readWhole;
using testing::TemporaryFolder;

class SweepCommand : public ::testing::Test {
 protected:
  ProgramResult run(const std::string& command, std::vector<std::string> words) {
    words.insert(words.begin(), {command, test::inProject("models/pid_integral/model.yaml")});
    return testing::runProgram(words, folder_.file(""));
  }

  void expectRefused(const std::vector<std::string>& words, const char* why) {
    const ProgramResult result = run("sweep", words);
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_NE(result.errors.find(why), std::string::npos) << result.errors;
  }

  TemporaryFolder folder_;
};

void expectParts(const std::string& text, const std::vector<const char*>& parts) {
  for (const char* part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST_F(SweepCommand, FindsTheLimitOfStability) {
  const ProgramResult result =
      run("sweep", {"-p", "ki=20:310:4", "--find-stability-limit", "ki", "--quiet"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  expectParts(result.out, {"stability limit: ki = 160,", "0.6366198 Hz", "unstable above"});
  expectParts(run("sweep", {"-p", "ki=20:120:4", "--find-stability-limit", "ki"}).out,
              {"no stability limit for ki from 20 to 120: of 4 points, 4 are stable"});
}

TEST_F(SweepCommand, ModesFindTheLimitOfStabilityToo) {
  // With the range, and from a hundredth to a hundred times the value in the model.
  for (const char* search : {"ki=20:310", "ki=310:20:4", "ki"}) {
    const ProgramResult result =
        run("modes", {"--find-stability-limit", search, "--quiet", "--json", "m.json"});
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    expectParts(result.out, {"stability limit: ki = 160, mode (motion of mass", "0.6366198 Hz",
                             "unstable above"});
    const auto json = nlohmann::json::parse(readWhole(folder_.file("m.json")));
    ASSERT_EQ(json["stability_limits"].size(), 1u);
    EXPECT_NEAR(json["stability_limits"][0]["value"], 160.0, 1e-9);
    EXPECT_NEAR(json["stability_limits"][0]["eigenvalue"][1], 4.0, 1e-9);
    EXPECT_EQ(json["modes"].size(), 2u);
  }
  expectParts(run("modes", {"--find-stability-limit", "ki=20:120"}).out,
              {"no stability limit for ki from 20 to 120: of 41 points, 41 are stable"});
}

TEST_F(SweepCommand, ModesRefuseALimitThatCannotBeSearched) {
  const auto expectMessage = [&](std::vector<std::string> words, const char* why) {
    words.insert(words.begin(), "--find-stability-limit");
    const ProgramResult result = run("modes", words);
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_NE(result.errors.find(why), std::string::npos) << result.errors;
  };
  expectMessage({"kj=1:2"}, "did you mean 'ki'?");
  expectMessage({"ki=5"}, "no range is given");
  expectMessage({"ki=1:x"}, "'x' is not a number");
  expectMessage({"reference"}, "its value is 0");
  expectMessage({"ki", "--compare"}, "--compare cannot be combined with a stability limit");
}

TEST_F(SweepCommand, WritesFilesAndFigures) {
  EXPECT_EQ(run("sweep", {"-p", "ki=80:320:4", "--csv", "s.csv", "--json", "s.json", "--svg",
                          "s.svg", "--figure", "locus"})
                .exitCode,
            0);
  expectParts(readWhole(folder_.file("s.csv")),
              {"ki,track,frequency_hz,damping_ratio,re,im,stable,message\n", "\n320,"});
  expectParts(readWhole(folder_.file("s.json")),
              {"\"points\"", "\"track\": 2", "\"complete\": true"});
  expectParts(readWhole(folder_.file("s.svg")),
              {"imaginary part", "from 80 (circles) to 320", "<circle", "mode 2", "</svg>"});
  EXPECT_EQ(run("sweep", {"-p", "ki=80:320:3", "--set", "springs.wall.damping=4:12:3", "--svg",
                          "map.svg", "--quiet"})
                .exitCode,
            0);
  expectParts(readWhole(folder_.file("map.svg")), {"springs.wall.damping", "#d9655b", "rgb("});
}

TEST_F(SweepCommand, KeepsPointsThatFail) {
  const ProgramResult result =
      run("sweep", {"--set", "bodies.mass.mass=-1:1:2", "--do", "equilibrium", "--csv", "-"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  expectParts(result.out, {"bodies.mass.mass,x,x.rate,pid,message\n", "-1,,,,\"", "\n1,"});
}

TEST_F(SweepCommand, RefusesWhatItCannotDo) {
  expectRefused({}, "no range is given");
  expectRefused({"-p", "ki=0:10"}, "a range needs a count");
  expectRefused({"-p", "ki=0:10:1"}, "not a whole number from 2 to 1000000");
  expectRefused({"-p", "ki=0:x:3"}, "'x' is not a number");
  expectRefused({"-p", "ki=0:10:3", "--log"}, "ends of the same sign");
  expectRefused({"-p", "kj=0:10:3"}, "did you mean 'ki'?");
  expectRefused({"-p", "ki=0:10:3", "--do", "tea"},
                "known: modes, equilibrium, run, frf, linearize");
  expectRefused({"-p", "ki=0:10:3", "--find-stability-limit", "v0"}, "a range of this parameter");
}

TEST_F(SweepCommand, ModesTellWhatMattersToThem) {
  const ProgramResult result =
      run("modes", {"--sensitivity", "1", "--of", "springs.wall.stiffness", "--json", "m.json"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  // dλ/dki = −1/(3λ² + 20λ + 16); one percent of 80 moves the pair by 0.0022 Hz.
  expectParts(result.out, {"changes per 1 %", "0.00222903"});
  expectParts(readWhole(folder_.file("m.json")),
              {"\"sensitivities\"", "\"springs.wall.stiffness\"", "\"skipped_parameters\""});
  const ProgramResult wrong = run("modes", {"--of", "springs.wall.direction"});
  EXPECT_EQ(wrong.exitCode, 2);
  expectParts(wrong.errors, {"is not a single number"});
}

}  // namespace
}  // namespace flexloop
