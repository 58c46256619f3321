// Energies of bodies and of two-node beams as signals.
#include "mechanics/beams/beam_element.hpp"
#include "system/energy_share.hpp"

namespace flexloop::system {

template struct EnergySignals<mechanics::Inertia>;
template struct EnergySignals<mechanics::BeamElement<mechanics::BeamInertia::kNone>>;
template struct EnergySignals<mechanics::BeamElement<mechanics::BeamInertia::kConsistent>>;

}  // namespace flexloop::system
