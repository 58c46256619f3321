// The maker of the limits of a coordinate, compiled once for each place: element sets are expensive to compile.
#pragma once

#include "mechanics/contacts/coordinate_stop.hpp"
#include "mechanics/contacts/limit.hpp"
#include "mechanics/contacts/stop_set.hpp"
#include "mechanics/springs/connection.hpp"
#include "system/elements.hpp"

namespace flexloop::mechanics {

// For sensors of the joint, whose force is that of its stops too, and of the limit itself. Along a beam the force of the joint has them already.
template <class Place>
void attachStop(const std::string& name, const std::string& joint, const system::ElementSet& set,
                int element, system::Builder& builder) {
  const auto* before = builder.findAttachment("contacts", name);
  const int first = before != nullptr ? before->element : element;
  const int count = Place::kNodes == 2 ? element - first + 1 : 0;
  builder.attach("contacts", name, {&set, first, count});
  if (count == 0) return;
  int k = 0;
  while (builder.findAttachment("joints", joint + stopPart(k)) != nullptr) ++k;
  builder.attach("joints", joint + stopPart(k), {&set, element});
}

template <class Place>
void addLimit(const std::string& name, const PlaceInMachine<Place>& at, const LimitChoice& choice,
              system::Builder& builder) {
  const auto addSide = [&](const char* word, double side, double bound) {
    const StopPlace<Place, double> stop{at.place, side, bound};
    const int history = builder.addHistory(kStopSlots);
    const std::string own = name + " (" + word + ")";
    if (choice.isCompliant) {
      auto& set = builder.elements<CompliantStop<Place>>();
      const int element =
          set.add(own, at.nodes, at.own, {stop, choice.stiffness, choice.exponent, choice.damping},
                  history);
      return attachStop<Place>(name, choice.joint, set, element, builder);
    }
    const system::UnknownIndex force = builder.addScalar(
        system::Kind::kMultiplier, name + " " + word + " stop", name + ": " + word + " stop");
    auto& set = builder.elementSet<StopSet<RigidStop<Place>>>();
    const int element = set.add(own, at.nodes, joinScalars(std::array{force}, at),
                                {stop, choice.restitution}, history);
    attachStop<Place>(name, choice.joint, set, element, builder);
  };
  if (choice.lower) addSide("lower", 1.0, *choice.lower);
  if (choice.upper) addSide("upper", -1.0, *choice.upper);
}

}  // namespace flexloop::mechanics
