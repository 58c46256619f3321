// An output that an input does not reach but for couplings that are round-off: a slide holds what the sensor measures.
#include <string>

#include <gtest/gtest.h>

#include "support/linear_machine.hpp"

namespace flexloop::test {
namespace {

TEST(UnreachedOutput, HasStateEquations) {
  const std::string text = R"(
nodes:
  b0: {position: [-221, -528, 1200], rotation: {axis: [-0.79, -2.2, 0.4], angle: 2.4}}
  w0: {position: [195, -388, 816], rotation: {axis: [0.37, 0.65, -0.85], angle: 1.1}}
  b1: {position: [-692, -332, -499], rotation: {axis: [-0.056, 0.59, 0.92], angle: 1.1}}
  w1: {position: [-746, 301, -611], rotation: {axis: [-1.4, -0.12, -0.12], angle: 1.4}}
  b2: {position: [-1100, -88, -1700]}
  w2: {position: [-1500, -86, -2000], rotation: {axis: [0.65, 1.4, -0.91], angle: 1.8}}
bodies:
  b0: {node: b0, mass: 7.9e4, inertia: [2.2e10, 2.1e10, 1.8e10, -4.4e8, 9.6e8, 2.1e9]}
  b1: {node: b1, mass: 6.5e4, inertia: [2.1e10, 1.6e10, 2.4e10], com: [135, -428, -473]}
  b2: {node: b2, mass: 2e5, inertia: [2.4e10, 2.3e10, 2.2e10, -1.7e9, 2.7e8, -4.3e8], com: [179, -536, 125]}
joints:
  jw0: {type: weld, between: [b0, w0], at: [195, -388, 816]}
  jw1: {type: weld, between: [w1, b1], at: [-746, 301, -611]}
  j1: {type: screw, between: [ground, w1], at: [-746, 301, -611], axis: [0.81, -0.56, 0.19], pitch: 1300, damping: 8.9e8}
  jw2: {type: weld, between: [w2, b2], at: [-3600, -855, -3400]}
  j2: {type: slider, between: [ground, w2], at: [-975, 234, -1900], axis: [0.55, -0.052, 0.83]}
springs:
  s1: {type: distance, between: [b0, w0], at: [-443, -510, 1600], to: [177, 14, 314], stiffness: 3.4e4, damping: 980}
  s6: {type: bushing, between: [b1, w2], at: [-1700, 107, -1800], stiffness: [0, 1.2e4, 0, 3.1e10, 0, 3.2e10],
       damping: [4900, 0, 549, 4.8e9, 0, 0]}
sensors:
  y0: {measure: distance_rate, between: [b2, w0]}
  y1: {measure: displacement, node: w1, direction: [-0.89, 0.45, 0.037], offset: [-327, 412, -453]}
  y2: {measure: angular_acceleration, node: w2, direction: [-0.013, 0.64, -0.77]}
blocks:
  b0: {type: gain, input: y1, gain: -262}
  b1: {type: state_space, inputs: [y0], A: [[-0.11, -0.0032], [0.1, -0.052]], B: [[-0.00018], [0.00089]],
       C: [[1.3e9, 9.2e8]], D: [[-3.9e6]]}
actuators:
  u0: {type: force, node: b0, direction: [0.31, 0.73, 0.61], input: b0, time_constant: 4.9}
  u1: {type: torque, between: [w1, b2], axis: [0.98, 0.22, -0.005], input: b1, frequency: 0.17, damping: 0.41}
)";
  const Machine machine(text, {{"u0"}, {"y2"}, ""});
  const analysis::StateSpaceResult result = machine.stateSpace();
  EXPECT_TRUE(result.ok()) << messageOf(result.failure);
}

}  // namespace
}  // namespace flexloop::test
