// The known word that a user most likely meant.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace flexloop::base {

// Damerau–Levenshtein distance (optimal string alignment): the least number of insertions,
// deletions, substitutions and swaps of neighbours that turn one word into the other. Words farther
// apart than `limit` give limit + 1, which spares most of the work.
std::size_t calcEditDistance(std::string_view first, std::string_view second, std::size_t limit);

// The candidate nearest to `word`, or nothing if none is near enough to be a plausible slip: one
// edit in a short word, a third of the length in a longer one. Upper and lower case count as the
// same letter, and decide only between equals; the earlier candidate wins a tie.
std::optional<std::string> findNearestWord(std::string_view word,
                                           std::span<const std::string> candidates);

}  // namespace flexloop::base
