// Sections `materials` and `sections` of the model language.
#include <string>
#include <utility>
#include <vector>

#include "mechanics/sections/section_reader.hpp"
#include "system/builder.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {
namespace {

using base::Dimension;
using system::Item;
using system::Parameter;

constexpr Dimension kArea{.length = 2};
constexpr Dimension kSecondMoment{.length = 4};
constexpr Dimension kBendingStiffness{.length = 3, .mass = 1, .time = -2};
constexpr Dimension kMassPerLength{.length = -1, .mass = 1};
constexpr Dimension kInertiaPerLength{.length = 1, .mass = 1};

constexpr const char* kSample = R"(flexloop: 1
gravity: [0, 0, -9.81]
materials:
  alu: {E: 65.7 GPa, nu: 0.3, rho: 2794}
  composite: {E: 40 GPa, G: 5 GPa, rho: 1600}
sections:
  strip: {type: rectangle, width: 18 mm, height: 2 mm}
  rod: {type: circle, diameter: 20 mm}
  pipe: {type: tube, outer: 50 mm, inner: 44 mm, shear_factor: 0.53}
  given: {type: stiffness, EA: 1e6, GAy: 4e5, GAz: 3e5, GJ: 1e3, EIy: 2e3, EIz: 1e3, rhoA: 1,
          rhoJ: [20, 10, 10]}
  full:
    type: stiffness
    stiffness: [[1e6, 0, 0, 0, 2e3, 0], [0, 3e5, 0, 1e3, 0, 0], [0, 0, 3e5, 0, 0, 0],
                [0, 1e3, 0, 1e3, 50, 0], [2e3, 0, 0, 50, 1e3, 0], [0, 0, 0, 0, 0, 2e3]]
    mass: [[2, 0, 0, 0, 0, -0.1], [0, 2, 0, 0, 0, 0], [0, 0, 2, 0.1, 0, 0],
           [0, 0, 0.1, 0.3, 0, 0], [0, 0, 0, 0, 0.1, 0], [-0.1, 0, 0, 0, 0, 0.2]]
  channel: {type: general, A: 4e-4, Iy: 2e-8, Iz: 5e-8, J: 1e-9, shear_factor: [0.6, 0.4]}
  plate: {type: general, A: 4e-4, Iy: 2e-8, Iz: 5e-8, J: 1e-9, Ay: 3e-4, Az: 2e-4}
nodes:
  P0: [0, 0, 0]
  P1: [1, 0.1, 0]
  P2: [1, 1.2, 0.2]
  P3: [0, 1, 0.9]
  P4: [-1, 1, 1]
  P5: [-2, 1, 0.4]
  P6: [-2, 0, 0.2]
  P7: [-1, -1, 0]
beams:
  b1: {from: P0, to: P1, elements: 2, section: strip, material: alu, y_axis: [0, 1, 0.3]}
  b2: {from: P1, to: P2, elements: 1, section: rod, material: alu}
  b3: {from: P2, to: P3, elements: 1, section: pipe, material: composite}
  b4: {from: P3, to: P4, elements: 1, section: given, y_axis: [0, 0, 1]}
  b5: {from: P4, to: P5, elements: 2, section: full, y_axis: [0, 1, 0]}
  b6: {from: P5, to: P6, elements: 1, section: channel, material: composite, y_axis: [1, 0, 0]}
  b7: {from: P6, to: P7, elements: 1, section: plate, material: alu, y_axis: [0, 0, 1]}
)";

Parameter positiveNumber(const char* name, const char* doc, Dimension dimension) {
  return system::positive(system::number(name, dimension, doc));
}

Parameter requiredNumber(const char* name, const char* doc, Dimension dimension) {
  return system::required(positiveNumber(name, doc, dimension));
}

Parameter shearFactor(std::string note) {
  Parameter factor = system::positive(
      system::numbers("shear_factor", {}, "shear area over area: one number, or two along [y, z]"));
  factor.counts = {1, 2};
  return system::withNote(std::move(factor), std::move(note));
}

Parameter withoutMass(Parameter parameter) {
  return system::withNote(std::move(parameter), "without mass");
}

void addMaterials(system::Registry& registry) {
  using namespace system;
  Parameter nu = withNote(number("nu", {}, "Poisson's ratio; G = E/(2 + 2 nu)"), "G is given");
  nu.lower = -1.0;
  nu.lowerOpen = true;
  nu.upper = 0.5;
  registry.add(
      {.section = "materials",
       .type = "",
       .doc = "A linear elastic material. Give either nu or G.",
       .parameters = {requiredNumber("E", "Young's modulus", base::kPressure), nu,
                      withNote(positiveNumber("G", "shear modulus", base::kPressure),
                               "nu is given"),
                      withDefault(notNegative(number("rho", base::kDensity,
                                                     "density; zero is sufficient for statics")),
                                  "0")},
       .make = [](const Item& item,
                  Builder& builder) { checkMaterial(item, builder.diagnostics()); },
       .samples = {kSample}});
}

void addSection(system::Registry& registry, const char* type, const char* doc,
                std::vector<Parameter> parameters, const system::TypeFacts& facts = {}) {
  registry.add({.section = "sections",
                .type = type,
                .doc = doc,
                .parameters = std::move(parameters),
                .make = [](const Item& item,
                           system::Builder& builder) { checkSection(item, builder.diagnostics()); },
                .samples = {kSample},
                .facts = facts});
}

std::vector<Parameter> makeStiffnessParameters() {
  using namespace system;
  return {
      positiveNumber("EA", "axial stiffness", base::kForce),
      positiveNumber("GAy", "shear stiffness along y", base::kForce),
      positiveNumber("GAz", "shear stiffness along z", base::kForce),
      positiveNumber("GJ", "torsional stiffness", kBendingStiffness),
      positiveNumber("EIy", "stiffness of bending about y", kBendingStiffness),
      positiveNumber("EIz", "stiffness of bending about z", kBendingStiffness),
      withoutMass(notNegative(number("rhoA", kMassPerLength, "mass per length"))),
      withoutMass(counted(notNegative(numbers("rhoJ", kInertiaPerLength,
                                              "inertia per length about section [x, y, z]")),
                          3)),
      withNote(matrix("stiffness",
                      "6x6 in SI units: axial, shear y, shear z, torsion, bending y, bending z"),
               "from EA, GAy, GAz, GJ, EIy, EIz"),
      withNote(matrix("mass",
                      "6x6 per length in SI units: velocity x y z, angular velocity x y z of "
                      "the section"),
               "from rhoA and rhoJ")};
}

}  // namespace

void registerSections(system::Registry& registry) {
  addMaterials(registry);
  addSection(
      registry, "rectangle", "A solid rectangle.",
      {requiredNumber("width", "size along the section's y", base::kLength),
       requiredNumber("height", "size along the section's z", base::kLength), shearFactor("5/6")});
  addSection(registry, "circle", "A solid circle.",
             {requiredNumber("diameter", "diameter", base::kLength), shearFactor("9/10")});
  addSection(registry, "tube", "A circular tube.",
             {requiredNumber("outer", "outer diameter", base::kLength),
              requiredNumber("inner", "inner diameter", base::kLength),
              shearFactor("1/2, that of a thin wall")});
  addSection(registry, "stiffness",
             "A section of given stiffness and mass per length; it needs no material.",
             makeStiffnessParameters(), {.needsNoMaterial = true});
  addSection(registry, "general", "Any section, given by its area and moments.",
             {requiredNumber("A", "area", kArea),
              requiredNumber("Iy", "second moment of area about y, of bending in z", kSecondMoment),
              requiredNumber("Iz", "second moment of area about z, of bending in y", kSecondMoment),
              requiredNumber("J", "Saint-Venant's torsion constant", kSecondMoment),
              positiveNumber("Ay", "shear area along y", kArea),
              positiveNumber("Az", "shear area along z", kArea), shearFactor("from Ay and Az")});
}

}  // namespace flexloop::mechanics
