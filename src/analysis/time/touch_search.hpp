// Branches that end and begin again within a step: an indicator g that is positive at both ends, though it was negative in between, has
// a lowest place there. The parabola through three neighbouring values, at the shares s₀ < s₁ < s₂ of the step,
//
//     g(s) = g₁ + (s − s₁) d + (s − s₁)(s − s₂) c,   d = (g₂ − g₁)/(s₂ − s₁),   c = (d − (g₁ − g₀)/(s₁ − s₀))/(s₂ − s₀)
//
// tells where, and how low (docs/theory/15_discontinuous_blocks.md, section 15.7).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace flexloop::analysis {

// By indicator, what must be known of it before a step.
struct IndicatorHistory {
  double time = 0.0, timeBefore = 0.0;  // starts of the present step and of the one before [s]
  std::vector<double> start,
      before;               // values there; the same ones where that step tells nothing of this one
  std::vector<double> end;  // at the end of the last step
  std::vector<double> largest;  // size so far

  // Once more with the same time where a step is repeated.
  void beginStep(double now, const std::vector<double>& values);

  template <class Self, class Visit>
  static void eachField(Self& self, Visit&& visit) {
    visit("time", self.time);
    visit("time_before", self.timeBefore);
    visit("start", self.start);
    visit("before", self.before);
    visit("end", self.end);
    visit("largest", self.largest);
  }
};

class TouchSearch {
 public:
  // Of a step of the length, with the values at its end.
  TouchSearch(const IndicatorHistory& history, double length, const std::vector<double>& end,
              const std::vector<bool>& located);

  // The first share of the step, between 0 and 1, at which some indicator may be negative; nothing: there is none.
  std::optional<double> next();
  // What the indicators are there.
  void add(double share, const std::vector<double>& values);

 private:
  struct Point {
    double share = 0.0;
    std::vector<double> values;
  };
  std::optional<double> findLowest(std::size_t indicator) const;

  const std::vector<bool>& located_;
  const std::vector<double>& largest_;
  std::vector<Point> points_;  // one after the other; the first is before the step
  int looks_ = 0;
};

}  // namespace flexloop::analysis
