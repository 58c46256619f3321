#include "files/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace flexloop::files {
namespace {

constexpr int kRounds = 64, kBlock = 64, kLength = 8;

__extension__ using Wide = unsigned __int128;

constexpr bool isPrime(int number) {
  for (int divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) return false;
  }
  return true;
}

// The first 32 bits of the fraction of the n-th root of a number; bisection in whole numbers, exact.
constexpr std::uint32_t fractionOfRoot(unsigned number, int degree) {
  // x = floor(2^32 · number^(1/degree)), from the highest bit down; 2^32 x fits 36 bits.
  Wide root = 0;
  for (int bit = 36; bit >= 0; --bit) {
    const Wide next = root | (static_cast<Wide>(1) << bit);
    // next^degree <= number · 2^(32·degree), without overflow for the degrees 2 and 3: 3·37 = 111 bits.
    Wide power = 1;
    for (int i = 0; i < degree; ++i) power *= next;
    if (power <= static_cast<Wide>(number) << (32 * degree)) root = next;
  }
  return static_cast<std::uint32_t>(root);
}

template <std::size_t Count>
constexpr std::array<std::uint32_t, Count> rootsOfPrimes(int degree) {
  std::array<std::uint32_t, Count> fractions{};
  std::size_t found = 0;
  for (int number = 2; found < Count; ++number) {
    if (isPrime(number)) fractions[found++] = fractionOfRoot(static_cast<unsigned>(number), degree);
  }
  return fractions;
}

constexpr auto kStart = rootsOfPrimes<8>(2);
constexpr auto kConstants = rootsOfPrimes<kRounds>(3);

std::uint32_t readWord(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

}  // namespace

Sha256::Sha256() : state_(kStart) {}

void Sha256::addBlock(const unsigned char* block) {
  std::array<std::uint32_t, kRounds> w;
  for (int t = 0; t < 16; ++t) w[t] = readWord(block + 4 * t);
  for (int t = 16; t < kRounds; ++t) {
    const std::uint32_t a = w[t - 15], b = w[t - 2];
    const std::uint32_t s0 = std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3);
    const std::uint32_t s1 = std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10);
    w[t] = s1 + w[t - 7] + s0 + w[t - 16];
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (int t = 0; t < kRounds; ++t) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t first = h + s1 + ((e & f) ^ (~e & g)) + kConstants[t] + w[t];
    const std::uint32_t second = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<std::uint32_t, 8> added{a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) state_[i] += added[i];
}

void Sha256::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t held = count_ % kBlock;
    const std::size_t taken = std::min(bytes.size(), kBlock - held);
    std::memcpy(waiting_.data() + held, bytes.data(), taken);
    count_ += taken;
    bytes.remove_prefix(taken);
    if (count_ % kBlock == 0) addBlock(waiting_.data());
  }
}

std::string Sha256::finish() {
  const std::uint64_t bits = 8 * count_;
  std::string end(1, '\x80');
  end.append((2 * kBlock - kLength - 1 - count_ % kBlock) % kBlock, '\0');
  for (int shift = 56; shift >= 0; shift -= 8) end += static_cast<char>(bits >> shift & 0xFF);
  add(end);
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[word >> shift & 15];
  }
  return text;
}

}  // namespace flexloop::files
