// The parts of the maker of tyres; each model of a tyre is compiled in a file of its own, because sets of elements take long to compile.
#pragma once

#include <optional>

#include "mechanics/tyres/pac2002_reader.hpp"
#include "mechanics/tyres/simple_tyres.hpp"
#include "system/builder.hpp"

namespace flexloop::mechanics {

// What all models have in common.
struct TyreItem {
  const system::Item* item = nullptr;
  std::array<system::NodeIndex, 2> nodes;         // of the road and of the wheel
  std::vector<system::UnknownIndex> roadSignals;  // height and slope of an uneven road; else empty
  WheelOnRoad<double> wheel{};
  GripSettings<double> grip{};
  int history = -1;
  bool isSteady = true;  // at the start
};

void addPac2002Tyre(const TyreItem& tyre, const Pac2002Numbers& numbers, system::Builder& builder);
void addTanhTyre(const TyreItem& tyre, const SimpleParameters<double>& p, system::Builder& builder);
void addBrushTyre(const TyreItem& tyre, const SimpleParameters<double>& p,
                  system::Builder& builder);
// The load, as the element that the others read their history of.
void addSupport(const TyreItem& tyre, system::Builder& builder);

// The lengths of `relaxation_length` along and across; zeros without it.
std::array<double, 2> readRelaxation(const system::Item& item);

}  // namespace flexloop::mechanics
