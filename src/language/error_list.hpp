// The mistakes found while reading a model. Reading continues after a mistake, so that a user mends a
// file in one go, but not for ever: a long file that is wrong everywhere must be answered at once
// too.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/diagnostics.hpp"
#include "base/result.hpp"

namespace flexloop::language {

class ErrorList {
 public:
  static constexpr std::size_t kMostErrors = 20;

  // Throws base::InputError with all errors so far when there are too many to go on.
  void add(const base::Place& place, const std::string& message, std::string hint = {});
  void add(const base::Place& place, std::string_view subject, const base::Failure& failure);

  // An unknown word, with the nearest of the known words or, if none is near, the list of them.
  // Gives the nearest, or an empty text.
  std::string addUnknown(const base::Place& place, const std::string& message,
                         std::string_view word, const std::vector<std::string>& known);

  bool empty() const { return errors_.empty(); }
  // How many were added, also those that an ErrorContext did not repeat.
  std::size_t count() const { return count_; }

  // Throws base::InputError with all errors, in the order of the files.
  [[noreturn]] void raise(const char* remark = "");
  void raiseIfAny();

 private:
  friend class ErrorContext;

  std::vector<base::Diagnostic> errors_;
  std::size_t count_ = 0;
  std::string context_;
  std::unordered_set<std::string> said_;  // within contexts
};

// While it lives, the errors are those of one use of a diagram: their messages start with its
// text. A mistake in the diagram shows in every use, and is reported at the first only.
class ErrorContext {
 public:
  ErrorContext(ErrorList& errors, const std::string& text)
      : errors_(errors), length_(errors.context_.size()) {
    errors.context_ += text;
  }
  ~ErrorContext() { errors_.context_.resize(length_); }
  ErrorContext(const ErrorContext&) = delete;
  ErrorContext& operator=(const ErrorContext&) = delete;

 private:
  ErrorList& errors_;
  std::size_t length_;
};

// 'text', cut if it is long.
std::string quote(std::string_view text);

// `a, b or c`
std::string listOf(const std::vector<std::string>& words);

}  // namespace flexloop::language
