#include "command_line.hpp"

#include <array>
#include <iostream>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/nearest_word.hpp"

namespace flexloop::app {
namespace {

constexpr int kBadInput = static_cast<int>(api::Outcome::kBadInput);

// Values of `analysis: time` that have an option of their own.
struct TimeOverrides {
  std::string end, step, rho;
};

void addModelOptions(CLI::App& command, CommandLine& line) {
  command.add_option("MODEL", line.model.file, "model file")->required();
  command.add_option("-p", line.model.overrides.parameters, "sets a parameter of the model")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_option("--set", line.model.overrides.values, "sets any value of the model")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command.add_option("--out", line.targets.directory, "folder of the results (out/<model>)")
      ->type_name("DIR");
  command.add_option("--json", line.targets.jsonFile, "summary as JSON; - for standard output")
      ->type_name("FILE");
  command.add_option("--csv", line.targets.csvFile, "recorded outputs as CSV; - for standard output")
      ->type_name("FILE");
  command.add_flag("--quiet", line.quiet, "errors only");
}

void addCommands(CLI::App& program, CommandLine& line, TimeOverrides& time) {
  addModelOptions(*program.add_subcommand("check", "reads, checks and describes a model"), line);
  CLI::App* run = program.add_subcommand("run", "simulates a model in time");
  addModelOptions(*run, line);
  run->add_option("--end", time.end, "end time [s]")->type_name("TIME");
  run->add_option("--step", time.step, "time step [s]")->type_name("TIME");
  run->add_option("--rho", time.rho, "spectral radius at infinite frequency, 0 to 1");
}

void applyTimeOverrides(const TimeOverrides& time, CommandLine& line) {
  const auto add = [&](const char* key, const std::string& value) {
    if (value.empty()) return;
    line.model.overrides.values.push_back(std::string("analysis.time.") + key + "=" + value);
  };
  add("end", time.end);
  add("step", time.step);
  add("rho", time.rho);
}

// CLI11 would only say that it does not know what to do with the word.
bool isUnknownCommand(const CLI::App& program, int count, char** words) {
  if (count < 2 || words[1][0] == '-') return false;
  std::vector<std::string> known;
  for (const CLI::App* command : program.get_subcommands({})) known.push_back(command->get_name());
  const std::string word = words[1];
  for (const std::string& name : known) {
    if (name == word) return false;
  }
  std::cerr << "error: there is no command '" << word << "'\n";
  const std::optional<std::string> nearest = base::findNearestWord(word, known);
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  std::cerr << "  hint: " << (nearest ? "did you mean '" + *nearest + "'?" : "known: " + all) << '\n';
  return true;
}

}  // namespace

std::optional<CommandLine> parseCommandLine(int count, char** words, int& exitCode) {
  CommandLine line;
  TimeOverrides time;
  CLI::App program("Simulates flexible mechanisms together with their controllers.", "flexloop");
  program.set_version_flag("--version", "flexloop " FLEXLOOP_VERSION);
  program.require_subcommand(1);
  addCommands(program, line, time);
  if (isUnknownCommand(program, count, words)) {
    exitCode = kBadInput;
    return std::nullopt;
  }
  try {
    program.parse(count, words);
  } catch (const CLI::ParseError& end) {
    // Also thrown for --help and --version, which are no errors.
    exitCode = program.exit(end, std::cout, std::cerr) == 0 ? 0 : kBadInput;
    return std::nullopt;
  }
  line.command = program.get_subcommands().front()->get_name();
  applyTimeOverrides(time, line);
  return line;
}

}  // namespace flexloop::app
