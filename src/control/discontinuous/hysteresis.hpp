// What is on or off (docs/theory/15_discontinuous_blocks.md, section 1).
#pragma once

namespace flexloop::control {

// On above one value and off below another, not higher one. Which of the two it is, is the branch of a block, a number in its
// memory. Before the first judgement the branch is not set: then it follows from the value, and where both are possible it
// is the one to start with.
class Hysteresis {
 public:
  static constexpr double kNotSet = -1.0, kOff = 0.0, kOn = 1.0;

  Hysteresis(double onAbove, double offBelow, bool startsOn)
      : onAbove_(onAbove), offBelow_(offBelow), startsOn_(startsOn) {}

  bool isOn(double branch, double value) const {
    if (isSet(branch)) return branch > 0.5 * kOn;
    return value > onAbove_ || (startsOn_ && value >= offBelow_);
  }

  //     (15.2)  negative where the branch has ended
  double indicator(double branch, double value) const {
    if (!isSet(branch)) return -1.0;
    return isOn(branch, value) ? value - offBelow_ : onAbove_ - value;
  }

  double nextBranch(double branch, double value) const {
    if (indicator(branch, value) >= 0.0) return branch;
    const bool next = isSet(branch) ? !isOn(branch, value) : isOn(branch, value);
    return next ? kOn : kOff;
  }

 private:
  static bool isSet(double branch) { return branch > 0.5 * kNotSet; }

  double onAbove_, offBelow_;
  bool startsOn_;
};

}  // namespace flexloop::control
