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

}  // namespace flexloop::bench
