// A small machine for the samples of blocks: a cart with sensors and an actuator.
#pragma once

#include <string>

namespace flexloop::control {

// The block or blocks are given as lines of the section; `y` is the signal that pushes the cart.
inline std::string blockSample(const std::string& blocks) {
  return R"(flexloop: 1
nodes: {cart: {position: [0.2, -0.4, 1.1], free: [x, z]}}
bodies: {cart: {node: cart, mass: 1.5}}
sensors:
  p: {measure: position, node: cart, direction: [1, 0, 0]}
  q: {measure: position, node: cart, direction: [0.6, 0, 0.8]}
loads: {push: {node: cart, force: [2, 1, -3], signal: y}}
blocks:
)" + blocks;
}

}  // namespace flexloop::control
