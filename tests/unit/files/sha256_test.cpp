#include "files/sha256.hpp"

#include <gtest/gtest.h>

namespace flexloop::files {
namespace {

std::string sumOf(const std::string& text) {
  Sha256 sum;
  sum.add(text);
  return sum.finish();
}

// The examples of FIPS 180-4, and the empty text.
TEST(Sha256, OfTheExamplesOfTheStandard) {
  EXPECT_EQ(sumOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sumOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sumOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sumOf(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// However the bytes come; lengths on both sides of a block and of the room for its length.
TEST(Sha256, DoesNotDependOnThePieces) {
  for (const std::size_t length : {0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 128, 1000}) {
    const std::string text(length, 'x');
    Sha256 sum;
    for (std::size_t i = 0; i < length; i += 7) sum.add(std::string_view(text).substr(i, 7));
    EXPECT_EQ(sum.finish(), sumOf(text)) << length;
  }
}

}  // namespace
}  // namespace flexloop::files
