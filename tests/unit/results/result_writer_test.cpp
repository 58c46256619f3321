#include "results/result_writer.hpp"

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <malloc.h>
#include <numbers>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "files/file_lock.hpp"
#include "results/result_reader.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::results {
namespace {

using testing::readWhole;
using testing::TemporaryFolder;
using Frames = std::vector<math::Frame<double>>;

ResultHead sampleHead() {
  ResultHead head;
  head.version = "1.2.3";
  head.modelFile = "arm.yaml";
  head.modelText = "flexloop: 1\ntitle: µ-arm\n";
  head.title = "µ-arm";
  head.settings = "-p L=2\n";
  head.outputs = {"tip.x", "angle"};
  head.units = {"m", "rad"};
  return head;
}

void writeRecords(ResultWriter& writer, int count, int from = 0) {
  for (int i = from; i < from + count; ++i) {
    writer.write(0.1 * i, {std::sin(0.1 * i), 2.0 * i}, {});
  }
}

TEST(ResultWriter, WhatWasWrittenIsRead) {
  const TemporaryFolder folder;
  ResultWriter writer(folder.file("r.h5"), sampleHead());
  constexpr int kRecords = 10000;  // more than one flush
  writeRecords(writer, kRecords);
  writer.finish(true);
  const Result result = readResult(folder.file("r.h5"));
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.version, "1.2.3");
  EXPECT_EQ(result.modelFile, "arm.yaml");
  EXPECT_EQ(result.modelText, sampleHead().modelText);
  EXPECT_EQ(result.title, "µ-arm");
  EXPECT_EQ(result.settings, "-p L=2\n");
  EXPECT_EQ(result.outputs, (std::vector<std::string>{"tip.x", "angle"}));
  ASSERT_EQ(result.time.size(), static_cast<std::size_t>(kRecords));
  ASSERT_EQ(result.values[1].size(), result.time.size());
  for (int i = 0; i < kRecords; ++i) {
    ASSERT_EQ(result.time[i], 0.1 * i);
    ASSERT_EQ(result.values[0][i], std::sin(0.1 * i));
    ASSERT_EQ(result.values[1][i], 2.0 * i);
  }
}

TEST(ResultWriter, FramesArePositionsAndQuaternions) {
  const TemporaryFolder folder;
  ResultHead head = sampleHead();
  head.nodes = {"A", "B"};
  ResultWriter writer(folder.file("r.h5"), head);
  const double angle = 3.0 * std::numbers::pi / 4.0;
  Frames frames(3, math::Frame<double>::identity());
  frames[1].x = {1.0, 2.0, 3.0};
  frames[2].R = math::expSO3<double>({0.0, -angle, 0.0});
  writer.write(0.0, {0.0, 0.0}, frames);
  writer.finish(true);
  const Result result = readResult(folder.file("r.h5"));
  EXPECT_EQ(result.nodes, head.nodes);
  EXPECT_EQ(result.positions, (std::vector<double>{1.0, 2.0, 3.0, 0.0, 0.0, 0.0}));
  const std::vector<double> expected{
      1.0, 0.0, 0.0, 0.0, std::cos(angle / 2), 0.0, -std::sin(angle / 2), 0.0};
  ASSERT_EQ(result.rotations.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(result.rotations[i], expected[i], 1e-15);
  }
}

TEST(ResultWriter, HasItsNameOnlyWhenItIsFinished) {
  const TemporaryFolder folder;
  ResultWriter writer(folder.file("r.h5"), sampleHead());
  writeRecords(writer, 3);
  EXPECT_FALSE(std::filesystem::exists(folder.file("r.h5")));
  EXPECT_FALSE(readResult(folder.file("r.h5.partial")).complete);
  writer.finish(false);
  const Result result = readResult(folder.file("r.h5"));
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.time.size(), 3u);
  EXPECT_FALSE(std::filesystem::exists(folder.file("r.h5.partial")));
}

// Flushed never, and at odd moments a second later: neither time stamps nor the clock may show.
TEST(ResultWriter, SameInputSameBits) {
  const TemporaryFolder folder;
  ResultHead head = sampleHead();
  for (int i = 0; i < 20; ++i) head.nodes.push_back("node" + std::to_string(i));
  const Frames frames(21, math::Frame<double>::identity());
  for (const int interval : {100000, 37}) {
    ResultWriter writer(folder.file(std::to_string(interval)), head);
    for (int i = 0; i < 3000; ++i) {
      writer.write(0.1 * i, {std::sin(0.1 * i), 2.0 * i}, frames);
      if (i % interval == interval - 1) writer.flush();
    }
    writer.finish(true);
    if (interval == 100000) sleep(1);
  }
  const std::string first = readWhole(folder.file("100000"));
  EXPECT_GT(first.size(), 1000000u);
  EXPECT_TRUE(first == readWhole(folder.file("37")));
}

// Who has the turn reads the last flush in peace, however much comes meanwhile.
TEST(ResultWriter, KeepsOffWhileSomeoneReads) {
  const TemporaryFolder folder;
  ResultWriter writer(folder.file("r.h5"), sampleHead());
  const std::string partial = folder.file("r.h5.partial");
  const auto records = [&] { return readResult(partial).time.size(); };
  writeRecords(writer, 1);
  const files::FileLock reader(partial, files::FileLock::Use::kRead),
      another(partial, files::FileLock::Use::kRead);
  ASSERT_TRUE(reader.tryToLock());
  EXPECT_TRUE(another.tryToLock());
  writeRecords(writer, 5000, 1);  // more than usually waits
  EXPECT_EQ(records(), 1u);
  reader.release();
  writeRecords(writer, 1, 5001);
  EXPECT_EQ(records(), 1u);
  another.release();
  writeRecords(writer, 1, 5002);
  EXPECT_EQ(records(), 5003u);
}

TEST(ResultWriter, DoesNotWaitForeverForAReader) {
  const TemporaryFolder folder;
  ResultWriter writer(folder.file("r.h5"), sampleHead());
  writeRecords(writer, 1);
  const files::FileLock reader(folder.file("r.h5.partial"), files::FileLock::Use::kRead);
  ASSERT_TRUE(reader.tryToLock());
  writeRecords(writer, 2, 1);
  writer.finish(true);
  EXPECT_EQ(readResult(folder.file("r.h5")).time.size(), 3u);
}

TEST(ResultWriter, IsReadableAfterItsProcessWasKilled) {
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    ResultWriter writer(folder.file("r.h5"), sampleHead());
    writeRecords(writer, 9000);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const Result result = readResult(folder.file("r.h5.partial"));
  EXPECT_FALSE(result.complete);
  ASSERT_GE(result.time.size(), 8000u);
  for (std::size_t i = 0; i < result.time.size(); ++i) ASSERT_EQ(result.values[1][i], 2.0 * i);
}

// Written by a process that does not come to its end.
void leavePartial(const TemporaryFolder& folder, int records) {
  ResultWriter writer(folder.file("r.h5"), sampleHead());
  writeRecords(writer, records);
  writer.flush();
}

void leaveResult(const TemporaryFolder& folder, int records, bool complete,
                 ResultWriter::Start start = ResultWriter::Start::kAnew, int first = 0) {
  ResultWriter writer(folder.file("r.h5"), sampleHead(), start);
  writeRecords(writer, records, first);
  writer.finish(complete);
}

std::size_t recordsIn(const TemporaryFolder& folder, const std::string& name) {
  return readResult(folder.file(name)).time.size();
}

TEST(ResultWriter, WhatARunThatWasCutOffHasLeftIsKept) {
  const TemporaryFolder folder;
  leavePartial(folder, 5);
  leavePartial(folder, 6);
  leaveResult(folder, 7, true);
  EXPECT_EQ(recordsIn(folder, "r.part-1.h5"), 5u);
  EXPECT_EQ(recordsIn(folder, "r.part-2.h5"), 6u);
  EXPECT_EQ(recordsIn(folder, "r.h5"), 7u);
}

TEST(ResultWriter, WhatIsNotCompleteReplacesNothingThatIs) {
  const TemporaryFolder folder;
  leaveResult(folder, 7, true);
  const std::string before = readWhole(folder.file("r.h5"));
  leaveResult(folder, 3, false);
  EXPECT_TRUE(readWhole(folder.file("r.h5")) == before);
  EXPECT_EQ(recordsIn(folder, "r.h5.partial"), 3u);
  leaveResult(folder, 8, true);
  EXPECT_EQ(recordsIn(folder, "r.h5"), 8u);
  EXPECT_EQ(recordsIn(folder, "r.part-1.h5"), 3u);
}

TEST(ResultWriter, ARunThatContinuesKeepsTheRecordsBeforeIt) {
  const TemporaryFolder folder;
  leaveResult(folder, 3, false);
  leaveResult(folder, 4, true, ResultWriter::Start::kContinued);
  EXPECT_EQ(recordsIn(folder, "r.part-1.h5"), 3u);
  EXPECT_EQ(recordsIn(folder, "r.h5"), 4u);
}

// Of a run that had come to its end, too; what begins where the new one does is replaced by it.
TEST(ResultWriter, ARunThatContinuesKeepsCompleteRecordsBeforeIt) {
  const TemporaryFolder folder;
  leaveResult(folder, 6, true);
  for (const int records : {4, 5}) {
    leaveResult(folder, records, true, ResultWriter::Start::kContinued, 3);
    EXPECT_EQ(recordsIn(folder, "r.part-1.h5"), 6u);
    EXPECT_EQ(recordsIn(folder, "r.h5"), static_cast<std::size_t>(records));
    EXPECT_FALSE(std::filesystem::exists(folder.file("r.part-2.h5")));
  }
}

// Records that come slowly, and those that wait while steps go on without one.
TEST(ResultWriter, NoRecordWaitsForLong) {
  const TemporaryFolder folder;
  ResultWriter writer(folder.file("r.h5"), sampleHead());
  writeRecords(writer, 2);
  EXPECT_EQ(recordsIn(folder, "r.h5.partial"), 1u);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  writer.update();
  EXPECT_EQ(recordsIn(folder, "r.h5.partial"), 2u);
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  writeRecords(writer, 1, 2);
  EXPECT_EQ(recordsIn(folder, "r.h5.partial"), 3u);
}

std::size_t bytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(ResultWriter, TakesNoMoreMemoryForMoreRecords) {
  const TemporaryFolder folder;
  ResultHead head = sampleHead();
  for (int i = 0; i < 18; ++i) head.outputs.push_back("y" + std::to_string(i));
  ResultWriter writer(folder.file("r.h5"), head);
  const std::vector<double> outputs(head.outputs.size(), 1.0);
  const auto writeMany = [&](int count) {
    for (int i = 0; i < count; ++i) writer.write(i, outputs, {});
    writer.flush();
    return bytesInUse();
  };
  const std::size_t before = writeMany(200000);
  const std::size_t after = writeMany(400000);
  EXPECT_LT(after, before + 400000) << "bytes, for 400000 records";
  writer.finish(true);
}

TEST(ResultWriter, SaysWhichFileCannotBeWritten) {
  try {
    ResultWriter writer("/nowhere/r.h5", sampleHead());
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/r.h5"), std::string::npos);
  }
}

TEST(ResultReader, RefusesWhatIsNoResult) {
  const TemporaryFolder folder;
  EXPECT_THROW(readResult(folder.file("none.h5")), std::runtime_error);
  EXPECT_THROW(readResult(folder.write("text.h5", "not an HDF5")), std::runtime_error);
}

}  // namespace
}  // namespace flexloop::results
