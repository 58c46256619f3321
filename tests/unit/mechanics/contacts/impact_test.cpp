// Impacts of compliant contacts against closed forms: J2.2, J2.3 and J2.6 of the reference tables.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

double maximumOf(const ModelRun& run, const std::string& output) {
  const auto& values = run.column(output);
  return *std::max_element(values.begin(), values.end());
}

const std::string kBall = R"(
gravity: [0, 0, -9.81]
nodes: {ball: {position: [0, 0, 1.05]}}
bodies: {ball: {node: ball, mass: 0.5, inertia: [5e-4, 5e-4, 5e-4]}}
contacts:
  floor: {type: sphere_plane, node: ball, radius: 50 mm, plane: {node: ground, at: [0, 0, 0], normal: [0, 0, 1]},
          stiffness: 1e6, exponent: 1.5, damping: 0.3, friction: 0.3}
sensors:
  v: {measure: velocity, node: ball, direction: [0, 0, 1]}
  N: {measure: normal_force, contact: floor}
  F: {measure: force, contact: floor, direction: [0, 0, 1]}
  d: {measure: penetration, contact: floor}
)";

// 200 steps per contact; after it the ball flies up with 2.27927327278 m/s.
TEST(ContactImpact, BouncesByHuntAndCrossley) {
  const ModelRun run = runModel(kBall, "v, N, F, d", "end: 0.5, step: 0.04 ms");
  constexpr double kDeepest = 0.00855404119224;
  EXPECT_NEAR(maximumOf(run, "d"), kDeepest, 1e-4 * kDeepest);
  EXPECT_NEAR(maximumOf(run, "N"), 1049.67196673, 1e-4 * 1049.67196673);
  EXPECT_EQ(maximumOf(run, "N"), maximumOf(run, "F"));
  const double flight = 0.5 - 0.45152364099 - 0.0080415774609;
  EXPECT_NEAR(run.last("v"), 2.27927327278 - 9.81 * flight, 1e-4 * 2.27927327278);
  for (const double force : run.column("N")) EXPECT_GE(force, 0.0);
  EXPECT_TRUE(run.report.notes.empty()) << run.report.notes.front();
}

// An impact that takes fewer steps than it needs is not passed over in silence.
TEST(ContactImpact, SaysWhereStepsAreTooLong) {
  const ModelRun run = runModel(kBall, "v", "end: 0.5, step: 2 ms");
  ASSERT_EQ(run.report.notes.size(), 1u);
  EXPECT_NE(run.report.notes[0].find("contact 'floor' lasted"), std::string::npos);
  const ModelRun through = runModel(R"(
nodes: {a: {position: [-5.1, 0, 0], free: [x], velocity: [10, 0, 0]}, b: [0, 0, 0]}
bodies: {a: {node: a, mass: 1}, b: {node: b, mass: 1, inertia: [1, 1, 1]}}
contacts: {c: {type: sphere_sphere, first: {node: a, radius: 1 mm}, second: {node: b, radius: 1 mm}, stiffness: 1e6}}
sensors: {v: {measure: velocity, node: a, direction: [1, 0, 0]}}
)",
                                    "v", "end: 1, step: 20 ms");
  ASSERT_EQ(through.report.notes.size(), 1u);
  EXPECT_NE(through.report.notes[0].find("passed through each other"), std::string::npos);
}

// Steel balls of 10 mm at 1 m/s: depth, force and duration by Hertz.
TEST(ContactImpact, OfSteelBallsIsThatOfHertz) {
  const std::string ball = "mass: 0.0328820031076, inertia: [1e-6, 1e-6, 1e-6]}";
  const ModelRun pair = runModel(
      "nodes: {a: {position: [0, 0, 0], velocity: [1, 0, 0]}, "
      "b: [0.02, 0, 0]}\nbodies: {a: {node: a, " +
          ball + ", b: {node: b, " + ball +
          R"(}
contacts: {c: {type: sphere_sphere, first: {node: a, radius: 10 mm}, second: {node: b, radius: 10 mm},
               hertz: {E: 210 GPa, nu: 0.3}}}
sensors: {d: {measure: penetration, contact: c}, N: {measure: normal_force, contact: c}}
)",
      "d, N", "end: 60.16411e-6, step: 0.3 us, rho: 1");
  EXPECT_NEAR(maximumOf(pair, "d"), 2.04412125996e-05, 1e-4 * 2.04e-05);
  EXPECT_NEAR(maximumOf(pair, "N"), 1005.38321012, 1e-4 * 1005.0);
  EXPECT_NEAR(pair.last("d"), 0.0, 1e-4 * 2.04e-05);
  const ModelRun plane = runModel(
      "nodes: {a: {position: [0, 0, 0.01], velocity: [0, 0, -1]}}\n"
      "bodies: {a: {node: a, " +
          ball +
          R"(}
contacts: {c: {type: sphere_plane, node: a, radius: 10 mm, plane: {normal: [0, 0, 2]}, hertz: {E: 210 GPa, nu: 0.3}}}
sensors: {d: {measure: penetration, contact: c}, N: {measure: normal_force, contact: c}}
)",
      "d, N", "end: 69.11042e-6, step: 0.35 us, rho: 1");
  EXPECT_NEAR(maximumOf(plane, "d"), 2.34807872873e-05, 1e-4 * 2.35e-05);
  EXPECT_NEAR(maximumOf(plane, "N"), 1750.4738398, 1e-4 * 1750.0);
  EXPECT_NEAR(plane.last("d"), 0.0, 1e-4 * 2.35e-05);
}

// Three balls that touch, the first at 1 m/s: velocities afterwards, to O(h²).
double cradleError(const std::string& exponent, const std::string& step,
                   const std::array<double, 3>& expected) {
  const std::string ball = "radius: 10 mm}, ",
                    law = "stiffness: 1e8, exponent: " + exponent + "}\n";
  const ModelRun run = runModel(R"(
nodes:
  a: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}
  b: {position: [0.02, 0, 0], free: [x]}
  c: {position: [0.04, 0, 0], free: [x]}
bodies: {a: {node: a, mass: 1}, b: {node: b, mass: 1}, c: {node: c, mass: 1}}
contacts:
  ab: {type: sphere_sphere, first: {node: a, )" +
                                    ball + "second: {node: b, " + ball + law +
                                    "  bc: {type: sphere_sphere, first: {node: b, " + ball +
                                    "second: {node: c, " + ball + law + R"(
sensors:
  va: {measure: velocity, node: a, direction: [1, 0, 0]}
  vb: {measure: velocity, node: b, direction: [1, 0, 0]}
  vc: {measure: velocity, node: c, direction: [1, 0, 0]}
)",
                                "va, vb, vc", "end: 10 ms, rho: 1, step: " + step);
  return std::max({std::abs(run.last("va") - expected[0]), std::abs(run.last("vb") - expected[1]),
                   std::abs(run.last("vc") - expected[2])});
}

TEST(ContactImpact, OfACradleConvergesToThatOfTheSpringsBetweenItsBalls) {
  const std::array<double, 3> hertz{-0.0709523536, 0.0764030391, 0.994549315};
  const double coarse = cradleError("1.5", "10 us", hertz),
               fine = cradleError("1.5", "5 us", hertz);
  EXPECT_LT(fine, 1e-5);
  EXPECT_GT(coarse / fine, 3.5);
  const std::array<double, 3> linear{-0.130261695, 0.150229569, 0.980032126};
  const double rough = cradleError("1", "5 us", linear),
               smooth = cradleError("1", "2.5 us", linear);
  EXPECT_LT(smooth, 1.5e-4);
  EXPECT_GT(rough / smooth, 3.0);
}

}  // namespace
}  // namespace flexloop::test
