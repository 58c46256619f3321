// `contacts: {…: {type: limit, …}}`: the range of a joint's coordinate (docs/theory/33_impacts.md).
#pragma once

#include <optional>
#include <string>

#include "mechanics/joints/coordinate_place.hpp"
#include "system/builder.hpp"

namespace flexloop::mechanics {

struct LimitChoice {
  std::string joint;
  std::optional<double> lower, upper;
  bool isCompliant = false;
  double restitution = 0.0;
  double stiffness = 0.0, exponent = 1.0, damping = 0.0;
};

template <class Place>
void addLimit(const std::string& name, const PlaceInMachine<Place>& at, const LimitChoice& choice,
              system::Builder& builder);

}  // namespace flexloop::mechanics
