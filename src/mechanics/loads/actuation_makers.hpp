// Puts the elements of actuation.hpp, and loads with a signal, into a model.
#pragma once

#include <array>
#include <string>

#include "mechanics/loads/load.hpp"
#include "mechanics/springs/connection.hpp"
#include "system/builder.hpp"

namespace flexloop::mechanics {

// A force and a torque on a node, per unit of the signal.
struct NodeAction {
  system::NodeIndex node;
  math::Vec3<double> force = math::Vec3<double>::Zero(), torque = math::Vec3<double>::Zero();
  LoadAxes axes = LoadAxes::kGround;
};
void addNodeActuator(const std::string& name, const NodeAction& action, system::UnknownIndex signal,
                     system::Builder& builder);

void addLineActuator(const std::string& name, const LineConnection& line,
                     system::UnknownIndex signal, system::Builder& builder);

// The axis is a unit vector in ground axes at the start.
void addTorqueActuator(const std::string& name, const std::array<system::NodeIndex, 2>& nodes,
                       const math::Vec3<double>& axis, system::UnknownIndex signal,
                       system::Builder& builder);

// On the rotation or the translation of a joint.
void addCoordinateActuator(const std::string& name, const Connection& joint, bool isRotation,
                           system::UnknownIndex signal, system::Builder& builder);

}  // namespace flexloop::mechanics
