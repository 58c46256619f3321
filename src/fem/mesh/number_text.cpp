#include "fem/mesh/number_text.hpp"

#include <cmath>
#include <string>

namespace flexloop::fem {
namespace {

std::optional<double> parsePlain(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return {};
  // Numbers below the smallest are zero, as in the programs that write them; larger than the largest is none.
  if (error == std::errc::result_out_of_range && text.find_first_of("eE") != text.npos &&
      text.find("-", text.find_first_of("eE")) != text.npos) {
    return 0.0;
  }
  if (error != std::errc() || !std::isfinite(value)) return {};
  return value;
}

}  // namespace

std::optional<double> parseReal(std::string_view text) {
  text = trim(text);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) return {};
  }
  if (const auto value = parsePlain(text)) return value;
  // An exponent after a d, or after its sign only.
  constexpr std::size_t kLongest = 64;
  if (text.size() > kLongest) return {};
  std::string plain;
  bool hasExponent = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == 'd' || c == 'D' || c == 'e' || c == 'E') {
      if (hasExponent || i == 0) return {};
      hasExponent = true;
      plain += 'e';
      if (i + 1 < text.size() && text[i + 1] == '+') ++i;
    } else if ((c == '+' || c == '-') && i > 0 && !hasExponent) {
      hasExponent = true;
      plain += 'e';
      if (c == '-') plain += c;
    } else {
      plain += c;
    }
  }
  return parsePlain(plain);
}

std::string toUpper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

}  // namespace flexloop::fem
