// The element sets of beams are compiled once, in files of their own: they are large.
#pragma once

#include "mechanics/beam_element.hpp"
#include "mechanics/beam_high_order.hpp"
#include "system/elements.hpp"

namespace flexloop::system {

extern template class Elements<mechanics::BeamElement<mechanics::BeamInertia::kNone>>;
extern template class Elements<mechanics::BeamElement<mechanics::BeamInertia::kConsistent>>;
extern template class Elements<mechanics::BeamHighOrder<2>>;
extern template class Elements<mechanics::BeamHighOrder<3>>;

}  // namespace flexloop::system
