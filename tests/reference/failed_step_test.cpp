// The last iterate of a step without a solution is kept beside the results, and goes when a run succeeds.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/result_reader.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::testing {
namespace {

namespace fs = std::filesystem;

// A crank whose rod of half its length would have to become longer at 30 degrees.
constexpr const char* kCrank = R"(flexloop: 1
nodes: {crank: [0.1, 0, 0], rod: [0.25, 0, 0], slider: [0.3, 0, 0]}
bodies:
  crank: {node: crank, mass: 1, inertia: [0.01, 0.01, 0.01]}
  rod: {node: rod, mass: 1, inertia: [0.01, 0.01, 0.01]}
  slider: {node: slider, mass: 1, inertia: [0.01, 0.01, 0.01]}
joints:
  main: {type: hinge, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], drive: turn}
  pin: {type: hinge, between: [crank, rod], at: [0.2, 0, 0], axis: [0, 0, 1]}
  wrist: {type: hinge, between: [rod, slider], at: [0.3, 0, 0], axis: [0, 0, 1]}
  rail: {type: slider, between: [ground, slider], axis: [1, 0, 0]}
blocks: {turn: {type: ramp, slope: 1}}
sensors: {phi: {measure: angle, joint: main}}
analysis: {time: {end: 0.6, step: 2 ms, record: {every: 100}}}
)";

TEST(FailedStep, LeavesItsLastIterate) {
  const TemporaryFolder folder;
  folder.write("crank.yaml", kCrank);
  const ProgramResult failed =
      runProgram({"run", "crank.yaml", "--json", "run.json"}, folder.file(""));
  ASSERT_EQ(failed.exitCode, 3) << failed.errors;
  const std::string file = folder.file("out/crank/failed_step.h5");
  EXPECT_NE(
      failed.errors.find("the last iterate of the failed step is in out/crank/failed_step.h5"),
      std::string::npos)
      << failed.errors;
  const auto json = nlohmann::json::parse(readWhole(folder.file("run.json")));
  EXPECT_EQ(json.at("failed_step_file"), "out/crank/failed_step.h5");
  const results::Result kept = results::readResult(file);
  EXPECT_FALSE(kept.complete);
  const results::Result run = results::readResult(folder.file("out/crank/result.h5"));
  ASSERT_EQ(kept.time.size(), 2u);
  EXPECT_EQ(kept.time.front(), run.time.back());
  EXPECT_GT(kept.time.back(), kept.time.front());
  EXPECT_EQ(kept.nodes, run.nodes);
  // The crank is driven, so that even an iterate has it near its angle of 30 degrees.
  EXPECT_NEAR(kept.values.at(0).at(0), 0.5236, 2e-3);
  EXPECT_NE(kept.positions[kept.positions.size() - 3],
            kept.positions[kept.positions.size() / 2 - 3]);
  // It is a result for all that read results.
  EXPECT_EQ(runProgram({"export", file, "-o", "step.csv"}, folder.file("")).exitCode, 0);

  const ProgramResult whole =
      runProgram({"run", "crank.yaml", "--end", "0.1", "--quiet"}, folder.file(""));
  EXPECT_EQ(whole.exitCode, 0) << whole.errors;
  EXPECT_FALSE(fs::exists(file));
}

}  // namespace
}  // namespace flexloop::testing
