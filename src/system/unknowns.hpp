// Unknowns and their kinds (DESIGN: one residual over one list of unknowns). Equation i is paired
// with unknown i: a motion with its equation of motion, a state with its differential equation, a
// multiplier with its constraint, a signal with the equation that defines it.
#pragma once

#include <compare>
#include <cstdint>

namespace flexloop::system {

struct NodeIndex {
  int value = -1;
  auto operator<=>(const NodeIndex&) const = default;
};

struct UnknownIndex {
  int value = -1;
  auto operator<=>(const UnknownIndex&) const = default;
};

enum class Kind : std::uint8_t {
  kMotion,      // second order: node freedoms, scalar coordinates
  kState,       // first order: controller and actuator states
  kMultiplier,  // algebraic: constraint force, paired with a constraint on positions (index 3)
  kSignal,      // algebraic: paired with an equation that can be solved for it (index 1)
};

// The fixed frame is node 0 of every system.
inline constexpr NodeIndex kGround{0};

}  // namespace flexloop::system
