// `flexloop equilibrium --steady` as its users see it.
#include <cmath>
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

constexpr double kInch = 0.0254;

ProgramResult runSweptTip(std::vector<std::string> words) {
  words.insert(words.begin(),
               {"equilibrium", test::inProject("models/swept_tip/model.yaml"), "--steady"});
  const testing::TemporaryFolder folder;
  return testing::runProgram(words, folder.file(""));
}

// Sweep of 45° at 750 rpm: the tip moves by (0.05739858, 0.18483540, 0) inch from (34 + 6/√2, −6/√2, 0), by the
// independent program of models/swept_tip.
TEST(SteadyCommand, FindsTheBladeBentByItsTurning) {
  const ProgramResult result = runSweptTip({"--json", "-", "--quiet"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  const nlohmann::json outputs = nlohmann::json::parse(result.out)["outputs"];
  const double side = 6.0 / std::sqrt(2.0);
  EXPECT_NEAR(outputs["tip.x"], (34.0 + side + 0.05739858) * kInch, 1e-7);
  EXPECT_NEAR(outputs["tip.y"], (-side + 0.18483540) * kInch, 1e-7);
  EXPECT_NEAR(outputs["tip.z"], 0.0, 1e-12);
}

TEST(SteadyCommand, SaysWhatItHasFound) {
  const ProgramResult turning = runSweptTip({});
  EXPECT_NE(turning.out.find(": steady motion (iterations: "), std::string::npos) << turning.out;
  const ProgramResult still = runSweptTip({"-p", "rpm=0"});
  EXPECT_NE(still.out.find(": equilibrium, stable (iterations: "), std::string::npos) << still.out;
}

TEST(SteadyCommand, RefusesABladeThatGoesUpAndDown) {
  const ProgramResult result = runSweptTip({"--set", "gravity=[0, -9.81, 0]"});
  EXPECT_EQ(result.exitCode, 3);
  EXPECT_NE(result.errors.find("steady motion"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("'--at TIME'"), std::string::npos) << result.errors;
}

}  // namespace
}  // namespace flexloop
