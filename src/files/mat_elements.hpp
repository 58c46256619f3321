// The data elements of MAT-files: typed numbers in the order of bytes of the computer that wrote them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace flexloop::files::mat {

static_assert(std::endian::native == std::endian::little);

struct Damaged : std::runtime_error {
  Damaged() : std::runtime_error("it is damaged or truncated") {}
};

// Numbers one after the other, in the order of bytes of the file.
class Input {
 public:
  Input(std::string_view bytes, bool isSwapped) : bytes_(bytes), isSwapped_(isSwapped) {}

  bool isAtEnd() const { return at_ >= bytes_.size(); }
  std::size_t left() const { return bytes_.size() - at_; }
  bool isSwapped() const { return isSwapped_; }

  template <class T>
  T take() {
    const std::string_view raw = takeBytes(sizeof(T));
    std::array<char, sizeof(T)> bytes;
    std::copy(raw.begin(), raw.end(), bytes.begin());
    if (isSwapped_) std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<T>(bytes);
  }
  std::string_view takeBytes(std::size_t count) {
    if (count > left()) throw Damaged();
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }
  // Where the file ends without its padding, nothing is missing.
  void skip(std::size_t count) { at_ += std::min(count, left()); }

 private:
  std::string_view bytes_;
  bool isSwapped_;
  std::size_t at_ = 0;
};

enum DataType : std::uint32_t {
  kInt8 = 1,
  kUInt8 = 2,
  kInt16 = 3,
  kUInt16 = 4,
  kInt32 = 5,
  kUInt32 = 6,
  kSingle = 7,
  kDouble = 9,
  kInt64 = 12,
  kUInt64 = 13,
  kMatrix = 14,
  kCompressed = 15,
  kUtf8 = 16,
  kUtf16 = 17,
  kUtf32 = 18,
};

inline std::size_t sizeOf(std::uint32_t type) {
  switch (type) {
    case kInt8:
    case kUInt8:
    case kUtf8:
      return 1;
    case kInt16:
    case kUInt16:
    case kUtf16:
      return 2;
    case kInt32:
    case kUInt32:
    case kSingle:
    case kUtf32:
      return 4;
    case kDouble:
    case kInt64:
    case kUInt64:
      return 8;
    default:
      throw Damaged();
  }
}

inline double takeNumber(std::uint32_t type, Input& input) {
  switch (type) {
    case kInt8:
      return input.take<std::int8_t>();
    case kUInt8:
    case kUtf8:
      return input.take<std::uint8_t>();
    case kInt16:
      return input.take<std::int16_t>();
    case kUInt16:
    case kUtf16:
      return input.take<std::uint16_t>();
    case kInt32:
      return input.take<std::int32_t>();
    case kUInt32:
    case kUtf32:
      return input.take<std::uint32_t>();
    case kSingle:
      return static_cast<double>(input.take<float>());
    case kInt64:
      return static_cast<double>(input.take<std::int64_t>());
    case kUInt64:
      return static_cast<double>(input.take<std::uint64_t>());
    default:
      return input.take<double>();
  }
}

struct Element {
  std::uint32_t type = 0;
  std::string_view bytes;
};

// Small ones have their size in the upper half of their type, and are padded to eight bytes with it.
inline Element takeElement(Input& input) {
  const auto word = input.take<std::uint32_t>();
  if (word >> 16U != 0) {
    const std::size_t size = word >> 16U;
    if (size > 4) throw Damaged();
    const std::string_view bytes = input.takeBytes(size);
    input.skip(4 - size);
    return {word & 0xffffU, bytes};
  }
  const auto size = input.take<std::uint32_t>();
  const Element element{word, input.takeBytes(size)};
  if (word != kCompressed) input.skip((8 - size % 8) % 8);
  return element;
}

inline std::vector<double> numbersOf(const Element& element, bool isSwapped) {
  Input input(element.bytes, isSwapped);
  std::vector<double> numbers(element.bytes.size() / sizeOf(element.type));
  for (double& number : numbers) number = takeNumber(element.type, input);
  return numbers;
}

}  // namespace flexloop::files::mat
