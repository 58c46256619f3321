#include "mechanics/beam_sets.hpp"

namespace flexloop::system {

template class Elements<mechanics::BeamHighOrder<2>>;

}  // namespace flexloop::system
