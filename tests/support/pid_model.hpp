// A mass on a spring with a controller whose limit of stability is known in closed form.
#pragma once

namespace flexloop {

// s³ + 10 s² + 16 s + ki: stable up to ki = 160 with the roots ±4i and −10 there.
inline constexpr const char* kPid = R"(
parameters: {ki: 80}
nodes: {mass: {position: [0, 0, 0], free: [x]}}
bodies: {mass: {node: mass, mass: 1}}
springs:
  wall: {type: linear, between: [ground, mass], direction: [1, 0, 0], stiffness: 12, damping: 8}
sensors: {x: {measure: displacement, node: mass, direction: [1, 0, 0]}}
blocks: {pid: {type: pid, input: x, reference: 0, kp: 4, ki: = ki, kd: 2}}
actuators: {motor: {type: force, node: mass, direction: [1, 0, 0], input: pid}}
)";

}  // namespace flexloop
