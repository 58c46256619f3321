// The numbers of a Gmsh file one after the other, as text or binary: version 4.1 has them in the same order in both.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "fem/mesh/number_text.hpp"

namespace flexloop::fem {

class GmshInput {
 public:
  explicit GmshInput(std::string_view text) : text_(text) {}

  void setText() { isBinary_ = false; }
  void setBinary(bool isSwapped, int sizeBytes) {
    isBinary_ = true;
    isSwapped_ = isSwapped;
    sizeBytes_ = sizeBytes;
  }
  bool isBinary() const { return isBinary_; }

  // Of the next number of a text; 0 in binary sections.
  int line() const { return isBinary_ ? 0 : line_; }
  int lineOfText() const { return line_; }
  bool isAtEnd() const { return at_ >= text_.size(); }
  std::size_t bytesLeft() const { return text_.size() - at_; }
  // Of the shortest number, with the blank after it.
  std::size_t leastBytes() const { return isBinary_ ? 4 : 2; }

  // False: the file ends here, or this is no such number.
  bool takeInt(std::int64_t& value) {
    return isBinary_ ? takeRaw<std::int32_t>(value) : takeText(value);
  }
  bool takeSize(std::int64_t& value) {
    if (!isBinary_) return takeText(value);
    return sizeBytes_ == 8 ? takeRaw<std::int64_t>(value) : takeRaw<std::int32_t>(value);
  }
  bool takeReal(double& value);

  // The rest of the line, or the next one if nothing but blanks is left of it; whatever the encoding.
  std::string_view takeLine();
  // The next line that is not empty.
  std::string_view takeFilledLine();
  // The blank-separated word at this place, for messages.
  std::string_view peekWord() const;
  // Jumps behind the line $EndNAME.
  bool skipTo(std::string_view endOfSection);

 private:
  void skipBlanks() {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') {
        ++line_;
      } else if (!isBlank(text_[at_])) {
        return;
      }
    }
  }
  bool isWordEnd(std::size_t at) const {
    return at >= text_.size() || text_[at] == '\n' || isBlank(text_[at]);
  }
  bool takeText(std::int64_t& value) {
    skipBlanks();
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    const std::size_t next = end - text_.data();
    if (error != std::errc() || !isWordEnd(next)) return false;
    at_ = next;
    return true;
  }
  template <class T>
  bool takeBytes(T& value) {
    if (bytesLeft() < sizeof(T)) return false;
    unsigned char bytes[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      bytes[isSwapped_ ? sizeof(T) - 1 - i : i] = static_cast<unsigned char>(text_[at_ + i]);
    }
    std::memcpy(&value, bytes, sizeof(T));
    at_ += sizeof(T);
    return true;
  }
  template <class T>
  bool takeRaw(std::int64_t& value) {
    T raw = 0;
    if (!takeBytes(raw)) return false;
    value = raw;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool isBinary_ = false, isSwapped_ = false;
  int sizeBytes_ = 8;
};

}  // namespace flexloop::fem
