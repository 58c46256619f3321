// Where an axis has its ticks, and what is written at them.
#pragma once

#include <string>
#include <vector>

namespace flexloop::reports {

struct Tick {
  double value = 0.0;
  std::string label;     // empty: a short tick without a number
  std::string exponent;  // raised, after the label; may be empty
};

// About `count` ticks at multiples of 1, 2 or 5 times a power of ten, labelled with just enough
// digits. from < to, both finite.
std::vector<Tick> makeLinearTicks(double from, double to, int count);

// At most so many, at multiples of the unit or of its double, its fourfold and so on.
std::vector<Tick> makeUnitTicks(double from, double to, int count, double unit);

// At powers of ten with short ticks between, where the range is wide; at 1, 2 and 5 times a power
// of ten where it is narrow. 0 < from < to.
std::vector<Tick> makeLogarithmicTicks(double from, double to);

}  // namespace flexloop::reports
