#include "base/nearest_word.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace flexloop::base {
namespace {

constexpr std::size_t kNoLimit = 100;

TEST(EditDistance, CountsEachKindOfSlipOnce) {
  EXPECT_EQ(calcEditDistance("hinge", "hinge", kNoLimit), 0u);
  EXPECT_EQ(calcEditDistance("hinge", "hige", kNoLimit), 1u);
  EXPECT_EQ(calcEditDistance("hinge", "hinnge", kNoLimit), 1u);
  EXPECT_EQ(calcEditDistance("hinge", "hynge", kNoLimit), 1u);
  EXPECT_EQ(calcEditDistance("hinge", "higne", kNoLimit), 1u);
  EXPECT_EQ(calcEditDistance("", "abc", kNoLimit), 3u);
  EXPECT_EQ(calcEditDistance("", "", kNoLimit), 0u);
}

TEST(EditDistance, KnownPairs) {
  EXPECT_EQ(calcEditDistance("kitten", "sitting", kNoLimit), 3u);
  EXPECT_EQ(calcEditDistance("saturday", "sunday", kNoLimit), 3u);
  EXPECT_EQ(calcEditDistance("ca", "abc", kNoLimit), 3u);  // optimal string alignment
}

TEST(EditDistance, StopsAtTheLimit) {
  EXPECT_EQ(calcEditDistance("kitten", "sitting", 3), 3u);
  EXPECT_EQ(calcEditDistance("kitten", "sitting", 2), 3u);
  EXPECT_EQ(calcEditDistance("kitten", "sitting", 1), 2u);
  EXPECT_EQ(calcEditDistance("a", "abcdefgh", 2), 3u);
}

// The early exit must not change a distance within the limit.
TEST(EditDistance, LimitDoesNotChangeTheDistance) {
  std::uint32_t seed = 1;
  const auto makeWord = [&seed] {
    std::string word;
    seed = seed * 1664525u + 1013904223u;
    const std::uint32_t length = (seed >> 24) % 8;
    for (std::uint32_t i = 0; i < length; ++i) {
      seed = seed * 1664525u + 1013904223u;
      word += static_cast<char>('a' + (seed >> 24) % 3);
    }
    return word;
  };
  for (int trial = 0; trial < 5000; ++trial) {
    const std::string first = makeWord();
    const std::string second = makeWord();
    const std::size_t distance = calcEditDistance(first, second, kNoLimit);
    EXPECT_EQ(calcEditDistance(second, first, kNoLimit), distance);
    for (std::size_t limit = 0; limit < 8; ++limit) {
      ASSERT_EQ(calcEditDistance(first, second, limit), std::min(distance, limit + 1))
          << first << ' ' << second << ' ' << limit;
    }
  }
}

TEST(NearestWord, FindsTheWordMeant) {
  const std::vector<std::string> words{"stiffness", "damping", "section", "material", "mass"};
  EXPECT_EQ(findNearestWord("stifness", words), "stiffness");
  EXPECT_EQ(findNearestWord("dampign", words), "damping");
  EXPECT_EQ(findNearestWord("maas", words), "mass");
  EXPECT_EQ(findNearestWord("MATERIAL", words), "material");
  EXPECT_EQ(findNearestWord("mass", words), "mass");
}

TEST(NearestWord, GivesNothingWhenNoneIsNear) {
  const std::vector<std::string> words{"stiffness", "damping", "mass"};
  EXPECT_EQ(findNearestWord("colour", words), std::nullopt);
  EXPECT_EQ(findNearestWord("x", words), std::nullopt);
  EXPECT_EQ(findNearestWord("", words), std::nullopt);
  EXPECT_EQ(findNearestWord("mass", {}), std::nullopt);
}

TEST(NearestWord, CaseDecidesBetweenEquals) {
  const std::vector<std::string> words{"nm", "Nm"};
  EXPECT_EQ(findNearestWord("NM", std::vector<std::string>{"nm", "Nm"}), "Nm");
  EXPECT_EQ(findNearestWord("nm", words), "nm");
  EXPECT_EQ(findNearestWord("ab", std::vector<std::string>{"ac", "ad"}), "ac");
}

TEST(NearestWord, IsFastForManyCandidates) {
  std::vector<std::string> names;
  for (int i = 0; i < 100000; ++i) names.push_back("link" + std::to_string(i) + ".node");
  names.emplace_back("platform");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(findNearestWord("platfrom", names), "platform");
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_LT(elapsed.count(), 2.0);  // 0.05 s in a release build; the margin is for checked builds
}

}  // namespace
}  // namespace flexloop::base
