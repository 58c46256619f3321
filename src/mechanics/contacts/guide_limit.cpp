#include "mechanics/contacts/limit_maker.hpp"

namespace flexloop::mechanics {

template void addLimit<AlongGuide>(const std::string&, const PlaceInMachine<AlongGuide>&,
                                   const LimitChoice&, system::Builder&);

}  // namespace flexloop::mechanics
