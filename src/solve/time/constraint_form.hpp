// Which derivative of the constraints a time step satisfies (docs/theory/09_time.md, section 9.6).
#pragma once

namespace flexloop::solve {

enum class ConstraintForm {
  kIndex3,            // positions satisfy their constraints
  kStabilizedIndex2,  // positions and velocities do
};

}  // namespace flexloop::solve
