// Machines made at random, and what each must satisfy (README.md). FLEXLOOP_SEED=17, or 100-199, runs others than the
// usual ones; FLEXLOOP_CHECK=order one check only; FLEXLOOP_WRITE=folder leaves the models there, and FLEXLOOP_SHRINK=1 smaller
// ones with the same failure.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "random/checks.hpp"
#include "random/exclusions.hpp"
#include "random/shrink.hpp"

namespace flexloop::random {
namespace {

std::string setting(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

void write(const Machine& machine, const std::string& name) {
  const std::string folder = setting("FLEXLOOP_WRITE");
  if (folder.empty()) return;
  std::ofstream(folder + "/" + name + ".yaml") << "flexloop: 1\n" << writeModel(machine, {});
}

void runCheck(Study& study, const Check& check) {
  const std::string seed = std::to_string(study.machine().seed);
  try {
    const bool applies = check.run(study);
    if (setting("FLEXLOOP_SEED").empty()) return;
    std::printf("seed %s %s: %s\n", seed.c_str(), check.name.c_str(),
                applies ? "good" : "does not apply");
  } catch (const Failure& failure) {
    ADD_FAILURE() << "seed " << seed << " " << check.name << ": " << failure.what()
                  << "\n  again: FLEXLOOP_SEED=" << seed << " FLEXLOOP_CHECK=" << check.name
                  << " flexloop_random_tests --gtest_filter=RandomMachine.OfTheSeed";
    if (!setting("FLEXLOOP_SHRINK").empty())
      write(shrink(study.machine(), check), "small" + seed + "_" + check.name);
  }
}

void checkSeed(std::uint64_t seed) {
  Study study(makeMachine(seed));
  write(study.machine(), "seed" + std::to_string(seed));
  const std::string only = setting("FLEXLOOP_CHECK");
  for (const Check& check : allChecks()) {
    if (!only.empty() && only != check.name) continue;
    if (!isExcluded(check.name, study.machine())) runCheck(study, check);
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

// Jumps beside states right after the checkpoint, on nodes of which some freedoms are held.
TEST(RandomMachine, ResumesWithTheSameBits) {
  for (const std::uint64_t seed : {184, 512, 597, 717}) {
    Study study(makeMachine(seed));
    for (const Check& check : allChecks()) {
      if (check.name == "restart") runCheck(study, check);
    }
  }
}

// Iterations beside the kink of a dead zone, of which filters hang, did not end.
TEST(RandomMachine, PassesLocatedKinks) {
  for (const std::uint64_t seed : {86, 902}) {
    Study study(makeMachine(seed));
    EXPECT_NO_THROW(static_cast<void>(study.base())) << seed;
  }
}

// Round-off in stiff beams was taken for a blow where something without effect was switched.
TEST(RandomMachine, IsNotStruckByIdleParts) {
  for (const std::uint64_t seed : {67, 580}) {
    Study study(makeMachine(seed));
    for (const Check& check : allChecks()) {
      if (check.name == "idle_parts") runCheck(study, check);
    }
  }
}

class RandomMachinesSlow : public ::testing::TestWithParam<int> {};
TEST_P(RandomMachinesSlow, AreRight) {
  for (int i = 0; i < kSlowBatch; ++i) checkSeed(GetParam() * kSlowBatch + i + 1);
}
INSTANTIATE_TEST_SUITE_P(All, RandomMachinesSlow, ::testing::Range(0, 20));

}  // namespace
}  // namespace flexloop::random
