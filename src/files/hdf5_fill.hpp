// What HDF5 reads where a table has no chunk: a number that no run records. The index of chunks has no checksum, and
// zeros of a chunk that it has lost would look like a result.
#pragma once

#include <bit>
#include <cstdint>

namespace flexloop::files {

inline constexpr std::uint64_t kMissingBits = 0x7FF8F1E81009DEAD;  // not a number
inline const double kMissing = std::bit_cast<double>(kMissingBits);

inline bool isMissing(double number) {
  return std::bit_cast<std::uint64_t>(number) == kMissingBits;
}

}  // namespace flexloop::files
