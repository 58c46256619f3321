// Energies of springs between points and of bushings as signals.
#include "mechanics/springs/bushing.hpp"
#include "mechanics/springs/line.hpp"
#include "system/energy_share.hpp"

namespace flexloop::system {

template struct EnergySignals<mechanics::Bushing>;
template struct EnergySignals<mechanics::DistanceSpring>;

}  // namespace flexloop::system
