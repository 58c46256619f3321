#include "mechanics/tyres/tyre_adder.hpp"

namespace flexloop::mechanics {

void addTanhTyre(const TyreItem& tyre, const SimpleParameters<double>& p,
                 system::Builder& builder) {
  addTyre<TanhTyre>(tyre, p, builder);
}

}  // namespace flexloop::mechanics
