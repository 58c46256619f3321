// Finds where in a step an indicator becomes negative (docs/theory/15_discontinuous_blocks.md, section
// 7): inverse quadratic interpolation, or the false-position method, Illinois variant, on the fraction of the step, each try
// being a step of that length. The accepted fraction lies just behind the crossing, so that the branch that has
// ended is really over.
#pragma once

#include <vector>

namespace flexloop::analysis {

class CrossingSearch {
 public:
  // Indicators before and after the whole step; only the located ones count. Neither the step nor
  // what is left of it may be shorter than the share `shortest` of the whole.
  CrossingSearch(const std::vector<double>& before, const std::vector<double>& after,
                 const std::vector<bool>& located, double shortest);

  // Whether an indicator is negative behind a crossing that is not just the end of the step.
  bool hasCrossing() const { return hasCrossing_; }
  // The next fraction to try, at most 1.
  double next();
  // What the indicators are there; true if the step may end there.
  bool accept(const std::vector<double>& values);

 private:
  bool isNegative(const std::vector<double>& values) const;
  // Whether those that are negative are hardly so.
  bool isJustBehind(const std::vector<double>& values) const;
  // Share of the bracket at which the first indicator crosses if all change evenly, or along a parabola where a third point
  // is known.
  double estimateShare() const;
  // Of one indicator that crosses, by the three points; negative if they do not tell.
  double interpolate(std::size_t i, double aim) const;
  // The end of the bracket that a try has replaced.
  void keep(double fraction, const std::vector<double>& values);

  std::vector<bool> located_;
  std::vector<double> atLow_, atHigh_;  // indicators at both ends of the bracket
  std::vector<double> size_;            // change of each over the whole step
  std::vector<double> atThird_;         // at the last end that was replaced; empty: none yet
  double low_ = 0.0, high_ = 1.0, third_ = 0.0, fraction_ = 1.0;
  double lowWeight_ = 1.0, highWeight_ = 1.0;
  double shortest_;
  bool hasCrossing_ = false;
  int lastSide_ = 0;  // of the bracket that moved: −1 low, 1 high
  int tries_ = 0;
};

}  // namespace flexloop::analysis
