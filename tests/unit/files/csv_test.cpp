#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "files/csv_writer.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::files {
namespace {

using testing::readWhole;
using testing::TemporaryFolder;

std::string textOf(double value) {
  std::string text;
  appendNumber(value, text);
  return text;
}

TEST(Csv, NumbersHaveTheFewestDigitsThatGiveThemBack) {
  EXPECT_EQ(textOf(0.1), "0.1");
  EXPECT_EQ(textOf(1.0), "1");
  EXPECT_EQ(textOf(-0.003), "-0.003");
  EXPECT_EQ(textOf(0.1 + 0.2), "0.30000000000000004");
}

TEST(Csv, NumbersReadBackBitForBit) {
  double value = 1.0 / 3.0;
  for (int i = 0; i < 1000; ++i) {
    value = std::fmod(value * 1e7 + 0.123456789, 1.0) * std::pow(10.0, i % 40 - 20);
    EXPECT_EQ(std::strtod(textOf(value).c_str(), nullptr), value);
  }
  const double smallest = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(std::strtod(textOf(smallest).c_str(), nullptr), smallest);
}

TEST(Csv, HasHeaderAndOneRowPerRecord) {
  const TemporaryFolder folder;
  CsvWriter writer(folder.file("a.csv"), {"tip.x", "angle"});
  writer.write(0.0, {1.0, -2.5});
  writer.write(0.001, {1e-20, 3.0});
  writer.close();
  EXPECT_EQ(readWhole(folder.file("a.csv")), "time,tip.x,angle\n0,1,-2.5\n0.001,1e-20,3\n");
}

TEST(Csv, HasItsNameOnlyWhenItIsWhole) {
  const TemporaryFolder folder;
  CsvWriter writer(folder.file("a.csv"), {"y"});
  for (int i = 0; i < 10000; ++i) writer.write(i, {1.0 / i});
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.csv")));
  EXPECT_TRUE(std::filesystem::exists(ownPartialName(folder.file("a.csv"))));
  writer.close();
  EXPECT_TRUE(std::filesystem::exists(folder.file("a.csv")));
  EXPECT_FALSE(std::filesystem::exists(ownPartialName(folder.file("a.csv"))));
}

TEST(Csv, SaysWhichFileCannotBeWritten) {
  const TemporaryFolder folder;
  try {
    CsvWriter writer(folder.file("missing/a.csv"), {});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("missing/a.csv"), std::string::npos);
  }
}

}  // namespace
}  // namespace flexloop::files
