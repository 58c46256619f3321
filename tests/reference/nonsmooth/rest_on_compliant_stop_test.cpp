// Equilibria of machines that only compliant stops hold: k dⁿ is the force that presses on them (docs/theory/33_impacts.md, (33.2)).
// All nodes are drawn at the origin, so that nothing but the stops has a length.
#include <cmath>
#include <iomanip>
#include <sstream>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using analysis::EquilibriumResult;
using analysis::findEquilibrium;

struct Units {
  double length, mass, time;
};

struct Stop {
  double lower, upper, stiffness, exponent;
};

// Where a force leads that is positive towards the upper end.
double findRest(const Stop& stop, double force) {
  const double depth = std::pow(std::abs(force) / stop.stiffness, 1.0 / stop.exponent);
  return force > 0.0 ? stop.upper + depth : stop.lower - depth;
}

std::string describe(const Stop& stop, const std::string& joint, const Units& units) {
  std::ostringstream text;
  text << std::setprecision(17) << "{type: limit, joint: " << joint
       << ", lower: " << stop.lower * units.length << ", upper: " << stop.upper * units.length
       << ", exponent: " << stop.exponent << ", stiffness: "
       << stop.stiffness * units.mass / (units.time * units.time) *
              std::pow(units.length, 1.0 - stop.exponent)
       << "}";
  return text.str();
}

const Units kUnits[] = {{1.0, 1.0, 1.0}, {1e-6, 1e-6, 1e-3}, {1e4, 1e-5, 1e-3}, {1e5, 1e6, 1e2}};

TEST(RestOnCompliantStop, OfASlider) {
  for (const Units& units : kUnits) {
    for (const Stop& stop : {Stop{-0.1, 3.0, 3e4, 1.0}, Stop{-0.1, 3.0, 3e4, 1.5},
                             Stop{-0.37, 0.48, 22.0, 3.0}, Stop{-1e-3, 1.0, 5e3, 2.2}}) {
      for (const double gravity : {-9.81, 9.81}) {
        std::ostringstream text;
        text << std::setprecision(17) << "gravity: [0, 0, "
             << gravity * units.length / (units.time * units.time)
             << "]\nnodes: {a: [0, 0, 0]}\nbodies: {a: {node: a, mass: " << 1.3 * units.mass
             << ", inertia: [1, 1, 1]}}\n"
                "joints: {j: {type: slider, between: [ground, a], axis: [0, 0, 1]}}\n"
             << "contacts: {s: " << describe(stop, "j", units) << "}\n"
             << "sensors: {q: {measure: displacement, joint: j}}\noutputs: [q]\n";
        const EquilibriumResult rest = findEquilibrium(buildModel(text.str()));
        ASSERT_TRUE(rest.report.ok()) << messageOf(rest.report.failure) << text.str();
        const double expected = findRest(stop, 1.3 * gravity);
        EXPECT_NEAR(rest.outputs[0] / units.length, expected, 1e-9 * std::abs(expected))
            << text.str();
      }
    }
  }
}

// One slider on another: both carry the second mass, along their own axes.
TEST(RestOnCompliantStop, OfASliderOnASlider) {
  const Stop first{-0.32, 0.16, 30.0, 2.5}, second{-0.34, 0.41, 270.0, 1.5};
  for (const Units& units : kUnits) {
    const double g = units.length / (units.time * units.time);
    std::ostringstream text;
    text << std::setprecision(17) << "gravity: [" << -2.0 * g << ", " << 0.2 * g << ", " << 15.0 * g
         << "]\nnodes: {a: [0, 0, 0], b: [0, 0, 0]}\nbodies:\n  a: {node: a, mass: "
         << 0.5 * units.mass << ", inertia: [1, 1, 1]}\n  b: {node: b, mass: " << 1.5 * units.mass
         << ", inertia: [1, 1, 1]}\njoints:\n"
            "  j: {type: slider, between: [ground, a], axis: [0.6, -0.8, 0]}\n"
            "  k: {type: slider, between: [a, b], axis: [0, 0.6, -0.8]}\n"
         << "contacts:\n  s: " << describe(first, "j", units)
         << "\n  t: " << describe(second, "k", units)
         << "\nsensors: {q: {measure: displacement, joint: j}, r: {measure: displacement, joint: "
            "k}}\noutputs: [q, r]\n";
    const EquilibriumResult rest = findEquilibrium(buildModel(text.str()));
    ASSERT_TRUE(rest.report.ok()) << messageOf(rest.report.failure) << text.str();
    const double q = findRest(first, 2.0 * (-2.0 * 0.6 - 0.2 * 0.8)),
                 r = findRest(second, 1.5 * (0.2 * 0.6 - 15.0 * 0.8));
    EXPECT_NEAR(rest.outputs[0] / units.length, q, 1e-9 * std::abs(q)) << text.str();
    EXPECT_NEAR(rest.outputs[1] / units.length, r, 1e-9 * std::abs(r)) << text.str();
  }
}

}  // namespace
}  // namespace flexloop::test
