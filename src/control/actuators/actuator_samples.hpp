// Sample models of actuators.
#pragma once

#include <string>
#include <vector>

namespace flexloop::control {

// Two bodies with joints and a signal `u`; the sample adds lines of section `actuators`.
inline std::string actuatorSample(const std::string& actuators) {
  return R"(flexloop: 1
gravity: [0.4, -1.1, -9.7]
nodes:
  A: {position: [0.3, -0.2, 0.5], rotation: {axis: [1, 2, -0.5], angle: 40 deg}}
  B: {position: [0.7, 0.4, -0.1], rotation: {axis: [-0.4, 1, 0.8], angle: 65 deg}}
bodies:
  first: {node: A, mass: 1.3, inertia: [0.12, 0.1, 0.07], com: [0.02, -0.01, 0.05]}
  second: {node: B, mass: 0.8, inertia: [0.05, 0.08, 0.06, 0.01, -0.005, 0.004]}
joints:
  h: {type: hinge, between: [A, B], at: [0.5, 0.1, 0.2], axis: [0.3, 1, -0.2]}
  c: {type: cylindrical, between: [ground, A], axis: [1, 0.5, 2]}
sensors: {phi: {measure: angle, joint: h}}
blocks: {u: {type: sum, inputs: [phi, 0.3]}}
actuators:
)" + actuators;
}

inline std::vector<std::string> forceSamples() {
  return {actuatorSample(R"(
  fan: {type: force, node: A, direction: [1, 2, 0], input: u, gain: 3}
  jet: {type: force, node: B, direction: [1, 2, 2], frame: body, input: 4, time_constant: 20 ms}
  ram: {type: force, between: [A, B], input: u, gain: 40, limits: [-8, 9]}
  rod: {type: force, between: [ground, B], at: [0, 1, 1], to: [0.7, 0.5, 0], input: ram}
  side: {type: force, between: [A, B], direction: [0.4, -1, 0.3], input: u, gain: 7}
  push: {type: force, joint: c, input: u, frequency: 3 Hz, damping: 0.4, limits: [-0.1, 0.2]}
)")};
}

inline std::vector<std::string> torqueSamples() {
  return {actuatorSample(R"(
  motor: {type: torque, joint: h, input: u, gain: -5}
  spin: {type: torque, joint: c, coordinate: rotation, input: u, limits: [-1, 1], time_constant: 0.1}
  wheel: {type: torque, between: [A, B], axis: [0.2, 1, 1], input: u}
  turn: {type: torque, node: A, direction: [0, 0, 1], frame: body, input: u}
)")};
}

inline std::vector<std::string> motionSamples() {
  return {actuatorSample(R"(
  turn: {type: motion, joint: h, input: 0.4, time_constant: 0.3}
  lift: {type: motion, joint: c, coordinate: translation, input: u, gain: 0.1}
)")};
}

}  // namespace flexloop::control
