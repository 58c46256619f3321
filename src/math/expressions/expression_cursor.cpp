#include "math/expressions/expression_cursor.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "math/expressions/expression.hpp"

namespace flexloop::math {
namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool isNamePart(char c) {
  return isNameStart(c) || isDigit(c);
}

void ExpressionCursor::skipSpace() {
  while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t' ||
                                      text_[position_] == '\n' || text_[position_] == '\r')) {
    ++position_;
  }
}

bool ExpressionCursor::accept(std::string_view sign) {
  if (!startsWith(sign)) return false;
  position_ += sign.size();
  skipSpace();
  return true;
}

void ExpressionCursor::expect(std::string_view sign, const char* purpose) {
  if (accept(sign)) return;
  fail("expected '" + std::string(sign) + "' " + purpose + ", found " + describeNext(), "",
       position_);
}

double ExpressionCursor::takeNumber() {
  const char* first = text_.data() + position_;
  double value = 0.0;
  const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
  if (error == std::errc::invalid_argument) fail("'.' is not a number", "", position_);
  const auto length = static_cast<std::size_t>(end - first);
  if (error != std::errc()) {
    fail("the number '" + std::string(text_.substr(position_, std::min<std::size_t>(length, 40))) +
             "' is out of range",
         "", position_);
  }
  position_ += length;
  skipSpace();
  return value;
}

// Who writes `3 [mm]` is told what to write.
std::optional<base::Dimension> ExpressionCursor::takeUnit() {
  const std::size_t start = position_;
  if (!accept("[")) return std::nullopt;
  base::Dimension unit;
  int* const exponents[] = {&unit.length,      &unit.mass,  &unit.time, &unit.current,
                            &unit.temperature, &unit.angle, &unit.cycle};
  for (int* exponent : exponents) {
    const char* first = text_.data() + position_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), *exponent);
    position_ += static_cast<std::size_t>(end - first);
    if (error == std::errc() && accept(exponent == &unit.cycle ? "]" : ",")) continue;
    fail("expected an operator, found '['", "an expression has no units, its values are SI", start);
  }
  return unit;
}

std::string ExpressionCursor::takeName() {
  const auto isPart = [this](std::size_t i) { return i < text_.size() && isNamePart(text_[i]); };
  const std::size_t start = position_;
  while (isPart(position_) || (startsWith(".") && isPart(position_ + 1))) ++position_;
  std::string name(text_.substr(start, position_ - start));
  skipSpace();
  return name;
}

std::string ExpressionCursor::describeNext() const {
  if (atEnd()) return "the end";
  if (!isNameStart(next())) return std::string("'") + next() + "'";
  return "'" + ExpressionCursor(text_.substr(position_)).takeName() + "'";
}

void ExpressionCursor::fail(std::string message, std::string hint, std::size_t offset) const {
  message += " at column " + std::to_string(offset + 1);
  throw Stop{{std::move(message), std::move(hint)}};
}

void ExpressionCursor::failOnRest() const {
  std::string hint;
  if (next() == '=') hint = "equality is written '=='";
  if (next() == '&') hint = "'and' is written '&&'";
  if (next() == '|') hint = "'or' is written '||'";
  if (next() == ')') hint = "it has no matching '('";
  if (isNamePart(next()) || next() == '(') {
    hint = "write '*' between factors; an expression has no units, its values are SI";
  }
  fail("expected an operator, found " + describeNext(), std::move(hint), position_);
}

}  // namespace flexloop::math
