// Reduced parts on disk: they come back as they were, and nothing that is damaged or foreign is taken for one.
#include "fem/reduction/reduced_file.hpp"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fem/reduction/part_cache.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::fem {
namespace {

namespace fs = std::filesystem;
using Eigen::MatrixXd;

MatrixXd makeNumbers(int rows, int columns, double seed) {
  MatrixXd numbers(rows, columns);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) numbers(i, j) = std::sin(seed + 3.0 * i + 7.0 * j);
  }
  return numbers;
}

StoredPart makePart(const std::string& key) {
  StoredPart part;
  part.key = key;
  mechanics::ReducedModel& model = part.model;
  model.interfaces = {{0.0, 0.1, 0.2}, {1.0, 2.0, 3.0}};
  model.interfaceNames = {"foot", "tip"};
  const int n = 15;
  model.K = makeNumbers(n, n, 1);
  model.D = makeNumbers(n, n, 2);
  model.M = makeNumbers(n, n, 3);
  for (int a = 0; a < 3; ++a) {
    model.G[a] = makeNumbers(n, n, 4 + a);
    for (int b = 0; b < 3; ++b) model.Q[a][b] = makeNumbers(n, n, 10 + 3 * a + b);
  }
  for (int j = 0; j < 3; ++j) model.B.push_back(makeNumbers(n, n, 50 + j));
  part.report.method = ReductionMethod::kInertiaRelief;
  part.report.freedoms = 1234;
  part.report.interfaceFreedoms = 12;
  part.report.modes = 3;
  part.report.verified = true;
  part.report.frequencies = makeNumbers(9, 1, 30);
  part.report.fullFrequencies = makeNumbers(4, 1, 31);
  part.report.frequencyErrors = makeNumbers(4, 1, 32);
  part.report.effectiveMasses = makeNumbers(3, 6, 33);
  part.report.reachedAccuracy = 0.004;
  part.recovery.nodes.ids = {7};
  part.recovery.nodes.points = {{0.1, 0.2, 0.3}};
  part.recovery.nodes.displacement = makeNumbers(3, n, 40);
  part.recovery.surface.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  part.recovery.surface.triangles = {{0, 1, 2}};
  part.recovery.surface.displacement = makeNumbers(9, n, 41).cast<float>();
  part.warnings = "a corner is turned inside out";
  return part;
}

void expectEqual(const StoredPart& a, const StoredPart& b) {
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.model.interfaceNames, b.model.interfaceNames);
  EXPECT_EQ(a.model.interfaces, b.model.interfaces);
  EXPECT_TRUE(a.model.K == b.model.K && a.model.D == b.model.D && a.model.M == b.model.M);
  EXPECT_TRUE(a.model.B == b.model.B);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(a.model.G[i] == b.model.G[i]);
    for (int j = 0; j < 3; ++j) EXPECT_TRUE(a.model.Q[i][j] == b.model.Q[i][j]);
  }
  EXPECT_EQ(a.report.method, b.report.method);
  EXPECT_EQ(a.report.freedoms, b.report.freedoms);
  EXPECT_EQ(a.report.verified, b.report.verified);
  EXPECT_EQ(a.report.reachedAccuracy, b.report.reachedAccuracy);
  EXPECT_TRUE(a.report.frequencies == b.report.frequencies);
  EXPECT_TRUE(a.report.effectiveMasses == b.report.effectiveMasses);
  EXPECT_EQ(a.recovery.nodes.ids, b.recovery.nodes.ids);
  EXPECT_EQ(a.recovery.nodes.points, b.recovery.nodes.points);
  EXPECT_TRUE(a.recovery.nodes.displacement == b.recovery.nodes.displacement);
  EXPECT_EQ(a.recovery.surface.points, b.recovery.surface.points);
  EXPECT_EQ(a.recovery.surface.triangles, b.recovery.surface.triangles);
  EXPECT_TRUE(a.recovery.surface.displacement == b.recovery.surface.displacement);
  EXPECT_EQ(a.warnings, b.warnings);
}

void writeAll(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(ReducedFile, ComesBackAsItWas) {
  const flexloop::testing::TemporaryFolder folder;
  const std::string path = folder.file("part.h5");
  const StoredPart part = makePart("abc");
  const auto failure = writeReducedPart(path, part);
  ASSERT_FALSE(failure) << failure->message;
  const auto read = readReducedPart(path);
  ASSERT_TRUE(read.hasValue()) << read.failure().message;
  expectEqual(read.value(), part);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.file("")), fs::directory_iterator()), 1);
}

TEST(ReducedFile, DamagedAndForeignFilesAreRefused) {
  const flexloop::testing::TemporaryFolder folder;
  const std::string path = folder.file("part.h5");
  ASSERT_FALSE(writeReducedPart(path, makePart("abc")));
  const std::string whole = flexloop::testing::readWhole(path);
  ASSERT_GT(whole.size(), 1000u);
  const auto expectRefused = [&](const std::string& bytes, const std::string& what) {
    writeAll(path, bytes);
    const auto read = readReducedPart(path);
    ASSERT_FALSE(read.hasValue()) << what;
    EXPECT_NE(read.failure().message.find("part.h5"), std::string::npos) << what;
    EXPECT_FALSE(read.failure().hint.empty()) << what;
  };
  for (std::size_t length = 0; length < whole.size(); length += 1 + whole.size() / 20)
    expectRefused(whole.substr(0, length), "truncated to " + std::to_string(length));
  for (std::size_t place = 0; place < whole.size(); place += 1 + whole.size() / 50) {
    std::string changed = whole;
    changed[place] = static_cast<char>(changed[place] ^ (1 << (place % 8)));
    expectRefused(changed, "changed at " + std::to_string(place));
  }
  expectRefused("no HDF5 at all", "text");
  fs::remove(path);
  EXPECT_FALSE(readReducedPart(path).hasValue());
}

TEST(ReducedFile, OneThatCannotBeWrittenIsAFailure) {
  const auto failure = writeReducedPart("/proc/no/such/folder/part.h5", makePart("abc"));
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->message.find("cannot be written"), std::string::npos);
}

TEST(PartCache, KeepsPartsByTheirKeys) {
  const flexloop::testing::TemporaryFolder folder;
  const PartCache cache(folder.file("deep/cache"));
  EXPECT_FALSE(cache.find("k1"));
  cache.keep(makePart("k1"));
  const auto found = cache.find("k1");
  ASSERT_TRUE(found);
  expectEqual(*found, makePart("k1"));
  EXPECT_FALSE(cache.find("k2"));
  // A damaged entry counts as none, and is replaced.
  const std::string entry = cache.fileFor("k1");
  std::string bytes = flexloop::testing::readWhole(entry);
  bytes[bytes.size() / 2] ^= 4;
  writeAll(entry, bytes);
  EXPECT_FALSE(cache.find("k1"));
  cache.keep(makePart("k1"));
  EXPECT_TRUE(cache.find("k1"));
}

TEST(PartCache, ThatCannotBeWrittenIsNoError) {
  const PartCache cache("/proc/no/such/folder");
  cache.keep(makePart("k1"));
  EXPECT_FALSE(cache.find("k1"));
  EXPECT_TRUE(cache.lockFor("k1").tryToLock());
}

TEST(PartCache, ManyWritersAtOnceLeaveOneWholeFile) {
  const flexloop::testing::TemporaryFolder folder;
  const PartCache cache(folder.file(""));
  const files::FileLock first = cache.lockFor("k1"), second = cache.lockFor("k1");
  EXPECT_TRUE(first.tryToLock());
  EXPECT_FALSE(second.tryToLock());
  first.release();
  EXPECT_TRUE(second.tryToLock());
  cache.keep(makePart("k1"));
  cache.keep(makePart("k1"));
  ASSERT_TRUE(cache.find("k1"));
}

// What was used longest ago makes room, and to find an entry is to use it.
TEST(PartCache, OldEntriesMakeRoom) {
  const flexloop::testing::TemporaryFolder folder;
  const PartCache cache(folder.file(""));
  setenv("FLEXLOOP_CACHE_SIZE", "1 kB", 1);
  const auto grow = [&](const std::string& key, int hours) {
    fs::last_write_time(cache.fileFor(key),
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  for (const char* key : {"k1", "k2"}) ASSERT_TRUE(cache.keep(makePart(key)));
  EXPECT_TRUE(cache.find("k1") && cache.find("k2"));  // in use, although they are too large
  grow("k1", 3);
  grow("k2", 2);
  ASSERT_TRUE(cache.find("k1"));
  ASSERT_TRUE(cache.keep(makePart("k3")));
  unsetenv("FLEXLOOP_CACHE_SIZE");
  EXPECT_TRUE(cache.find("k1"));
  EXPECT_FALSE(cache.find("k2"));
  EXPECT_TRUE(cache.find("k3"));
}

TEST(PartCache, KeysTellInputsApart) {
  const std::string key = makePartKey({"mesh", "more"}, "options");
  EXPECT_EQ(key.size(), 64u);
  EXPECT_EQ(key, makePartKey({"mesh", "more"}, "options"));
  EXPECT_NE(key, makePartKey({"meshm", "ore"}, "options"));
  EXPECT_NE(key, makePartKey({"mesh", "mora"}, "options"));
  EXPECT_NE(key, makePartKey({"mesh", "more"}, "option"));
  ReductionOptions options;
  const std::string text = describeOptions(options);
  options.damping = 0.01;
  EXPECT_NE(text, describeOptions(options));
}

}  // namespace
}  // namespace flexloop::fem
