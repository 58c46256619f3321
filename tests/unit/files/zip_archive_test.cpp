// Archives from strangers.
#include "files/zip_archive.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/temporary_folder.hpp"
#include "support/zip_maker.hpp"

namespace flexloop::files {
namespace {

using test::says;
using testing::makeZip;
using testing::TemporaryFolder;
using testing::ZipEntry;

std::string refusalOf(const std::vector<ZipEntry>& entries) {
  const TemporaryFolder folder;
  const auto archive = ZipArchive::open(folder.write("a.zip", makeZip(entries)));
  return archive ? "none" : archive.failure().message;
}

TEST(ZipArchive, UnpacksWhatIsWantedAndNothingElse) {
  const TemporaryFolder folder;
  const std::string path = folder.write(
      "a.zip", makeZip({{"a.txt", "first"}, {"in/", ""}, {"in/b.txt", "second"}, {"c", "third"}}));
  const auto archive = ZipArchive::open(path);
  ASSERT_TRUE(archive);
  const auto* entry = archive.value()->find("in/b.txt");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(archive.value()->read(*entry, 100).value(), "second");
  EXPECT_TRUE(says(archive.value()->read(*entry, 3).failure().message, "6 bytes"));
  EXPECT_EQ(archive.value()->find("b.txt"), nullptr);
  std::filesystem::create_directory(folder.file("out"));
  EXPECT_FALSE(archive.value()->unpack(
      folder.file("out"), [](const std::string& name) { return name.ends_with(".txt"); }));
  EXPECT_EQ(testing::readWhole(folder.file("out/in/b.txt")), "second");
  EXPECT_FALSE(std::filesystem::exists(folder.file("out/c")));
}

TEST(ZipArchive, PathsThatLeadElsewhereAreRefused) {
  EXPECT_TRUE(says(refusalOf({{"../evil", "x"}}), "'../evil' has a path that leads out"));
  EXPECT_TRUE(says(refusalOf({{"a/../../evil", "x"}}), "leads out"));
  EXPECT_TRUE(says(refusalOf({{"/etc/evil", "x"}}), "absolute path"));
  EXPECT_TRUE(says(refusalOf({{"..\\evil", "x"}}), "backslash"));
  EXPECT_TRUE(says(refusalOf({{"C:evil", "x"}}), "colon"));
  EXPECT_TRUE(says(refusalOf({{"link", "/etc/passwd", 0120777}}), "is a link or a device"));
  EXPECT_TRUE(says(refusalOf({{"tty", "", 020666}}), "is a link or a device"));
  EXPECT_TRUE(says(refusalOf({{"a", "x"}, {"a", "y"}}), "twice"));
}

// Some tools pack a file twice.
TEST(ZipArchive, TheSameFileTwiceIsOne) {
  const TemporaryFolder folder;
  const auto archive = ZipArchive::open(
      folder.write("a.zip", makeZip({{"a", "same"}, {"b", "other"}, {"a", "same"}})));
  ASSERT_TRUE(archive) << archive.failure().message;
  EXPECT_EQ(archive.value()->entries().size(), 2u);
  EXPECT_EQ(archive.value()->read(*archive.value()->find("a"), 100).value(), "same");
}

TEST(ZipArchive, BombsAreRefusedBeforeTheyAreUnpacked) {
  EXPECT_TRUE(says(refusalOf({{"bomb", "tiny", 0100644, 0xf0000000U}}), "claims to unpack to"));
  // Each of them within the ratio, all of them together too much.
  std::vector<ZipEntry> many;
  for (int k = 0; k < 6; ++k) {
    many.push_back({"b" + std::to_string(k), std::string(1 << 20, 'x'), 0100644, 1U << 30U});
  }
  EXPECT_TRUE(says(refusalOf(many), "unpacks to more than"));
}

TEST(ZipArchive, WhatIsNoArchiveIsNamed) {
  const TemporaryFolder folder;
  const auto text = ZipArchive::open(folder.write("a.fmu", "no archive at all"));
  ASSERT_FALSE(text);
  EXPECT_TRUE(says(text.failure().message, "a.fmu' is not a ZIP archive"));
  std::string cut = makeZip({{"a.txt", std::string(1000, 'x')}});
  cut.resize(cut.size() / 2);
  EXPECT_FALSE(ZipArchive::open(folder.write("b.fmu", cut)));
}

TEST(ZipArchive, ADamagedEntryIsNotUnpacked) {
  const TemporaryFolder folder;
  std::string zip = makeZip({{"a.txt", "a long enough content"}});
  zip[40] ^= 1;  // in the content, so that its checksum is wrong
  const auto archive = ZipArchive::open(folder.write("a.zip", zip));
  ASSERT_TRUE(archive);
  EXPECT_TRUE(says(archive.value()->read(archive.value()->entries()[0], 100).failure().message,
                   "damaged entry 'a.txt'"));
}

}  // namespace
}  // namespace flexloop::files
