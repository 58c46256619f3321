// Black boxes in linear analyses (docs/theory/23_identification.md, section 23.4): their identified gains,
//
//     y = kp u + ki ∫u + kd u'                                                                     (23.8)
//
// take the place of what one call shows of them. Each integral is an unknown more. Boxes that gains do
// not describe take part as linear systems with states.
#pragma once

#include <string>
#include <vector>

#include "linalg/roots/quadratic_pencil.hpp"
#include "model/model.hpp"
#include "system/state.hpp"

namespace flexloop::analysis {

struct BoxModel {
  int states = 0;  // unknowns behind those of the system
  // What a user should know: boxes that gains do not describe, or that cannot be perturbed.
  std::vector<std::string> warnings;
};

// Changes the pencil of all unknowns of the system. Boxes of `held`, elements of the set of blocks, are left as they
// are: somebody else knows what they do at their instants.
BoxModel insertBoxes(const model::Model& model, const system::State& state,
                     const std::vector<int>& held, linalg::QuadraticPencil& pencil);

}  // namespace flexloop::analysis
