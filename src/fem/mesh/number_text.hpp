// Numbers in text, without regard to the language of the machine.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace flexloop::fem {

inline bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

inline std::string_view trim(std::string_view text) {
  while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
  return text;
}

// The whole text, with a sign or not; nothing if it is no integer of 64 bits.
inline std::optional<std::int64_t> parseInteger(std::string_view text) {
  text = trim(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  return value;
}

// The whole text: 1, -.5, 1e-3, and as Fortran programs write them: 1.d-3, 7.85-9, 1.+3. Nothing if it is no finite
// number.
std::optional<double> parseReal(std::string_view text);

// Upper case, ASCII only.
std::string toUpper(std::string_view text);

}  // namespace flexloop::fem
