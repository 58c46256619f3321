// Instants that repeat: offset + k·period, k = 0, 1, 2 …
#pragma once

#include <cstdint>

namespace flexloop::system {

struct Clock {
  double period = 0.0, offset = 0.0;
  bool operator==(const Clock&) const = default;

  // Whoever asks for an instant gets the same bits: a step that ends at one and a signal that jumps
  // there agree on it.
  double instant(std::int64_t k) const;
  // The last k whose instant is not after `time`; −1 before the first.
  std::int64_t lastInstant(double time) const;
};

// Periods per second where that is a whole number; else 0. 3/1000 is the double that a user calls
// 0.003; 3·0.001 is not.
double wholeInverse(double period);

}  // namespace flexloop::system
