#include "mechanics/contacts/limit_maker.hpp"

namespace flexloop::mechanics {

template void addLimit<OnJoint<TranslationCoordinate>>(
    const std::string&, const PlaceInMachine<OnJoint<TranslationCoordinate>>&, const LimitChoice&,
    system::Builder&);

}  // namespace flexloop::mechanics
