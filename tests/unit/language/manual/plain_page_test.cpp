// Markdown on a terminal.
#include "language/manual/plain_page.hpp"

#include <gtest/gtest.h>

namespace flexloop {
namespace {

using language::makePlainPage;

TEST(PlainPage, ProseIsBrokenAndLosesItsMarks) {
  EXPECT_EQ(makePlainPage("A **bold** `word`, a\n[link](to/it.md#there) and more words.\n", 20),
            "A bold word, a link\nand more words.\n");
}

TEST(PlainPage, MarksInsideOfCodeStay) {
  EXPECT_EQ(makePlainPage("`a**b` and `[x](y)`\n", 40), "a**b and [x](y)\n");
}

TEST(PlainPage, HeadingsAreUnderlinedByCharactersNotBytes) {
  EXPECT_EQ(makePlainPage("## Größe\n\ntext\n", 40), "Größe\n-----\n\ntext\n");
}

TEST(PlainPage, ItemsOfListsAreIndented) {
  EXPECT_EQ(makePlainPage("* one two three\n  four\n* five\n", 12),
            "* one two\n  three four\n* five\n");
}

TEST(PlainPage, CodeIsIndentedAndLeftAsItIs) {
  EXPECT_EQ(makePlainPage("```yaml\na: **b**\n\nc: d\n```\n", 5), "    a: **b**\n\n    c: d\n");
}

TEST(PlainPage, TablesBecomeColumns) {
  EXPECT_EQ(
      makePlainPage("| key | meaning |\n|---|---|\n| `a` | one two |\n| `long` | x \\| y |\n", 40),
      "  key   meaning\n  a     one two\n  long  x | y\n");
}

TEST(PlainPage, TheLastColumnIsBrokenBelowItself) {
  EXPECT_EQ(makePlainPage("| a | b |\n|---|---|\n| key | one two three |\n", 15),
            "  a    b\n  key  one two\n       three\n");
}

TEST(PlainPage, TablesThatAreTooWideBecomeParagraphs) {
  EXPECT_EQ(
      makePlainPage(
          "| key | value | unit | meaning |\n|---|---|---|---|\n"
          "| mass | a number | kg | how heavy it is |\n| name | a text |  | what it is called |\n",
          24),
      "  mass: a number; unit:\n      kg\n      how heavy it is\n"
      "  name: a text\n      what it is called\n");
}

}  // namespace
}  // namespace flexloop
