#include "base/plain_text.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace flexloop::base {
namespace {

TEST(PlainText, TextStaysAsItIs) {
  for (const char* text : {"", "plain", "two\nlines\tand a tab", "µ-arm ∫ T w'² ds", "日本語 😀"}) {
    EXPECT_EQ(makePlain(text), text);
  }
}

TEST(PlainText, ControlCharactersAreShown) {
  EXPECT_EQ(makePlain("\x1b[31mred\x1b[0m"), "\\x1b[31mred\\x1b[0m");
  EXPECT_EQ(makePlain("a\rb\x07\x08\x7f"), "a\\x0db\\x07\\x08\\x7f");
  EXPECT_EQ(makePlain(std::string_view("\0x", 2)), "\\x00x");
  // The one-byte and the two-byte form of CSI.
  EXPECT_EQ(makePlain("\x9b"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(makePlain("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");
}

TEST(PlainText, CharactersThatTurnTheDirectionOfWritingAreShown) {
  EXPECT_EQ(makePlain("\u202egnp.exe"), "\\xe2\\x80\\xaegnp.exe");
  EXPECT_EQ(makePlain("\u2066x\u2069"), "\\xe2\\x81\\xa6x\\xe2\\x81\\xa9");
}

// An escape character in more bytes than it needs, and characters that are cut off.
TEST(PlainText, BytesThatAreNoCharactersAreShown) {
  EXPECT_EQ(makePlain("\xc0\x9b"), "\\xc0\\x9b");
  EXPECT_EQ(makePlain("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");
  EXPECT_EQ(makePlain("end\xe2\x80"), "end\\xe2\\x80");
  EXPECT_EQ(makePlain("\xe2(\xa1"), "\\xe2(\\xa1");
}

std::string written(const std::vector<std::string>& pieces) {
  std::ostringstream stream;
  {
    const PlainOutput output(stream);
    for (const std::string& piece : pieces) stream << piece;
  }
  return stream.str();
}

TEST(PlainText, AStreamIsPlainHoweverItIsWritten) {
  EXPECT_EQ(written({"title \x1b]0;x\x07"}), "title \\x1b]0;x\\x07");
  EXPECT_EQ(written({"\xc2", "\x9b"}), "\\xc2\\x9b");
  EXPECT_EQ(written({"\xc2", "\xb5", "m"}), "µm");
  EXPECT_EQ(written({"\xc2"}), "\\xc2");
}

TEST(PlainText, ProgressBarsMayStartOver) {
  EXPECT_EQ(written({"\r", "10 %", "\r", "20 %"}), "\r10 %\r20 %");
  EXPECT_EQ(written({"good\rbad"}), "good\\x0dbad");
}

TEST(PlainText, AFailureOfTheStreamIsNotForgotten) {
  std::ostringstream stream;
  {
    const PlainOutput output(stream);
    stream.setstate(std::ios::badbit);
  }
  EXPECT_FALSE(stream);
}

}  // namespace
}  // namespace flexloop::base
