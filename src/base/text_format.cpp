#include "base/text_format.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace flexloop::base {

std::string formatText(const char* pattern, ...) {
  std::va_list arguments, again;
  va_start(arguments, pattern);
  va_copy(again, arguments);
  const int size = std::vsnprintf(nullptr, 0, pattern, arguments);
  va_end(arguments);
  std::string text(static_cast<std::size_t>(size > 0 ? size : 0) + 1, '\0');
  std::vsnprintf(text.data(), text.size(), pattern, again);
  va_end(again);
  text.pop_back();
  return text;
}

std::string numberText(double value) {
  std::array<char, 32> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

std::string formatDuration(double seconds) {
  if (!(seconds < 1e9)) return "very long";
  if (seconds < 9.95) return formatText("%.1f s", seconds);
  const long long whole = std::llround(seconds);
  if (whole < 60) return formatText("%lld s", whole);
  if (whole < 3600) return formatText("%lld min %02lld s", whole / 60, whole % 60);
  return formatText("%lld h %02lld min", whole / 3600, whole / 60 % 60);
}

}  // namespace flexloop::base
