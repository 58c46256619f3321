#include "files/commit_file.hpp"

#include <cerrno>
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace flexloop::files {
namespace {

using testing::readWhole;
using testing::TemporaryFolder;

std::string readThrough(const CommitFile& file, std::size_t size) {
  std::string bytes(size, '?');
  EXPECT_TRUE(file.read(0, bytes));
  return bytes;
}

std::string readThrough(const std::string& path, std::size_t size) {
  return readThrough(CommitFile(path, CommitFile::Use::kRead), size);
}

constexpr std::size_t kSize = 64;
const std::string kOld(kSize, 'o');
const std::string kData(16, 'd');

std::string newState() {
  std::string state = kOld + kData;
  state.replace(0, 8, "new head");
  state.replace(40, 5, "table");
  return state;
}

// The bytes of a file whose process was killed when the journal was whole and none of the changes were in their places.
std::string journaledState(const TemporaryFolder& folder) {
  CommitFile file(folder.file("f"), CommitFile::Use::kCreate);
  file.setEnd(kSize);
  file.change(0, kOld);
  file.commit(false);
  file.setEnd(kSize + kData.size());
  file.writeData(kSize, kData);
  file.change(0, std::string("new head"));
  file.change(40, std::string("table"));
  EXPECT_EQ(readThrough(file, newState().size()), newState());
  file.commit(true);
  EXPECT_EQ(file.error(), 0);
  std::string bytes = readWhole(folder.file("f"));
  EXPECT_EQ(bytes.substr(0, newState().size()), newState());
  return bytes.replace(0, kSize, kOld);
}

TEST(CommitFile, AWholeJournalIsTheNewState) {
  const TemporaryFolder folder;
  const std::string path = folder.write("killed", journaledState(folder));
  EXPECT_TRUE(CommitFile(path, CommitFile::Use::kRead).hasJournal());
  EXPECT_EQ(readThrough(path, newState().size()), newState());
  EXPECT_EQ(readThrough(folder.file("f"), newState().size()), newState());
}

TEST(CommitFile, AJournalThatIsCutOffIsTheOldState) {
  const TemporaryFolder folder;
  const std::string bytes = journaledState(folder);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string path = folder.write("killed", bytes.substr(0, size));
    ASSERT_FALSE(CommitFile(path, CommitFile::Use::kRead).hasJournal()) << size;
    ASSERT_EQ(readThrough(path, std::min(size, kSize)), kOld.substr(0, size));
  }
}

TEST(CommitFile, AJournalWithAWrongByteIsTheOldState) {
  const TemporaryFolder folder;
  const std::string bytes = journaledState(folder);
  for (std::size_t at = kSize + kData.size(); at < bytes.size(); ++at) {
    std::string wrong = bytes;
    wrong[at] = static_cast<char>(wrong[at] ^ 0x10);
    ASSERT_EQ(readThrough(folder.write("wrong", wrong), kSize), kOld) << at;
  }
}

TEST(CommitFile, NothingIsBehindTheEndOfAFinishedFile) {
  const TemporaryFolder folder;
  CommitFile file(folder.file("f"), CommitFile::Use::kCreate);
  file.setEnd(8);
  file.change(0, std::string("finished"));
  file.finish();
  EXPECT_EQ(readWhole(folder.file("f")), "finished");
}

// Changes and data that overlap in every way, beside plain memory.
TEST(CommitFile, LaterBytesReplaceEarlierOnes) {
  const TemporaryFolder folder;
  CommitFile file(folder.file("f"), CommitFile::Use::kCreate);
  std::mt19937 random(7);
  std::string expected(400, '\0');
  file.setEnd(expected.size());
  for (int i = 0; i < 3000; ++i) {
    const std::size_t offset = random() % expected.size();
    const std::size_t size = 1 + random() % std::min<std::size_t>(expected.size() - offset, 60);
    const std::string bytes(size, static_cast<char>('a' + i % 26));
    expected.replace(offset, size, bytes);
    if (random() % 3 == 0) {
      file.writeData(offset, bytes);
    } else {
      file.change(offset, bytes);
    }
    if (random() % 50 == 0) file.commit(false);
    ASSERT_EQ(readThrough(file, expected.size()), expected) << i;
  }
  file.finish();
  EXPECT_EQ(readWhole(folder.file("f")), expected);
}

TEST(CommitFile, DataOfTheCommittedStateChangeWithTheNextOne) {
  const TemporaryFolder folder;
  CommitFile file(folder.file("f"), CommitFile::Use::kCreate);
  file.setEnd(4);
  file.writeData(0, std::string("row1"));
  file.commit(false);
  file.setEnd(8);
  file.writeData(3, std::string("2"));
  file.writeData(4, std::string("row3"));
  EXPECT_EQ(readThrough(folder.file("f"), 4), "row1");
  EXPECT_EQ(readThrough(file, 8), "row2row3");
  file.finish();
  EXPECT_EQ(readWhole(folder.file("f")), "row2row3");
}

TEST(CommitFile, KeepsTheFirstFailureAndStopsWriting) {
  CommitFile file("/dev/full", CommitFile::Use::kCreate);
  EXPECT_EQ(file.error(), 0);
  file.writeData(0, std::string("x"));
  EXPECT_EQ(file.error(), ENOSPC);
  file.finish();
  EXPECT_EQ(file.error(), ENOSPC);
  EXPECT_EQ(CommitFile("/nowhere/f", CommitFile::Use::kCreate).error(), ENOENT);
}

}  // namespace
}  // namespace flexloop::files
