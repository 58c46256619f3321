// A timer for each thread, whose signal that thread gets, and a stack of its own for the handlers
// of signals, so that they run even where the normal one is used up.
#pragma once

#include <cstdint>
#include <ctime>
#include <vector>

#include "control/deadline.hpp"

namespace flexloop::control {

class ThreadAlarm {
 public:
  // Called in the thread when its alarm goes off; it may leave by siglongjmp. Returns when the
  // alarm is to go off next, or kNever.
  using Handler = std::int64_t (*)(std::int64_t now);

  // To be called once, before all others. The handler of the signal stays for good: an alarm may
  // still be on its way when nobody waits for it any more, and would end the program.
  static void install(Handler handler);
  static int signal();
  static ThreadAlarm& ofThisThread();

  // Sees to it that the alarm goes off at this time or before. False, with errno, if it cannot be
  // set.
  [[nodiscard]] bool ensureBy(std::int64_t time) { return next_ <= time || set(time); }

  ThreadAlarm();
  ~ThreadAlarm();
  ThreadAlarm(const ThreadAlarm&) = delete;
  ThreadAlarm& operator=(const ThreadAlarm&) = delete;

  void goOff(Handler handler);
  // A child process has no timers.
  void forget();

 private:
  bool make();
  bool set(std::int64_t time);

  timer_t timer_{};
  bool hasTimer_ = false;
  volatile std::int64_t next_ = kNever;  // changed by the signal
  std::vector<unsigned char> stack_;     // empty: the thread had one
};

}  // namespace flexloop::control
