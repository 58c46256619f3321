// Keeps time going where branches end without end, as of a relay without hysteresis in a sliding motion: where the events
// of a step follow each other so closely that it would take too many of them, they are not located for some steps, in which branches
// change at the ends of the steps only. The pause doubles while there is no end of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace flexloop::analysis {

class ChatterGuard {
 public:
  bool locates() const { return pause_ == 0; }
  std::int64_t chatteringSteps() const { return chatteringSteps_; }
  double firstTime() const { return firstTime_; }

  // A branch has ended before the end of the step.
  void addEvent(double time, double end) {
    if (events_++ == 0) first_ = time;
    const double mean = (time - first_) / std::max(events_ - 1, 1);
    if (events_ < kFewEvents || end - time <= kMostEvents * mean) return;
    if (chatteringSteps_ == 0) firstTime_ = time;
    quietSteps_ = 0;
    pause_ = nextPause_;
    nextPause_ = std::min(2 * nextPause_, kLongestPause);
    chatteringSteps_ += pause_;
  }

  // The end of the step has been reached.
  void endStep() {
    events_ = 0;
    if (pause_ > 0) {
      --pause_;
    } else if (++quietSteps_ > nextPause_) {
      nextPause_ = 1;
    }
  }

  // For a checkpoint, and back.
  std::vector<double> position() const {
    return {static_cast<double>(events_), static_cast<double>(pause_),
            static_cast<double>(nextPause_), static_cast<double>(quietSteps_)};
  }
  void restore(const std::vector<double>& position) {
    events_ = static_cast<int>(position.at(0));
    pause_ = static_cast<int>(position.at(1));
    nextPause_ = static_cast<int>(position.at(2));
    quietSteps_ = static_cast<int>(position.at(3));
  }

 private:
  static constexpr int kFewEvents = 100;         // too few to judge by
  static constexpr double kMostEvents = 1000.0;  // that a step may need
  static constexpr int kLongestPause = 64;       // [steps]

  int events_ = 0;      // in this step
  double first_ = 0.0;  // [s] of them
  int pause_ = 0;       // [steps] that are left of it
  int nextPause_ = 1;
  int quietSteps_ = 0;  // since the last pause
  std::int64_t chatteringSteps_ = 0;
  double firstTime_ = 0.0;
};

}  // namespace flexloop::analysis
