// The room that the cache of parts takes.
#include "fem/reduction/cache_room.hpp"

#include <chrono>
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "fem/reduction/part_cache.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::fem {
namespace {

namespace fs = std::filesystem;

class CacheRoomTest : public ::testing::Test {
 protected:
  void add(const std::string& name, int bytes, double hours) const {
    folder_.write(name, std::string(bytes, 'x'));
    const std::chrono::seconds age(static_cast<long>(3600.0 * hours));
    fs::last_write_time(folder_.file(name), fs::file_time_type::clock::now() - age);
  }
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& file : fs::directory_iterator(folder_.file(""))) {
      const std::string name = file.path().filename().string();
      if (!name.ends_with(".lock")) names.insert(name);
    }
    return names;
  }

  const flexloop::testing::TemporaryFolder folder_;
  const PartCache cache_{folder_.file("")};
};

using Names = std::set<std::string>;

TEST_F(CacheRoomTest, TheOldestGoUntilTheRestHasRoom) {
  add("part-b.h5", 400, 3.0);
  add("part-a.h5", 300, 2.0);
  add("part-c.h5", 200, 5.0);
  add("notes.txt", 5000, 9.0);
  add("part-of-mine", 5000, 9.0);
  makeRoom(cache_, 900);
  EXPECT_EQ(names().size(), 5u);
  makeRoom(cache_, 899);
  EXPECT_EQ(names(), (Names{"part-a.h5", "part-b.h5", "notes.txt", "part-of-mine"}));
  makeRoom(cache_, 300);
  EXPECT_EQ(names(), (Names{"part-a.h5", "notes.txt", "part-of-mine"}));
  makeRoom(cache_, 0);
  EXPECT_EQ(names(), (Names{"notes.txt", "part-of-mine"}));
}

TEST_F(CacheRoomTest, WhatIsInUseStays) {
  add("part-a.h5", 400, 0.9);
  add("part-b.h5", 400, 2.0);
  add("part-c.h5", 400, 3.0);
  EXPECT_TRUE(markUsed(cache_, "c"));
  EXPECT_FALSE(markUsed(cache_, "d"));
  makeRoom(cache_, 0);
  EXPECT_EQ(names(), (Names{"part-a.h5", "part-c.h5"}));
}

// Another program is at the oldest entry: the next one goes in its place.
TEST_F(CacheRoomTest, WhatAnotherProgramHoldsStays) {
  add("part-a.h5", 400, 3.0);
  add("part-b.h5", 400, 2.0);
  const files::FileLock other = cache_.lockFor("a");
  ASSERT_TRUE(other.tryToLock());
  makeRoom(cache_, 500);
  EXPECT_EQ(names(), (Names{"part-a.h5"}));
}

TEST_F(CacheRoomTest, LeftoversGo) {
  add("part-a.h5.123.partial", 400, 25.0);
  add("part-b.h5.124.partial", 400, 23.0);
  add("part-c.lock", 0, 25.0);
  add("part-d.lock", 0, 25.0);
  add("part-d.h5", 400, 0.0);
  makeRoom(cache_, 1000);
  EXPECT_EQ(names(), (Names{"part-b.h5.124.partial", "part-d.h5"}));
  EXPECT_FALSE(fs::exists(folder_.file("part-c.lock")));
  EXPECT_TRUE(fs::exists(folder_.file("part-d.lock")));
}

TEST(CacheSize, HasAUnit) {
  EXPECT_EQ(parseCacheSize("").value(), 10'000'000'000u);
  EXPECT_EQ(parseCacheSize("500 MB").value(), 500'000'000u);
  EXPECT_EQ(parseCacheSize("2.5GB").value(), 2'500'000'000u);
  EXPECT_EQ(parseCacheSize("1 TB").value(), 1'000'000'000'000u);
  EXPECT_EQ(parseCacheSize("0 kB").value(), 0u);
  for (const char* wrong : {"500", "MB", "-1 GB", "1e300 TB", "nan GB", "5 bananas", "5 GB each"}) {
    const auto size = parseCacheSize(wrong);
    ASSERT_FALSE(size) << wrong;
    EXPECT_EQ(size.failure().message,
              std::string("FLEXLOOP_CACHE_SIZE is '") + wrong + "', which is no size");
  }
}

}  // namespace
}  // namespace flexloop::fem
