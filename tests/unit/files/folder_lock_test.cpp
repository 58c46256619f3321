#include "files/folder_lock.hpp"

#include <csignal>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace flexloop::files {
namespace {

using testing::TemporaryFolder;

std::string refusalOf(const std::string& folder) {
  try {
    const FolderLock lock(folder);
  } catch (const std::runtime_error& refusal) {
    return refusal.what();
  }
  return {};
}

TEST(FolderLock, TheSecondIsToldWhoHasIt) {
  const TemporaryFolder folder;
  const std::string place = folder.file("new/results");
  std::optional<FolderLock> lock(place);
  const std::string refusal = refusalOf(place);
  EXPECT_NE(refusal.find(place), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("process " + std::to_string(getpid()) + " on "), std::string::npos)
      << refusal;
  EXPECT_NE(refusal.find(" since 2"), std::string::npos) << refusal;
  EXPECT_EQ(refusalOf(folder.file("other")), "");
  lock.reset();
  EXPECT_EQ(refusalOf(place), "");
  EXPECT_TRUE(std::filesystem::is_empty(place));
}

TEST(FolderLock, AKilledOwnerIsNoObstacle) {
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const FolderLock lock(folder.file(""));
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(std::filesystem::exists(folder.file("run.lock")));
  EXPECT_EQ(refusalOf(folder.file("")), "");
}

TEST(FolderLock, SaysWhyAFolderCannotBeUsed) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "x");
  EXPECT_NE(refusalOf(file + "/results").find("cannot be created"), std::string::npos);
  EXPECT_NE(refusalOf("/proc/results").find("'/proc/results' cannot be created"),
            std::string::npos);
  EXPECT_NE(refusalOf(file).find("cannot be"), std::string::npos);
}

}  // namespace
}  // namespace flexloop::files
