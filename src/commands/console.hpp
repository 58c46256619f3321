// Where a command prints, and how it ends: results go to files, readable text to `Console::text`, and what is wrong to
// `Console::errors`.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace flexloop::commands {

struct Console {
  std::ostream* text = nullptr;               // never null
  std::ostream* errors = nullptr;             // never null; progress goes here too
  bool isTerminal = false;                    // of `errors`: draw a bar
  bool quiet = false;                         // errors only
  const volatile int* stopRequest = nullptr;  // not zero: the user wants to stop; may be null
  std::string version{};                      // of the program, for files

  bool isStopRequested() const { return stopRequest != nullptr && *stopRequest != 0; }
  // Nothing if the console is quiet.
  void print(const std::vector<std::string>& lines) const;
  void warn(const std::vector<std::string>& notes) const;
  void warn(const std::string& what, const std::string& hint) const;
};

// Files that are named by the user. Empty: none; `-`: standard output.
struct Targets {
  std::string directory{};  // empty: out/<model>
  std::string csvFile{}, jsonFile{}, figureFile{};
};

// What every command begins and ends with: exceptions end here, and are reported. Returns the exit code of the program,
// which is the kind of the failure, or zero.
int guard(const Console& console, const std::function<void()>& action);

// Throws base::InputError.
[[noreturn]] void reject(const std::string& message, const std::string& hint);

// The index of the word among those that are known. Throws base::InputError.
int choose(const char* option, const std::string& word, const std::vector<std::string>& known);

}  // namespace flexloop::commands
