#include "control/boxes/host/box_turns.hpp"

#include <algorithm>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace flexloop::control {
namespace {

constexpr std::int64_t kLook = 20'000;  // ns: some times as long as it takes to wake a process
constexpr int kLooksPerTime = 32;       // between two readings of the clock
constexpr int kLongestPause = 1023;     // waits

static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

long futex(std::atomic<std::uint32_t>& number, int operation, std::uint32_t value,
           const timespec* limit) {
  return syscall(SYS_futex, &number, operation, value, limit, nullptr, 0);
}

bool hasSeveralProcessors() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) > 1;
}

inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace

void SharedTurn::set(std::uint32_t value) {
  number.store(value);
  if (isSlept.load() != 0) wake();
}

void SharedTurn::wake() {
  futex(number, FUTEX_WAKE, 1, nullptr);
}

TurnWaiter::TurnWaiter() : canLook_(hasSeveralProcessors()) {}

bool TurnWaiter::waitForChange(SharedTurn& turn, std::uint32_t number, std::int64_t slice) {
  if (turn.number.load() != number || looksWithSuccess(turn, number)) return true;
  turn.isSlept.store(1);
  // The kernel compares the number once more: one that has changed by now does not put us to sleep, and
  // one that changes later is set by somebody who sees isSlept.
  const timespec limit = timespecOf(slice);
  futex(turn.number, FUTEX_WAIT, number, slice == kNever ? nullptr : &limit);
  turn.isSlept.store(0);
  return turn.number.load() != number;
}

bool TurnWaiter::looksWithSuccess(const SharedTurn& turn, std::uint32_t number) {
  if (!canLook_ || --pause_ > 0) return false;
  const std::int64_t end = monotonicNow() + kLook;
  do {
    for (int k = 0; k < kLooksPerTime; ++k) {
      pause();
      if (turn.number.load() == number) continue;
      failures_ /= 2;
      return true;
    }
  } while (monotonicNow() < end);
  failures_ = std::min(2 * failures_ + 1, kLongestPause);
  pause_ = failures_;
  return false;
}

}  // namespace flexloop::control
