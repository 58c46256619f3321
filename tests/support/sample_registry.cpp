#include "support/sample_registry.hpp"

#include <utility>

namespace flexloop::testing {
namespace {

using base::Dimension;
using system::Parameter;
using system::Registry;
using system::Shape;

Parameter make(std::string name, Shape shape, std::string doc, Dimension dimension = {}) {
  Parameter parameter{
      .name = std::move(name), .shape = shape, .doc = std::move(doc), .dimension = dimension};
  if (shape == Shape::kVector) parameter.placing = system::Placing::kNone;
  return parameter;
}

Parameter required(Parameter parameter) {
  parameter.required = true;
  return parameter;
}

Parameter positive(Parameter parameter) {
  parameter.lower = 0.0;
  parameter.lowerOpen = true;
  return parameter;
}

Parameter notNegative(Parameter parameter) {
  parameter.lower = 0.0;
  return parameter;
}

Parameter nonZero(Parameter parameter) {
  parameter.nonZero = true;
  return parameter;
}

Parameter withDefault(Parameter parameter, std::string text) {
  parameter.defaultText = std::move(text);
  return parameter;
}

Parameter referring(Parameter parameter, std::string section) {
  parameter.refersTo = std::move(section);
  return parameter;
}

Parameter choosing(Parameter parameter, std::vector<std::string> choices) {
  parameter.choices = std::move(choices);
  return parameter;
}

Parameter free(Parameter parameter) {
  parameter.anyDimension = true;
  return parameter;
}

void add(Registry& registry, const char* section, const char* type, const char* doc,
         std::vector<Parameter> parameters) {
  registry.add({section, type, doc, std::move(parameters), {}, {sampleModel()}});
}

void addProperties(Registry& registry) {
  add(registry, "materials", "", "A linear elastic material.",
      {required(positive(make("E", Shape::kNumber, "Young's modulus", base::kPressure))),
       make("nu", Shape::kNumber, "Poisson's ratio"),
       required(notNegative(make("rho", Shape::kNumber, "density", base::kDensity)))});
  add(registry, "sections", "rectangle", "A solid rectangle.",
      {required(positive(make("width", Shape::kNumber, "size along y", base::kLength))),
       required(positive(make("height", Shape::kNumber, "size along z", base::kLength)))});
  add(registry, "sections", "circle", "A solid circle.",
      {required(positive(make("diameter", Shape::kNumber, "diameter", base::kLength)))});
}

void addMachine(Registry& registry) {
  Parameter rotation = make("rotation", Shape::kMap, "rotation from ground axes");
  rotation.fields = {required(nonZero(make("axis", Shape::kVector, "axis in ground axes"))),
                     required(make("angle", Shape::kNumber, "right-handed angle", base::kAngle))};
  add(registry, "nodes", "", "A frame with up to six freedoms.",
      {required(make("position", Shape::kVector, "origin in ground axes", base::kLength)), rotation,
       make("velocity", Shape::kVector, "velocity in ground axes", base::kVelocity),
       withDefault(choosing(make("free", Shape::kChoices, "the freedoms that are free"),
                            {"x", "y", "z", "rx", "ry", "rz"}),
                   "[x, y, z, rx, ry, rz]")});
  Parameter inertia = make("inertia", Shape::kNumbers, "tensor xx yy zz xy xz yz", base::kInertia);
  inertia.counts = {3, 6};
  add(registry, "bodies", "", "A rigid body.",
      {required(make("node", Shape::kNode, "the node that carries it")),
       required(notNegative(make("mass", Shape::kNumber, "mass", base::kMass))), inertia,
       withDefault(make("com", Shape::kVector, "centre of mass in node axes", base::kLength),
                   "[0, 0, 0]")});
  Parameter elements = required(make("elements", Shape::kInteger, "number of elements"));
  elements.lower = 1;
  elements.upper = 10000000;
  add(registry, "beams", "", "A straight flexible beam.",
      {required(make("from", Shape::kNode, "its first end")),
       required(make("to", Shape::kNode, "its second end")), elements,
       withDefault(make("order", Shape::kInteger, "order of the elements"), "1"),
       required(referring(make("section", Shape::kName, "its cross-section"), "sections")),
       required(referring(make("material", Shape::kName, "its material"), "materials")),
       nonZero(make("y_axis", Shape::kVector, "y axis of the section in ground axes")),
       withDefault(notNegative(make("damping", Shape::kNumber, "stiffness-proportional damping",
                                    base::kTime)),
                   "0")});
}

void addConnections(Registry& registry) {
  Parameter friction = make("friction", Shape::kMap, "dry friction");
  friction.fields = {
      required(notNegative(make("torque", Shape::kNumber, "friction torque", base::kTorque))),
      withDefault(
          positive(make("velocity", Shape::kNumber, "regularisation", base::kAngularVelocity)),
          "0.01")};
  add(registry, "joints", "hinge", "A rotation about one axis.",
      {required(make("between", Shape::kNodePair, "the two nodes")),
       required(nonZero(make("axis", Shape::kVector, "axis in ground axes at the start"))),
       withDefault(make("locked", Shape::kBoolean, "whether it cannot turn"), "false"), friction,
       make("drive", Shape::kSignal, "prescribed angle", base::kAngle)});
  add(registry, "joints", "weld", "No relative motion.",
      {required(make("between", Shape::kNodePair, "the two nodes"))});
  add(registry, "springs", "linear", "A spring along a fixed direction.",
      {required(make("between", Shape::kNodePair, "the two nodes")),
       required(nonZero(make("direction", Shape::kVector, "direction in ground axes"))),
       required(notNegative(make("stiffness", Shape::kNumber, "stiffness", base::kStiffness))),
       withDefault(notNegative(make("damping", Shape::kNumber, "viscous damping", base::kDamping)),
                   "0")});
  Parameter bushing =
      required(make("stiffness", Shape::kNumbers, "three translations, three rotations"));
  bushing.count = 6;
  bushing.dimensions = {base::kStiffness, base::kStiffness, base::kStiffness,
                        base::kTorque,    base::kTorque,    base::kTorque};
  add(registry, "springs", "bushing", "A spring in six directions.",
      {required(make("between", Shape::kNodePair, "the two nodes")), bushing});
  add(registry, "loads", "", "A force and a torque on a node.",
      {required(make("node", Shape::kNode, "the loaded node")),
       withDefault(make("force", Shape::kVector, "force", base::kForce), "[0, 0, 0]"),
       withDefault(make("torque", Shape::kVector, "torque", base::kTorque), "[0, 0, 0]"),
       withDefault(
           choosing(make("frame", Shape::kChoice, "whose axes are meant"), {"ground", "body"}),
           "ground"),
       withDefault(make("signal", Shape::kSignal, "scales the load"), "1")});
}

void addControl(Registry& registry) {
  add(registry, "sensors", "angle", "The angle of a hinge.",
      {required(referring(make("joint", Shape::kName, "the hinge"), "joints"))});
  for (const char* measure : {"position", "velocity"}) {
    add(registry, "sensors", measure, "Motion of a node in ground axes.",
        {required(make("node", Shape::kNode, "the node")),
         nonZero(make("direction", Shape::kVector, "one component; without it all three"))});
  }
  add(registry, "sensors", "distance", "The distance of two nodes.",
      {required(make("between", Shape::kNodePair, "the two nodes"))});
  add(registry, "blocks", "step", "A step.",
      {withDefault(make("at", Shape::kNumber, "time of the step", base::kTime), "0"),
       withDefault(free(make("from", Shape::kNumber, "value before")), "0"),
       withDefault(free(make("to", Shape::kNumber, "value after")), "1")});
  add(registry, "blocks", "table", "Linear interpolation in time.",
      {required(make("time", Shape::kNumbers, "times, increasing", base::kTime)),
       required(free(make("value", Shape::kNumbers, "values")))});
  add(registry, "blocks", "sum", "The sum of its inputs.",
      {required(make("inputs", Shape::kSignals, "signals, with signs"))});
  add(registry, "blocks", "pid", "A controller.",
      {required(make("input", Shape::kSignal, "the measured signal")),
       withDefault(make("reference", Shape::kSignal, "the wanted value"), "0"),
       make("kp", Shape::kNumber, "proportional gain"),
       make("kd", Shape::kNumber, "derivative gain"),
       make("filter", Shape::kNumber, "filter time", base::kTime)});
  add(registry, "blocks", "saturation", "A limit.",
      {required(make("input", Shape::kSignal, "the signal")),
       required(make("lower", Shape::kNumber, "lower limit")),
       required(make("upper", Shape::kNumber, "upper limit"))});
  Parameter formula =
      required(choosing(make("value", Shape::kExpression, "formula of signals"), {"t"}));
  formula.namesSignals = true;
  Parameter reset = make("reset", Shape::kMap, "when it starts anew");
  reset.fields = {required(make("signal", Shape::kSignal, "when this is positive", base::kForce))};
  add(registry, "blocks", "formula", "A formula of signals.", {formula, reset});
  add(registry, "blocks", "expression", "A formula.",
      {required(
          choosing(make("value", Shape::kExpression, "formula of t and the inputs"), {"t"}))});
  add(registry, "blocks", "gain_matrix", "Several gains.",
      {required(make("inputs", Shape::kSignals, "signals")),
       required(make("D", Shape::kMatrix, "gains"))});
  add(registry, "blocks", "library", "A black box.",
      {required(make("path", Shape::kText, "the file")),
       required(make("inputs", Shape::kSignals, "signals")),
       required(make("outputs", Shape::kTexts, "names of its outputs")),
       make("sample", Shape::kNumber, "sample time", base::kTime)});
  add(registry, "actuators", "torque", "A torque in a joint.",
      {required(referring(make("joint", Shape::kName, "the joint"), "joints")),
       required(make("input", Shape::kSignal, "the torque"))});
}

void addAnalyses(Registry& registry) {
  add(registry, "analysis", "time", "Simulation in time.",
      {required(positive(make("end", Shape::kNumber, "end time", base::kTime))),
       required(positive(make("step", Shape::kNumber, "time step", base::kTime)))});
  Parameter about = withDefault(
      choosing(make("about", Shape::kChoice, "the state"), {"initial", "equilibrium"}), "initial");
  about.fields = {required(make("time", Shape::kNumber, "time of the state", base::kTime))};
  Parameter count = withDefault(make("count", Shape::kInteger, "number of modes"), "10");
  count.lower = 1;
  add(registry, "analysis", "modes", "Modes and stability.", {count, about});
}

}  // namespace

const Registry& sampleRegistry() {
  static const Registry registry = [] {
    Registry made;
    addProperties(made);
    addMachine(made);
    addConnections(made);
    addControl(made);
    addAnalyses(made);
    return made;
  }();
  return registry;
}

const char* sampleModel() {
  return R"(flexloop: 1
title: any text
parameters: {L: 0.15, kp: 0.1, f: = 1/L}
gravity: [0, 0, -9.81]
materials: {alu: {E: 65.7 GPa, nu: 0.3, rho: 2794}}
sections:
  strip: {type: rectangle, width: 18 mm, height: 0.5 mm}
  rod: {type: circle, diameter: 20 mm}
nodes:
  A: [0, 0, 0]
  B: {position: [=L, 0, 0], rotation: {axis: [0, 0, 1], angle: 30 deg}, velocity: [0, 0, 0]}
  cart: {position: [0, 0, 0], free: [x]}
  base: {position: [0, 0, 0], free: []}
bodies:
  hub: {node: A, mass: 1.2, inertia: [0.1, 0.1, 0.2], com: [0, 0, 0]}
  m1: {node: cart, mass: 1}
beams:
  link1: {from: A, to: B, elements: 20, section: strip, material: alu, y_axis: [0, 1, 0], damping: 1e-4}
joints:
  hinge1: {type: hinge, between: [ground, A], axis: [0, 1, 0], friction: {torque: 1 Nm}}
  fix: {type: weld, between: [ground, base]}
springs:
  k1: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 100, damping: 1}
  b3: {type: bushing, between: [A, link1@0.5], stiffness: [1 kN/mm, 1e6, 1e6, 1 kNm/rad, 1e3, 1e3]}
loads:
  push: {node: link1.19, force: [0, 0, 50], frame: body, signal: pulse}
sensors:
  theta1: {measure: angle, joint: hinge1}
  p1: {measure: position, node: cart, direction: [1, 0, 0]}
  v1: {measure: velocity, node: cart}
  ext: {measure: distance, between: [A, B]}
diagrams:
  servo:
    inputs: [angle, reference]
    outputs: {torque: limited}
    parameters: {kp: 10, kd: 1, top: = 2*kp}
    blocks:
      error: {type: sum, inputs: [reference, -angle]}
      law: {type: pid, input: error, kp: = kp, kd: = kd, filter: 1 ms}
      limited: {type: saturation, input: law, lower: = -top, upper: = top}
blocks:
  axis1: {type: servo, inputs: {angle: theta1, reference: ref}, parameters: {kp: 20}}
  axis2: {type: servo, inputs: {angle: p1, reference: 0}}
  square: {type: formula, value: axis1.torque^2 + theta1.rate}
  ref: {type: step, at: 0.1, from: 0, to: 30 deg}
  pulse: {type: table, time: [0, 1, 2], value: [0, 1, 0]}
  err: {type: sum, inputs: [ref, -theta1]}
  pid1: {type: pid, input: theta1.rate, reference: 0, kp: =kp}
  law: {type: expression, value: "sin(2*pi*f*t) + t"}
  mix: {type: gain_matrix, inputs: [ref, 0.5], D: [[1, 2], [3, =L]]}
  box: {type: library, path: ./libvendor.so, inputs: [theta1], outputs: [torque, alarm], sample: 1 ms}
actuators:
  motor1: {type: torque, joint: hinge1, input: box.torque}
outputs: [theta1, pid1, theta1.rate, {name: tip, measure: position, node: B}]
analysis:
  time: {end: 2, step: 1 ms}
  modes: {count: 10, about: {time: 1.5}}
)";
}

}  // namespace flexloop::testing
