#include "base/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/unit_table.hpp"

namespace flexloop::base {
namespace {

// Far more than any unit needs; keeps the recursion into brackets and the exponents small.
constexpr std::size_t kLongestUnit = 64;
constexpr int kLargestExponent = 12;

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isSpace(char c) {
  return c == ' ' || c == '\t';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && isSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && isSpace(text.back())) text.remove_suffix(1);
  return text;
}

std::string quote(std::string_view text) {
  return "'" + std::string(text) + "'";
}

// The typographic signs (UTF-8) that users paste, in plain characters.
std::string replaceTypographicSigns(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kSigns{{
      {"\u00b5", "u"},
      {"\u03bc", "u"},  // micro sign, Greek mu
      {"\u00b7", "*"},
      {"\u22c5", "*"},  // middle dot, dot operator
      {"\u00b2", "^2"},
      {"\u00b3", "^3"},  // superscript two, three
      {"\u2074", "^4"},
      {"\u00b0", "deg"},  // superscript four, degree sign
      {"\u03a9", "ohm"},
      {"\u2126", "ohm"},  // Greek omega, ohm sign
      {"\u00a0", " "},    // no-break space
  }};
  std::string plain(text);
  for (const auto& [sign, replacement] : kSigns) {
    for (auto at = plain.find(sign); at != std::string::npos; at = plain.find(sign, at)) {
      plain.replace(at, sign.size(), replacement);
    }
  }
  return plain;
}

// Recursive descent over the grammar of units.hpp. An empty result means that failure_ says why.
class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : text_(text) {}

  Result<Unit> parse() {
    const std::optional<Unit> unit = parseProduct();
    if (unit && at_ < text_.size()) fail("the unit " + quote(text_) + " cannot be read");
    if (failure_) return *failure_;
    return *unit;
  }

 private:
  std::optional<Unit> parseProduct() {
    std::optional<Unit> product = parseFactor();
    while (product) {
      skipSpaces();
      const char sign = peek();
      const bool divides = sign == '/';
      if (divides || sign == '*') {
        ++at_;
      } else if (!startsFactor(sign)) {
        break;
      }
      const std::optional<Unit> factor = parseFactor();
      if (!factor) return std::nullopt;
      product = *product * (divides ? power(*factor, -1) : *factor);
    }
    return product;
  }

  std::optional<Unit> parseFactor() {
    skipSpaces();
    const char first = peek();
    if (first == '(') return parseBracket();
    if (first == '1') {
      ++at_;
      return Unit{};
    }
    if (isLetter(first) || first == '%') return parseSymbol();
    return fail("the unit " + quote(text_) + " cannot be read");
  }

  std::optional<Unit> parseBracket() {
    ++at_;
    const std::optional<Unit> inner = parseProduct();
    if (!inner) return std::nullopt;
    skipSpaces();
    if (peek() != ')') return fail("a ')' is missing in the unit " + quote(text_));
    ++at_;
    const std::optional<int> exponent = parseExponent();
    return exponent ? std::optional<Unit>(power(*inner, *exponent)) : std::nullopt;
  }

  std::optional<Unit> parseSymbol() {
    const std::string_view symbol = readSymbol();
    const std::optional<int> exponent = parseExponent();
    if (!exponent) return std::nullopt;
    if (const auto unit = findUnit(symbol)) return power(*unit, *exponent);
    const auto parts = splitCompactWord(symbol);
    if (parts.empty()) return failUnknown(symbol);
    Unit product = power(*findUnit(parts.back()), *exponent);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) product = product * *findUnit(parts[i]);
    return product;
  }

  std::string_view readSymbol() {
    const std::size_t start = at_;
    if (peek() == '%') {
      ++at_;
    } else if (text_.substr(at_).starts_with("g0")) {
      at_ += 2;  // the one symbol with a digit, which would otherwise be an exponent
    } else {
      while (isLetter(peek())) ++at_;
    }
    return text_.substr(start, at_ - start);
  }

  std::optional<int> parseExponent() {
    const bool hasSign = peek() == '^';
    if (hasSign) ++at_;
    if (!hasSign && !isDigit(peek())) return 1;
    const bool negative = peek() == '-';
    if (negative) ++at_;
    int exponent = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), exponent);
    if (error != std::errc() || exponent < 0 || exponent > kLargestExponent) {
      fail("the exponent in the unit " + quote(text_) + " is not a small integer");
      return std::nullopt;
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    return negative ? -exponent : exponent;
  }

  std::nullopt_t failUnknown(std::string_view symbol) {
    const auto nearest = findNearestUnit(symbol);
    return fail("unknown unit " + quote(symbol),
                nearest
                    ? "did you mean " + quote(*nearest) + "?"
                    : "examples of units are mm, deg, kg, N, GPa, and products such as N*m/rad");
  }

  std::nullopt_t fail(std::string message, std::string hint = {}) {
    if (!failure_) failure_ = Failure{std::move(message), std::move(hint)};
    return std::nullopt;
  }

  static bool startsFactor(char c) { return isLetter(c) || c == '(' || c == '%'; }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skipSpaces() {
    while (isSpace(peek())) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<Failure> failure_;
};

struct LeadingNumber {
  double value;
  std::string_view rest;
};

Result<LeadingNumber> parseLeadingNumber(std::string_view text) {
  std::string_view number = text;
  if (number.starts_with('+')) number.remove_prefix(1);
  const std::string_view digits = number.starts_with('-') ? number.substr(1) : number;
  // from_chars would also take inf and nan, and a second sign after '+' is no number.
  const bool startsNumber = !digits.empty() && (isDigit(digits.front()) || digits.front() == '.') &&
                            !(text.starts_with('+') && number.starts_with('-'));
  double value = 0.0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc::result_out_of_range) {
    return Failure{"the number " + quote(text) + " is too large or too small to be represented",
                   {}};
  }
  if (!startsNumber || error != std::errc()) {
    return Failure{quote(text) + " is not a number",
                   "write a number, optionally with a unit: 150 mm"};
  }
  const std::string_view rest = number.substr(static_cast<std::size_t>(end - number.data()));
  if (rest.starts_with(',')) {
    return Failure{quote(text) + " is not a number", "use a point as the decimal separator: 1.5"};
  }
  return LeadingNumber{value, rest};
}

}  // namespace

Result<Unit> parseUnit(std::string_view text) {
  const std::string plain = replaceTypographicSigns(trim(text));
  if (plain.empty()) return Unit{};
  if (plain.size() > kLongestUnit) {
    return Failure{"the unit " + quote(plain.substr(0, kLongestUnit)) + "... is too long", {}};
  }
  Result<Unit> unit = UnitParser(plain).parse();
  if (!unit) return unit;
  const double factor = unit.value().numerator / unit.value().denominator;
  if (!std::isnormal(factor)) {
    return Failure{"the unit " + quote(text) + " is too large or too small", {}};
  }
  return unit;
}

Result<Quantity> parseQuantity(std::string_view text) {
  const std::string_view trimmed = trim(text);
  const Result<LeadingNumber> number = parseLeadingNumber(trimmed);
  if (!number) return number.failure();
  const auto [value, rest] = number.value();
  const std::string_view unitText = trim(rest);
  if (unitText.empty()) return Quantity{value, kDimensionless, false};

  const Result<Unit> unit = parseUnit(unitText);
  if (!unit) return unit.failure();
  const double converted = value * unit.value().numerator / unit.value().denominator;
  if (!std::isfinite(converted)) {
    return Failure{"the value " + quote(trimmed) + " is too large to be represented", {}};
  }
  return Quantity{converted, unit.value().dimension, true};
}

Result<double> convertToSi(const Quantity& quantity, const Dimension& expected) {
  if (!quantity.hasUnit) return quantity.value;
  if (quantity.dimension != expected) {
    return Failure{"the unit is that of " + describe(quantity.dimension) + ", but " +
                       describe(expected) + " is needed",
                   {}};
  }
  if (mixesCyclesAndAngles(quantity.dimension, expected)) {
    const bool needsAngle = expected.angle != 0;
    return Failure{needsAngle
                       ? "Hz counts cycles, but an angle per time is needed"
                       : "the unit is an angle per time, but a frequency in cycles is needed",
                   needsAngle ? "1 Hz is 2*pi rad/s; write rad/s, deg/s or rpm"
                              : "2*pi rad/s is 1 Hz; write Hz or kHz"};
  }
  return quantity.value;
}

}  // namespace flexloop::base
