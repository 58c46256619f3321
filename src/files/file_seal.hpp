// A seal at the end of a file, with its length and a checksum of all of it: a file that lost or changed a single bit is
// not even opened. What comes behind the data of an HDF5 file is no concern of HDF5.
//
//   seal: "flexloop seal 1\n", the number of bytes before the seal, and their CRC-64; numbers have 64 bits, least
//         significant byte first
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flexloop::files {

// CRC-64 as of ECMA-182, reflected, as XZ has it: every change of up to 64 bits in a row is found.
std::uint64_t calcChecksum(std::string_view bytes, std::uint64_t before = 0);

// Throws std::runtime_error if the file cannot be read or written.
void sealFile(const std::string& path);

enum class Seal { kWhole, kMissing, kBroken };
Seal checkSeal(const std::string& path);

}  // namespace flexloop::files
