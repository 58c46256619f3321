// What the motion of the machine itself makes of linear equations about one of its states (docs/theory/18_eigenproblem.md,
// section 18.7).
#pragma once

#include <string>
#include <vector>

#include "analysis/linear/linear_model.hpp"
#include "linalg/roots/quadratic_pencil.hpp"

namespace flexloop::analysis {

// By root how far, [1/s], it means nothing: what grows by less may as well decay. Zero about an equilibrium and a steady motion.
// Of a sampled loop, whose roots are not those of the pencil, and with effective matrices only what accelerations do.
std::vector<double> calcDrifts(const model::Model& model, const system::State& state,
                               const LinearView& view, const LinearModel& linear,
                               const std::vector<linalg::Eigenpair>& pairs, bool areOfPencil);

// Empty if no root moves much.
std::string describeDrifts(const std::vector<linalg::Eigenpair>& pairs,
                           const std::vector<double>& drifts);

}  // namespace flexloop::analysis
