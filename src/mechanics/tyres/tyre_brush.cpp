#include "mechanics/tyres/tyre_adder.hpp"

namespace flexloop::mechanics {

void addBrushTyre(const TyreItem& tyre, const SimpleParameters<double>& p,
                  system::Builder& builder) {
  addTyre<BrushTyre>(tyre, p, builder);
}

}  // namespace flexloop::mechanics
