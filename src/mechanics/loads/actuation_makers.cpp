#include "mechanics/loads/actuation_makers.hpp"

#include "mechanics/loads/actuation.hpp"
#include "system/elements.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::UnknownIndex;

void addNodeActuator(const std::string& name, const NodeAction& action, UnknownIndex signal,
                     Builder& builder) {
  const auto add = [&](auto& set) {
    set.add(name, {action.node}, {signal}, {action.force, action.torque});
  };
  if (action.axes == LoadAxes::kBody) {
    add(builder.elements<Load<LoadAxes::kBody, true>>());
  } else {
    add(builder.elements<Load<LoadAxes::kGround, true>>());
  }
}

void addLineActuator(const std::string& name, const LineConnection& line, UnknownIndex signal,
                     Builder& builder) {
  builder.elements<LineActuator>().add(name, line.nodes, {signal}, {line.points});
}

void addTorqueActuator(const std::string& name, const std::array<system::NodeIndex, 2>& nodes,
                       const math::Vec3<double>& axis, UnknownIndex signal, Builder& builder) {
  const math::Vec3<double> axis_A = builder.frame(nodes[0]).R.transpose() * axis;
  builder.elements<TorqueActuator>().add(name, nodes, {signal}, {axis_A});
}

void addCoordinateActuator(const std::string& name, const Connection& joint, bool isRotation,
                           UnknownIndex signal, Builder& builder) {
  const auto add = [&](auto& set) { set.add(name, joint.nodes, {signal}, {joint.frames}); };
  if (isRotation) {
    add(builder.elements<CoordinateActuator<RotationCoordinate>>());
  } else {
    add(builder.elements<CoordinateActuator<TranslationCoordinate>>());
  }
}

}  // namespace flexloop::mechanics
