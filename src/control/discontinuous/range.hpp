// Limits of a value (docs/theory/15_discontinuous_blocks.md, section 1). On which side of them a value is, is the branch of
// a block, a number in its memory: −1 at the lower limit or below, 0 between the limits, 1 at the upper limit or above.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/scalar.hpp"

namespace flexloop::control {

// The branch that a place of the memory holds, −largest … largest.
inline int readBranch(double memory, int largest = 1) {
  return std::clamp(static_cast<int>(std::lround(memory)), -largest, largest);
}

struct Range {
  static constexpr int kIndicators = 2;

  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();

  // Of a side, 1 or −1.
  double end(double side) const { return side > 0.0 ? upper : lower; }
  bool hasEnd(double side) const { return std::isfinite(end(side)); }
  double beyond(double side, double value) const {
    return side > 0.0 ? value - upper : lower - value;
  }

  int branchOf(double value) const { return value > upper ? 1 : (value < lower ? -1 : 0); }

  //     (15.3)  negative where the branch has ended
  void calcIndicators(double branch, double value, double* indicators) const {
    const bool isAbove = branch > 0.5, isBelow = branch < -0.5;
    indicators[0] = isAbove ? value - upper : (isBelow ? lower - value : upper - value);
    indicators[1] = isAbove || isBelow ? indicators[0] : value - lower;
  }

  double nextBranch(double branch, double value) const {
    double indicators[kIndicators];
    calcIndicators(branch, value, indicators);
    return indicators[0] < 0.0 || indicators[1] < 0.0 ? branchOf(value) : branch;
  }

  // The value, kept inside. While an equilibrium is looked for, the memory says on which of the three lines the output is,
  // wherever the value is on the way: free of limits at first (section 26.1).
  template <class S>
  S limit(const S& value, double memory) const {
    if (!isPinned(memory)) return math::notAbove(math::notBelow(value, lower), upper);
    const double branch = memory - kPinned;
    return std::abs(branch) > 0.5 ? S(end(branch)) : value;
  }

  static constexpr double beginRest() { return kPinned; }
  static bool isPinned(double memory) { return memory > 0.5 * kPinned; }
  double settleAtRest(double memory, double value) const {
    if (!isPinned(memory)) return memory;
    const bool isFree = std::abs(memory - kPinned) < 0.5;
    const int branch = branchOf(value);
    return isFree || branch == 0 ? kPinned + branch : memory;
  }

 private:
  static constexpr double kPinned = 10.0;
};

}  // namespace flexloop::control
