// Modes of fine meshes about a start that the weight of the machine accelerates: the small entries of loads in an
// unsymmetric stiffness must not decide about the units in which roots are searched.
#include <cmath>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "support/machine_modes.hpp"
#include "support/message_matchers.hpp"

namespace flexloop::test {
namespace {

using analysis::Mode;
using analysis::ModeResult;

// A servo turns a strip with a body welded to its end; the strip lies along x, or obliquely in space.
struct Strip {
  int elements = 200, order = 1;
  double gravity = 9.81;
  bool isOblique = false;
};

std::string makeServo(const Strip& strip) {
  // The columns of a rotation, by quaternion (2, 1, 3, -1)/sqrt(15).
  const std::string end = strip.isOblique
                              ? "[-0.33333333333333333, 0.13333333333333333, -0.93333333333333333]"
                              : "[1, 0, 0]";
  const std::string across = strip.isOblique ? "[10, 11, -2]" : "[0, 15, 0]";
  const std::string up = strip.isOblique ? "[10, -10, -5]" : "[0, 0, 15]";
  const double g = strip.gravity / 15.0;
  const std::string down = strip.isOblique
                               ? "[" + std::to_string(-10.0 * g) + ", " + std::to_string(10.0 * g) +
                                     ", " + std::to_string(5.0 * g) + "]"
                               : "[0, 0, " + std::to_string(-15.0 * g) + "]";
  return "gravity: " + down +
         "\nmaterials: {al: {E: 70e9, nu: 0.3, rho: 2700}}\n"
         "sections: {s: {type: rectangle, width: 30 mm, height: 5 mm}}\n"
         "nodes: {A: [0, 0, 0], B: " +
         end + ", C: " + end +
         "}\nbodies: {b: {node: C, mass: 0.4, inertia: [0.01, 0.01, 0.01]}}\n"
         "beams: {w: {from: A, to: B, section: s, material: al, y_axis: " +
         across + ", elements: " + std::to_string(strip.elements) +
         ", order: " + std::to_string(strip.order) +
         "}}\njoints: {h: {type: hinge, between: [ground, A], axis: " + across +
         "}, k: {type: weld, between: [B, C]}}\n"
         "sensors: {q: {measure: angle, joint: h}, z: {measure: displacement, node: B, "
         "direction: " +
         up +
         "}}\nblocks: {u: {type: pid, input: q, kp: 60, ki: 30, kd: 5}}\n"
         "actuators: {f: {type: torque, joint: h, input: u}}\n";
}

// All roots of a coarse mesh of order 3 are found by another method.
TEST(FineMeshModes, OfAServoUnderGravityAreThoseOfACoarseMesh) {
  const int count = 12;
  const ModeResult coarse =
      modesOf(makeServo({.elements = 8, .order = 3, .gravity = 0.0}), {.count = count});
  ASSERT_TRUE(coarse.ok()) << messageOf(coarse.failure);
  ASSERT_TRUE(coarse.isComplete);
  for (const Strip& strip :
       {Strip{200}, Strip{500}, Strip{300, 1, 98.1}, Strip{300, 1, 9.81, true}, Strip{150, 2}}) {
    SCOPED_TRACE(std::to_string(strip.elements) + (strip.isOblique ? ", oblique" : ""));
    const ModeResult fine = modesOf(makeServo(strip), {.count = count});
    ASSERT_TRUE(fine.ok()) << messageOf(fine.failure);
    EXPECT_EQ(fine.verdict.growing, 0);
    EXPECT_EQ(fine.modes.size(), coarse.modes.size());
    for (const Mode& mode : coarse.modes) {
      EXPECT_LE(distanceTo(fine, mode.eigenvalue), 1e-3 * std::abs(mode.eigenvalue))
          << mode.eigenvalue;
    }
  }
}

std::string makeCantilever(int elements, int order, const std::string& end,
                           const std::string& across, const std::string& up) {
  return "materials: {st: {E: 210e9, nu: 0.3, rho: 7850}}\n"
         "sections: {s: {type: rectangle, width: 20 mm, height: 10 mm}}\n"
         "nodes: {A: {position: [0, 0, 0], free: []}, B: " +
         end + "}\nbeams: {w: {from: A, to: B, elements: " + std::to_string(elements) +
         ", order: " + std::to_string(order) + ", section: s, material: st, y_axis: " + across +
         ", damping: 1e-4}}\nsensors: {z: {measure: displacement, node: B, direction: " + up +
         "}}\nblocks: {u: {type: pid, input: z, kp: 20, ki: 3, kd: 2}}\n"
         "actuators: {m: {type: force, node: B, direction: " +
         up + ", input: u}}\n";
}

// An integral makes a root at -0.02 1/s, a thousand times slower than all others, beside which rounding makes false ones: the
// search must not take these for the end.
TEST(FineMeshModes, BesideASlowRootAreAllFound) {
  const std::string axes[][3] = {{"[2, 0, 0]", "[0, 1, 0]", "[0, 0, 1]"},
                                 {"[1.2, 1.6, 0]", "[-0.48, 0.36, 0.8]", "[0.64, -0.48, 0.6]"},
                                 {"[0, 2, 0]", "[-0.6, 0, 0.8]", "[0.8, 0, 0.6]"}};
  const int count = 8;
  for (const auto& [end, across, up] : axes) {
    const ModeResult coarse = modesOf(makeCantilever(8, 3, end, across, up), {.count = count});
    ASSERT_TRUE(coarse.isComplete);
    for (const auto& [elements, order] : {std::pair(60, 2), {100, 2}, {150, 1}, {400, 1}}) {
      const ModeResult fine =
          modesOf(makeCantilever(elements, order, end, across, up), {.count = count});
      ASSERT_TRUE(fine.ok()) << messageOf(fine.failure);
      EXPECT_EQ(fine.modes.size(), coarse.modes.size()) << elements;
      for (const Mode& mode : coarse.modes) {
        EXPECT_LE(distanceTo(fine, mode.eigenvalue), 1e-3 * std::abs(mode.eigenvalue))
            << mode.eigenvalue << ", " << elements;
      }
    }
  }
}

// With β = 0.02 every vibration above 2/β decays without oscillation, at −1/β the closer the faster it is: the ten nearest roots of a
// mesh have few others among them, and that is said. With β = 1e-5 nothing is.
TEST(FineMeshModes, SayThatOverdampedOnesTakeThePlacesOfVibrations) {
  for (const double beta : {0.02, 1e-5}) {
    const analysis::ModeResult result = modesOf(
        "materials: {st: {E: 210e9, nu: 0.3, rho: 7850}}\n"
        "sections: {r: {type: rectangle, width: 20 mm, height: 5 mm}}\n"
        "nodes: {A: {position: [0, 0, 0], free: []}, B: [1, 0, 0]}\n"
        "beams: {b: {from: A, to: B, elements: 12, section: r, material: st, y_axis: [0, 1, 0], "
        "damping: " +
            std::to_string(beta) + "}}\n",
        {.count = 10});
    ASSERT_TRUE(result.ok()) << messageOf(result.failure);
    ASSERT_EQ(result.notes.size(), beta > 1e-3 ? 1u : 0u);
    EXPECT_TRUE(beta < 1e-3 || says(result.notes[0], "decay without oscillation"));
  }
}

}  // namespace
}  // namespace flexloop::test
