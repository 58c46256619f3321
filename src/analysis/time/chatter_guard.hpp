// Keeps time going where branches end without end, as of a relay without hysteresis in a sliding motion: where the events
// of a step follow each other so closely that it would take too many of them, they are not located for some steps, in which branches
// change at the ends of the steps only. The pause doubles while there is no end of it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace flexloop::analysis {

class ChatterGuard {
 public:
  bool locates() const { return at_.pause == 0; }
  std::int64_t chatteringSteps() const { return chatteringSteps_; }
  double firstTime() const { return firstTime_; }

  // A branch has ended before the end of the step.
  void addEvent(double time, double end) {
    if (at_.events++ == 0) first_ = time;
    const double mean = (time - first_) / std::max(at_.events - 1, 1);
    if (at_.events < kFewEvents || end - time <= kMostEvents * mean) return;
    if (chatteringSteps_ == 0) firstTime_ = time;
    at_.quietSteps = 0;
    at_.pause = at_.nextPause;
    at_.nextPause = std::min(2 * at_.nextPause, kLongestPause);
    chatteringSteps_ += at_.pause;
  }

  // The end of the step has been reached.
  void endStep() {
    at_.events = 0;
    if (at_.pause > 0) {
      --at_.pause;
    } else if (++at_.quietSteps > at_.nextPause) {
      at_.nextPause = 1;
    }
  }

  // For a checkpoint, and back. [steps], but for the events.
  struct Position {
    int events = 0;  // in this step
    int pause = 0;   // that is left
    int nextPause = 1;
    int quietSteps = 0;  // since the last pause

    template <class Self, class Visit>
    static void eachField(Self& self, Visit&& visit) {
      visit("events", self.events);
      visit("pause", self.pause);
      visit("next_pause", self.nextPause);
      visit("quiet_steps", self.quietSteps);
    }
  };
  const Position& position() const { return at_; }
  void restore(const Position& position) { at_ = position; }

 private:
  static constexpr int kFewEvents = 100;         // too few to judge by
  static constexpr double kMostEvents = 1000.0;  // that a step may need
  static constexpr int kLongestPause = 64;       // [steps]

  Position at_;
  double first_ = 0.0;  // [s] of the events
  std::int64_t chatteringSteps_ = 0;
  double firstTime_ = 0.0;
};

}  // namespace flexloop::analysis
