// The mistakes found while reading a model. Reading goes on after a mistake, so that a user mends a
// file in one go, but not for ever: a long file that is wrong everywhere must be answered at once
// too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.hpp"
#include "base/result.hpp"

namespace flexloop::io {

class ErrorList {
 public:
  static constexpr std::size_t kMostErrors = 20;

  // Throws base::InputError with all errors so far when there are too many to go on.
  void add(const base::Place& place, std::string message, std::string hint = {});
  void add(const base::Place& place, std::string_view subject, const base::Failure& failure);

  // An unknown word, with the nearest of the known words or, if none is near, the list of them.
  // Gives the nearest, or an empty text.
  std::string addUnknown(const base::Place& place, std::string message, std::string_view word,
                         const std::vector<std::string>& known);

  bool empty() const { return errors_.empty(); }

  // Throws base::InputError with all errors, in the order of the files.
  [[noreturn]] void raise(const char* remark = "");
  void raiseIfAny();

 private:
  std::vector<base::Diagnostic> errors_;
};

// 'text', cut if it is long.
std::string quote(std::string_view text);

// `a, b or c`
std::string listOf(const std::vector<std::string>& words);

}  // namespace flexloop::io
