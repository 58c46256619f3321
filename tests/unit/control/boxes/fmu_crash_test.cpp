// FMUs that fail in mid-run take their process along, and nothing else.
#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

struct Crash {
  int how;
  const char* message;
};

// The input passes one half at 0.5 s.
ModelRun runUntil(const std::string& file, const Crash& crash, const std::string& end = "1") {
  const bool isSampled = file.ends_with("cs.fmu");
  return tryModel("blocks:\n  r: {type: ramp, slope: 1}\n  v: {type: fmu, path: boxes/" + file +
                      ", inputs: {u: r}, parameters: {how: " + std::to_string(crash.how) + "}" +
                      (isSampled ? ", sample: 10 ms" : "") + ", time_limit: 0.3 s}\n",
                  "r, v", "end: " + end + ", step: 10 ms");
}

TEST(FmuCrash, EndsTheRunWithItsName) {
  for (const char* file : {"crash2_cs.fmu", "crash3_me.fmu"}) {
    for (const Crash& crash : {Crash{1, "SIGSEGV"}, Crash{2, "SIGABRT"}, Crash{3, "exit(3)"},
                               Crash{4, "did not answer within 0.3 s"}}) {
      const ModelRun run = runUntil(file, crash);
      ASSERT_TRUE(run.report.failure) << file << crash.how;
      EXPECT_TRUE(says(run.report.failure->message, "FMU 'v'")) << file;
      EXPECT_TRUE(says(run.report.failure->message, crash.message)) << file;
      // What was computed before is there: y is the integral of t.
      ASSERT_GT(run.times().size(), 40u) << file;
      EXPECT_NEAR(run.at(0.4, "v"), 0.08, 5e-3) << file;
    }
  }
}

// No failure of the numerics: a smaller step would end at the same time.
TEST(FmuCrash, MayAskForTheEnd) {
  const ModelRun run = runUntil("crash2_cs.fmu", {5, ""});
  ASSERT_TRUE(run.report.failure);
  EXPECT_TRUE(says(run.report.failure->message, "it asks to end the simulation"));
  EXPECT_TRUE(says(run.report.failure->hint, "end the run before that time"));
  EXPECT_NEAR(run.times().back(), 0.5, 0.031);
}

// What it gives at that time is the last that counts, and a run may end there.
TEST(FmuCrash, ARunMayEndWhereTheFmuEnds) {
  for (const char* file : {"crash2_cs.fmu", "crash3_me.fmu"}) {
    const ModelRun whole = runUntil(file, {6, ""}, "0.5");
    EXPECT_FALSE(whole.report.failure) << file << messageOf(whole.report.failure);
    EXPECT_EQ(whole.times().back(), 0.5);
    EXPECT_NEAR(whole.last("v"), 0.125, 5e-3) << file;
    const ModelRun longer = runUntil(file, {6, ""});
    ASSERT_TRUE(longer.report.failure) << file;
    EXPECT_TRUE(says(longer.report.failure->message, "has asked to end the simulation at t = 0.5"));
    EXPECT_TRUE(says(longer.report.failure->hint, "end the run there")) << file;
    EXPECT_EQ(longer.last("v"), whole.last("v")) << file;
  }
}

TEST(FmuCrash, AnotherRunStartsAnew) {
  const Crash fine{0, ""};
  EXPECT_TRUE(runUntil("crash3_me.fmu", {1, ""}).report.failure);
  const ModelRun run = runUntil("crash3_me.fmu", fine);
  EXPECT_FALSE(run.report.failure);
  EXPECT_NEAR(run.last("v"), 0.5, 1e-6);
}

}  // namespace
}  // namespace flexloop::test
