// Shared by the makers of sensors.
#pragma once

#include <memory>
#include <optional>
#include <string>
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
void registerConnectionMeasures(system::Registry& registry);

// Displacement of a slider, for the measure `displacement` with `joint`.
void makeJointDisplacement(const system::Item& item, system::Builder& builder);

}  // namespace flexloop::mechanics
