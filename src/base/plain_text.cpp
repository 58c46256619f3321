#include "base/plain_text.hpp"

#include <array>
#include <cstdio>

namespace flexloop::base {
namespace {

unsigned char byteAt(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// Bytes of the character that begins with this one; 0 if none does.
std::size_t lengthOf(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

// The bytes of a character; 0 if there is none. `isOpen` if the text ends before the character does.
std::size_t measure(std::string_view text, bool& isOpen) {
  isOpen = false;
  const std::size_t length = lengthOf(byteAt(text, 0));
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size()) {
      isOpen = true;
      return 0;
    }
    if ((byteAt(text, i) & 0xc0) != 0x80) return 0;
  }
  // Forms that are longer than necessary hide what they mean.
  if (length == 3 && byteAt(text, 0) == 0xe0 && byteAt(text, 1) < 0xa0) return 0;
  if (length == 4 && byteAt(text, 0) == 0xf0 && byteAt(text, 1) < 0x90) return 0;
  return length;
}

bool isHarmless(std::string_view character) {
  const unsigned char first = byteAt(character, 0);
  if (character.size() == 1)
    return character == "\n" || character == "\t" || (first >= 0x20 && first != 0x7f);
  if (character.size() == 2) return first != 0xc2 || byteAt(character, 1) >= 0xa0;
  if (character.size() != 3 || first != 0xe2) return true;
  // Direction of writing: U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069; line and paragraph separators
  const unsigned code = (byteAt(character, 1) & 0x3fU) << 6 | (byteAt(character, 2) & 0x3fU);
  return !(code == 0x0e || code == 0x0f || (code >= 0x28 && code <= 0x2e) ||
           (code >= 0x66 && code <= 0x69));
}

void addNumbers(std::string_view bytes, std::string& plain) {
  for (const char byte : bytes) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "\\x%02x", static_cast<unsigned char>(byte));
    plain += text.data();
  }
}

// Up to the character that the text may have begun at its end.
std::string convert(std::string_view text, std::string_view& rest) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    bool isOpen = false;
    const std::size_t length = measure(text, isOpen);
    if (isOpen) break;
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (length > 0 && isHarmless(character)) {
      plain += character;
    } else {
      addNumbers(character, plain);
    }
    text.remove_prefix(character.size());
  }
  rest = text;
  return plain;
}

}  // namespace

std::string makePlain(std::string_view text) {
  std::string_view rest;
  std::string plain = convert(text, rest);
  addNumbers(rest, plain);
  return plain;
}

PlainOutput::PlainOutput(std::ostream& stream) : stream_(stream), target_(stream.rdbuf()) {
  stream_.rdbuf(this);
}

PlainOutput::~PlainOutput() {
  sync();
  const std::ios::iostate state = stream_.rdstate();
  stream_.rdbuf(target_);
  stream_.clear(state);  // rdbuf() forgets failures
}

bool PlainOutput::put(std::string_view text) {
  return target_->sputn(text.data(), static_cast<std::streamsize>(text.size())) ==
         static_cast<std::streamsize>(text.size());
}

PlainOutput::int_type PlainOutput::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof()))
    return traits_type::not_eof(character);
  const char byte = traits_type::to_char_type(character);
  return xsputn(&byte, 1) == 1 ? character : traits_type::eof();
}

std::streamsize PlainOutput::xsputn(const char* text, std::streamsize size) {
  const std::string_view written(text, static_cast<std::size_t>(size));
  if (written == "\r" && open_.empty()) return put(written) ? size : 0;
  const std::string whole = open_ + std::string(written);
  std::string_view rest;
  const std::string plain = convert(whole, rest);
  open_ = rest;
  return put(plain) ? size : 0;
}

int PlainOutput::sync() {
  if (!open_.empty()) {
    const std::string plain = makePlain(open_);
    open_.clear();
    if (!put(plain)) return -1;
  }
  return target_->pubsync();
}

}  // namespace flexloop::base
