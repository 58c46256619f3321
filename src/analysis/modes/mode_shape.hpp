// Shapes of modes: increments of all unknowns of the system, of one size.
#pragma once

#include "analysis/linear/linear_model.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "linalg/roots/quadratic_pencil.hpp"

namespace flexloop::analysis {

Mode makeMode(const system::System& system, const LinearModel& linear,
              const linalg::Eigenpair& pair);
bool isMoving(const system::System& system, const Eigen::VectorXcd& shape);
// A root at zero that moves nothing.
bool isIdle(const LinearModel& linear, const system::System& system, const linalg::Eigenpair& pair);

}  // namespace flexloop::analysis
