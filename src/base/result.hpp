// A value, or the reason why there is none.
//
// A mistake in a model and a search that does not converge are expected, so they are values and not exceptions. A function
// returns a Result, an optional Failure where there is no value, or a report with an optional Failure beside what is known
// in spite of it.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace flexloop::base {

// What is at fault. The values are the exit codes of the program.
enum class FailureKind { kInput = 2, kNumerics = 3, kOther = 4 };

struct Failure {
  std::string message;  // what is wrong, by the user's names
  std::string hint{};   // what would be right; may be empty
  FailureKind kind = FailureKind::kInput;
};

inline Failure numericalFailure(std::string message, std::string hint = {}) {
  return {std::move(message), std::move(hint), FailureKind::kNumerics};
}

// Empty if there is none.
inline std::string messageOf(const std::optional<Failure>& failure) {
  return failure ? failure->message : std::string();
}

// The same failure, with where it happened in front of its message.
inline Failure withContext(const std::string& context, Failure failure) {
  failure.message.insert(0, context);
  return failure;
}

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
