// Finds where in a step an indicator becomes negative: the false-position method (Illinois) on the
// fraction of the step, each try being a step of that length. The accepted fraction lies just behind
// the crossing, so that the mode that has ended is really over.
#pragma once

#include <vector>

namespace flexloop::analysis {

class CrossingSearch {
 public:
  // Indicators before and after the whole step; only the located ones count.
  CrossingSearch(const std::vector<double>& before, const std::vector<double>& after,
                 const std::vector<bool>& located);

  bool hasCrossing() const { return indicator_ >= 0; }
  // The next fraction to try, between 0 and 1.
  double next();
  // What the indicators are there; true if the step may end there.
  bool accept(const std::vector<double>& values);

 private:
  // The indicator that crosses first if all change evenly between `low_` and `fraction`.
  void choose(const std::vector<double>& values, double fraction);

  std::vector<bool> located_;
  std::vector<double> atLow_;
  double low_ = 0.0, high_ = 1.0, fraction_ = 1.0;
  double gLow_ = 0.0, gHigh_ = 0.0, size_ = 0.0;
  int indicator_ = -1;
  int tries_ = 0;
};

}  // namespace flexloop::analysis
