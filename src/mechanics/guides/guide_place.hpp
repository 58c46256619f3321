// The coordinate of a node that slides along a beam, for what acts on it from other sections.
#pragma once

#include <optional>
#include <string>

#include "mechanics/joints/coordinate_place.hpp"
#include "system/builder.hpp"
#include "system/item.hpp"

namespace flexloop::mechanics {

// Nothing where the joint is another one, or has not been made.
std::optional<PlaceInMachine<AlongGuide>> findGuidePlace(const system::Item& joint,
                                                         const system::Builder& builder);

// A force on the coordinate that is a signal.
void addGuideActuator(const std::string& name, const PlaceInMachine<AlongGuide>& at,
                      system::UnknownIndex signal, system::Builder& builder);

// Prescribes the coordinate by a signal.
void addGuideDrive(const system::Item& joint, const PlaceInMachine<AlongGuide>& at,
                   system::UnknownIndex signal, system::Builder& builder);

// `friction` of the joint: from its own reaction, which the pieces of the guide make a signal of, or as given.
void addGuideFriction(const system::Item& joint, const PlaceInMachine<AlongGuide>& at,
                      system::Builder& builder);

}  // namespace flexloop::mechanics
