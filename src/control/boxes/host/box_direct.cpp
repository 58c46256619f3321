// Signal handlers and exit() pass on no argument of ours, so what they need is global here: the call of
// each thread.
#include "control/boxes/host/box_direct.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <unistd.h>

#include "control/boxes/host/floating_point_modes.hpp"
#include "control/boxes/host/process_threads.hpp"

namespace flexloop::control {
namespace {

constexpr int kFailed = 4;  // exit code
constexpr std::array kFaults{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// Trivial on purpose: it must be readable in handlers, and at exit() after the objects of the thread
// are gone.
thread_local constinit const char* volatile activeBox = nullptr;
thread_local constinit const char* volatile activeFunction = nullptr;

void print(const char* text) {
  static_cast<void>(!write(STDERR_FILENO, text, std::strlen(text)));
}

void printEnd(const char* what) {
  print("error: black box '");
  print(activeBox);
  print(what);
  print(activeFunction);
  print(
      " and ended the program\n  hint: it is called directly; without 'isolate: false' it runs in "
      "a process of its own\n");
}

// Only prints: the handler is gone by then, and the signal comes again.
extern "C" void onFault(int signal) {
  if (activeBox != nullptr) printEnd("' crashed in ");
  raise(signal);
}

// A box could end a run in the middle with the status of success.
void onExit(int status, void*) {
  if (activeBox == nullptr && !hasThreads()) return;
  std::cout.flush();
  std::fflush(nullptr);
  if (activeBox == nullptr) _exit(status);
  printEnd("' called exit() in ");
  _exit(kFailed);
}

int install() {
  struct sigaction action {};
  action.sa_handler = onFault;
  action.sa_flags = SA_RESETHAND;
  for (const int fault : kFaults) {
    struct sigaction before {};
    sigaction(fault, nullptr, &before);
    if (before.sa_handler == SIG_DFL) sigaction(fault, &action, nullptr);
  }
  return on_exit(onExit, nullptr);
}

class ActiveCall {
 public:
  ActiveCall(const std::string& box, BoxFunction function) {
    activeFunction = nameOf(function);
    activeBox = box.c_str();
  }
  ~ActiveCall() { activeBox = nullptr; }
  ActiveCall(const ActiveCall&) = delete;
  ActiveCall& operator=(const ActiveCall&) = delete;

 private:
  const FloatingPointModes modes_;
};

}  // namespace

DirectHost::DirectHost(const BoxSettings& settings)
    : code_(makeBoxCode(settings)), name_(settings.name) {
  static const int once = install();
  static_cast<void>(once);
}

// What is registered last is called first at exit(): before the destructors of objects that the box has
// made by now.
DirectHost::~DirectHost() {
  on_exit(onExit, nullptr);
}

BoxEnding DirectHost::run(const BoxBatch& batch) {
  for (std::size_t k = 0; k < batch.calls.size(); ++k) {
    BoxCall& call = batch.calls[k];
    fillUntouched(call.outputs);
    try {
      const ActiveCall active(name_, call.function);
      code_->invoke(call, batch);
    } catch (const std::exception& exception) {
      return {.kind = BoxEnding::Kind::kException, .call = k, .text = exception.what()};
    } catch (...) {
      return {.kind = BoxEnding::Kind::kException, .call = k, .text = {}};
    }
  }
  return {};
}

}  // namespace flexloop::control
