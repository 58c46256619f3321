// The command line of Flexloop.
#include <csignal>
#include <iostream>
#include <optional>
#include <unistd.h>

#include "api/commands.hpp"
#include "command_line.hpp"

namespace {

using flexloop::api::Console;
using flexloop::api::Outcome;
using flexloop::app::CommandLine;

// A signal handler can do no more than this.
volatile std::sig_atomic_t stopRequest = 0;

extern "C" void requestStop(int) {
  // The second time the user means it.
  if (stopRequest != 0) std::_Exit(static_cast<int>(Outcome::kOtherTrouble));
  stopRequest = 1;
}

void catchStopRequests() {
  flexloop::api::heedStopRequest(&stopRequest);
  std::signal(SIGINT, requestStop);
  std::signal(SIGTERM, requestStop);
}

Console makeConsole(const CommandLine& line) {
  const bool textIsTaken =
      line.targets.csvFile == "-" || line.targets.jsonFile == "-" || line.svgFile == "-";
  return {.text = textIsTaken ? &std::cerr : &std::cout,
          .errors = &std::cerr,
          .isTerminal = isatty(STDERR_FILENO) != 0,
          .quiet = line.quiet,
          .stopRequest = &stopRequest};
}

Outcome executeSpectrum(const CommandLine& line, const Console& console) {
  return flexloop::api::spectrum(
      {.run = {.model = line.model,
               .targets = {.directory = line.targets.directory, .csvFile = {}, .jsonFile = {}},
               .version = FLEXLOOP_VERSION,
               .stopRequest = &stopRequest,
               .checkpoints = {},
               .from = {}},
       .channels = line.channels,
       .values = line.optionValues,
       .keepsMean = line.keepsMean,
       .targets = line.targets,
       .svgFile = line.svgFile},
      console);
}

Outcome execute(const CommandLine& line) {
  const Console console = makeConsole(line);
  if (line.action) {
    if (line.stopsGently) catchStopRequests();
    return line.action(line, console);
  }
  if (line.command == "check") return flexloop::api::check(line.model, line.targets, console);
  if (line.command == "equilibrium") {
    return flexloop::api::equilibrium(line.model, line.isSteady, line.targets, console);
  }
  if (line.command == "scheme") {
    return flexloop::api::scheme({line.optionValues, line.targets, line.svgFile}, console);
  }
  if (line.command == "schema") return flexloop::api::writeSchema(line.targets.jsonFile, console);
  if (line.command == "manual") return flexloop::api::writeManual(line.directory, console);
  catchStopRequests();
  if (line.command == "spectrum") return executeSpectrum(line, console);
  return flexloop::api::run({.model = line.model,
                             .targets = line.targets,
                             .version = FLEXLOOP_VERSION,
                             .stopRequest = &stopRequest,
                             .checkpoints = line.checkpoints,
                             .from = line.from},
                            console);
}

}  // namespace

int main(int count, char** words) {
  int exitCode = 0;
  const std::optional<CommandLine> line = flexloop::app::parseCommandLine(count, words, exitCode);
  return line ? static_cast<int>(execute(*line)) : exitCode;
}
