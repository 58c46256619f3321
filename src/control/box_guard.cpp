// Signal handlers get no argument of ours, so what they need is global here: the call of each
// thread, and the handlers before.
#include "control/box_guard.hpp"

#include <array>
#include <cassert>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <unistd.h>

#include "control/deadline.hpp"
#include "control/floating_point_modes.hpp"
#include "control/thread_alarm.hpp"

namespace flexloop::control {
namespace {

constexpr std::array kFaults{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

struct ActiveCall {
  const BoxGuard::Call* call;
  sigjmp_buf place;
  volatile std::int64_t deadline;
  volatile std::sig_atomic_t signal;  // that cut it off; 0: the time limit
};

// Trivial on purpose: it must be readable in handlers, and at exit() after the objects of the
// thread are gone.
thread_local constinit ActiveCall* volatile activeCall = nullptr;

std::mutex mutex;
int guards = 0;
std::array<struct sigaction, kFaults.size()> handlersBefore;

const struct sigaction& handlerBefore(int signal) {
  std::size_t k = 0;
  while (kFaults[k] != signal) ++k;
  return handlersBefore[k];
}

bool isFromOutside(const siginfo_t& info) {
  return info.si_code <= 0 && info.si_pid != getpid();
}

void passOn(int signal, siginfo_t* info, void* context) {
  const struct sigaction& before = handlerBefore(signal);
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    return before.sa_handler(signal);
  }
  // On return a faulty instruction is executed again and meets the handler before; a signal that
  // was sent must be sent again.
  sigaction(signal, &before, nullptr);
  if (info->si_code <= 0) raise(signal);
}

extern "C" void onFault(int signal, siginfo_t* info, void* context) {
  ActiveCall* const active = activeCall;
  if (active == nullptr || isFromOutside(*info)) return passOn(signal, info, context);
  active->signal = signal;
  siglongjmp(active->place, 1);
}

std::int64_t onAlarm(std::int64_t now) {
  ActiveCall* const active = activeCall;
  if (active == nullptr) return kNever;
  if (now < active->deadline) return active->deadline;
  active->signal = 0;
  siglongjmp(active->place, 1);
}

// Otherwise a box could end a run in the middle with the status of success.
void onExit(int status, void*) {
  ActiveCall* const active = activeCall;
  if (active == nullptr) return;
  std::fprintf(stderr,
               "error: black box '%s' called exit(%d) in %s and so ended the program\n"
               "  hint: with 'isolate: true' it ends a process of its own\n",
               active->call->box, status, active->call->function);
  std::fflush(nullptr);
  _exit(4);
}

int installForGood() {
  ThreadAlarm::install(onAlarm);
  return on_exit(onExit, nullptr);
}

void installHandlers() {
  struct sigaction action {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (std::size_t k = 0; k < kFaults.size(); ++k) {
    sigaction(kFaults[k], &action, &handlersBefore[k]);
  }
}

void removeHandlers() {
  for (std::size_t k = 0; k < kFaults.size(); ++k) {
    struct sigaction current {};
    sigaction(kFaults[k], nullptr, &current);
    // Not if somebody else has put theirs in the meantime.
    if (current.sa_sigaction == onFault) sigaction(kFaults[k], &handlersBefore[k], nullptr);
  }
}

void unblockSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kFaults) sigaddset(&set, signal);
  sigaddset(&set, ThreadAlarm::signal());
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

// Apart from sigsetjmp, whose function must have nothing to tidy up.
[[gnu::noinline]] bool finishes(void (*action)(void*), void* argument) {
  try {
    action(argument);
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

BoxGuard::BoxGuard() {
  const std::lock_guard lock(mutex);
  if (guards++ > 0) return;
  static const int once = installForGood();
  static_cast<void>(once);
  installHandlers();
}

BoxGuard::~BoxGuard() {
  const std::lock_guard lock(mutex);
  if (--guards == 0) removeHandlers();
}

BoxEnding BoxGuard::run(const Call& call, void (*action)(void*), void* argument) const {
  assert(activeCall == nullptr);
  const FloatingPointModes modes;
  ThreadAlarm& alarm = ThreadAlarm::ofThisThread();
  ActiveCall active;
  active.call = &call;
  active.deadline = monotonicNow() + call.limit;
  // The mask of signals is not saved, which would cost a system call.
  if (sigsetjmp(active.place, 0) != 0) {
    activeCall = nullptr;
    unblockSignals();
    if (active.signal == 0) return {BoxEnding::Kind::kTimeLimit};
    return {BoxEnding::Kind::kSignal, active.signal};
  }
  activeCall = &active;
  // After the call is known: an alarm that goes off in between looks after it.
  if (!alarm.ensureBy(active.deadline)) {
    activeCall = nullptr;
    return {BoxEnding::Kind::kNoHost, errno};
  }
  const bool finished = finishes(action, argument);
  activeCall = nullptr;
  return {finished ? BoxEnding::Kind::kDone : BoxEnding::Kind::kException};
}

}  // namespace flexloop::control
