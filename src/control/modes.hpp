// How the modes of discontinuous blocks are judged (docs/theory/15_discontinuous_blocks.md, section 1).
// A mode is a number in the memory of a block.
#pragma once

namespace flexloop::control {

// On above one value and off below another, not higher one. Before the first judgement the mode is
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

  //     (15.2)  negative where the mode has ended
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

}  // namespace flexloop::control
