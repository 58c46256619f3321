// State equations of least order (docs/theory/19_responses.md, section 19.5).
#pragma once

#include <vector>

#include "analysis/linear/named_states.hpp"
#include "analysis/linear/state_space.hpp"
#include "linalg/state_space/explicit_form.hpp"
#include "linalg/state_space/minimal_form.hpp"

namespace flexloop::analysis {

// The machine, by which single roots are refined where that is asked for, and its roots without those at zero.
struct KnownRoots {
  const LinearPorts& ports;
  std::vector<std::complex<double>> values;
};

// Leaves out of `named` what no input reaches or no output sees, and names what is left by candidates that depend on
// nothing else; `modal` is the same with states of modes. False, with nothing changed, if there is nothing to leave
// out. The pencil is that of the same states; `beside` are roots that were left out before.
bool makeMinimal(StateSpaceResult& named, StateSpaceResult& modal,
                 const linalg::ReducedPencil& pencil, const KnownRoots& known,
                 const std::vector<linalg::RootPart>& beside,
                 std::vector<StateCandidate> candidates, bool isRefined);

// Roots that were left out before anything else.
std::vector<LeftOutRoot> describeRoots(const std::vector<linalg::RootPart>& parts);

// All states, as those of modes.
void makeModal(StateSpaceResult& result, const linalg::ReducedPencil& pencil,
               const KnownRoots& known, bool isRefined);

}  // namespace flexloop::analysis
