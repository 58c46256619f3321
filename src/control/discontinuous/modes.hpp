// How the branches of discontinuous blocks are judged (docs/theory/15_discontinuous_blocks.md, section 15.1).
// A branch is a number in the memory of a block.
#pragma once

#include <cmath>

#include "math/scalar.hpp"

namespace flexloop::control {

// On above one value and off below another, not higher one. Before the first judgement the branch is
// not set: then it follows from the value, and where both are possible it is the one to start with.
class Hysteresis {
 public:
  static constexpr double kNotSet = -1.0, kOff = 0.0, kOn = 1.0;

  Hysteresis(double onAbove, double offBelow, bool startsOn)
      : onAbove_(onAbove), offBelow_(offBelow), startsOn_(startsOn) {}

  bool isOn(double mode, double value) const {
    if (isSet(mode)) return mode > 0.5 * kOn;
    return value > onAbove_ || (startsOn_ && value >= offBelow_);
  }

  //     (15.2)  negative where the branch has ended
  double indicator(double mode, double value) const {
    if (!isSet(mode)) return -1.0;
    return isOn(mode, value) ? value - offBelow_ : onAbove_ - value;
  }

  double nextMode(double mode, double value) const {
    if (indicator(mode, value) >= 0.0) return mode;
    const bool next = isSet(mode) ? !isOn(mode, value) : isOn(mode, value);
    return next ? kOn : kOff;
  }

 private:
  static bool isSet(double mode) { return mode > 0.5 * kNotSet; }

  double onAbove_, offBelow_;
  bool startsOn_;
};

// In which of three ranges a value is: −1 below the lower end, 0 between, 1 above the upper end. For
// blocks whose output has a kink at both ends.
struct Range {
  static constexpr int kIndicators = 2;

  double lower = 0.0, upper = 0.0;

  double rangeOf(double value) const { return value > upper ? 1.0 : (value < lower ? -1.0 : 0.0); }

  //     (15.3)
  void calcIndicators(double mode, double value, double* indicators) const {
    const bool isAbove = mode > 0.5, isBelow = mode < -0.5;
    indicators[0] = isAbove ? value - upper : (isBelow ? lower - value : upper - value);
    indicators[1] = isAbove || isBelow ? indicators[0] : value - lower;
  }

  double nextMode(double mode, double value) const {
    double indicators[kIndicators];
    calcIndicators(mode, value, indicators);
    return indicators[0] < 0.0 || indicators[1] < 0.0 ? rangeOf(value) : mode;
  }
};

// A value that is kept inside of a range. While an equilibrium is looked for, the memory says on which of the
// three lines the output is, wherever the value is on the way: free of limits at first (section 26.1).
class Limited {
 public:
  explicit Limited(Range range) : range_(range) {}

  template <class S>
  S limit(const S& value, double memory) const {
    if (!isPinned(memory)) {
      return math::notAbove(math::notBelow(value, range_.lower), range_.upper);
    }
    if (memory > kPinned + 0.5) return S(range_.upper);
    return memory < kPinned - 0.5 ? S(range_.lower) : value;
  }

  static constexpr double beginRest() { return kPinned; }
  double settleAtRest(double memory, double value) const {
    if (!isPinned(memory)) return memory;
    const bool isFree = std::abs(memory - kPinned) < 0.5;
    const double range = range_.rangeOf(value);
    return isFree || range == 0.0 ? kPinned + range : memory;
  }
  double endRest(double value) const { return range_.rangeOf(value); }

 private:
  static constexpr double kPinned = 10.0;
  static bool isPinned(double memory) { return memory > 0.5 * kPinned; }

  Range range_;
};

}  // namespace flexloop::control
