// Slopes of what can only be called, in whatever units it counts (docs/theory/16_sampled_blocks.md, section 16.5).
//
// How far an argument may be changed depends on its size, which nobody knows: it may be zero, and its unit is that of somebody
// else. So the step of a central difference is the longest with which one 2¹⁰ times shorter agrees, up to round-off.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

namespace flexloop::control {

// The results at an argument; they may be no numbers.
using Response = std::function<void(double argument, std::span<double> results)>;
// The same at several arguments: the results at the first, then those at the second …
using Responses = std::function<void(std::span<const double> arguments, std::span<double> results)>;

struct Slopes {
  std::vector<double> values;  // by result
  double size = 1.0;           // of the argument: 2¹⁰ times the shortest step that was taken
  bool areSure = true;         // false: no step agrees with a shorter one
};

Slopes calcSlopes(double at, std::size_t results, const Response& respond);

// For responses that are better asked for together. Every search needs the results at `at` and at the
// first arguments, and most need no others: those of several searches can be had in one go.
inline constexpr std::size_t kFirstArguments = 4;
std::array<double, kFirstArguments> firstArguments(double at);
struct FirstResponses {
  std::span<const double> middle;     // at `at`
  std::span<const double> responses;  // at the first arguments, one behind the other
};
Slopes calcSlopes(double at, const FirstResponses& first, const Responses& respond);

}  // namespace flexloop::control
