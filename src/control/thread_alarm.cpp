#include "control/thread_alarm.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <pthread.h>
#include <unistd.h>

// Older C libraries have the field but not its name.
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace flexloop::control {
namespace {

constexpr std::size_t kStackBytes = 64 * 1024;

ThreadAlarm::Handler handlerOfAlarms = nullptr;
struct sigaction handlerBefore;
int mark;  // its address tells our timers from others

// Trivial, unlike the object itself: it can be read in a signal handler at any time.
thread_local constinit ThreadAlarm* current = nullptr;

extern "C" void onAlarmSignal(int signal, siginfo_t* info, void* context) {
  if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &mark) {
    if (current != nullptr) current->goOff(handlerOfAlarms);
  } else if ((handlerBefore.sa_flags & SA_SIGINFO) != 0) {
    handlerBefore.sa_sigaction(signal, info, context);
  } else if (handlerBefore.sa_handler != SIG_DFL && handlerBefore.sa_handler != SIG_IGN) {
    handlerBefore.sa_handler(signal);
  }
}

void forgetInChild() {
  if (current != nullptr) current->forget();
}

}  // namespace

// Not SIGALRM, which a box or the program may use for itself.
int ThreadAlarm::signal() {
  return SIGRTMAX - 3;
}

void ThreadAlarm::install(Handler handler) {
  handlerOfAlarms = handler;
  struct sigaction action {};
  action.sa_sigaction = onAlarmSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigaction(signal(), &action, &handlerBefore);
  pthread_atfork(nullptr, nullptr, forgetInChild);
}

ThreadAlarm& ThreadAlarm::ofThisThread() {
  thread_local ThreadAlarm alarm;
  return alarm;
}

ThreadAlarm::ThreadAlarm() {
  current = this;
  stack_t before{};
  sigaltstack(nullptr, &before);
  if ((before.ss_flags & SS_DISABLE) == 0) return;
  stack_.resize(std::max<std::size_t>(kStackBytes, SIGSTKSZ));
  stack_t own{};
  own.ss_sp = stack_.data();
  own.ss_size = stack_.size();
  sigaltstack(&own, nullptr);
}

ThreadAlarm::~ThreadAlarm() {
  current = nullptr;
  if (hasTimer_) timer_delete(timer_);
  if (stack_.empty()) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}

bool ThreadAlarm::make() {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_notify_thread_id = gettid();
  event.sigev_signo = signal();
  event.sigev_value.sival_ptr = &mark;
  hasTimer_ = timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
  return hasTimer_;
}

bool ThreadAlarm::set(std::int64_t time) {
  if (!hasTimer_ && !make()) return false;
  itimerspec when{};
  when.it_value = timespecOf(time);
  // Before the timer is set, which may go off at once.
  next_ = time;
  if (timer_settime(timer_, TIMER_ABSTIME, &when, nullptr) == 0) return true;
  next_ = kNever;
  return false;
}

void ThreadAlarm::goOff(Handler handler) {
  const int error = errno;
  next_ = kNever;
  const std::int64_t again = handler(monotonicNow());
  if (again != kNever) static_cast<void>(set(again));
  errno = error;
}

void ThreadAlarm::forget() {
  hasTimer_ = false;
  next_ = kNever;
}

}  // namespace flexloop::control
