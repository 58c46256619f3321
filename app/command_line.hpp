// What the user typed, as plain values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commands/commands.hpp"

namespace flexloop::app {

struct CommandLine {
  std::string command;
  api::ModelSource model;
  commands::Targets targets;
  bool isSteady = false;                           // of `equilibrium`
  std::string find;                                // of `equilibrium`
  std::string directory;                           // of `manual`
  std::vector<language::OptionText> optionValues;  // of `scheme` and `spectrum`
  std::string svgFile;
  std::vector<std::string> channels;  // of `spectrum`
  bool keepsMean = false;
  std::vector<double> checkpoints;  // of `run`
  std::string from;
  bool quiet = false;
  bool stopsGently = false;  // the action heeds Console::stopRequest
  // What a command of app/commands.hpp does; empty for the others.
  std::function<commands::Outcome(const CommandLine&, const commands::Console&)> action;
};

// Nothing if there is nothing left to do; `exitCode` then says how it ended.
std::optional<CommandLine> parseCommandLine(int count, char** words, int& exitCode);

}  // namespace flexloop::app
