// Energies of springs between points and of bushings as signals.
#include "mechanics/bushing.hpp"
#include "mechanics/line.hpp"
#include "system/energy_share.hpp"

namespace flexloop::system {

template struct EnergySignals<mechanics::Bushing>;
template struct EnergySignals<mechanics::DistanceSpring>;

}  // namespace flexloop::system
