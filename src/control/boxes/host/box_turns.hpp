// Two processes that take turns over shared memory: one asks, the other answers.
//
// Each waits for a number to change. It looks at it for a moment first, since a sleeping process takes
// some microseconds to wake up, and sleeps in the kernel (futex) if nothing has come by then. A side that
// looks in vain sleeps at once the next times, the more of them the more often that happens: where the
// answers take long or the processors are busy, looking only takes time from who is to answer.
#pragma once

#include <atomic>
#include <cstdint>

#include "control/boxes/host/deadline.hpp"

namespace flexloop::control {

// In shared memory, and therefore in reach of a box that writes where it should not: code that reads it
// must cope with any value.
struct alignas(64) SharedTurn {
  std::atomic<std::uint32_t> number = 0;
  std::atomic<std::uint32_t> isSlept = 0;  // not zero: somebody sleeps until the number changes

  // Sets the number and wakes who waits for it.
  void set(std::uint32_t value);
  // Wakes who waits without changing the number.
  void wake();
};

// Waits for the turns of the other side; for one thread.
class TurnWaiter {
 public:
  TurnWaiter();

  // Until the number is not this one any more. False after `slice` nanoseconds at the latest (kNever:
  // no limit), after a signal and after a mere wake.
  bool waitForChange(SharedTurn& turn, std::uint32_t number, std::int64_t slice);

 private:
  bool looksWithSuccess(const SharedTurn& turn, std::uint32_t number);

  bool canLook_;      // there is another processor for the other side
  int failures_ = 0;  // of late, roughly doubled by each and halved by a success
  int pause_ = 0;     // waits until it looks again
};

}  // namespace flexloop::control
