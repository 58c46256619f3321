// The user's request to stop a long calculation. The caller that starts one provides the test; code that
// is passed again and again asks it. Without a test, asking costs nothing.
//
//     base::InterruptionScope scope([&] { return isStopped(); });
//     calculate();                       // calls base::lookForInterruption(); ends with base::Interrupted
#pragma once

#include <chrono>
#include <exception>
#include <functional>

namespace flexloop::base {

class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped by the user"; }
};

// Of this thread, as long as it lives; inside of another one it takes its place.
class InterruptionScope {
 public:
  explicit InterruptionScope(std::function<bool()> isWanted);
  ~InterruptionScope();
  InterruptionScope(const InterruptionScope&) = delete;
  InterruptionScope& operator=(const InterruptionScope&) = delete;

  void look();

 private:
  std::function<bool()> isWanted_;
  std::chrono::steady_clock::time_point last_;
  InterruptionScope* outer_;
};

// Asks twenty times a second at most. Throws Interrupted.
void lookForInterruption();

}  // namespace flexloop::base
