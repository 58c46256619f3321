#include "control/boxes/box_memory.hpp"

#include <algorithm>
#include <cmath>
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

bool arePacked(std::span<const double> packed) {
  constexpr double kWords = 281474976710656.0;  // 256^6
  if (packed.empty()) return false;
  const double size = packed[0];
  const double most = static_cast<double>(kBytes * (packed.size() - 1));
  if (!(size >= 0.0 && size <= most && size > most - kBytes)) return false;
  return std::all_of(packed.begin(), packed.end(), [](double word) {
    return word >= 0.0 && word < kWords && word == std::floor(word);
  });
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
