// Blocks whose states may follow a law that is steep or has kinks, so that a time step solves for them by themselves
// (docs/theory/09_time.md, section 9.13).
#pragma once

namespace flexloop::control {

class SteepStates {
 public:
  virtual ~SteepStates() = default;
};

}  // namespace flexloop::control
