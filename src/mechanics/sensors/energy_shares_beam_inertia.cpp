// Energies of the inertia of beams of high order as signals.
#include "mechanics/beams/beam_inertia_high_order.hpp"
#include "system/energy_share.hpp"

namespace flexloop::system {

template struct EnergySignals<mechanics::BeamInertiaHighOrder<2>>;
template struct EnergySignals<mechanics::BeamInertiaHighOrder<3>>;

}  // namespace flexloop::system
