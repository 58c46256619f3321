// What is wrong with a model, where, and what would be right.
//
// All mistakes are collected before any is reported, so that a user mends a file in one go.
#pragma once

#include <exception>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace flexloop::base {

// A place in an input file. Every value of a model carries one, hence the shared name.
struct Place {
  std::shared_ptr<const std::string> file;  // null: unknown
  int line = 0;                             // from 1; 0: unknown
  int column = 0;                           // from 1; 0: unknown
};

// `file:line:column`, without the parts that are unknown; empty if nothing is known.
std::string toText(const Place& place);

struct Diagnostic {
  Place place;
  std::string message;
  std::string hint;  // may be empty
};

class Diagnostics {
 public:
  void addError(Place place, std::string message, std::string hint = {});
  void addWarning(Place place, std::string message, std::string hint = {});
  void add(const Diagnostics& others);

  bool empty() const { return errors_.empty() && warnings_.empty(); }
  bool hasErrors() const { return !errors_.empty(); }
  const std::vector<Diagnostic>& errors() const { return errors_; }
  const std::vector<Diagnostic>& warnings() const { return warnings_; }

  // Warnings first, so that the errors are last on the user's screen. Each as
  //   file:line:column: error: message
  //     hint: what would be right
  void print(std::ostream& stream) const;
  std::string toText() const;

 private:
  std::vector<Diagnostic> errors_;
  std::vector<Diagnostic> warnings_;
};

// Thrown only at the boundaries, where a caller asked for a model and there is none to give.
class InputError : public std::exception {
 public:
  explicit InputError(Diagnostics diagnostics);
  InputError(Place place, std::string message, std::string hint = {});

  const Diagnostics& diagnostics() const { return *diagnostics_; }
  const char* what() const noexcept override { return text_->c_str(); }

 private:
  // Shared because copying an exception must not throw.
  std::shared_ptr<const Diagnostics> diagnostics_;
  std::shared_ptr<const std::string> text_;
};

}  // namespace flexloop::base
