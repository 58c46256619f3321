#include "fem/parts/part_sensors.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "mechanics/parts/part_measures.hpp"
#include "mechanics/parts/reduced_bodies.hpp"
#include "mechanics/sensors/measure_makers.hpp"
#include "system/builder.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::fem {
namespace {

using mechanics::PartPointMeasure;
using mechanics::PartStressMeasure;
using mechanics::ReducedBodies;
using system::Builder;
using system::Item;

constexpr const char* kSample = R"(flexloop: 1
gravity: [0.5, -0.7, -9.81]
materials: {plastic: {E: 2 GPa, nu: 0.35, rho: 1100}}
parts:
  arm:
    block: {size: [200 mm, 30 mm, 20 mm], elements: [2, 1, 1]}
    material: plastic
    rotation: {axis: [1, 1, -2], angle: 50 deg}
    velocity: [0.2, -0.1, 0.3]
    angular_velocity: [0.5, 1, -0.7]
    interfaces: {root: {set: x0}, tip: {set: x1}}
    modes: 2
    recover: [5]
sensors:
  where: {measure: mesh_position, part: arm, mesh_node: 5}
  speed: {measure: mesh_velocity, part: arm, mesh_node: 5, direction: [0, 1, 0]}
  shake: {measure: mesh_acceleration, part: arm, mesh_node: 5}
  sag: {measure: deformation, part: arm, mesh_node: 5, direction: [0, 0, 1]}
  load: {measure: stress, part: arm, mesh_node: 5, component: von_mises}
  tension: {measure: stress, part: arm, mesh_node: 5, component: xx}
  tensor: {measure: stress, part: arm, mesh_node: 5}
  pull: {measure: stress, part: arm, mesh_node: 5, component: principal_1}
  push: {measure: stress, part: arm, mesh_node: 5, component: principal_3}
blocks:
  y: {type: sum, inputs: [where.x, where.y.rate, speed, shake.z, sag, sag.rate, tension,
                          tension.rate, tensor.xy, pull, pull.rate, push]}
)";

constexpr std::array<const char*, 6> kComponents{"xx", "yy", "zz", "xy", "yz", "zx"};

struct Spot {
  const ReducedBodies& set;
  int element;
  int node;  // among the recovered ones

  mechanics::MeasuredPart part() const { return {set.place(element), set.sharedMatrices(element)}; }
  const mechanics::RecoveredNodes& nodes() const { return set.recovery(element)->nodes; }
};

std::optional<Spot> findSpot(const Item& item, Builder& builder) {
  const std::string& part = item.text("part");
  const Builder::Attachment* attachment = builder.findAttachment("parts", part);
  if (attachment == nullptr) return std::nullopt;  // reported with the part
  const auto& set = static_cast<const ReducedBodies&>(*attachment->set);
  const mechanics::PartRecovery* recovery = set.recovery(attachment->element);
  const int id = item.integer("mesh_node");
  const auto& ids = recovery->nodes.ids;
  const auto found = std::find(ids.begin(), ids.end(), id);
  if (found == ids.end()) {
    mechanics::failSensor(builder, item, "mesh_node",
                          "node " + std::to_string(id) + " of part '" + part + "' is not recovered",
                          "add it to the part: recover: [" + std::to_string(id) + "]");
    return std::nullopt;
  }
  return Spot{set, attachment->element, static_cast<int>(found - ids.begin())};
}

template <PartPointMeasure::Quantity kQuantity>
void makePointSensor(const Item& item, Builder& builder) {
  const std::optional<Spot> spot = findSpot(item, builder);
  if (!spot) return;
  auto measure =
      std::make_unique<PartPointMeasure>(kQuantity, spot->part(), spot->nodes().points[spot->node],
                                         spot->nodes().displacement.middleRows(3 * spot->node, 3));
  mechanics::addVectorMeasure(item, std::move(measure), builder);
}

// The rows of a side; null after a message.
const Eigen::MatrixXd* findStressRows(const Item& item, const Spot& spot, Builder& builder) {
  if (spot.nodes().stress.rows() == 0) {
    mechanics::failSensor(builder, item, "part", "a part of given matrices has no stresses",
                          "use a mesh");
    return nullptr;
  }
  if (!item.has("side") || item.text("side") == "top") return &spot.nodes().stress;
  if (spot.nodes().stressBelow.rows() > 0) return &spot.nodes().stressBelow;
  mechanics::failSensor(builder, item, "side", "a part without shells has no bottom side",
                        "leave 'side' out");
  return nullptr;
}

void makeStressSensor(const Item& item, Builder& builder) {
  const std::optional<Spot> spot = findSpot(item, builder);
  if (!spot) return;
  const Eigen::MatrixXd* rows = findStressRows(item, *spot, builder);
  if (rows == nullptr) return;
  const std::string component = item.has("component") ? item.text("component") : "";
  using Quantity = PartStressMeasure::Quantity;
  const std::map<std::string, Quantity> quantities{{"von_mises", Quantity::kVonMises},
                                                   {"principal_1", Quantity::kPrincipal1},
                                                   {"principal_2", Quantity::kPrincipal2},
                                                   {"principal_3", Quantity::kPrincipal3}};
  const auto quantity = quantities.find(component);
  auto measure = std::make_unique<PartStressMeasure>(
      quantity != quantities.end() ? quantity->second : Quantity::kComponents, spot->part(),
      rows->middleRows(6 * spot->node, 6));
  const auto* found = std::find(kComponents.begin(), kComponents.end(), component);
  if (found != kComponents.end())
    measure->setComponent(static_cast<int>(found - kComponents.begin()));
  builder.addMeasure(item.name(), std::move(measure));
}

std::vector<system::Parameter> placeParameters() {
  using namespace system;
  Parameter node = number("mesh_node", {}, "number of a mesh node that the part recovers");
  node.shape = Shape::kInteger;
  return {required(thing("part", "parts", "the part")), required(node)};
}

void addPointSensor(system::Registry& registry, const char* type, const char* doc,
                    void (*make)(const Item&, Builder&), const char* unit, bool hasRate,
                    system::Placing axes = system::Placing::kDirection) {
  using namespace system;
  Parameter direction =
      nonZero(system::vector("direction", {}, "measure the component along it only"));
  direction.placing = axes;
  registry.add({.section = "sensors",
                .type = type,
                .doc = doc,
                .parameters = joined(placeParameters(),
                                     {withNote(std::move(direction), "a vector with x, y and z")}),
                .make = make,
                .samples = {kSample},
                .facts = {.unit = unit, .hasRate = hasRate}});
}

}  // namespace

void registerPartSensors(system::Registry& registry) {
  using Quantity = PartPointMeasure::Quantity;
  addPointSensor(registry, "mesh_position", "Position of a mesh node of a part, ground axes.",
                 makePointSensor<Quantity::kPosition>, "m", true);
  addPointSensor(registry, "mesh_velocity", "Velocity of a mesh node of a part, ground axes.",
                 makePointSensor<Quantity::kVelocity>, "m/s", true);
  addPointSensor(registry, "mesh_acceleration",
                 "Acceleration of a mesh node of a part, ground axes.",
                 makePointSensor<Quantity::kAcceleration>, "m/s^2", false);
  addPointSensor(
      registry, "deformation",
      "Displacement of a mesh node from where the rigid part would have it, in axes that "
      "move with the first interface of the part.",
      makePointSensor<Quantity::kDeformation>, "m", true, system::Placing::kNone);
  using namespace system;
  registry.add(
      {.section = "sensors",
       .type = "stress",
       .doc = "Stress at a mesh node of a part, in axes that move with its first interface: "
              "the mean over the elements that meet there. Principal stresses fall from "
              "principal_1, the largest tension, to principal_3.",
       .parameters =
           joined(placeParameters(),
                  {withNote(choice("component",
                                   {"von_mises", "principal_1", "principal_2", "principal_3", "xx",
                                    "yy", "zz", "xy", "yz", "zx"},
                                   "equivalent stress, a principal stress, or one component"),
                            "all six components"),
                   withDefault(choice("side", {"top", "bottom"},
                                      "of shells: top is the side that their normal points to"),
                               "top")}),
       .make = makeStressSensor,
       .samples = {kSample},
       .facts = {.unit = "Pa", .hasRate = true}});
}

}  // namespace flexloop::fem
