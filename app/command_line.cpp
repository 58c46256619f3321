#include "command_line.hpp"

#include <iostream>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "option_words.hpp"

namespace flexloop::app {
namespace {

using commands::Call;
using commands::Command;
using commands::Option;

// Words are converted elsewhere, so that no template of CLI11 is compiled.
void add(CLI::App& command, const Option& option) {
  if (bool* const* flag = std::get_if<bool*>(&option.target)) {
    command.add_flag(option.name, **flag, option.meaning);
    return;
  }
  const CLI::callback_t keep = [&option](const std::vector<std::string>& words) {
    const auto mistake = store(option, words);
    if (mistake) throw CLI::ParseError(*mistake, CLI::ExitCodes::ConversionError);
    return true;
  };
  const Option::Rules& rules = option.rules;
  CLI::Option& added = *command.add_option(option.name, keep, option.meaning);
  added.type_name(option.value.empty() ? "TEXT" : option.value);
  if (isList(option)) added.expected(CLI::detail::expected_max_vector_size);
  if (rules.isRequired) added.required();
  if (rules.isOneByOne) added.allow_extra_args(false);
  if (rules.delimiter != '\0') added.delimiter(rules.delimiter);
  if (!rules.usual.empty()) added.expected(0, 1)->default_str(rules.usual);
}

// The first word that is no option.
const char* findCommandWord(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    if (words[i][0] != '-') return words[i];
  }
  return "";
}

void print(const base::Failure& failure) {
  std::cerr << "error: " << failure.message << "\n  hint: " << failure.hint << '\n';
}

base::Failure describe(const CLI::App& program, const Call& call, const CLI::ParseError& mistake) {
  const std::vector<CLI::App*> typed = program.get_subcommands();
  base::Failure failure{mistake.what()};
  if (!typed.empty() && dynamic_cast<const CLI::ExtrasError*>(&mistake) != nullptr) {
    failure = describeExtras(typed.front()->remaining(), call.options);
  }
  const std::string command = typed.empty() ? "" : " " + typed.front()->get_name();
  if (failure.hint.empty()) failure.hint = "see 'flexloop" + command + " --help'";
  return failure;
}

}  // namespace

bool parseCommandLine(int count, char** words, Call& call, int& exitCode) {
  CLI::App program("Simulates flexible mechanisms together with their controllers.", "flexloop");
  program.set_version_flag("--version", "flexloop " FLEXLOOP_VERSION);
  program.require_subcommand(1);
  const std::string typed = findCommandWord(count, words);
  for (const Command& command : commands::commandList()) {
    CLI::App& added = *program.add_subcommand(command.name, command.meaning);
    if (typed != command.name) continue;
    command.declare(call);
    for (const Option& option : call.options) add(added, option);
  }
  exitCode = static_cast<int>(base::FailureKind::kInput);
  if (count > 1 && words[1][0] != '-') {
    if (const auto unknown = describeUnknownCommand(typed)) {
      print(*unknown);
      return false;
    }
  }
  try {
    program.parse(count, words);
  } catch (const CLI::Success& end) {  // --help and --version
    exitCode = program.exit(end, std::cout, std::cerr);
    return false;
  } catch (const CLI::ParseError& mistake) {
    if (count < 2) {
      std::cerr << program.help();
    } else {
      print(describe(program, call, mistake));
    }
    return false;
  }
  return true;
}

}  // namespace flexloop::app
