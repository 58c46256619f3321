// Where the steps of a simulation end. Fixed steps end on a grid of equal steps, on the breaks, the
// instants of clocks and the times of evenly spaced records between its points, and exactly at the end. Adaptive
// steps follow the error that the last step made; they too end on the breaks, the instants, the records and at the
// end.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "model/time_settings.hpp"
#include "system/system.hpp"

namespace flexloop::analysis {

struct StepTarget {
  double time = 0.0;              // where the step ends, after the jumps at its end
  double before = 0.0;            // the same, or just before the first of the jumps
  double length = 0.0;            // of the step; bit for bit the same for all whole steps
  bool isRegular = true;          // false: a break or a record between two points of the grid
  bool isRecord = false;          // at a multiple of the interval between records
  bool isBreak = false;           // a signal may jump at its end
  std::vector<bool> dueClocks{};  // those with an instant at its end; empty: none
};

class StepControl {
 public:
  // Breaks are times at which sources jump or have a kink, in any order. The grid of steps begins where the run does.
  StepControl(const model::TimeSettings& settings, std::vector<double> breaks,
              const std::vector<system::Clock>& clocks = {},
              const std::vector<system::Clock>& periodicBreaks = {}, double begin = 0.0);

  bool done() const { return done_; }
  // The step that starts at `now`, where the one before it ended.
  StepTarget next(double now);
  // A step ends there, as at a break. The last such time counts.
  void stopAt(double time) { stop_ = time; }
  // Whether a step that would end there is over, but for round-off.
  bool hasPassed(double time, double now) const;
  // How far the steps have come, for a checkpoint.
  struct Position {
    std::int64_t next = 1;  // point of the grid
    double step = 0.0;      // nominal
    double length = 0.0;    // of the last step

    template <class Self, class Visit>
    static void eachField(Self& self, Visit&& visit) {
      visit("next", self.next);
      visit("step", self.step);
      visit("length", self.length);
    }
  };
  Position position() const { return {next_, step_, length_}; }
  void restore(const Position& position);
  // The first break after `now`; infinity if there is none.
  double findNextBreak(double now) { return findBreak(now); }
  // The last step ended before its target, at `now`; the target is still to be reached.
  void interrupt(double now);
  // No step may be shorter, and none may end nearer to its target.
  double shortest() const;
  // The length that steps have unless something cuts them.
  double nominal() const { return step_; }
  double lastLength() const { return length_; }
  // The clocks with an instant at the start.
  std::vector<bool> dueAtStart() const;

  // Whether the last step made too large an error and is to be taken back; never for fixed steps.
  bool rejects(double localError);
  // Whether it errs more than the tolerance, taken back or not.
  bool exceeds(double localError) const;
  // What the last step shows about the next; unused with fixed steps.
  void adaptTo(double localError);
  // The last step failed: whether a shorter one takes its place, which is judged like any other. Never for fixed
  // steps, nor for the shortest.
  bool takeBackFailure();

 private:
  bool canShorten() const;
  StepTarget nextOnGrid(double now);
  StepTarget nextAdaptive(double now);
  double gridTime(std::int64_t k) const;
  // The first break that has not been passed; infinity if there is none.
  double findBreak(double now);
  // The first record that has not been passed; infinity if records follow the steps.
  double findRecord(double now) const;
  double nextInstant(std::size_t clock) const { return clocks_[clock].instant(instants_[clock]); }
  StepTarget makeTarget(double now, double time, bool isRegular);
  void addJumps(double now, StepTarget& target) const;
  // Until when instants of clocks, and breaks, are those of now.
  double endOfInstant(double now) const;
  static double endOfBreak(double now);
  void setStep(double step);
  // What times are compared by: the shortest regular distance between them.
  double spacing() const;

  double begin_, end_;
  double step_;
  model::AdaptiveSettings adaptive_;
  double length_ = 0.0;            // of the last step
  double inverse_ = 0.0;           // steps per second where that is a whole number; else 0
  double interval_;                // between records; 0: they follow the steps
  double recordsPerSecond_ = 0.0;  // where that is a whole number; else 0
  std::vector<double> breaks_;
  std::size_t break_ = 0;  // the first that has not been passed
  double stop_ = std::numeric_limits<double>::infinity();
  std::vector<system::Clock> clocks_;  // those of sampled blocks, then periodic breaks
  std::size_t sampled_ = 0;            // how many of them are of sampled blocks
  double shortestPeriod_ = std::numeric_limits<double>::infinity();  // of the clocks
  std::vector<std::int64_t> instants_;  // by clock, the first that has not been passed
  std::int64_t count_ = 0;              // steps of the grid
  std::int64_t next_ = 1;               // the next point of the grid
  std::int64_t last_ = 1;               // what it was before the last step
  double interruption_ = -std::numeric_limits<double>::infinity();  // time of the last
  bool done_ = false;
};

}  // namespace flexloop::analysis
