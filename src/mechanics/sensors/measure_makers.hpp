// Shared by the makers of sensors.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "system/builder.hpp"
#include "system/registry.hpp"

namespace flexloop::mechanics {

// The parameters `direction` and `frame` of a measure that is a vector.
std::vector<system::Parameter> vectorParameters();

// The node in whose axes the components are given: `frame` is ground, body (the axes of `own`) or
// the name of a node. Reports and gives nothing if there is no such node.
std::optional<system::NodeIndex> findAxes(const system::Item& item, system::NodeIndex own,
                                          system::Builder& builder);

// Adds a measure that is a vector, or its component along `direction`.
template <class M>
void addVectorMeasure(const system::Item& item, std::unique_ptr<M> measure,
                      system::Builder& builder) {
  if (item.has("direction")) measure->setDirection(item.vector("direction").normalized());
  builder.addMeasure(item.name(), std::move(measure));
}

// The parts of registerMeasures.
void registerNodeMeasures(system::Registry& registry);
void registerCoordinateMeasures(system::Registry& registry);
void registerConnectionMeasures(system::Registry& registry);
void registerEnergyMeasure(system::Registry& registry);

// Reports a mistake at a key of a sensor.
void failSensor(system::Builder& builder, const system::Item& item, std::string_view key,
                const std::string& message, const std::string& hint = {});

// Measures with `joint` that share their type with measures of nodes.
void makeJointDisplacement(const system::Item& item, system::Builder& builder);
void makeJointAcceleration(const system::Item& item, system::Builder& builder);
// Which coordinate is meant, for joints with several.
system::Parameter coordinateParameter();

}  // namespace flexloop::mechanics
