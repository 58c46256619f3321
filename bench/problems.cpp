#include "problems.hpp"

namespace flexloop::bench {

namespace {

std::string indexed(const std::string& name, int i) {
  return name + std::to_string(i);
}

}  // namespace

std::string makeBeamPendulum(int elements, int order, const std::string& step) {
  return "flexloop: 1\n"
         "gravity: [0, 0, -9.81]\n"
         "materials: {soft: {E: 2.1 GPa, nu: 0.3, rho: 7800}}\n"
         "sections: {bar: {type: rectangle, width: 10 mm, height: 10 mm}}\n"
         "nodes: {root: [0, 0, 0], tip: [1, 0, 0]}\n"
         "beams: {bar: {from: root, to: tip, elements: " +
         std::to_string(elements) + ", order: " + std::to_string(order) +
         ", section: bar, material: soft, y_axis: [0, 1, 0]}}\n"
         "joints: {hinge: {type: hinge, between: [ground, root], axis: [0, 1, 0]}}\n"
         "outputs: [{name: tip, measure: position, node: tip}]\n"
         "analysis: {time: {end: 2, step: " +
         step + ", rho: 0.8, newton: {tolerance: 1e-6}}}\n";
}

std::string makeStiffBeamPendulum(int elements) {
  std::string text = makeBeamPendulum(elements, 1);
  const std::string soft = "E: 2.1 GPa";
  return text.replace(text.find(soft), soft.size(), "E: 21 GPa");
}

std::string makePartPendulum(int modes) {
  return "flexloop: 1\n"
         "gravity: [0, 0, -9.81]\n"
         "materials: {soft: {E: 21 GPa, nu: 0.3, rho: 7800}}\n"
         "parts:\n"
         "  bar:\n"
         "    block: {size: [1, 10 mm, 10 mm], elements: [40, 1, 1]}\n"
         "    material: soft\n"
         "    position: [0, -5 mm, -5 mm]\n"
         "    interfaces: {root: {set: x0}, tip: {set: x1}}\n"
         "    modes: " +
         std::to_string(modes) +
         "\n"
         "joints: {hinge: {type: hinge, between: [ground, bar.root], axis: [0, 1, 0]}}\n"
         "outputs: [{name: tip, measure: position, node: bar.tip}]\n"
         "analysis: {time: {end: 2, step: 1 ms, rho: 0.8, newton: {tolerance: 1e-6}}}\n";
}

std::string makeRigidChain(int links, ChainAxes axes) {
  std::string nodes = "nodes:\n", bodies = "bodies:\n", joints = "joints:\n";
  for (int i = 1; i <= links; ++i) {
    const std::string node = indexed("n", i);
    nodes += "  " + node + ": [" + std::to_string(0.1 * i - 0.05) + ", 0, 0]\n";
    bodies += "  " + indexed("b", i) + ": {node: " + node +
              ", mass: 1, inertia: [6.666666666666667e-5, 8.666666666666667e-4, "
              "8.666666666666667e-4]}\n";
    const std::string axis = axes == ChainAxes::kPlanar ? "[0, 1, 0]"
                             : i % 2 == 1               ? "[0, 0.8660254037844386, 0.5]"
                                                        : "[0, 0.8660254037844386, -0.5]";
    joints += "  " + indexed("h", i) + ": {type: hinge, between: [" +
              (i == 1 ? std::string("ground") : indexed("n", i - 1)) + ", " + node + "], at: [" +
              std::to_string(0.1 * (i - 1)) + ", 0, 0], axis: " + axis + "}\n";
  }
  return "flexloop: 1\ngravity: [0, 0, -9.81]\n" + nodes + bodies + joints +
         "outputs: [{name: tip, measure: position, node: " + indexed("n", links) +
         ", offset: [0.05, 0, 0]}]\n"
         "analysis: {time: {end: 1, step: 1 ms, rho: 0.8, newton: {tolerance: 1e-6}}}\n";
}

std::string makeHeavyTop(const std::string& formulation) {
  return "flexloop: 1\n"
         "formulation: " +
         formulation +
         "\n"
         "gravity: [0, 0, -9.81]\n"
         "nodes: {centre: {position: [0, 1, 0], velocity: [4.61538, 0, 0], "
         "angular_velocity: [0, 150, -4.61538]}}\n"
         "bodies: {top: {node: centre, mass: 15, inertia: [0.234375, 0.46875, 0.234375]}}\n"
         "joints: {pivot: {type: spherical, between: [ground, centre], at: [0, 0, 0]}}\n"
         "outputs: [{name: tip, measure: position, node: centre}]\n"
         "analysis: {time: {end: 2, step: 1 ms, rho: 0.8, newton: {tolerance: 1e-6}}}\n";
}

namespace {

constexpr int kLoop = 10;  // blocks of one loop

// A loop of ten blocks around a lag; its input and output are signals with the given names.
std::string makeLoop(int i, const std::string& input) {
  const std::string k = std::to_string(i);
  return "  e" + k + ": {type: sum, inputs: [" + input + ", -y" + k + "]}\n" +             //
         "  p" + k + ": {type: gain, input: e" + k + ", gain: 0.5}\n" +                    //
         "  i" + k + ": {type: integrator, input: e" + k + "}\n" +                         //
         "  g" + k + ": {type: gain, input: i" + k + ", gain: 0.3}\n" +                    //
         "  d" + k + ": {type: derivative, input: e" + k + ", filter: 0.05}\n" +           //
         "  u" + k + ": {type: sum, inputs: [p" + k + ", g" + k + ", d" + k + "]}\n" +     //
         "  s" + k + ": {type: saturation, input: u" + k + ", lower: -50, upper: 50}\n" +  //
         "  l" + k + ": {type: low_pass, input: s" + k + ", frequency: 20 Hz}\n" +         //
         "  m" + k + ": {type: transfer_function, input: l" + k +
         ", numerator: [1], denominator: [0.1, 1]}\n" +  //
         "  y" + k + ": {type: gain, input: m" + k + ", gain: 0.9}\n";
}

}  // namespace

std::string makeControlledPendulum(int elements) {
  std::string text = makeBeamPendulum(elements, 1);
  text +=
      "sensors:\n"
      "  angle: {measure: angle, joint: hinge}\n"
      "  shake: {measure: acceleration, node: tip, direction: [0, 0, 1]}\n"
      "blocks:\n";
  text += makeLoop(1, "angle") + makeLoop(2, "shake");
  for (int i = 3; i <= 5; ++i) text += makeLoop(i, "y" + std::to_string(i - 1));
  return text +
         "actuators:\n"
         "  motor: {type: torque, joint: hinge, input: y5, gain: 0.01}\n"
         "  brake: {type: torque, joint: hinge, input: y1, gain: -0.1}\n";
}

std::string makeDiagram(int blocks) {
  std::string text =
      "flexloop: 1\n"
      "nodes: {cart: {position: [0, 0, 0], free: [x]}}\n"
      "bodies: {cart: {node: cart, mass: 1}}\n"
      "outputs: [{name: tip, measure: position, node: cart}]\n"
      "analysis: {time: {end: 1, step: 1 ms, rho: 0.8, newton: {tolerance: 1e-6}}}\n"
      "blocks:\n"
      "  y0: {type: sine, frequency: 1 Hz}\n";
  for (int i = 1; i <= blocks / kLoop; ++i) text += makeLoop(i, "y" + std::to_string(i - 1));
  return text;
}

std::string makeCantilever(int elements) {
  return "flexloop: 1\n"
         "materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7850}}\n"
         "sections: {bar: {type: rectangle, width: 50 mm, height: 50 mm}}\n"
         "nodes: {root: {position: [0, 0, 0], free: []}, tip: [1, 0, 0]}\n"
         "beams: {bar: {from: root, to: tip, elements: " +
         std::to_string(elements) +
         ", section: bar, material: steel, y_axis: [0, 1, 0]}}\n"
         "sensors: {shake: {measure: acceleration, node: tip, direction: [0, 0, 1]}}\n"
         "blocks: {lag: {type: transfer_function, input: shake, numerator: [-0.5], denominator: "
         "[0.001, 1]}}\n"
         "actuators: {push: {type: force, node: tip, direction: [0, 0, 1], input: lag}}\n";
}

}  // namespace flexloop::bench
