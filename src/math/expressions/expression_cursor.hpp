// Where the parser of a formula is in its text. A part of expression.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/dimension.hpp"
#include "base/result.hpp"

namespace flexloop::math {

class ExpressionCursor {
 public:
  // Thrown and caught inside the parser only: it saves a test after each of its many recursive
  // calls.
  struct Stop {
    base::Failure failure;
  };

  explicit ExpressionCursor(std::string_view text) : text_(text) { skipSpace(); }

  std::size_t position() const { return position_; }
  bool atEnd() const { return position_ == text_.size(); }
  char next() const { return atEnd() ? '\0' : text_[position_]; }
  bool startsWith(std::string_view sign) const { return text_.substr(position_).starts_with(sign); }

  // Each takes its part of the text and the space after it.
  bool accept(std::string_view sign);
  void expect(std::string_view sign, const char* purpose);
  double takeNumber();
  // `[1,0,-2,0,0,0,0]` after a number; nothing if there is none.
  std::optional<base::Dimension> takeUnit();
  std::string takeName();

  std::string describeNext() const;
  [[noreturn]] void fail(std::string message, std::string hint, std::size_t offset) const;
  [[noreturn]] void failOnRest() const;

 private:
  void skipSpace();

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace flexloop::math
