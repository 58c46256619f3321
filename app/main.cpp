// The command line of Flexloop.
#include <csignal>
#include <exception>
#include <iostream>
#include <malloc.h>
#include <new>
#include <optional>
#include <unistd.h>

#include "base/plain_text.hpp"
#include "command_line.hpp"
#include "commands/commands.hpp"
#include "standard_streams.hpp"

namespace {

using flexloop::app::CommandLine;
using flexloop::commands::Console;
using flexloop::commands::Outcome;

// A signal handler can do no more than this.
volatile std::sig_atomic_t stopRequest = 0;

// Ctrl-C is meant the second time. The others come in pairs where a terminal or a computer is shut down.
extern "C" void requestStop(int signal) {
  if (signal == SIGINT && stopRequest != 0) std::_Exit(static_cast<int>(Outcome::kFailed));
  stopRequest = 1;
}

void catchStopRequests() {
  flexloop::commands::heedStopRequest(&stopRequest);
  struct sigaction action {};
  action.sa_handler = requestStop;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGXCPU}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    // `nohup` wants the run to outlive the terminal.
    if (signal == SIGHUP && before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
}

// Writing then fails, which is reported and leaves time to save, instead of ending the program.
void ignoreFailuresOfWriting() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

// Vectors and matrices of large machines come and go. What is given back after each of them, the system has to clear for the
// next one, which took a tenth of the time of the modes of 100,000 elements.
void keepFreedMemory() {
#ifdef __GLIBC__
  constexpr int kMost = 256 << 20;  // bytes
  mallopt(M_MMAP_THRESHOLD, kMost);
  mallopt(M_TRIM_THRESHOLD, kMost);
#endif
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
  return flexloop::commands::spectrum(
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
  if (line.command == "check") return flexloop::commands::check(line.model, line.targets, console);
  if (line.command == "equilibrium") {
    return flexloop::commands::equilibrium(line.model, line.isSteady, line.targets, console);
  }
  if (line.command == "scheme") {
    return flexloop::commands::scheme({line.optionValues, line.targets, line.svgFile}, console);
  }
  if (line.command == "schema")
    return flexloop::commands::writeSchema(line.targets.jsonFile, console);
  if (line.command == "manual") return flexloop::commands::writeManual(line.directory, console);
  catchStopRequests();
  if (line.command == "spectrum") return executeSpectrum(line, console);
  return flexloop::commands::run({.model = line.model,
                                  .targets = line.targets,
                                  .version = FLEXLOOP_VERSION,
                                  .stopRequest = &stopRequest,
                                  .checkpoints = line.checkpoints,
                                  .from = line.from},
                                 console);
}

}  // namespace

int main(int count, char** words) {
  constexpr int kFailed = static_cast<int>(Outcome::kFailed);
  int exitCode = 0;
  try {
    const flexloop::app::StandardStreams streams;
    ignoreFailuresOfWriting();
    keepFreedMemory();
    const flexloop::base::PlainOutput text(std::cout), errors(std::cerr);
    const std::optional<CommandLine> line = flexloop::app::parseCommandLine(count, words, exitCode);
    if (line) exitCode = static_cast<int>(execute(*line));
    if (!streams.isAllWritten() && exitCode == 0) exitCode = kFailed;
  } catch (const std::bad_alloc&) {
    constexpr char kMessage[] = "error: not enough memory\n";
    if (write(STDERR_FILENO, kMessage, sizeof kMessage - 1) < 0) exitCode = kFailed;
    exitCode = kFailed;
  } catch (const std::exception& error) {
    std::cerr << "error: " << flexloop::base::makePlain(error.what()) << '\n';
    exitCode = kFailed;
  }
  return exitCode;
}
