#include "mechanics/friction/friction_maker.hpp"

namespace flexloop::mechanics {

template void addFriction<TranslationCoordinate>(const system::Item&, const system::Item&,
                                                 const Connection&, system::Builder&);

}  // namespace flexloop::mechanics
