// The command line of Flexloop.
#include <csignal>
#include <exception>
#include <iostream>
#include <malloc.h>
#include <new>
#include <unistd.h>

#include "base/plain_text.hpp"
#include "base/result.hpp"
#include "command_line.hpp"
#include "commands/reduction_bars.hpp"
#include "control/boxes/host/box_process.hpp"
#include "fem/parts/part_maker.hpp"
#include "linalg/solvers/mumps_team.hpp"
#include "standard_streams.hpp"

namespace {

using flexloop::commands::Call;
using flexloop::commands::Console;

constexpr int kFailed = static_cast<int>(flexloop::base::FailureKind::kOther);

// A signal handler can do no more than this.
volatile std::sig_atomic_t stopRequest = 0;

// Ctrl-C is meant the second time. The others come in pairs where a terminal or a computer is shut down.
extern "C" void requestStop(int signal) {
  if (signal == SIGINT && stopRequest != 0) std::_Exit(kFailed);
  stopRequest = 1;
}

void catchStopRequests() {
  // Code of black boxes that takes long is ended a second later.
  flexloop::control::OwnProcessHost::heed(&stopRequest);
  flexloop::fem::heedStops(&stopRequest);
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

int execute(const Call& call) {
  const auto& targets = call.targets;
  const bool textIsTaken =
      targets.csvFile == "-" || targets.jsonFile == "-" || targets.figureFile == "-";
  const Console console{.text = textIsTaken ? &std::cerr : &std::cout,
                        .errors = &std::cerr,
                        .isTerminal = isatty(STDERR_FILENO) != 0,
                        .quiet = call.isQuiet,
                        .stopRequest = &stopRequest,
                        .version = FLEXLOOP_VERSION};
  if (call.stopsGently) catchStopRequests();
  const flexloop::commands::ReductionBars bars(console);
  return flexloop::commands::guard(console, [&] { call.run(console); });
}

}  // namespace

int main(int count, char** words) {
  const flexloop::linalg::MumpsTeam team;
  if (!team.isLeader()) {
    team.serve();
    return 0;
  }
  int exitCode = 0;
  try {
    const flexloop::app::StandardStreams streams;
    ignoreFailuresOfWriting();
    keepFreedMemory();
    const flexloop::base::PlainOutput text(std::cout), errors(std::cerr);
    Call call;
    if (flexloop::app::parseCommandLine(count, words, call, exitCode)) exitCode = execute(call);
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
