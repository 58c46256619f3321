// From an item of section `joints` that connects two joints to its elements.
#pragma once

#include <array>
#include <optional>

#include "mechanics/friction/friction.hpp"
#include "mechanics/springs/connection.hpp"
#include "system/builder.hpp"
#include "system/item.hpp"

namespace flexloop::mechanics {

// A joint that a gear, rack or belt refers to, with the coordinate that is meant.
struct CoupledJoint {
  const system::Item* item = nullptr;
  Connection connection;
};

// What a gear, a rack or a belt is made of.
struct GearPlan {
  std::array<CoupledJoint, 2> joints;
  double ratio = 1.0;                    // of the second coordinate to the first
  std::optional<double> stiffness;       // without it the relation is exact
  double damping = 0.0, backlash = 0.0;  // on the second coordinate, as the stiffness
  MeshLosses losses;                     // of a rigid one
};

// The joints of `between`: both with a rotation, or the second with a translation. Reports what is wrong.
std::optional<std::array<CoupledJoint, 2>> findCoupledJoints(const system::Item& item,
                                                             bool secondTurns,
                                                             system::Builder& builder);

// `efficiency` and `back_efficiency` of an item; zero in both directions where the efficiency is one. The default of the second is made from the first.
MeshLosses readLosses(const system::Item& item, double (*makeBackward)(double));
// What both keys say in the manual.
std::vector<system::Parameter> efficiencyParameters(const char* driver, const char* driven,
                                                    const char* defaultNote);

template <class Second>
void addGear(const system::Item& item, const GearPlan& plan, system::Builder& builder);

}  // namespace flexloop::mechanics
