// Strain energies of beams of high order as signals.
#include "mechanics/beams/beam_high_order.hpp"
#include "system/energy_share.hpp"

namespace flexloop::system {

template struct EnergySignals<mechanics::BeamHighOrder<2>>;
template struct EnergySignals<mechanics::BeamHighOrder<3>>;

}  // namespace flexloop::system
