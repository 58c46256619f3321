// The Secure Hash Algorithm SHA-256 of FIPS 180-4: different bytes have different sums, for all that is known.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace flexloop::files {

class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  // 64 hexadecimal digits. The last call.
  std::string finish();

 private:
  void addBlock(const unsigned char* block);

  std::array<std::uint32_t, 8> state_;
  std::array<unsigned char, 64> waiting_{};
  std::uint64_t count_ = 0;  // bytes so far
};

}  // namespace flexloop::files
