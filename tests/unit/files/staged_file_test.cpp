// Files get their names when they are whole, and what is no file is left alone.
#include <filesystem>
#include <stdexcept>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "files/staged_file.hpp"
#include "support/message_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::files {
namespace {

namespace fs = std::filesystem;
using test::says;
using testing::TemporaryFolder;

template <class Action>
std::string complaintOf(const Action& action) {
  try {
    action();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

std::size_t countFiles(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder.file("")), fs::directory_iterator()));
}

TEST(StagedFile, LeavesNothingUnlessItIsCommitted) {
  const TemporaryFolder folder;
  {
    const StagedFile staged(folder.file("a"));
    folder.write(fs::path(staged.name()).filename().string(), "half");
  }
  EXPECT_EQ(countFiles(folder), 0U);
  StagedFile staged(folder.file("a"));
  folder.write(fs::path(staged.name()).filename().string(), "whole");
  EXPECT_FALSE(fs::exists(folder.file("a")));
  staged.commit();
  EXPECT_EQ(testing::readWhole(folder.file("a")), "whole");
  EXPECT_EQ(countFiles(folder), 1U);
}

// As root, /dev/null would be replaced by a file.
TEST(StagedFile, DoesNotReplacePipesAndDevices) {
  const TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(says(complaintOf([&] { StagedFile staged(pipe); }), "a pipe or a device"));
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(countFiles(folder), 1U);
}

TEST(OutputFile, SaysBeforehandWhetherItCanBeWritten) {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("b"));
  EXPECT_EQ(complaintOf([&] { requireWritable(folder.file("a")); }), "none");
  EXPECT_EQ(complaintOf([&] { requireWritable("-"); }), "none");
  EXPECT_EQ(complaintOf([&] { requireWritable("/dev/null"); }), "none");
  EXPECT_TRUE(says(complaintOf([&] { requireWritable(folder.file("b")); }), "Is a directory"));
  const std::string nowhere = complaintOf([&] { requireWritable(folder.file("c/d")); });
  EXPECT_TRUE(says(nowhere, "does not exist"));
  EXPECT_TRUE(says(nowhere, "hint: create it first"));
  EXPECT_EQ(countFiles(folder), 1U);
}

}  // namespace
}  // namespace flexloop::files
