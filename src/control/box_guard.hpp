// Runs foreign code in this process and survives most of what it may do: a crash (signals), a call
// that does not come back (time limit), an exception.
//
// Best effort: code that crashes may have damaged memory that is not its own, or may hold a lock of
// the C library. What must be survived for certain runs in a process of its own (box_process.hpp).
#pragma once

#include <cstdint>

#include "control/box_call.hpp"

namespace flexloop::control {

// Signal handlers are installed while at least one guard lives, and those before come back after
// the last. A signal that does not come from a guarded call of its thread goes to the handler
// before.
//
// A call costs a system call only once per time limit: the timer of the thread stays armed when a
// call ends in time, and when it goes off it is set again for the call of that moment. So a signal
// interrupts the program about once per time limit, and only while there are guarded calls.
class BoxGuard {
 public:
  BoxGuard();
  ~BoxGuard();
  BoxGuard(const BoxGuard&) = delete;
  BoxGuard& operator=(const BoxGuard&) = delete;

  struct Call {
    const char* box;       // its name
    const char* function;  // what is called
    std::int64_t limit;    // ns
  };
  // Runs action(argument). Objects that live in the action when it is cut off are lost. Guarded
  // calls do not nest.
  //
  // exit() cannot be survived: it ends the program with a message and exit code 4, whatever status
  // the box has asked for.
  BoxEnding run(const Call& call, void (*action)(void*), void* argument) const;
};

}  // namespace flexloop::control
