#include "mechanics/beam_sets.hpp"

namespace flexloop::system {

template class Elements<mechanics::BeamHighOrder<3>>;

}  // namespace flexloop::system
