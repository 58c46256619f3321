#include "mechanics/tyres/pac2002.hpp"
#include "mechanics/tyres/tyre_adder.hpp"

namespace flexloop::mechanics {

void addPac2002Tyre(const TyreItem& tyre, const Pac2002Numbers& numbers, system::Builder& builder) {
  const auto [along, across] = readRelaxation(*tyre.item);
  addTyre<Pac2002>(tyre, {numbers.c, along, across}, builder);
}

}  // namespace flexloop::mechanics
