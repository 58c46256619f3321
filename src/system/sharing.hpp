// Constraints that come and go, of which several may hold the same motion: what each of them carries is not determined by it, and may be chosen.
#pragma once

#include <array>

#include "system/state.hpp"

namespace flexloop::system {

class Sharing {
 public:
  virtual ~Sharing() = default;
  // Adds a force to what one that sticks carries besides its two multipliers, along the axes of these.
  virtual void share(int k, const std::array<double, 2>& force, State& state) const = 0;
};

}  // namespace flexloop::system
