#include "mechanics/tyres/tyre_adder.hpp"

namespace flexloop::mechanics {
namespace {

template <class Road>
void addLoad(const TyreItem& tyre, system::Builder& builder) {
  using E = TyreSupport<Road>;
  std::array<system::UnknownIndex, E::kScalars> scalars;
  for (int k = 0; k < E::kScalars; ++k) scalars[k] = tyre.roadSignals[k];
  auto& set = builder.elements<E>();
  const int element = set.add(tyre.item->name(), tyre.nodes, scalars, {tyre.wheel}, tyre.history);
  const double depth =
      E::template calcDepth<double, double>({tyre.wheel}, startOf<E>(tyre, builder));
  builder.setHistory(tyre.history, depth > 0.0 ? 1.0 : 0.0);
  builder.attach("contacts", tyre.item->name(), {&set, element});
}

}  // namespace

void addSupport(const TyreItem& tyre, system::Builder& builder) {
  if (tyre.roadSignals.empty()) return addLoad<PlaneRoad>(tyre, builder);
  addLoad<UnevenRoad>(tyre, builder);
}

}  // namespace flexloop::mechanics
