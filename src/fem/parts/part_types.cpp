#include "fem/parts/part_types.hpp"

#include <string>
#include <utility>
#include <vector>

#include "fem/parts/part_maker.hpp"
#include "fem/parts/part_request.hpp"
#include "fem/parts/part_sensors.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::fem {
namespace {

using namespace system;

constexpr const char* kSample = R"(flexloop: 1
gravity: [0.5, -0.7, -9.81]
materials: {plastic: {E: 2 GPa, nu: 0.35, rho: 1100}}
parts:
  arm:
    block: {size: [200 mm, 30 mm, 20 mm], elements: [2, 1, 1]}
    material: plastic
    position: [0.1, -0.2, 0.3]
    rotation: {axis: [1, 1, -2], angle: 50 deg}
    velocity: [0.2, -0.1, 0.3]
    angular_velocity: [0.5, 1, -0.7]
    interfaces: {root: {set: x0}, tip: {set: x1, spread: true}}
    modes: 3
    damping: 0.02
)";

constexpr const char* kSpinningSample = R"(flexloop: 1
materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}
parts:
  blade:
    block: {size: [500 mm, 50 mm, 5 mm], elements: [4, 1, 1]}
    material: alu
    angular_velocity: [0, 0, 30]
    interfaces: {root: {set: x0}}
    modes: 2
    stiffening: true
)";

constexpr const char* kStrutSample = R"(flexloop: 1
gravity: [0.5, -0.7, -9.81]
materials: {plastic: {E: 2 GPa, nu: 0.35, rho: 1100}}
parts:
  strut:
    block: {size: [300 mm, 20 mm, 10 mm], elements: [3, 1, 1]}
    material: plastic
    angular_velocity: [3, -1, 2]
    interfaces: {root: {set: x0}, tip: {set: x1, modes: 2}}
    modes: 1
    stiffening: true
    foreshortening: true
)";

Parameter wholeNumber(const char* name, double lower, const char* doc) {
  Parameter parameter = number(name, {}, doc);
  parameter.shape = Shape::kInteger;
  parameter.lower = lower;
  parameter.upper = 1e9;
  return parameter;
}

Parameter makeInterfaces() {
  Parameter modes = wholeNumber(
      "modes", 1,
      "shapes in which a set, which is spread then, may deform: its softest ones, in addition to "
      "normal modes with the whole set held");
  modes.upper = 1000;
  const Parameter each = map(
      "interface",
      {withNote(text("set", "node set or group, all of whose nodes follow the interface"),
                "`mesh_node` is given"),
       withNote(wholeNumber("mesh_node", 0, "number of a single node of the mesh"),
                "`set` is given"),
       withNote(system::ownAxes(
                    system::vector("at", {}, "origin of the interface, axes and unit of the mesh")),
                "the centroid of the set"),
       boolean("spread",
               "average instead of rigid: the set stays free to deform, and the interface follows "
               "its mean motion"),
       withNote(modes, "none: a set that is spread deforms in normal modes")},
      "where the machine takes hold of the part");
  return withNote(byName("interfaces", each,
                         "the interfaces by name; each is a node PART.NAME with the axes of the "
                         "part"),
                  "required, unless `reduced` is given");
}

std::vector<Parameter> makeSourceParameters() {
  Parameter elements = required(counted(numbers("elements", {}, "numbers of elements"), 3));
  const Parameter block =
      map("block",
          {required(system::ownAxes(
               system::vector("size", base::kLength, "edges along x, y and z from the origin"))),
           elements, withDefault(choice("shape", {"hex20", "hex8"}, "element"), "hex20")},
          "a rectangular block instead of a mesh, with the sets x0 x1 y0 y1 z0 z1");
  Parameter sets = text("elements", "element sets of the mesh that the part consists of");
  sets.shape = Shape::kTexts;
  const Parameter matrices = map("matrices",
                                 {required(text("K", "stiffness, Matrix Market file")),
                                  required(text("M", "mass, Matrix Market file")),
                                  required(text("nodes", "nodes and their freedoms, CSV file"))},
                                 "stiffness and mass from another program instead of a mesh");
  return {withNote(text("mesh",
                        "mesh file: Gmsh .msh, Abaqus or CalculiX .inp, Nastran .bdf or "
                        ".dat, relative to this file"),
                   "`block`, `matrices` or `reduced` is given"),
          withNote(block, "none"),
          withNote(matrices, "none"),
          withNote(text("reduced", "a part that `flexloop reduce -o` has written"), "none"),
          withNote(choice("unit", lengthUnitWords(), "unit of lengths in the mesh"), "`m`"),
          withNote(sets, "the whole mesh")};
}

std::vector<Parameter> makePlaceParameters() {
  using system::groundDirection;
  return {
      withDefault(system::groundPoint(system::vector(
                      "position", base::kLength, "origin of the mesh at the start, ground axes")),
                  "[0, 0, 0]"),
      withNote(system::groundRotation("rotation", "rotation from ground axes to those of the mesh"),
               "axes parallel to ground"),
      withDefault(groundDirection(
                      system::vector("velocity", base::kVelocity,
                                     "velocity of the mesh's origin at the start, ground axes")),
                  "[0, 0, 0]"),
      withDefault(groundDirection(system::vector("angular_velocity", base::kAngularVelocity,
                                                 "angular velocity at the start, ground axes")),
                  "[0, 0, 0]")};
}

Parameter makeDamping() {
  Parameter held = text("held", "interfaces that are held in the modes that have the ratio");
  held.shape = Shape::kTexts;
  Parameter damping = changingEnergy(withNote(
      notNegative(number("damping", {},
                         "damping ratio of every elastic mode, or a sum of it and both parts of "
                         "Rayleigh's damping")),
      "`0`"));
  damping.fields = {
      withDefault(notNegative(number("ratio", {}, "damping ratio of every elastic mode")), "0"),
      withNote(held, "none: the modes of the free part"),
      withDefault(notNegative(number("mass", base::Dimension{.time = -1},
                                     "rate a [1/s] of the mass-proportional part, which damps "
                                     "rigid motions too")),
                  "0"),
      withDefault(
          notNegative(number("stiffness", base::kTime, "time of the stiffness-proportional part")),
          "0")};
  return damping;
}

std::vector<Parameter> makeReductionParameters() {
  // Without defaults, so that what a model says beside `reduced` can be distinguished from what it leaves out.
  Parameter stiffening = boolean(
      "stiffening", "stiffness of the stresses that the rotation of the part causes, as in blades");
  stiffening.defaultText.clear();
  stiffening = withNote(std::move(stiffening), "`false`");
  Parameter foreshortening = boolean(
      "foreshortening",
      "a part that bends becomes shorter between its interfaces, so that tension at them makes it "
      "stiffer and pressure softer");
  foreshortening.defaultText.clear();
  foreshortening = withNote(std::move(foreshortening), "`false`");
  Parameter held = text("held", "interfaces that the modes of hybrid_interface hold");
  held.shape = Shape::kTexts;
  Parameter recover =
      text("recover",
           "numbers of mesh nodes, and node sets, whose motion and stresses sensors "
           "may measure");
  recover.shape = Shape::kTexts;
  Parameter modes = wholeNumber("modes", 0, "number of normal modes");
  modes.upper = 2000;  // matrices of the part are dense
  return {withDefault(choice("method", reductionWords(), "component modes"), "craig_bampton"),
          withNote(modes, "20, unless `up_to` is given"),
          withNote(positive(number("up_to", base::kFrequency, "all normal modes below it")),
                   "`modes` counts"),
          withNote(positive(number("accuracy", {},
                                   "error of the part's frequencies below `up_to`; as many modes "
                                   "are taken as it needs")),
                   "modes below `up_to` only"),
          withNote(held, "the first"),
          withNote(recover, "none"),
          makeDamping(),
          stiffening,
          foreshortening};
}

std::vector<Parameter> makeParameters() {
  const std::vector<Parameter> content = {
      withNote(thing("material", "materials", "material of all elements without one"),
               "the mesh gives it"),
      withNote(byName("materials", thing("material", "materials", "its material"),
                      "materials by group or set"),
               "the mesh gives them"),
      withNote(byName("thickness", positive(number("thickness", base::kLength, "its thickness")),
                      "thickness of shells by group or set"),
               "the mesh gives it"),
      makeInterfaces()};
  return joined(joined(makeSourceParameters(), content),
                joined(makePlaceParameters(), makeReductionParameters()));
}

}  // namespace

void registerParts(system::Registry& registry) {
  registry.add({.section = "parts",
                .type = "",
                .doc =
                    "A flexible part from a finite-element mesh, reduced to its interfaces and a "
                    "few modes when the model is read. It moves and turns at will; its "
                    "deformation is small. Each interface is a node PART.NAME, used like any "
                    "other.",
                .parameters = makeParameters(),
                .make = [](const Item& item, Builder& builder) { makePart(item, builder); },
                .samples = {kSample, kSpinningSample, kStrutSample},
                .ownsNodes = true});
  registerPartSensors(registry);
}

}  // namespace flexloop::fem
