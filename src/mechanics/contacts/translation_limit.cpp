#include "mechanics/contacts/limit_maker.hpp"

namespace flexloop::mechanics {

template void addLimit<TranslationCoordinate>(const std::string&, const Connection&,
                                              const LimitChoice&, system::Builder&);

}  // namespace flexloop::mechanics
