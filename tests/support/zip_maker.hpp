// A ZIP archive to the taste of a test: no compression, and whatever names, modes and sizes it wants.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace flexloop::testing {

struct ZipEntry {
  std::string name, content;
  std::uint32_t mode = 0100644;   // as of stat
  std::uint32_t claimedSize = 0;  // of the unpacked content; 0: the true one
};

inline std::uint32_t crc32Of(const std::string& text) {
  std::uint32_t crc = 0xffffffffU;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int k = 0; k < 8; ++k) crc = (crc >> 1U) ^ (0xedb88320U & (0U - (crc & 1U)));
  }
  return ~crc;
}

inline std::string makeZip(const std::vector<ZipEntry>& entries) {
  std::string zip, directory;
  const auto add = [](std::string& text, std::uint32_t value, int bytes) {
    for (int k = 0; k < bytes; ++k) text += static_cast<char>(value >> (8U * k));
  };
  for (const ZipEntry& entry : entries) {
    const auto size = static_cast<std::uint32_t>(entry.content.size());
    const std::uint32_t claimed = entry.claimedSize != 0 ? entry.claimedSize : size;
    std::string common;
    // Stored, or claimed to be deflated where the size is another one.
    add(common, 20, 2), add(common, 0, 2), add(common, claimed == size ? 0 : 8, 2),
        add(common, 0, 4);
    add(common, crc32Of(entry.content), 4), add(common, size, 4), add(common, claimed, 4);
    add(common, static_cast<std::uint32_t>(entry.name.size()), 2), add(common, 0, 2);
    const auto offset = static_cast<std::uint32_t>(zip.size());
    add(zip, 0x04034b50, 4);
    zip += common + entry.name + entry.content;
    add(directory, 0x02014b50, 4), add(directory, (3U << 8U) | 20U, 2);
    directory += common;
    add(directory, 0, 2), add(directory, 0, 2), add(directory, 0, 2);
    add(directory, entry.mode << 16U, 4), add(directory, offset, 4);
    directory += entry.name;
  }
  const auto start = static_cast<std::uint32_t>(zip.size());
  zip += directory;
  const auto count = static_cast<std::uint32_t>(entries.size());
  add(zip, 0x06054b50, 4), add(zip, 0, 4), add(zip, count, 2), add(zip, count, 2);
  add(zip, static_cast<std::uint32_t>(directory.size()), 4), add(zip, start, 4), add(zip, 0, 2);
  return zip;
}

}  // namespace flexloop::testing
