// Modes of a car that rolls, against the linear single-track model: its wheels turn fast, its equations are constant in the axes of the ground.
#include <complex>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "support/machine_modes.hpp"

namespace flexloop::test {
namespace {

using Complex = std::complex<double>;

// A chassis that moves on the plane only, and four wheels with soft tyres along the road, which add nothing across it.
std::string carAt(double speed) {
  std::ostringstream text;
  text << "parameters: {v: " << speed << ", r: 0.3}\n"
       << "nodes:\n"
          "  chassis: {position: [0, 0, 0.29], velocity: [= v, 0, 0], free: [x, y, rz]}\n";
  const char* const places[] = {"1.2, 0.8", "1.2, -0.8", "-1.5, 0.8", "-1.5, -0.8"};
  for (int k = 0; k < 4; ++k) {
    text << "  w" << k << ": {position: [" << places[k]
         << ", 0.29], velocity: [= v, 0, 0], angular_velocity: [0, = v/r, 0]}\n";
  }
  text << "bodies:\n  chassis: {node: chassis, mass: 1500, inertia: [500, 2000, 2500]}\n";
  for (int k = 0; k < 4; ++k) {
    text << "  w" << k << ": {node: w" << k << ", mass: 20, inertia: [0.6, 1, 0.6]}\n";
  }
  text << "joints:\n";
  for (int k = 0; k < 4; ++k) {
    text << "  h" << k << ": {type: hinge, between: [chassis, w" << k << "], axis: [0, 1, 0]}\n";
  }
  text << "contacts:\n";
  for (int k = 0; k < 4; ++k) {
    text << "  t" << k << ": {type: tyre, node: w" << k
         << ", axis: [0, 1, 0], road: {normal: [0, 0, 1]}, model: tanh, radius: = r, stiffness: "
            "4e5, friction: 1, slip_stiffness: 1e-3, cornering_stiffness: 8e4, "
            "relaxation_length: 0.4}\n";
  }
  return text.str();
}

// With m = 1580, the centre of mass at −12/1580, J about it, C = 2·8e4 of each axle and forces that lag by σ/v:
//     m (y'' + v ψ') = F1 + F2,   J ψ'' = a F1 − b F2,   (σ/v) F' + F = −C α.
// python3: import numpy as np; C=1.6e5; m=1580; x=-12/m; J=2500+1500*x*x+40*((1.2-x)**2+.64+(1.5+x)**2+.64)+2.4; a=1.2-x; b=1.5+x; s=.4
//     np.linalg.eigvals([[0,-v,1/m,1/m],[0,0,a/J,-b/J],[-C/s,-C*a/s,-v/s,0],[-C/s,C*b/s,0,-v/s]])
TEST(RollingModes, OfACarAreThoseOfTheSingleTrackModel) {
  struct Case {
    double speed;
    Complex fast, slow;
  };
  for (const Case& c : {Case{20.0, {-36.52442243, 3.94591638}, {-13.47557757, 7.22274097}},
                        Case{60.0, {-146.47075027, 0.52255015}, {-3.52924973, 4.23991137}}}) {
    const auto result = modesOf(carAt(c.speed), {.count = 30});
    ASSERT_TRUE(result.ok()) << messageOf(result.failure);
    EXPECT_NEAR(distanceTo(result, c.slow), 0.0, 1e-6 * std::abs(c.slow)) << c.speed;
    EXPECT_NEAR(distanceTo(result, c.fast), 0.0, 1e-6 * std::abs(c.fast)) << c.speed;
    for (const auto& mode : result.modes) EXPECT_LT(mode.eigenvalue.real(), 1e-6) << c.speed;
  }
}

// A braked or pushed car: its speed changes with a = F/m, and the path that it is on straightens or bends with a/v. The frozen
// equations have a root of that size, which says nothing of the car: it is no growth.
TEST(RollingModes, OfACarThatSlowsDownAreNotUnstable) {
  for (const double force : {-3000.0, -3.0}) {
    std::ostringstream load;
    load << "loads: {brake: {node: chassis, force: [" << force << ", 0, 0]}}\n";
    const auto result = modesOf(carAt(20.0) + load.str(), {.count = 30});
    ASSERT_TRUE(result.ok()) << messageOf(result.failure);
    EXPECT_EQ(result.verdict.growing, 0) << force;
    for (const auto& mode : result.modes) EXPECT_TRUE(mode.isStable()) << mode.eigenvalue;
  }
}

}  // namespace
}  // namespace flexloop::test
