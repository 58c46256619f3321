// Section `loads` of the model language.
#include <variant>

#include "mechanics/loads/load.hpp"
#include "mechanics/sample_models.hpp"
#include "system/builder.hpp"
#include "system/elements.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::choice;
using system::Item;
using system::signal;
using system::UnknownIndex;
using system::vector;

namespace {

template <LoadAxes kAxes>
void makeLoadIn(const Item& item, system::NodeIndex node, Builder& builder) {
  math::Vec3<double> force = item.vector("force"), torque = item.vector("torque");
  const bool hasSignal =
      item.has("signal") && !std::holds_alternative<double>(item.at("signal").data);
  if (hasSignal) {
    const UnknownIndex signal = builder.signal(item, "signal");
    builder.elements<Load<kAxes, true>>().add(item.name(), {node}, {signal}, {force, torque});
    return;
  }
  const double factor = item.number("signal", 1.0);
  builder.elements<Load<kAxes, false>>().add(item.name(), {node}, {},
                                             {factor * force, factor * torque});
}

void makeLoad(const Item& item, Builder& builder) {
  const system::NodeIndex node = builder.node(item, "node");
  if (builder.isHeld(node)) {
    builder.diagnostics().addWarning(item.placeOf("node"),
                                     "loads." + item.name() + ": '" + builder.nodeName(node) +
                                         "' cannot move, so the load has no effect");
  }
  if (item.text("frame") == "body" || item.boolean("follower", false)) {
    makeLoadIn<LoadAxes::kBody>(item, node, builder);
  } else {
    makeLoadIn<LoadAxes::kGround>(item, node, builder);
  }
}

}  // namespace

void registerLoads(system::Registry& registry) {
  system::TypeEntry entry{
      "loads",
      "",
      "A force and a torque on a node.",
      {required(system::node("node", "the node on which the load acts")),
       withDefault(system::inAxesOf(system::groundDirection(vector("force", base::kForce,
                                                                   "force at the node's origin")),
                                    {"frame", "follower"}),
                   "[0, 0, 0]"),
       withDefault(
           system::inAxesOf(system::groundDirection(vector("torque", base::kTorque, "torque")),
                            {"frame", "follower"}),
           "[0, 0, 0]"),
       withDefault(choice("frame", {"ground", "body"},
                          "axes of the load: those of ground, or those of the node, with which the "
                          "load then turns"),
                   "ground"),
       system::boolean("follower", "the same as `frame: body`"),
       withDefault(signal("signal", base::kDimensionless, "scales the load"), "1")},
      makeLoad,
      {twoBodies() + R"(
blocks:
  pulse: {type: table, time: [0, 0.2, 0.5], value: [0, 1, 0.3]}
loads:
  push: {node: A, force: [3, -2, 5], torque: [0.2, 0.1, -0.4]}
  hit: {node: B, force: [3, -2, 5], torque: [0.2, 0.1, -0.4], signal: pulse}
  thrust: {node: B, force: [1, 4, 2], torque: [0.3, 0, 0.1], frame: body, signal: 0.5}
  jet: {node: A, force: [0, 4, 2], torque: [0.3, 0, 0.1], follower: true, signal: pulse}
)"}};
  entry.changesEnergy = true;
  registry.add(std::move(entry));
}

}  // namespace flexloop::mechanics
