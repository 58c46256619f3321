// The cache of reduced parts, as several programs use it at once.
#include <csignal>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModel = R"(flexloop: 1
materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}
parts:
  arm:
    block: {size: [400 mm, 30 mm, 20 mm], elements: [12, 2, 2]}
    material: alu
    interfaces: {root: {set: x0}, tip: {set: x1}}
    modes: 8
joints: {base: {type: weld, between: [ground, arm.root]}}
)";

int countFiles(const std::string& folder, const std::string& ending) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().string().ends_with(ending)) ++count;
  }
  return count;
}

// Four programs that want the same part from an empty cache: each gets it, one file is left, and all say the same.
TEST(PartCacheAtOnce, SeveralProgramsLeaveOneWholePart) {
  const TemporaryFolder folder;
  folder.write("arm.yaml", kModel);
  fs::create_directory(folder.file("cache"));
  setenv("FLEXLOOP_CACHE", folder.file("cache").c_str(), 1);
  constexpr int kPrograms = 4;
  std::vector<pid_t> started;
  for (int i = 0; i < kPrograms; ++i) {
    started.push_back(startProgram({"modes", "arm.yaml", "--count", "4", "--quiet", "--json",
                                    "modes" + std::to_string(i) + ".json"},
                                   folder.file("")));
  }
  for (const pid_t program : started) {
    int status = -1;
    ASSERT_EQ(waitpid(program, &status, 0), program);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  unsetenv("FLEXLOOP_CACHE");
  EXPECT_EQ(countFiles(folder.file("cache"), ".h5"), 1);
  EXPECT_EQ(countFiles(folder.file("cache"), ".tmp"), 0);
  const std::string first = readWhole(folder.file("modes0.json"));
  EXPECT_NE(first.find("frequency_hz"), std::string::npos);
  for (int i = 1; i < kPrograms; ++i) {
    EXPECT_EQ(readWhole(folder.file("modes" + std::to_string(i) + ".json")), first) << i;
  }
}

// What is in the cache under the name of a part need not be that part: it is looked into before it is taken.
TEST(PartCacheAtOnce, AForeignEntryIsReplaced) {
  const TemporaryFolder folder;
  folder.write("arm.yaml", kModel);
  setenv("FLEXLOOP_CACHE", folder.file("cache").c_str(), 1);
  const std::vector<std::string> words{"modes",  "arm.yaml", "--count", "4",
                                       "--json", "-",        "--quiet"};
  const ProgramResult first = runProgram(words, folder.file(""));
  ASSERT_EQ(first.exitCode, 0) << first.errors;
  std::string entry;
  for (const auto& file : fs::directory_iterator(folder.file("cache"))) {
    if (file.path().extension() == ".h5") entry = file.path().string();
  }
  const std::string whole = readWhole(entry);
  folder.write("cache/" + fs::path(entry).filename().string(), whole.substr(0, whole.size() / 2));
  const ProgramResult second = runProgram(words, folder.file(""));
  unsetenv("FLEXLOOP_CACHE");
  EXPECT_EQ(second.exitCode, 0) << second.errors;
  EXPECT_EQ(second.out, first.out);
  EXPECT_EQ(readWhole(entry), whole);
}

bool hasPiece(const std::string& folder) {
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; ++at) {
    if (at->path().extension() == ".piece") return true;
  }
  return false;
}

// 60,000 freedoms: stages of seconds. Interrupted when the first of them is done, the reduction goes on there; the numbers are
// those of one that was left alone.
TEST(PartCacheSlow, AnInterruptedReductionGoesOn) {
  const TemporaryFolder folder;
  folder.write("block.yaml",
               "flexloop: 1\n"
               "materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7850}}\n"
               "parts: {block: {block: {size: [2, 1, 1], elements: [26, 13, 13]}, material: steel,"
               " interfaces: {foot: {set: x0}, top: {set: x1}}, modes: 10}}\n");
  const std::string cache = folder.file("cache");
  fs::create_directory(cache);
  const std::vector<std::string> words{"reduce", "block.yaml", "--quiet", "--json", "block.json"};
  setenv("FLEXLOOP_CACHE", cache.c_str(), 1);
  const pid_t started = startProgram(words, folder.file(""));
  for (int wait = 0; wait < 6000 && !hasPiece(cache); ++wait) usleep(50'000);
  ASSERT_TRUE(hasPiece(cache));
  kill(started, SIGINT);
  int status = 0;
  ASSERT_EQ(waitpid(started, &status, 0), started);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 4);
  EXPECT_FALSE(fs::exists(folder.file("block.json")));
  const ProgramResult again = runProgram(words, folder.file(""));
  ASSERT_EQ(again.exitCode, 0) << again.errors;
  EXPECT_FALSE(hasPiece(cache));
  const std::string continued = readWhole(folder.file("block.json"));
  setenv("FLEXLOOP_CACHE", "off", 1);
  const ProgramResult alone = runProgram(words, folder.file(""));
  unsetenv("FLEXLOOP_CACHE");
  ASSERT_EQ(alone.exitCode, 0) << alone.errors;
  EXPECT_EQ(readWhole(folder.file("block.json")), continued);
  EXPECT_LT(again.cpuSeconds, alone.cpuSeconds);
}

}  // namespace
}  // namespace flexloop::testing
