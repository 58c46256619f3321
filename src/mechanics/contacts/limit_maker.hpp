// The maker of the limits of a coordinate, compiled once for each place: element sets are expensive to compile.
#pragma once

#include "mechanics/contacts/coordinate_stop.hpp"
#include "mechanics/contacts/limit.hpp"
#include "mechanics/contacts/stop_set.hpp"
#include "system/elements.hpp"

namespace flexloop::mechanics {

template <class Place>
void addLimit(const std::string& name, const PlaceInMachine<Place>& at, const LimitChoice& choice,
              system::Builder& builder) {
  const auto addSide = [&](const char* word, double side, double bound) {
    const StopPlace<Place, double> stop{at.place, side, bound};
    const int history = builder.addHistory(kStopSlots);
    const std::string own = name + " (" + word + ")";
    if (choice.isCompliant) {
      builder.elements<CompliantStop<Place>>().add(
          own, at.nodes, at.own, {stop, choice.stiffness, choice.exponent, choice.damping},
          history);
      return;
    }
    const system::UnknownIndex force = builder.addScalar(
        system::Kind::kMultiplier, name + " " + word + " stop", name + ": " + word + " stop");
    builder.elementSet<StopSet<RigidStop<Place>>>().add(
        own, at.nodes, joinScalars(std::array{force}, at), {stop, choice.restitution}, history);
  };
  if (choice.lower) addSide("lower", 1.0, *choice.lower);
  if (choice.upper) addSide("upper", -1.0, *choice.upper);
}

}  // namespace flexloop::mechanics
