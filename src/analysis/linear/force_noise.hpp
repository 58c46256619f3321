// Stiffness that is nothing but round-off (docs/theory/18_eigenproblem.md, section 18.1).
#pragma once

#include "analysis/linear/linear_model.hpp"

namespace flexloop::analysis {

// Positions are known to their last digits, and forces to what springs and controllers make of these. Where no load acts,
// reactions are round-off, and so is the stiffness that they give to a motion which nothing else holds: it would swing
// or grow, however slowly. Entries of K and C that cannot be distinguished from zero become zero.
void dropForceNoise(system::Assembler& assembler, const system::State& state, LinearModel& linear);

}  // namespace flexloop::analysis
