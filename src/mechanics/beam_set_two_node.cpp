#include "mechanics/beam_sets.hpp"

namespace flexloop::system {

template class Elements<mechanics::BeamElement<mechanics::BeamInertia::kNone>>;
template class Elements<mechanics::BeamElement<mechanics::BeamInertia::kConsistent>>;

}  // namespace flexloop::system
