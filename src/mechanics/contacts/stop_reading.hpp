// What all rigid stops have in common: the memory of their branch, and how their gap is read.
#pragma once

namespace flexloop::mechanics {

// The branch as in system::Switching, and where it counts as closed.
inline constexpr int kTouchSlot = 0;
inline constexpr double kAlmostTouched = 1.5;

// The gap of a stop in a motion, as in system::SwitchReading.
struct GapReading {
  double value = 0.0, rate = 0.0, acceleration = 0.0;
  double rateSize = 0.0, valueSize = 0.0;
};

}  // namespace flexloop::mechanics
