#include "model/instance_types.hpp"

#include "system/parameter_makers.hpp"

namespace flexloop::model {
namespace {

constexpr const char* kSample = R"(flexloop: 1
parameters: {stiff: 40}
materials: {alu: {E: 65.7 GPa, nu: 0.3, rho: 2794}}
sections: {rod: {type: circle, diameter: 5 mm}}
nodes: {hub: {position: [0, 0, 0.4], rotation: {axis: [1, 0, 0], angle: 20 deg}}}
bodies: {hub: {node: hub, mass: 2, inertia: [0.1, 0.1, 0.2]}}
assemblies:
  leg:
    parameters: {k: 10}
    nodes: {foot: {position: [0.3, 0, 0], velocity: [0.1, 0, 0.2]}, knee: [0.2, 0.1, 0.2]}
    bodies: {foot: {node: foot, mass: 1, inertia: [0.01, 0.02, 0.03], com: [0.1, 0, 0]}}
    beams: {shank: {from: foot, to: knee, elements: 1, section: rod, material: alu, damping: 1e-4}}
    springs: {hip: {type: bushing, between: [hub, knee], stiffness: [= k, = k, = k, 1, 2, 3]}}
    joints: {j: {type: hinge, between: [ground, foot], axis: [0, 1, 0]}}
    sensors: {v: {measure: velocity, node: foot, direction: [1, 0, 0]}}
    blocks: {damp: {type: gain, input: v, gain: -0.5}}
    actuators: {push: {type: force, node: foot, direction: [1, 0, 0], input: damp}}
instances:
  leg1: {of: leg, position: [0.1, 0, 0]}
  leg2: {of: leg, rotation: {axis: [0, 0, 1], angle: 120 deg}, parameters: {k: = stiff}}
)";

}  // namespace

void registerInstances(system::Registry& registry) {
  using namespace system;
  registry.add(
      {.section = "instances",
       .type = "",
       .doc = "An assembly of the model, placed somewhere: its thing `foot` is `NAME.foot` to the "
              "rest of the model.",
       .parameters =
           {required(text("of", "the assembly, defined under `assemblies`")),
            withDefault(groundPoint(vector("position", base::kLength,
                                           "where the assembly's origin is, ground axes")),
                        "[0, 0, 0]"),
            withNote(groundRotation("rotation",
                                    "rotation from ground axes to those in which the assembly is "
                                    "written"),
                     "axes parallel to ground"),
            withNote(byName("parameters",
                            anyUnit(number("value", base::kDimensionless, "value of a parameter")),
                            "values instead of the assembly's defaults"),
                     "the assembly's defaults")},
       .make = {},
       .samples = {kSample}});
}

}  // namespace flexloop::model
