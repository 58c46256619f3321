// A value, or the reason why there is none.
//
// Functions that read what a user wrote return it: a mistake in a model is expected, so it is a
// value and not an exception. The caller knows the place and makes a Diagnostic of it.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace flexloop::base {

struct Failure {
  std::string message;  // what is wrong
  std::string hint;     // what would be right; may be empty
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}
  Result(Failure failure) : content_(std::move(failure)) {}

  bool hasValue() const { return std::holds_alternative<T>(content_); }
  explicit operator bool() const { return hasValue(); }

  const T& value() const {
    assert(hasValue());
    return *std::get_if<T>(&content_);
  }

  const Failure& failure() const {
    assert(!hasValue());
    return *std::get_if<Failure>(&content_);
  }

 private:
  std::variant<T, Failure> content_;
};

}  // namespace flexloop::base
