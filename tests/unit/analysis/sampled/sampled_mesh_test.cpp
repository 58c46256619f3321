// A sampled controller on finely meshed beams, about a start that falls: the motion between samples keeps its digits.
#include <complex>
#include <string>

#include <gtest/gtest.h>

#include "support/machine_modes.hpp"

namespace flexloop::test {
namespace {

using analysis::ModeResult;
using Complex = std::complex<double>;

// Along `along`, bending across the height of 10 mm.
std::string makeCantilever(int elements, int order, const std::string& gravity,
                           const std::string& along, const std::string& wide,
                           const std::string& across) {
  return "gravity: " + gravity +
         "\n"
         "materials: {st: {E: 210e9, nu: 0.3, rho: 7850}}\n"
         "sections: {s: {type: rectangle, width: 20 mm, height: 10 mm}}\n"
         "nodes: {A: {position: [0, 0, 0], free: []}, B: " +
         along +
         "}\n"
         "beams: {w: {from: A, to: B, elements: " +
         std::to_string(elements) + ", order: " + std::to_string(order) +
         ", section: s, material: st, y_axis: " + wide +
         ", damping: 1e-4}}\n"
         "sensors: {z: {measure: displacement, node: B, direction: " +
         across +
         "}}\n"
         "blocks: {u: {type: discrete_pid, input: z, kp: 20, ki: 3, kd: 1, sample: 5 ms}}\n"
         "actuators: {m: {type: force, node: B, direction: " +
         across + ", input: u}}\n";
}

// Twelve modes of Euler's beam in numpy, between samples by the exponential of their matrix, and the controller
// u = −(20 y + 3 Σ h y + (y − y₋)/h) at the samples: ln eig / h. Shear and the inertia of turning, which Euler leaves out,
// make (βr/L)² (1 + E/κG)/2 ≤ 1e-4 of the second frequency.
TEST(SampledMesh, HasTheRootsOfEulersBeamHoweverFineAndHoweverItLies) {
  const Complex roots[] = {{-0.0198368, 0.0}, {-0.600484, 14.089415}, {-0.895514, 82.645072}};
  const std::string x = "[2, 0, 0]", y = "[0, 1, 0]", z = "[0, 0, 1]";
  const std::string turned = "[1.2, 0.96, 1.28]", wide = "[-0.8, 0.36, 0.48]",
                    across = "[0, -0.8, 0.6]";
  for (const std::string& text : {makeCantilever(10, 2, "[0, 0, 0]", x, y, z),
                                  makeCantilever(40, 1, "[0, 0, -9.81]", x, y, z),
                                  makeCantilever(50, 1, "[0, 0, -9.81]", turned, wide, across),
                                  makeCantilever(12, 2, "[0, 0, -9.81]", turned, wide, across)}) {
    const ModeResult fine = modesOf(text);
    ASSERT_TRUE(fine.ok()) << messageOf(fine.failure);
    EXPECT_TRUE(fine.verdict.isStable());
    for (const Complex& root : roots) {
      EXPECT_LT(distanceTo(fine, root), 3e-4 * std::abs(root)) << text;
    }
  }
}

}  // namespace
}  // namespace flexloop::test
