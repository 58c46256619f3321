#include "control/boxes/host/box_fault.hpp"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "control/boxes/host/box_code.hpp"

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
      return "its process was killed, possibly for lack of memory (SIGKILL)";
    default:
      return fmt::format("signal {} ({})", signal, strsignal(signal));
  }
}

bool hasTime(BoxFunction function) {
  return function == BoxFunction::kOutput || function == BoxFunction::kDerivative ||
         function == BoxFunction::kNonlinearOutput || function == BoxFunction::kJacobian ||
         function == BoxFunction::kIndicators || function == BoxFunction::kEvent ||
         function == BoxFunction::kStepDone;
}

// What a box had used that asked for more than there is.
std::string wordsOfMemory(const BoxSettings& settings, std::uint64_t used) {
  if (used < settings.memoryLimit / 2) return "";
  constexpr double kGigabyte = 1e9;
  return fmt::format("; it had used {:.3g} GB of memory; the limit for a box is {:.3g} GB",
                     static_cast<double>(used) / kGigabyte,
                     static_cast<double>(settings.memoryLimit) / kGigabyte);
}

// Of a stranger, for a terminal.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  return text;
}

BoxFault makeCrash(const BoxSettings& settings, const BoxCall& call, const BoxEnding& ending) {
  return makeFault(settings, Kind::kCrashed,
                   fmt::format("crashed{}: {}{}", placeOf(settings, call), wordsOf(ending.detail),
                               wordsOfMemory(settings, ending.memory)),
                   fmt::format("the fault is in the code of '{}'", settings.path));
}

// Of what its side has found, or of what the code has let out.
BoxFault makeThrown(const BoxSettings& settings, const std::string& place,
                    const std::string& text) {
  if (settings.form == nullptr) {
    return makeFault(settings, Kind::kThrew,
                     "threw a C++ exception" + place + (text.empty() ? "" : ": " + printable(text)),
                     "a box must catch its exceptions and return");
  }
  const std::size_t end = text.find('\n');
  const std::string hint =
      end == std::string::npos
          ? fmt::format("the {} itself reports this: check its inputs and parameters",
                        settings.form->noun())
          : text.substr(end + 1);
  return makeFault(
      settings, Kind::kThrew,
      "failed" + place + ": " + printable(text.empty() ? "unknown reason" : text.substr(0, end)),
      printable(hint));
}

}  // namespace

std::string titleOf(const BoxSettings& settings) {
  return fmt::format("{} '{}'", settings.form != nullptr ? settings.form->noun() : "black box",
                     settings.name);
}

std::string placeOf(const BoxSettings& settings, const BoxCall& call) {
  const std::string function = settings.form != nullptr
                                   ? settings.form->placeOf(call.function)
                                   : fmt::format(" in {}", nameOf(call.function));
  return hasTime(call.function) ? fmt::format("{} at t = {:g} s", function, call.time) : function;
}

BoxFault makeFault(const BoxSettings& settings, Kind kind, const std::string& what,
                   std::string hint) {
  return {kind, fmt::format("{} {}", titleOf(settings), what), std::move(hint)};
}

BoxFault makeFault(const BoxSettings& settings, const BoxCall& call, const BoxEnding& ending) {
  const std::string place = placeOf(settings, call);
  switch (ending.kind) {
    case BoxEnding::Kind::kDone:
      return {};
    case BoxEnding::Kind::kSignal:
      return makeCrash(settings, call, ending);
    case BoxEnding::Kind::kTimeLimit:
      return makeFault(settings, Kind::kTooSlow,
                       fmt::format("did not answer within {:g} s{}", settings.timeLimit, place),
                       "raise 'time_limit' if the box may take longer");
    case BoxEnding::Kind::kStopped:
      return makeFault(settings, Kind::kTooSlow,
                       fmt::format("did not answer{} when the program was asked to stop", place),
                       "");
    case BoxEnding::Kind::kException:
      return makeThrown(settings, place, ending.text);
    case BoxEnding::Kind::kExit:
      return makeFault(settings, Kind::kEnded,
                       fmt::format("ended its process with exit({}){}", ending.detail, place),
                       "a box must return from its functions");
    case BoxEnding::Kind::kNoHost:
      break;
  }
  return makeFault(settings, Kind::kUnreachable,
                   fmt::format("could not be started in a separate process{}: {}", place,
                               std::strerror(ending.detail)),
                   "close other programs, or raise the limits of memory, processes and files");
}

}  // namespace flexloop::control
