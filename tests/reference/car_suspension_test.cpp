// The double wishbone of models/car on its own, against the exact geometry of its hardpoints, which was solved elsewhere.
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// A table carries the centre of the wheel up and down by 80 mm; the rack moves by 20 mm.
constexpr const char* kCorner = R"(
nodes:
  upper:   [-0.1083, 0.5972, 0.1063]
  lower:   [0, 0.7, -0.29]
  upright: [0, 0.7979, -0.1199]
  table:   {position: [0, 0.7979, -0.1199], free: [z]}
  rack:    {position: [-0.2, 0.492, -0.096], free: [y]}
bodies:
  upper:   {node: upper, mass: 1, inertia: [0.01, 0.01, 0.01]}
  lower:   {node: lower, mass: 1, inertia: [0.01, 0.01, 0.01]}
  upright: {node: upright, mass: 10, inertia: [0.2, 0.2, 0.2]}
  table:   {node: table, mass: 1}
  rack:    {node: rack, mass: 1}
joints:
  upper:      {type: hinge, between: [ground, upper], at: [-0.1, 0.47, 0.105], axis: [-0.15, 0.04, 0.005]}
  lower:      {type: hinge, between: [ground, lower], at: [0.2, 0.42, -0.27], axis: [-0.4, 0.05, 0.005]}
  upper_ball: {type: spherical, between: [upper, upright], at: [-0.04, 0.695, 0.105]}
  lower_ball: {type: spherical, between: [lower, upright], at: [0, 0.77, -0.32]}
  tie:        {type: distance, between: [rack, upright], to: [-0.15, 0.77, -0.12]}
  lift:       {type: slider, between: [ground, table], axis: [0, 0, 1], drive: lift}
  steer:      {type: slider, between: [ground, rack], axis: [0, 1, 0], drive: steer}
  carry:      {type: point_on_plane, between: [table, upright], axis: [0, 0, 1]}
springs:
  coil: {type: distance, between: [ground, lower], at: [-0.03, 0.58, 0.31], to: [0, 0.7, -0.29], stiffness: 1, length: 0}
sensors:
  length: {measure: tension, spring: coil}
  centre: {measure: position, node: upright}
  axle:   {measure: position, node: upright, offset: [0, 1, 0]}
)";

struct Wheel {
  double length, camber, toe, side;  // m, degrees, mm
};

Wheel wheelAt(double lift, double rack) {
  const auto drive = [](const char* name, double end) {
    return std::string("  ") + name + ": {type: expression, value: \"= " + std::to_string(end) +
           "*min(1, t)^2*(3 - 2*min(1, t))\"}\n";
  };
  const auto run = runModel(kCorner + ("blocks:\n" + drive("lift", lift) + drive("steer", rack)),
                            "length, centre.x, centre.y, axle.x, axle.y, axle.z, centre.z",
                            "end: 1, step: 5 ms");
  const double x = run.last("axle.x") - run.last("centre.x");
  const double y = run.last("axle.y") - run.last("centre.y");
  const double z = run.last("axle.z") - run.last("centre.z");
  EXPECT_NEAR(run.last("centre.z"), -0.1199 + lift, 1e-9);
  constexpr double kDegree = std::numbers::pi / 180.0;
  return {run.last("length"), -std::asin(z) / kDegree, std::atan2(-x, y) / kDegree,
          1e3 * (run.last("centre.y") - 0.7979)};
}

TEST(CarSuspension, MovesAsItsHardpointsSay) {
  struct Row {
    double lift, length, camber, toe, side;
  };
  const std::vector<Row> expected{
      {-0.08, 0.67179, 1.493, 0.024, -18.10}, {-0.06, 0.65705, 1.180, -0.004, -11.28},
      {-0.04, 0.64230, 0.825, -0.012, -6.05}, {-0.02, 0.62749, 0.432, -0.009, -2.31},
      {0.02, 0.59766, -0.472, 0.008, 0.93},   {0.04, 0.58260, -0.987, 0.010, 0.51},
      {0.06, 0.56742, -1.550, 0.000, -1.28},  {0.08, 0.55211, -2.170, -0.029, -4.46}};
  // The last digits of the table.
  for (const Row& row : expected) {
    const Wheel wheel = wheelAt(row.lift, 0.0);
    EXPECT_NEAR(wheel.length, row.length, 1e-5) << row.lift;
    EXPECT_NEAR(wheel.camber, row.camber, 1e-3) << row.lift;
    EXPECT_NEAR(wheel.toe, row.toe, 1e-3) << row.lift;
    EXPECT_NEAR(wheel.side, row.side, 1e-2) << row.lift;
  }
}

TEST(CarSuspension, SteersAsItsHardpointsSay) {
  EXPECT_NEAR(wheelAt(0.0, -0.01).toe, 4.228, 1e-3);
  EXPECT_NEAR(wheelAt(0.0, 0.01).toe, -4.250, 1e-3);
  EXPECT_NEAR(wheelAt(0.0, -0.02).toe, 8.450, 1e-3);
  EXPECT_NEAR(wheelAt(0.0, 0.02).toe, -8.535, 1e-3);
}

}  // namespace
}  // namespace flexloop::test
