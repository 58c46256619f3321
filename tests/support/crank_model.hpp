// A stiff machine with all kinds of unknowns, for tests of its linear equations.
#pragma once

namespace flexloop {

// A crank with a beam, three hinges and a controller: constraints, multipliers, signals.
inline const char* const kCrank = R"(
gravity: [0, 0, -9.81]
materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}
sections: {s: {type: rectangle, width: 20 mm, height: 5 mm}}
nodes: {A: [0, 0, 0], B: [0.5, 0, 0], C: [0.5, 0, 0.4]}
bodies: {hub: {node: A, mass: 0.4, inertia: [1e-3, 1e-3, 1e-3]}, end: {node: C, mass: 1, inertia: [0.01, 0.01, 0.01], com: [0, 0, -0.2]}}
beams: {b: {from: A, to: B, elements: 3, section: s, material: alu, y_axis: [0, 1, 0], damping: 1e-4}}
joints:
  h1: {type: hinge, between: [ground, A], axis: [0, 1, 0]}
  h2: {type: hinge, between: [B, C], at: [0.5, 0, 0], axis: [0, 1, 0], damping: 0.01, stiffness: 5}
sensors: {phi: {measure: angle, joint: h1}, tip: {measure: displacement, node: C, direction: [0, 0, 1]}}
blocks:
  c: {type: pid, input: phi, reference: 0, kp: 100, ki: 20, kd: 2}
  lag: {type: transfer_function, input: c, numerator: [1], denominator: [0.01, 1]}
  read: {type: gain, input: tip, gain: 1}
actuators: {u: {type: torque, joint: h1, input: lag}}
)";

}  // namespace flexloop
