#include "command_line.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/nearest_word.hpp"
#include "base/units.hpp"
#include "commands.hpp"

namespace flexloop::app {
namespace {

constexpr int kBadInput = static_cast<int>(commands::Outcome::kBadInput);

// Values of `analysis: time` that have an option of their own.
struct TimeOverrides {
  std::string end, step, rho, start;
};

}  // namespace

void addTargetOptions(CLI::App& command, CommandLine& line) {
  command.add_option("--out", line.targets.directory, "results folder (default: out/<model>)")
      ->type_name("DIR");
  command.add_option("--json", line.targets.jsonFile, "results as JSON; - for standard output")
      ->type_name("FILE");
  command.add_option("--csv", line.targets.csvFile, "outputs as CSV; - for standard output")
      ->type_name("FILE");
  command.add_flag("--quiet", line.quiet, "errors only");
}

void addOverrideOptions(CLI::App& command, CommandLine& line) {
  command.add_option("-p", line.model.overrides.parameters, "set a parameter of the model")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_option("--set", line.model.overrides.values, "set any value of the model")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
}

CLI::App& addModelCommand(CLI::App& program, const char* name, const char* what,
                          CommandLine& line) {
  CLI::App& command = *program.add_subcommand(name, what);
  command.add_option("MODEL", line.model.file, "model file")->required();
  addOverrideOptions(command, line);
  addTargetOptions(command, line);
  return command;
}

namespace {

void addValueOptions(CLI::App& command, const std::vector<language::OptionHelp>& options,
                     CommandLine& line) {
  for (const language::OptionHelp& option : options) {
    const auto keep = [&line, name = option.name](const std::string& text) {
      line.optionValues.push_back({name, text});
    };
    command.add_option_function<std::string>("--" + option.name, keep, option.meaning)
        ->type_name("VALUE");
  }
}

void addSchemeCommand(CLI::App& program, CommandLine& line) {
  CLI::App& command =
      *program.add_subcommand("scheme", "prints the spectral properties of a time scheme");
  addValueOptions(command, reports::schemeOptions(), line);
  command.add_option("--svg", line.svgFile, "figure of the radii; - for standard output")
      ->type_name("FILE");
  addTargetOptions(command, line);
}

void addSpectrumCommand(CLI::App& program, CommandLine& line) {
  CLI::App& command = *program.add_subcommand(
      "spectrum", "prints frequencies, damping ratios and amplitudes of recorded outputs");
  command
      .add_option("RECORD", line.model.file,
                  "result.h5 or CSV of a run, or a model, which is run first")
      ->required();
  addOverrideOptions(command, line);
  command.add_option("--channel", line.channels, "outputs to analyse (default: all)")
      ->type_name("NAME");
  addValueOptions(command, reports::spectrumOptions(), line);
  command.add_flag("--keep-mean", line.keepsMean, "keep the mean in the spectrum");
  command
      .add_option("--figure", line.svgFile, "figure of the spectra (SVG); - for standard output")
      ->type_name("FILE");
  addTargetOptions(command, line);
}

void addCommands(CLI::App& program, CommandLine& line, TimeOverrides& time) {
  addModelCommand(program, "check", "reads, checks and describes a model", line);
  CLI::App& equilibrium =
      addModelCommand(program, "equilibrium", "finds the static equilibrium of a model", line);
  equilibrium.add_flag("--steady", line.isSteady,
                       "find the steady motion that begins with the initial velocities");
  equilibrium
      .add_option("--find", line.find,
                  "which one: loaded (reached by slowly growing loads), first or stable (default: "
                  "as in 'analysis: equilibrium')")
      ->type_name("WHICH");
  CLI::App& run = addModelCommand(program, "run", "simulates a model in time", line);
  run.add_option("--end", time.end, "end time [s]")->type_name("TIME");
  run.add_option("--step", time.step, "time step [s]")->type_name("TIME");
  run.add_option("--about", time.start,
                 "initial state: initial, equilibrium or steady (default: as in the model)")
      ->type_name("STATE");
  run.add_option("--rho", time.rho, "spectral radius at infinite frequency, 0 to 1")
      ->type_name("NUMBER");
  run.add_option("--checkpoint", line.checkpoints,
                 "write checkpoint.h5 at this time, to continue from; may be repeated")
      ->type_name("TIME")
      ->allow_extra_args(false);
  run.add_option("--from", line.from, "continue from a checkpoint")->type_name("FILE");
  addModesCommand(program, line);
  addSpectrumCommand(program, line);
  addSweepCommand(program, line);
  addFrfCommand(program, line);
  addLinearizeCommand(program, line);
  addIdentifyCommand(program, line);
  addPlotCommand(program, line);
  addExportCommand(program, line);
  addViewCommand(program, line);
  addReportCommand(program, line);
  addSchemeCommand(program, line);
  CLI::App& schema = *program.add_subcommand(
      "schema", "writes the JSON Schema of the model language, for editors");
  addTargetOptions(schema, line);
  CLI::App& manual =
      *program.add_subcommand("manual", "writes the reference pages of the model language");
  manual.add_option("DIR", line.directory, "output folder")->required();
  addHelpCommand(program, line);
}

void applyTimeOverrides(const TimeOverrides& time, CommandLine& line) {
  const auto add = [&](const char* key, const std::string& value) {
    if (value.empty()) return;
    line.model.overrides.values.push_back(std::string("analysis.time.") + key + "=" + value);
  };
  add("end", time.end);
  add("step", time.step);
  add("rho", time.rho);
  add("start", time.start);
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
  std::cerr << "  hint: " << (nearest ? "did you mean '" + *nearest + "'?" : "known: " + all)
            << '\n';
  return true;
}

// The program with its command, where one was given.
std::string describe(const CLI::App& program) {
  const std::vector<CLI::App*> commands = program.get_subcommands();
  return commands.empty() ? "flexloop" : "flexloop " + commands.front()->get_name();
}

// CLI11 says of `--count x` only that it could not be converted.
std::string describeMistake(const CLI::App& program, const CLI::ParseError& mistake) {
  const std::string start = "Could not convert: ";
  std::string text = mistake.what();
  const std::size_t equals = text.find(" = ");
  const std::vector<CLI::App*> commands = program.get_subcommands();
  if (!text.starts_with(start) || equals == std::string::npos || commands.empty()) return text;
  const std::string name = text.substr(start.size(), equals - start.size());
  const CLI::Option* option = commands.front()->get_option_no_throw(name);
  const bool isCount = option != nullptr && option->get_type_name() == "N";
  return name + ": '" + text.substr(equals + 3) + "' is not a " +
         (isCount ? "whole number, or too large" : "number");
}

// The option that a word was probably meant for; empty if none is near. `--endtime` is meant for `--end`.
std::string findMeantOption(const CLI::App& command, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  if (const auto nearest = base::findNearestWord(word, known)) return *nearest;
  std::string longest;
  for (const std::string& name : known) {
    const bool isBeginning = word.starts_with(name) || name.starts_with(word);
    if (isBeginning && name.size() > longest.size()) longest = name;
  }
  return longest;
}

struct Complaint {
  std::string message, hint;
};

// Of words that belong to no option and no argument, the first option; or else the first word.
Complaint describeExtras(const CLI::App& command) {
  const std::vector<std::string> words = command.remaining();
  const auto option = std::find_if(words.begin(), words.end(),
                                   [](const std::string& word) { return word.starts_with("-"); });
  if (option != words.end()) {
    const std::string name = option->substr(0, option->find('='));
    const std::string meant = findMeantOption(command, name);
    return {"unknown option '" + name + "'", meant.empty() ? "" : "did you mean '" + meant + "'?"};
  }
  const std::string word = words.empty() ? "" : words.front();
  const bool isUnit = base::parseUnit(word).hasValue() && !word.empty();
  return {"unexpected argument '" + word + "'",
          isUnit ? "write a value and its unit as one word: 100" + word + " or '100 " + word + "'"
                 : ""};
}

Complaint describe(const CLI::App& program, const CLI::ParseError& mistake) {
  const std::vector<CLI::App*> commands = program.get_subcommands();
  const std::string help = "see '" + describe(program) + " --help'";
  if (commands.empty() || dynamic_cast<const CLI::ExtrasError*>(&mistake) == nullptr) {
    return {describeMistake(program, mistake), help};
  }
  Complaint complaint = describeExtras(*commands.front());
  if (complaint.hint.empty()) complaint.hint = help;
  return complaint;
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
  } catch (const CLI::Success& end) {  // --help and --version
    exitCode = program.exit(end, std::cout, std::cerr);
    return std::nullopt;
  } catch (const CLI::ParseError& mistake) {
    if (count < 2) {
      std::cerr << program.help();
    } else {
      const Complaint complaint = describe(program, mistake);
      std::cerr << "error: " << complaint.message << "\n  hint: " << complaint.hint << '\n';
    }
    exitCode = kBadInput;
    return std::nullopt;
  }
  line.command = program.get_subcommands().front()->get_name();
  applyTimeOverrides(time, line);
  if (!line.find.empty()) {
    line.model.overrides.values.push_back("analysis.equilibrium.find=" + line.find);
  }
  return line;
}

}  // namespace flexloop::app
