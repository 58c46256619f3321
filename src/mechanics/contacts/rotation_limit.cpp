#include "mechanics/contacts/limit_maker.hpp"

namespace flexloop::mechanics {

template void addLimit<OnJoint<RotationCoordinate>>(
    const std::string&, const PlaceInMachine<OnJoint<RotationCoordinate>>&, const LimitChoice&,
    system::Builder&);

}  // namespace flexloop::mechanics
