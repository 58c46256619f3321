#include "mechanics/sensors/beam_sensors.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "mechanics/beams/beam_reader.hpp"
#include "mechanics/sections/section_parameters.hpp"
#include "system/builder.hpp"
#include "system/elements.hpp"
#include "system/measure_of.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {
namespace {

using system::Builder;
using system::Item;
using system::NodeIndex;

constexpr const char* kSample = R"(flexloop: 1
gravity: [0.5, -0.7, -9.81]
materials: {plastic: {E: 2 GPa, nu: 0.35, rho: 1100}}
sections: {strip: {type: rectangle, width: 30 mm, height: 12 mm}}
nodes:
  A: {position: [0.1, -0.2, 0.3], rotation: {axis: [1, 1, -2], angle: 50 deg}, free: []}
  B: {position: [0.9, 0.4, 0.1], rotation: {axis: [0, 1, 1], angle: -30 deg},
      velocity: [-0.3, 0.4, 0.1], angular_velocity: [0.3, -1, 0.4]}
  C: {position: [0.4, 1, 0.2], velocity: [0.3, 0.2, -0.1]}
beams:
  low: {from: A, to: B, elements: 3, section: strip, material: plastic, y_axis: [0, 0, 1],
        damping: 5 ms}
  high: {from: B, to: C, elements: 2, order: 3, section: strip, material: plastic,
         y_axis: [0, 0, 1], damping: 5 ms}
  mid: {from: A, to: C, elements: 1, order: 2, section: strip, material: plastic, y_axis: [0, 0, 1]}
sensors:
  root: {measure: section_force, beam: low, at: 0}
  middle: {measure: section_force, beam: high, at: 0.37}
  moment: {measure: section_force, beam: high, at: 0.8, component: bending_y}
  tie: {measure: section_force, beam: mid, at: 0.3, component: axial}
  fibre: {measure: section_strain, beam: mid, at: 0.7, component: bending_z}
  gauge: {measure: section_strain, beam: low, at: 0.5, component: axial}
  strains: {measure: section_strain, beam: high, at: 0.37}
blocks:
  y: {type: sum, inputs: [root.axial, root.bending_y.rate, middle.shear_y, middle.torsion.rate,
                          moment, moment.rate, gauge, gauge.rate, strains.axial,
                          strains.bending_z.rate, tie, tie.rate, fibre, fibre.rate]}
)";

constexpr const auto& kNames = SectionMeasure<1, SectionQuantity::kForce>::kNames;

// A point of a beam: an element of its set, and where in it.
struct Spot {
  const system::ElementSet& set;
  int element;
  double xi;  // from −1 to 1
};

template <SectionQuantity kQuantity, int p, class Element>
void addMeasure(const Item& item, const Spot& spot, Builder& builder) {
  const auto& set = static_cast<const system::Elements<Element>&>(spot.set);
  using Measure = system::MeasureOf<SectionMeasure<p, kQuantity>>;
  std::array<NodeIndex, p + 1> nodes;
  for (int i = 0; i <= p; ++i) nodes[i] = set.node(spot.element, i);
  auto measure = std::make_unique<Measure>(
      nodes, std::array<system::UnknownIndex, 0>{}, 0,
      makeSectionParameters<kQuantity, p>(set.parameters(spot.element), spot.xi));
  if (item.has("component")) {
    const auto* name = std::find(kNames.begin(), kNames.end(), item.text("component"));
    measure->setComponent(static_cast<int>(name - kNames.begin()));
  }
  builder.addMeasure(item.name(), std::move(measure));
}

template <SectionQuantity kQuantity>
void makeSensor(const Item& item, Builder& builder) {
  const Item* beam = builder.findItem("beams", item.text("beam"));
  const Builder::Attachment* attachment = builder.findAttachment("beams", item.text("beam"));
  if (beam == nullptr || attachment == nullptr) {
    builder.error(item.placeOf("beam"),
                  "sensors." + item.name() + ": there is no beam '" + item.text("beam") + "'");
    return;
  }
  const BeamMesh mesh = readMesh(*beam, builder);
  const double at = item.number("at");
  const int e = findElement(mesh, at);
  const double span = mesh.endOf(e) - mesh.startOf(e);
  const Spot spot{*attachment->set, attachment->element + e,
                  2.0 * (at - mesh.startOf(e)) / span - 1.0};
  if (mesh.order == 2) {
    addMeasure<kQuantity, 2, BeamHighOrder<2>>(item, spot, builder);
  } else if (mesh.order == 3) {
    addMeasure<kQuantity, 3, BeamHighOrder<3>>(item, spot, builder);
  } else if (hasConsistentInertia(*beam)) {
    addMeasure<kQuantity, 1, BeamElement<BeamInertia::kConsistent>>(item, spot, builder);
  } else {
    addMeasure<kQuantity, 1, BeamElement<BeamInertia::kNone>>(item, spot, builder);
  }
}

void addSensor(system::Registry& registry, const char* type, const char* doc,
               void (*make)(const Item&, Builder&)) {
  using namespace system;
  Parameter at = required(number("at", {}, "where along the beam, as a fraction of its length"));
  at.lower = 0.0;
  at.upper = 1.0;
  registry.add({.section = "sensors",
                .type = type,
                .doc = doc,
                .parameters = {required(thing("beam", "beams", "the beam")), at,
                               withNote(choice("component", {kNames.begin(), kNames.end()},
                                               "measure only this one of the six"),
                                        "all six")},
                .make = make,
                .samples = {kSample},
                .facts = {.hasRate = true}});
}

}  // namespace

void registerBeamSensors(system::Registry& registry) {
  addSensor(registry, "section_force",
            "The force that the part of the beam beyond a section exerts on the part before it, in "
            "section axes that move with the beam: axial force, shear forces, torque, bending "
            "moments. Elements of order 1 have one value each.",
            makeSensor<SectionQuantity::kForce>);
  addSensor(registry, "section_strain",
            "Strains of a section: axial, two shears, and the changes of twist and curvature in "
            "1/m, in section axes.",
            makeSensor<SectionQuantity::kStrain>);
}

}  // namespace flexloop::mechanics
