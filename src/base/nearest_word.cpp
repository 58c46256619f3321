#include "base/nearest_word.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace flexloop::base {
namespace {

std::string toLowerCase(std::string_view word) {
  std::string lower(word);
  // Not std::tolower: the result must not depend on the locale.
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::size_t plausibleDistance(std::size_t length) {
  if (length < 2) return 0;
  return std::max<std::size_t>(1, length / 3);
}

std::size_t lengthDifference(std::string_view first, std::string_view second) {
  return std::max(first.size(), second.size()) - std::min(first.size(), second.size());
}

}  // namespace

std::size_t calcEditDistance(std::string_view first, std::string_view second, std::size_t limit) {
  if (lengthDifference(first, second) > limit) return limit + 1;
  // Rows of the table of distances between prefixes of `first` and of `second`.
  std::vector<std::size_t> beforePrevious(second.size() + 1);
  std::vector<std::size_t> previous(second.size() + 1);
  std::vector<std::size_t> current(second.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});

  for (std::size_t i = 1; i <= first.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= second.size(); ++j) {
      const std::size_t substitution = first[i - 1] == second[j - 1] ? 0 : 1;
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + substitution});
      const bool swapped =
          i > 1 && j > 1 && first[i - 1] == second[j - 2] && first[i - 2] == second[j - 1];
      if (swapped) current[j] = std::min(current[j], beforePrevious[j - 2] + 1);
    }
    // A swap reaches back two rows, so both must be beyond the limit.
    const std::size_t least = std::min(std::ranges::min(previous), std::ranges::min(current));
    if (least > limit) return limit + 1;
    std::swap(beforePrevious, previous);
    std::swap(previous, current);
  }
  return std::min(previous.back(), limit + 1);
}

std::optional<std::string> findNearestWord(std::string_view word,
                                           std::span<const std::string> candidates) {
  const std::string lowerWord = toLowerCase(word);
  const std::string* nearest = nullptr;
  std::size_t limit = plausibleDistance(word.size());
  std::size_t nearestExactDistance = 0;
  for (const std::string& candidate : candidates) {
    if (lengthDifference(word, candidate) > limit) continue;
    const std::size_t distance = calcEditDistance(lowerWord, toLowerCase(candidate), limit);
    if (distance > limit) continue;
    const std::size_t exactDistance =
        calcEditDistance(word, candidate, std::max(word.size(), candidate.size()));
    if (nearest == nullptr || distance < limit || exactDistance < nearestExactDistance) {
      nearest = &candidate;
      nearestExactDistance = exactDistance;
      limit = distance;
    }
  }
  return nearest == nullptr ? std::nullopt : std::optional<std::string>(*nearest);
}

}  // namespace flexloop::base
