#include "files/file_seal.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace flexloop::files {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "flexloop seal 1\n";
constexpr std::size_t kNumber = 8, kSeal = kMark.size() + 2 * kNumber;

constexpr std::array<std::uint64_t, 256> makeTable() {
  constexpr std::uint64_t kPolynomial = 0xC96C5795D7870F42;
  std::array<std::uint64_t, 256> table{};
  for (std::uint64_t i = 0; i < table.size(); ++i) {
    std::uint64_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ ((rest & 1) != 0 ? kPolynomial : 0);
    table[i] = rest;
  }
  return table;
}

std::string toBytes(std::uint64_t number) {
  std::string bytes;
  for (std::size_t i = 0; i < kNumber; ++i) bytes += static_cast<char>(number >> 8 * i & 0xff);
  return bytes;
}

// Of the first `count` bytes; false if there are fewer.
bool calcFileChecksum(std::ifstream& stream, std::uint64_t count, std::uint64_t& checksum) {
  std::vector<char> buffer(std::size_t{1} << 16);
  checksum = 0;
  while (count > 0) {
    const std::size_t size = std::min<std::uint64_t>(count, buffer.size());
    if (!stream.read(buffer.data(), static_cast<std::streamsize>(size))) return false;
    checksum = calcChecksum({buffer.data(), size}, checksum);
    count -= size;
  }
  return true;
}

std::string makeSeal(std::uint64_t count, std::uint64_t checksum) {
  return std::string(kMark) + toBytes(count) + toBytes(checksum);
}

}  // namespace

std::uint64_t calcChecksum(std::string_view bytes, std::uint64_t before) {
  static constexpr std::array<std::uint64_t, 256> kTable = makeTable();
  std::uint64_t rest = ~before;
  for (const char byte : bytes) {
    rest = kTable[(rest ^ static_cast<unsigned char>(byte)) & 0xff] ^ rest >> 8;
  }
  return ~rest;
}

void sealFile(const std::string& path) {
  const std::uint64_t count = fs::file_size(path);
  std::uint64_t checksum = 0;
  std::ifstream in(path, std::ios::binary);
  if (!calcFileChecksum(in, count, checksum)) {
    throw std::runtime_error("the file '" + path + "' cannot be read again");
  }
  std::ofstream out(path, std::ios::binary | std::ios::app);
  out << makeSeal(count, checksum) << std::flush;
  if (!out) throw std::runtime_error("the file '" + path + "' cannot be written");
}

Seal checkSeal(const std::string& path) {
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  if (error || size < kSeal) return Seal::kMissing;
  std::ifstream stream(path, std::ios::binary);
  std::uint64_t checksum = 0;
  std::string seal(kSeal, '\0');
  if (!calcFileChecksum(stream, size - kSeal, checksum) ||
      !stream.read(seal.data(), static_cast<std::streamsize>(seal.size()))) {
    return Seal::kMissing;
  }
  if (seal == makeSeal(size - kSeal, checksum)) return Seal::kWhole;
  return seal.starts_with(kMark) ? Seal::kBroken : Seal::kMissing;
}

}  // namespace flexloop::files
