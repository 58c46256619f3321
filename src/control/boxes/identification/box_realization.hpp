// A linear state space for a block that can only be called and that gains do not describe
// (docs/theory/23_identification.md, section 23.5):
//
//     x' = A x + B u,   y = C x + D u
//
// and, for one with a clock, what it is from instant to instant (section 23.6).
#pragma once

#include <vector>

#include "control/boxes/identification/box_gains.hpp"
#include "linalg/state_space/state_matrices.hpp"

namespace flexloop::control {

struct BoxRealization : linalg::StateMatrices {
  // The largest part of the step responses that it does not explain, as a share of the largest one.
  double residual = 1.0;
  // Of a box whose numbers are rounded to fewer digits than ours: the same from other records, with another rounding. What
  // differs between them is not known (section 23.7).
  std::vector<linalg::StateMatrices> twins{};
};

// The same as kGainTolerance for boxes with twins.
inline constexpr double kRoundedTolerance = 1e-2;

// Whether a block gets and gives numbers with fewer digits than ours.
bool roundsNumbers(const Block& block);

// For blocks with a clock and black boxes that can go back.
BoxRealization realizeBox(const BlockSet& set, int element, const system::State& state,
                          const GainSettings& settings, double period);

// x⁺ = A x + B u, y = C x + D u at the instants of a box with a clock that can go back. The residual counts further
// calls too, which are foretold; it is 1 where the box has no finite response.
BoxRealization realizeSamples(const BlockSet& set, int element, const system::State& state,
                              double period);

}  // namespace flexloop::control
