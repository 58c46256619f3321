// Adds the elements of one model of a tyre.
#pragma once

#include "mechanics/contacts/contact_parts.hpp"
#include "mechanics/tyres/tyre_maker.hpp"
#include "system/elements.hpp"

namespace flexloop::mechanics {

// As the element finds the machine at the start.
template <class E>
typename E::template View<double> startOf(const TyreItem& tyre, const system::Builder& builder) {
  typename E::template View<double> u;
  for (int k = 0; k < 2; ++k) {
    u.frame[k] = builder.frame(tyre.nodes[k]);
    u.twist[k] = builder.twist(tyre.nodes[k]);
    u.twistRate[k].setZero();
  }
  u.value.fill(0.0);
  u.rate.fill(0.0);
  u.acceleration.fill(0.0);
  u.history.fill(1.0);
  u.time = 0.0;
  return u;
}

template <class Model, class Road>
void addGrip(const TyreItem& tyre, const typename Model::template Parameters<double>& model,
             system::Builder& builder) {
  using E = TyreGrip<Model, Road>;
  const typename E::template Parameters<double> p{tyre.wheel, tyre.grip, model};
  // Where slip is steady at the start, the equations of the deflections are zero; they are linear.
  auto start = startOf<E>(tyre, builder);
  const auto at = E::template calcGrip<double, double>(p, start);
  start.value[0] = start.value[1] = 1.0;
  const auto shifted = E::template calcGrip<double, double>(p, start);
  const auto steady = [&](double atZero, double atOne) {
    return tyre.isSteady && atOne != atZero ? -atZero / (atOne - atZero) : 0.0;
  };
  const bool isState = tyre.grip.lag > 0.0;
  const system::Kind kind = isState ? system::Kind::kState : system::Kind::kSignal;
  const std::string& name = tyre.item->name();
  std::array<system::UnknownIndex, E::kScalars> scalars;
  scalars[0] =
      builder.addScalar(kind, name + " longitudinal deflection", name + ": longitudinal deflection",
                        steady(at.equationX, shifted.equationX));
  scalars[1] = builder.addScalar(kind, name + " lateral deflection", name + ": lateral deflection",
                                 steady(at.equationY, shifted.equationY));
  for (int k = 0; k < Road::kSignals; ++k) scalars[2 + k] = tyre.roadSignals[k];
  auto& set = builder.elements<E>();
  const int element = set.add(name, tyre.nodes, scalars, p, tyre.history);
  builder.attach("contacts", name + kFrictionPart, {&set, element});
}

template <class Model>
void addTyre(const TyreItem& tyre, const typename Model::template Parameters<double>& model,
             system::Builder& builder) {
  addSupport(tyre, builder);
  if (tyre.roadSignals.empty()) return addGrip<Model, PlaneRoad>(tyre, model, builder);
  addGrip<Model, UnevenRoad>(tyre, model, builder);
}

}  // namespace flexloop::mechanics
