// A command of the program: its options as a table, which app/command_line.cpp reads, and what it does. Each command has a
// file of its own and a line in command_list.cpp.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/load.hpp"
#include "commands/console.hpp"
#include "language/option_text.hpp"

namespace flexloop::commands {

struct Option {
  // Where the value goes, or what takes it.
  using Target = std::variant<bool*, int*, std::optional<int>*, double*, std::optional<double>*,
                              std::string*, std::optional<std::string>*, std::vector<std::string>*,
                              std::vector<double>*, std::function<void(const std::string& text)>>;

  struct Rules {
    bool isRequired = false;
    bool isOneByOne = false;  // several values by giving the option several times
    char delimiter = '\0';    // between the values of one word
    int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
    std::string usual{};     // the value of an option that is given without one
    bool isWritten = false;  // a file that is written when everything has been computed
  };

  std::string name;     // --end, -p; without dashes an argument
  std::string value{};  // what the help calls its value; empty for flags and arguments
  std::string meaning;
  Target target;
  Rules rules{};
};

// One call of the program. The options of the command fill it, so it must not move.
struct Call {
  Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  std::vector<Option> options;
  std::function<void(const Console& console)> action;
  bool stopsGently = false;  // the action heeds Console::stopRequest

  // What many commands have.
  api::ModelSource model;
  Targets targets;
  bool isQuiet = false;

  // Does it, unless a file that is to be written cannot be: nobody should hear of that after hours of computing.
  void run(const Console& console) const;

  void add(const std::vector<Option>& more);
  // MODEL, and those below
  void addModelOptions();
  // -p, --set
  void addOverrideOptions();
  // --out, --json, --csv, --quiet
  void addTargetOptions();
  void addQuietOption();
  // Those of the language, as --NAME VALUE.
  void addValueOptions(const std::vector<language::OptionHelp>& known,
                       std::vector<language::OptionText>& values);
  void addFigureOption(const char* name, const char* meaning);

 private:
  void rejectOverwriting(const std::string& option, const std::string& written) const;
};

struct Command {
  const char* name;
  const char* meaning;
  void (*declare)(Call& call);
};

// In the order of the help.
const std::vector<Command>& commandList();

}  // namespace flexloop::commands
