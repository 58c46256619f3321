#include "control/box_fault.hpp"

#include <csignal>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace flexloop::control {
namespace {

using Kind = BoxFault::Kind;

std::string wordsOf(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "it read or wrote memory that is not its own, or used up its stack (SIGSEGV)";
    case SIGBUS:
      return "it read or wrote memory that does not exist (SIGBUS)";
    case SIGFPE:
      return "it divided an integer by zero or trapped another arithmetic error (SIGFPE)";
    case SIGILL:
      return "it executed an instruction that this processor does not have (SIGILL)";
    case SIGABRT:
      return "it called abort(), or its heap is damaged (SIGABRT)";
    case SIGKILL:
      return "its process was killed, perhaps for want of memory (SIGKILL)";
    default:
      return fmt::format("signal {} ({})", signal, strsignal(signal));
  }
}

bool hasTime(BoxFunction function) {
  return function == BoxFunction::kOutput || function == BoxFunction::kDerivative ||
         function == BoxFunction::kNonlinearOutput || function == BoxFunction::kJacobian;
}

BoxFault makeCrash(const BoxSettings& settings, const BoxCall& call, int signal) {
  std::string hint = fmt::format("the fault is in the code of '{}'", settings.path);
  if (!settings.isolate) {
    hint += "; 'isolate: true' keeps it away from the program's own memory";
  }
  return makeFault(settings, Kind::kCrashed,
                   fmt::format("crashed{}: {}", placeOf(call), wordsOf(signal)), std::move(hint));
}

}  // namespace

std::string placeOf(const BoxCall& call) {
  const std::string function = fmt::format(" in {}", nameOf(call.function));
  return hasTime(call.function) ? fmt::format("{} at t = {:g} s", function, call.time) : function;
}

BoxFault makeFault(const BoxSettings& settings, Kind kind, const std::string& what,
                   std::string hint) {
  return {kind, fmt::format("black box '{}' {}", settings.name, what), std::move(hint)};
}

BoxFault makeFault(const BoxSettings& settings, const BoxCall& call, const BoxEnding& ending) {
  const std::string place = placeOf(call);
  switch (ending.kind) {
    case BoxEnding::Kind::kDone:
      return {};
    case BoxEnding::Kind::kSignal:
      return makeCrash(settings, call, ending.detail);
    case BoxEnding::Kind::kTimeLimit:
      return makeFault(settings, Kind::kTooSlow,
                       fmt::format("did not answer within {:g} s{}", settings.timeLimit, place),
                       "raise 'time_limit' if the box may take longer");
    case BoxEnding::Kind::kException:
      return makeFault(settings, Kind::kThrew, "threw a C++ exception" + place,
                       "a box must catch its exceptions and return");
    case BoxEnding::Kind::kExit:
      return makeFault(settings, Kind::kEnded,
                       fmt::format("ended its process by exit({}){}", ending.detail, place),
                       "a box must return from its functions");
    case BoxEnding::Kind::kNoHost:
      break;
  }
  return makeFault(settings, Kind::kUnreachable,
                   fmt::format("cannot be {}{}: {}", settings.isolate ? "reached" : "watched",
                               place, std::strerror(ending.detail)),
                   "close other programs, or raise the limits of processes, files and signals");
}

}  // namespace flexloop::control
