// Energies of springs on coordinates as signals.
#include "mechanics/joints/joint_coordinate.hpp"
#include "system/energy_share.hpp"

namespace flexloop::system {

template struct EnergySignals<mechanics::CoordinateSpring<mechanics::RotationCoordinate>>;
template struct EnergySignals<mechanics::CoordinateSpring<mechanics::TranslationCoordinate>>;

}  // namespace flexloop::system
