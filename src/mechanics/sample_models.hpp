// The start of the sample models of this folder: two rigid bodies in general position.
#pragma once

#include <string>

namespace flexloop::mechanics {

// Nodes A and B with bodies; the sample adds sections after it.
inline std::string twoBodies() {
  return R"(flexloop: 1
gravity: [0.4, -1.1, -9.7]
nodes:
  A: {position: [0.3, -0.2, 0.5], rotation: {axis: [1, 2, -0.5], angle: 40 deg}}
  B: {position: [0.7, 0.4, -0.1], rotation: {axis: [-0.4, 1, 0.8], angle: 65 deg}}
bodies:
  first: {node: A, mass: 1.3, inertia: [0.12, 0.1, 0.07], com: [0.02, -0.01, 0.05]}
  second: {node: B, mass: 0.8, inertia: [0.05, 0.08, 0.06, 0.01, -0.005, 0.004]}
)";
}

// A block that reads sensors, so that they become signals with equations of their own.
inline std::string readByBlock(const std::string& signals, const std::string& moreBlocks = {}) {
  return "blocks:\n  y: {type: sum, inputs: [" + signals + "]}\n" + moreBlocks;
}

}  // namespace flexloop::mechanics
