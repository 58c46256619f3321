// Machines made at random, and what each must satisfy (README.md). FLEXLOOP_SEED=17, or 100-199, runs others than the
// usual ones; FLEXLOOP_CHECK=order one check only; FLEXLOOP_WRITE=folder leaves the models there.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "random/checks.hpp"
#include "random/exclusions.hpp"

namespace flexloop::random {
namespace {

std::string setting(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

void checkSeed(std::uint64_t seed) {
  Study study(makeMachine(seed));
  if (const std::string folder = setting("FLEXLOOP_WRITE"); !folder.empty()) {
    std::ofstream(folder + "/seed" + std::to_string(seed) + ".yaml")
        << "flexloop: 1\n" << writeModel(study.machine(), {});
  }
  for (const Check& check : allChecks()) {
    if (const std::string only = setting("FLEXLOOP_CHECK"); !only.empty() && only != check.name) continue;
    if (isExcluded(check.name, study.machine())) continue;
    try {
      const bool applies = check.run(study);
      if (!setting("FLEXLOOP_SEED").empty()) {
        std::printf("seed %llu %s: %s\n", static_cast<unsigned long long>(seed), check.name.c_str(), applies ? "good" : "does not apply");
      }
    } catch (const Failure& failure) {
      ADD_FAILURE() << "seed " << seed << " " << check.name << ": " << failure.what()
                    << "\n  again: FLEXLOOP_SEED=" << seed << " FLEXLOOP_CHECK=" << check.name
                    << " flexloop_random_tests --gtest_filter=RandomMachine.OfTheSeed";
    }
  }
}

TEST(RandomMachine, OfTheSeed) {
  std::istringstream text(setting("FLEXLOOP_SEED"));
  std::uint64_t from = 0, to = 0;
  if (!(text >> from)) GTEST_SKIP() << "FLEXLOOP_SEED gives a seed or a range";
  if (char dash = 0; !(text >> dash >> to)) to = from;
  for (std::uint64_t seed = from; seed <= to; ++seed) checkSeed(seed);
}

// Batches, so that the cores share them.
constexpr int kQuickBatch = 5, kSlowBatch = 50;

class RandomMachines : public ::testing::TestWithParam<int> {};
TEST_P(RandomMachines, AreRight) {
  for (int i = 0; i < kQuickBatch; ++i) checkSeed(GetParam() * kQuickBatch + i + 1);
}
INSTANTIATE_TEST_SUITE_P(Quick, RandomMachines, ::testing::Range(0, 6));

class RandomMachinesSlow : public ::testing::TestWithParam<int> {};
TEST_P(RandomMachinesSlow, AreRight) {
  for (int i = 0; i < kSlowBatch; ++i) checkSeed(GetParam() * kSlowBatch + i + 1);
}
INSTANTIATE_TEST_SUITE_P(All, RandomMachinesSlow, ::testing::Range(0, 20));

}  // namespace
}  // namespace flexloop::random
