// Where the steps of a simulation end: on a grid of equal steps, on the breaks between its points,
// and exactly at the end.
#pragma once

#include <cstdint>
#include <vector>

namespace flexloop::analysis {

struct StepTarget {
  double time = 0.0;    // where the step ends
  double length = 0.0;  // of the step; bit for bit the same for all whole steps
  bool onGrid = true;   // false: a break between two points of the grid
};

class StepControl {
 public:
  // From time zero; breaks are times at which sources jump or have a kink, in any order.
  StepControl(double end, double step, std::vector<double> breaks = {});

  bool done() const { return next_ > count_; }
  // The step that starts at `now`, where the one before it ended.
  StepTarget next(double now);

  std::int64_t gridSteps() const { return count_; }

 private:
  double gridTime(std::int64_t k) const;
  // The first break that a step from `now` would jump over; infinity if there is none.
  double findBreak(double now);
  StepTarget makeTarget(double now, double time, bool onGrid) const;

  double end_;
  double step_;
  double inverse_ = 0.0;  // steps per second where that is a whole number; else 0
  std::vector<double> breaks_;
  std::size_t break_ = 0;   // the first that has not been passed
  std::int64_t count_ = 0;  // steps of the grid
  std::int64_t next_ = 1;   // the next point of the grid
};

}  // namespace flexloop::analysis
