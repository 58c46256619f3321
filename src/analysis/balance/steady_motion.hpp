// A machine that continues as it starts: every node keeps its velocity in its own axes, and forces, those of inertia
// included, are in balance (docs/theory/10_equilibrium.md, section 10.4). A rotor at its speed, a car on a straight road.
#pragma once

#include "analysis/balance/equilibrium_analysis.hpp"

namespace flexloop::analysis {

// Near the initial configuration, with the velocities of the start; without velocities, the equilibrium. Nothing is
// thrown.
[[nodiscard]] EquilibriumResult findSteadyMotion(const model::Model& model);

}  // namespace flexloop::analysis
