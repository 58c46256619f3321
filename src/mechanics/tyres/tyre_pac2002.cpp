#include "mechanics/tyres/pac2002.hpp"
#include "mechanics/tyres/tyre_adder.hpp"

namespace flexloop::mechanics {

void addPac2002Tyre(const TyreItem& tyre, const Pac2002Numbers& numbers, system::Builder& builder) {
  const auto [along, across] = readRelaxation(*tyre.item);
  Pac2002::Parameters<double> p{numbers.c, 0.0, 0.0};
  // Lengths are stated for the nominal load.
  const auto load =
      Pac2002::calcLoad<double, double>(p, numbers.c[pac2002::FNOMIN] * numbers.c[pac2002::LFZO]);
  p.fixedX = along / Pac2002::calcSlopeX<double, double>(p, load, 0.0).K;
  p.fixedY = across / Pac2002::calcSlopeY<double, double>(p, load, 0.0);
  addTyre<Pac2002>(tyre, p, builder);
}

}  // namespace flexloop::mechanics
