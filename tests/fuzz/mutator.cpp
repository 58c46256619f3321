#include "mutator.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace flexloop::fuzz {
namespace {

constexpr std::size_t kLongest = std::size_t{1} << 20;
constexpr std::array<std::uint64_t, 12> kNumbers{0,
                                                 1,
                                                 0x7f,
                                                 0xff,
                                                 0xffff,
                                                 0x7fffffff,
                                                 0x80000000,
                                                 0xffffffff,
                                                 std::uint64_t{1} << 40,
                                                 ~std::uint64_t{0},
                                                 0x7ff8000000000000 /* not a number */,
                                                 0x7fefffffffffffff /* the largest */};
constexpr std::array<const char*, 14> kWords{
    "0",      "-1", "1e308", "-0.0", "nan",  "inf", "4294967296",
    "1e-320", "[]", "{}",    "null", "\"\"", "~",   "18446744073709551616"};

}  // namespace

std::string Mutator::make(const std::vector<std::string>& samples) {
  std::string bytes = samples[below(samples.size())];
  const std::size_t changes = std::size_t{1} << below(5);
  for (std::size_t i = 0; i < changes; ++i) change(bytes, samples);
  if (bytes.size() > kLongest) bytes.resize(kLongest);
  return bytes;
}

void Mutator::change(std::string& bytes, const std::vector<std::string>& samples) {
  const std::size_t at = below(bytes.size()), count = 1 + below(std::size_t{1} << below(9));
  switch (below(9)) {
    case 0:
      if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
      return;
    case 1:
      if (!bytes.empty()) bytes[at] = static_cast<char>(random_());
      return;
    case 2:
      return setNumber(bytes);
    case 3:
      return setDigits(bytes);
    case 4:
      bytes.erase(at, count);
      return;
    case 5:
      bytes.insert(at, count, static_cast<char>(random_()));
      return;
    case 6:
      return copyWithin(bytes);
    case 7:
      return insertFrom(samples[below(samples.size())], bytes);
    default:
      if (below(8) == 0) bytes.resize(at);
      return;
  }
}

void Mutator::setNumber(std::string& bytes) {
  const std::size_t size = std::size_t{1} << below(4);
  if (bytes.size() < size) return;
  const std::uint64_t number = kNumbers[below(kNumbers.size())];
  std::memcpy(bytes.data() + below(bytes.size() - size + 1), &number, size);
}

// A number in text, if there is one after some place.
void Mutator::setDigits(std::string& bytes) {
  constexpr const char* kDigits = "0123456789";
  const std::size_t start = bytes.find_first_of(kDigits, below(bytes.size()));
  if (start == std::string::npos) return;
  const std::size_t end = std::min(bytes.find_first_not_of("0123456789.eE+-", start), bytes.size());
  bytes.replace(start, end - start, kWords[below(kWords.size())]);
}

void Mutator::copyWithin(std::string& bytes) {
  const std::size_t from = below(bytes.size()), to = below(bytes.size());
  const std::string part = bytes.substr(from, 1 + below(256));
  if (below(2) == 0) {
    bytes.insert(to, part);
  } else {
    bytes.replace(to, std::min(part.size(), bytes.size() - to), part);
  }
}

void Mutator::insertFrom(const std::string& other, std::string& bytes) {
  bytes.insert(below(bytes.size()), other.substr(below(other.size()), 1 + below(1024)));
}

}  // namespace flexloop::fuzz
