// Section `beams` of the model language, and the sensors that read beams.
#include <string>
#include <utility>
#include <vector>

#include "mechanics/beams/beam_maker.hpp"
#include "mechanics/sensors/beam_sensors.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {
namespace {

using system::Parameter;

// Two nodes with axes of their own that move, a material and two sections; the sample adds its
// beam.
std::string sampleWith(const char* beams) {
  return std::string(R"(flexloop: 1
gravity: [0.5, -0.7, -9.81]
materials: {plastic: {E: 2 GPa, nu: 0.35, rho: 1100}}
sections:
  strip: {type: rectangle, width: 30 mm, height: 12 mm}
  rod: {type: circle, diameter: 20 mm}
nodes:
  A: {position: [0.1, -0.2, 0.3], rotation: {axis: [1, 1, -2], angle: 50 deg},
      velocity: [0.2, -0.1, 0.3], angular_velocity: [0.5, 1, -0.7]}
  B: {position: [0.9, 0.4, 0.1], rotation: {axis: [0, 1, 1], angle: -30 deg},
      velocity: [-0.3, 0.4, 0.1], angular_velocity: [0.3, -1, 0.4]}
beams:
)") + beams;
}

std::vector<std::string> makeSamples() {
  return {
      sampleWith(R"(  consistent: {from: A, to: B, elements: 3, section: strip, material: plastic,
               y_axis: [0.2, 0.3, 1], damping: 5 ms}
)"),
      sampleWith(R"(  lumped: {from: A, to: B, elements: 2, section: strip, material: plastic,
           y_axis: [0.2, 0.3, 1], inertia: lumped, damping: 2 ms}
loads: {push: {node: lumped@0.3, force: [1, -2, 3]}}
)"),
      sampleWith(R"(  both: {from: A, to: B, elements: 2, section: strip, material: plastic,
         y_axis: [0.2, 0.3, 1], damping: {mass: 3, stiffness: 4 ms}}
)"),
      sampleWith(
          R"(  air: {from: A, to: B, elements: 1, order: 2, section: strip, material: plastic,
        y_axis: [0.2, 0.3, 1], damping: {mass: 3 1/s}}
)"),
      sampleWith(
          R"(  quadratic: {from: A, to: B, elements: 2, order: 2, section: strip, material: plastic,
              y_axis: [0.2, 0.3, 1], damping: 5 ms}
)"),
      sampleWith(
          R"(  cubic: {from: A, to: B, elements: 1, order: 3, section: strip, material: plastic,
          y_axis: [0.2, 0.3, 1], damping: 5 ms}
)"),
      sampleWith(
          R"(  heavy: {from: A, to: B, elements: 2, order: 2, section: strip, material: plastic,
          y_axis: [0.2, 0.3, 1], inertia: consistent}
)"),
      sampleWith(
          R"(  heavy: {from: A, to: B, via: [0.6, 0.3, 0.5], elements: 1, order: 3, section: strip,
          material: plastic, y_axis: [0.2, 0.3, 1], inertia: consistent, damping: 5 ms}
)"),
      sampleWith(
          R"(  arc: {from: A, to: B, via: [0.6, 0.3, 0.5], twist: 40 deg, elements: 3, section: strip,
        material: plastic, y_axis: [0.2, 0.3, 1]}
  rod: {from: B, to: arc.1, via: [0.7, 0.1, 0.1], twist: -20 deg, order: 2, elements: 1,
        section: rod, material: plastic}
)")};
}

Parameter wholeNumber(const char* name, double lower, double upper, const char* doc) {
  Parameter parameter = system::number(name, {}, doc);
  parameter.shape = system::Shape::kInteger;
  parameter.lower = lower;
  parameter.upper = upper;
  return parameter;
}

Parameter makeDamping() {
  using namespace system;
  Parameter damping = changingEnergy(withDefault(
      notNegative(number("damping", base::kTime,
                         "time eta of the stiffness-proportional damping C (strain + eta rate of "
                         "strain), or both parts of Rayleigh's damping")),
      "0"));
  damping.fields = {
      withDefault(notNegative(number("mass", base::Dimension{.time = -1},
                                     "rate a [1/s] of the mass-proportional part, which damps "
                                     "rigid motions too")),
                  "0"),
      withDefault(
          notNegative(number("stiffness", base::kTime, "time of the stiffness-proportional part")),
          "0")};
  return damping;
}

std::vector<Parameter> makeParameters() {
  using namespace system;
  return {
      required(node("from", "the node of its first end")),
      required(node("to", "the node of its second end")),
      required(wholeNumber("elements", 1, 1e6, "number of elements, all of the same length")),
      required(thing("section", "sections", "its cross-section")),
      withNote(thing("material", "materials", "its material"), "the section has given stiffnesses"),
      withNote(nonZero(system::groundDirection(
                   system::vector("y_axis", {},
                                  "direction of the section's y axis, ground axes; at the start "
                                  "of an arc or of a twisted beam"))),
               "any, if the section is the same in all directions"),
      makeDamping(),
      withDefault(
          wholeNumber("order", 1, 3,
                      "polynomial order p of the elements, each with p + 1 nodes; the tip's "
                      "error falls with the power 2p of the element size"),
          "1"),
      withNote(choice("inertia", {"consistent", "lumped"},
                      "consistent: distributed over the elements, as accurate as their shape; "
                      "lumped: at the nodes, by a quadrature exact to degree 2p - 1, which is "
                      "cheaper and has the same order"),
               "consistent at order 1, lumped at orders 2 and 3"),
      withNote(system::groundPoint(
                   system::vector("via", base::kLength,
                                  "a point between its ends: the unloaded beam is the circular arc "
                                  "through it, ground axes")),
               "straight"),
      withDefault(number("twist", base::kAngle,
                         "angle by which the section turns about the axis of the unloaded beam "
                         "from the first to the second end, uniformly along the length"),
                  "0")};
}

}  // namespace

void registerBeams(system::Registry& registry) {
  registry.add({.section = "beams",
                .type = "",
                .doc = "A flexible beam with axial, shear, torsion and bending strains at any "
                       "rotation. NAME.1, NAME.2, ... are its inner nodes; NAME@0.5 is a point "
                       "given by the fraction of its length.",
                .parameters = makeParameters(),
                .make = makeBeam,
                .samples = makeSamples()});
  registerBeamSensors(registry);
}

}  // namespace flexloop::mechanics
