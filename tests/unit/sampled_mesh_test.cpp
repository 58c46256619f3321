// A sampled controller on finely meshed beams, about a start that falls: the motion between samples keeps its digits.
#include <complex>
#include <string>

#include <gtest/gtest.h>

#include "unit/machine_modes.hpp"

namespace flexloop::test {
namespace {

using analysis::ModeResult;
using Complex = std::complex<double>;

std::string makeCantilever(int elements, int order, const std::string& gravity,
                           const std::string& along, const std::string& across) {
  return "gravity: " + gravity +
         "\n"
         "materials: {st: {E: 210e9, nu: 0.3, rho: 7850}}\n"
         "sections: {s: {type: rectangle, width: 20 mm, height: 10 mm}}\n"
         "nodes: {A: {position: [0, 0, 0], free: []}, B: " +
         along +
         "}\n"
         "beams: {w: {from: A, to: B, elements: " +
         std::to_string(elements) + ", order: " + std::to_string(order) +
         ", section: s, material: st, y_axis: " + across +
         ", damping: 1e-4}}\n"
         "sensors: {z: {measure: displacement, node: B, direction: " +
         across +
         "}}\n"
         "blocks: {u: {type: discrete_pid, input: z, kp: 20, ki: 3, kd: 1, sample: 5 ms}}\n"
         "actuators: {m: {type: force, node: B, direction: " +
         across + ", input: u}}\n";
}

TEST(SampledMesh, IsTheSameMachineHoweverFineAndHoweverItLies) {
  const std::string along = "[2, 0, 0]", across = "[0, 1, 0]";
  const ModeResult coarse = modesOf(makeCantilever(6, 3, "[0, 0, 0]", along, across));
  ASSERT_TRUE(coarse.ok) << coarse.trouble;
  ASSERT_GE(coarse.modes.size(), 4u);
  const std::string turned = "[1.2, 0.96, 1.28]", turnedAcross = "[-0.8, 0.36, 0.48]";
  for (const std::string& text : {makeCantilever(40, 1, "[0, -9.81, 0]", along, across),
                                  makeCantilever(50, 1, "[0, -9.81, 0]", turned, turnedAcross),
                                  makeCantilever(12, 2, "[0, -9.81, 0]", turned, turnedAcross)}) {
    const ModeResult fine = modesOf(text);
    ASSERT_TRUE(fine.ok) << fine.trouble;
    EXPECT_TRUE(fine.verdict.isStable());
    for (std::size_t k = 0; k < 4; ++k) {
      const Complex root = coarse.modes[k].eigenvalue;
      EXPECT_LT(distanceTo(fine, root), 2e-4 * std::abs(root)) << text;
    }
  }
}

}  // namespace
}  // namespace flexloop::test
