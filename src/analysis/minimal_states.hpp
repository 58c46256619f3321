// State equations of least order (docs/theory/19_responses.md, section 19.5).
#pragma once

#include <vector>

#include "analysis/named_states.hpp"
#include "analysis/state_space.hpp"
#include "linalg/explicit_form.hpp"
#include "linalg/minimal_form.hpp"

namespace flexloop::analysis {

// Leaves out of `result.system` what no input reaches or no output sees, and names what is left: by candidates
// that depend on nothing else, unless that costs digits of the response. False, with nothing changed, if there
// is nothing to leave out. The pencil is that of the same states; `beside` are roots that were left out before.
bool makeMinimal(StateSpaceResult& result, const linalg::ReducedPencil& pencil,
                 const std::vector<linalg::RootPart>& beside,
                 std::vector<StateCandidate> candidates);

}  // namespace flexloop::analysis
