#include "control/box_memory.hpp"

#include <algorithm>
#include <cstdint>

namespace flexloop::control {
namespace {

constexpr std::size_t kBytes = 6;  // in one number

}  // namespace

void packBytes(const std::vector<unsigned char>& bytes, std::vector<double>& packed) {
  packed.assign(1, static_cast<double>(bytes.size()));
  for (std::size_t first = 0; first < bytes.size(); first += kBytes) {
    std::uint64_t word = 0;
    const std::size_t last = std::min(first + kBytes, bytes.size());
    for (std::size_t k = last; k > first; --k) word = word << 8 | bytes[k - 1];
    packed.push_back(static_cast<double>(word));
  }
}

void unpackBytes(std::span<const double> packed, std::vector<unsigned char>& bytes) {
  bytes.resize(static_cast<std::size_t>(packed[0]));
  for (std::size_t first = 0; first < bytes.size(); first += kBytes) {
    auto word = static_cast<std::uint64_t>(packed[1 + first / kBytes]);
    const std::size_t last = std::min(first + kBytes, bytes.size());
    for (std::size_t k = first; k < last; ++k, word >>= 8) {
      bytes[k] = static_cast<unsigned char>(word & 0xff);
    }
  }
}

}  // namespace flexloop::control
