// MAT-files that SciPy has written, and what is left of them.
#include "files/mat_reader.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "files/binary_table.hpp"
#include "files/mat_content.hpp"
#include "files/mat_file.hpp"
#include "support/message_matchers.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::files {
namespace {

using test::says;

// Samples of the fuzzer begin with the letter of their kind.
std::string sample(const std::string& name) {
  return testing::readWhole(test::inProject("tests/fuzz/corpus/table/" + name)).substr(1);
}

std::vector<double> numbersOf(const std::string& name) {
  const auto table = readMatTable(sample(name), "A");
  EXPECT_TRUE(table) << name << ": " << (table ? "" : table.failure().message);
  return table ? table.value().values : std::vector<double>();
}

TEST(MatReader, KnowsVersionsTypesAndPackedOnes) {
  const std::vector<double> four{1, 2, 3, 4};  // row by row
  EXPECT_EQ(numbersOf("packed_mat"), four);
  EXPECT_EQ(numbersOf("whole_numbers_mat"), four);
  EXPECT_EQ(numbersOf("version4_mat"), four);
  EXPECT_EQ(numbersOf("sparse_mat"), (std::vector<double>{1, 0, 0, 0, 2, 0, 0, 0, 3}));
  EXPECT_TRUE(says(readMatTable(sample("complex_mat"), "A").failure().message, "real numbers"));
  EXPECT_TRUE(says(readMatTable(sample("whole_numbers_mat"), "").failure().message, "several"));
  EXPECT_TRUE(says(readMatTable(sample("packed_mat"), "B").failure().message, "no variable 'B'"));
}

TEST(MatReader, KnowsStructuresCellsAndTexts) {
  const auto log = readMatContent(sample("structure_mat"));
  ASSERT_TRUE(log);
  ASSERT_NE(log.value().find("log.signals.values"), nullptr);
  EXPECT_EQ(log.value().find("log.signals.values")->values, (std::vector<double>{1, 2, 3}));
  ASSERT_NE(log.value().findTexts("log.signals.label"), nullptr);
  EXPECT_EQ(log.value().findTexts("log.signals.label")->front(), "speed [rpm]");
  const auto vectors = readMatContent(sample("vectors_mat"));
  ASSERT_TRUE(vectors);
  EXPECT_EQ(*vectors.value().findTexts("c"), (std::vector<std::string>{"a", "bc"}));
  EXPECT_EQ(*vectors.value().findTexts("s"), (std::vector<std::string>{"text"}));
}

TEST(MatReader, ReadsWhatIsWritten) {
  const testing::TemporaryFolder folder;
  MatFile file(folder.file("a.mat"));
  file.write("A", {1, 2, 3, 4, 5, 6}, {3, 2});
  file.write("names", std::vector<std::string>{"x", "force"});
  file.close();
  const auto content = readMatContent(testing::readWhole(folder.file("a.mat")));
  ASSERT_TRUE(content);
  EXPECT_EQ(content.value().find("A")->values, (std::vector<double>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(*content.value().findTexts("names"), (std::vector<std::string>{"x", "force"}));
}

// Whatever is cut off or changed: a reason, or numbers that are whole.
TEST(MatReader, IsNotMisledByDamage) {
  for (const char* name : {"packed_mat", "sparse_mat", "structure_mat", "version4_mat"}) {
    const std::string whole = sample(name);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const auto found = readMatVariables(whole.substr(0, size));
      if (!found) EXPECT_FALSE(found.failure().message.empty());
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = '\xff';
      static_cast<void>(readMatVariables(changed));
    }
  }
  EXPECT_TRUE(says(readMatTable("no such file at all", "A").failure().message, "not a MAT-file"));
}

}  // namespace
}  // namespace flexloop::files
