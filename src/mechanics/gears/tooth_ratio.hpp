// The ratio of a pair of wheels from their numbers of teeth and the places and axes of their joints
// (docs/theory/41_losses_and_latches.md, section 2).
#pragma once

#include <array>
#include <optional>

#include "mechanics/gears/gear_maker.hpp"

namespace flexloop::mechanics {

// `teeth` and `inner` of a gear on parallel axes, or on axes that meet. Reports what is wrong.
std::optional<double> findToothRatio(const system::Item& item,
                                     const std::array<CoupledJoint, 2>& joints,
                                     system::Builder& builder);

// `starts`, `teeth` and `hand` of a worm and its wheel. Reports what is wrong.
std::optional<double> findWormRatio(const system::Item& item,
                                    const std::array<CoupledJoint, 2>& joints,
                                    system::Builder& builder);

}  // namespace flexloop::mechanics
