// The large arm with a damper that is scheduled over both joint angles: what was designed with two elements for each link damps the
// arm with eight of them, between the angles of the design, at which the arm has hardly any damping of its own.
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

struct Swings {
  bool isStable = true;
  double first = 1.0, second = 1.0;  // damping ratios from 2 Hz to 5 Hz, and from 5 Hz to 10 Hz
};

Swings findSwings(const std::string& file, const std::vector<std::string>& parameters) {
  const testing::TemporaryFolder folder;
  std::vector<std::string> words{"modes", test::inProject("models/ralf/" + file), "--quiet",
                                 "--json", "-"};
  for (const std::string& parameter : parameters) words.insert(words.end(), {"-p", parameter});
  const testing::ProgramResult result = testing::runProgram(words, folder.file(""));
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  const auto report = nlohmann::ordered_json::parse(result.out, nullptr, false);
  EXPECT_FALSE(report.is_discarded());
  Swings found;
  for (const auto& mode : report["modes"]) {
    const double hz = mode["frequency_hz"], damping = mode["damping_ratio"];
    found.isStable = found.isStable && mode["stable"].get<bool>();
    if (hz > 2.0 && hz < 5.0) found.first = std::min(found.first, damping);
    if (hz > 5.0 && hz < 10.0) found.second = std::min(found.second, damping);
  }
  return found;
}

TEST(Ralf, DamperOverBothAngles) {
  const std::vector<std::string> between{"theta1=60", "theta2=-10"},
      other{"theta1=50", "theta2=-45"}, loaded{"theta1=60", "theta2=-10", "payload=5"};
  const Swings alone = findSwings("slow.yaml", between);
  EXPECT_TRUE(alone.isStable);
  EXPECT_LT(alone.first, 0.01);
  EXPECT_LT(alone.second, 0.01);
  for (const auto& angles : {between, other, loaded}) {
    const Swings damped = findSwings("damper.yaml", angles);
    EXPECT_TRUE(damped.isStable) << angles[0];
    EXPECT_GT(damped.first, 0.3) << angles[0];
    EXPECT_GT(damped.second, 0.2) << angles[0];
  }
}

}  // namespace
}  // namespace flexloop
