// Friction of rigid contacts against closed forms and J1.2, J2.4, J3.1 and J3.3 of the reference tables.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "base/text_format.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using base::formatText;

// A block without rotations on a slope of 30 degrees that falls along y, thrown across it.
std::string makeBlock(double friction, double mass, double length, double time) {
  const double g = 9.81 * length / time / time;
  return formatText(R"(
gravity: [0, %.17g, %.17g]
nodes: {b: {position: [0, 0, %.17g], velocity: [%.17g, 0, 0], free: [x, y, z]}}
bodies: {b: {node: b, mass: %.17g}}
contacts: {floor: {type: sphere_plane, node: b, radius: %.17g, plane: {normal: [0, 0, 1]}, restitution: 0, friction: %.17g}}
sensors:
  x: {measure: position, node: b}
  v: {measure: velocity, node: b}
  T: {measure: friction_force, contact: floor}
  s: {measure: sticking, contact: floor}
)",
                    -0.5 * g, -g * std::sqrt(0.75), 0.1 * length, 2.0 * length / time, mass,
                    0.1 * length, friction);
}

struct Place {
  double time, x, y, vx, vy;
};

// J1.2: the cone is round, so the path depends on no axes.
TEST(RigidFriction, SlidesAcrossASlope) {
  const std::vector<Place> slow{
      {0.2, 0.350134197403, 0.0895371987147, 1.51244224099, 0.853079460419},
      {0.5, 0.719101938688, 0.490560180092, 0.997006301599, 1.7727299791},
      {1.0, 1.10275829726, 1.69404961869, 0.598775023359, 3.02006335807},
      {2.0, 1.53672950324, 5.90379000917, 0.322850489621, 5.39315051102}};
  for (const auto& [mass, length, time] :
       {std::array{1.0, 1.0, 1.0}, {1e-9, 1e6, 1e3}, {1e9, 1e-6, 1e-3}}) {
    const ModelRun run = runModel(makeBlock(0.3, mass, length, time), "x, v",
                                  formatText("end: %.17g, step: %.17g", 2.0 * time, 5e-3 * time));
    for (const Place& p : slow) {
      const double t = p.time * time, v = length / time;
      EXPECT_NEAR(run.at(t, "x.x"), p.x * length, 2e-5 * length) << p.time;
      EXPECT_NEAR(run.at(t, "x.y"), -p.y * length, 2e-5 * length) << p.time;
      EXPECT_NEAR(run.at(t, "v.x"), p.vx * v, 2e-5 * v) << p.time;
      EXPECT_NEAR(run.at(t, "v.y"), -p.vy * v, 2e-5 * v) << p.time;
    }
  }
}

// J1.2: it stops where it should, though the slip turns until the end, and stays there for an hour.
TEST(RigidFriction, StopsOnASlopeAndStays) {
  const ModelRun run = runModel(makeBlock(0.8, 2.0, 1.0, 1.0), "x, v, T, s", "end: 1, step: 2 ms");
  EXPECT_NEAR(run.last("x.x"), 0.338318017434, 2e-5);
  EXPECT_NEAR(run.last("x.y"), -0.221601737358, 2e-5);
  EXPECT_NEAR(run.interruptions().back(), 0.614120729219, 1e-4);
  EXPECT_EQ(run.last("s"), 1.0);
  EXPECT_NEAR(run.last("T"), 2.0 * 4.905, 1e-9);
  const ModelRun hour = runModel(makeBlock(0.8, 2.0, 1.0, 1.0), "x, v", "end: 3600, step: 1 s");
  const double stop = hour.at(1.0, "x.y");
  EXPECT_NEAR(hour.last("x.y"), stop, 1e-12);
  EXPECT_NEAR(hour.last("v.y"), 0.0, 1e-15);
}

std::string makeBall(double friction, double restitution, double height, const char* motion) {
  return formatText(R"(
parameters: {R: 0.028575, m: 0.2, I: = 0.4*m*R^2}
nodes: {b: {position: [0, 0, %.17g], %s}}
bodies: {b: {node: b, mass: = m, inertia: [= I, = I, = I]}}
contacts: {floor: {type: sphere_plane, node: b, radius: = R, plane: {normal: [0, 0, 1]}, restitution: %.17g, friction: %.17g}}
sensors:
  x: {measure: position, node: b}
  v: {measure: velocity, node: b}
  w: {measure: angular_velocity, node: b}
)",
                    height, motion, restitution, friction);
}

// J3.1: the velocity of the contact keeps its direction until the ball rolls, and then it rolls for ever.
TEST(RigidFriction, LetsABilliardBallSlideAndRoll) {
  const ModelRun run = runModel(
      "gravity: [0, 0, -9.81]\n" +
          makeBall(0.2, 0.0, 0.028575, "velocity: [2, 0, 0], angular_velocity: [-30, -40, 0]"),
      "x, v, w", "end: 1, step: 0.5 ms");
  constexpr double kRolls = 0.474415332304;
  ASSERT_FALSE(run.interruptions().empty());
  // It turns by 25 mrad in a step.
  EXPECT_NEAR(run.interruptions().back(), kRolls, 1e-4);
  EXPECT_NEAR(run.last("v.x"), 1.102, 5e-5);
  EXPECT_NEAR(run.last("v.y"), 0.2449285714, 5e-5);
  EXPECT_NEAR(run.last("w.x"), -8.571428571, 2e-3);
  EXPECT_NEAR(run.last("w.y"), 38.56517935, 2e-3);
  EXPECT_NEAR(run.last("x.x"), 0.7358181804 + 1.102 * (1.0 - kRolls), 5e-5);
  EXPECT_NEAR(run.last("x.y"), 0.0580989348 + 0.2449285714 * (1.0 - kRolls), 5e-5);
}

// J3.1: an impact with friction that slips through, and one that sticks.
TEST(RigidFriction, ActsInImpacts) {
  for (const auto& [friction, vx, spin] :
       {std::array{0.05, 1.73, 0.675}, {0.3, 10.0 / 7, 10.0 / 7}}) {
    const ModelRun run = runModel(makeBall(friction, 0.8, 0.5, "velocity: [2, 0, -3]"), "v, w",
                                  "end: 0.4, step: 10 ms");
    EXPECT_NEAR(run.last("v.x"), vx, 1e-9);
    EXPECT_NEAR(run.last("v.z"), 2.4, 1e-9);
    EXPECT_NEAR(run.last("w.y") * 0.028575, spin, 1e-9);
  }
}

// J3.1: two equal balls, oblique; the line of centres is n = (1, 1, 0)/√2 after 10 ms, so that nothing is along an axis.
TEST(RigidFriction, ThrowsABilliardBall) {
  const ModelRun run = runModel(R"(
parameters: {R: 0.05, m: 0.2, I: = 0.4*m*R^2, s: = 1/sqrt(2)}
nodes:
  cue: {position: [= -(2*R + 0.01)*s, = -(2*R + 0.03)*s, 0], velocity: [= (2 - 1)*s, = (2 + 1)*s, 0]}
  target: [0, 0, 0]
bodies: {cue: {node: cue, mass: = m, inertia: [= I, = I, = I]}, target: {node: target, mass: = m, inertia: [= I, = I, = I]}}
contacts: {c: {type: sphere_sphere, first: {node: cue, radius: = R}, second: {node: target, radius: = R}, restitution: 0.95, friction: 0.05}}
sensors:
  v: {measure: velocity, node: target}
  u: {measure: velocity, node: cue}
  w: {measure: angular_velocity, node: target}
)",
                                "v, u, w", "end: 0.03, step: 1 ms");
  const double s = std::sqrt(0.5);
  EXPECT_NEAR(run.last("v.x"), (1.95 - 0.0975) * s, 1e-8);
  EXPECT_NEAR(run.last("v.y"), (1.95 + 0.0975) * s, 1e-8);
  EXPECT_NEAR(run.last("u.x"), (0.05 - 0.9025) * s, 1e-8);
  EXPECT_NEAR(run.last("u.y"), (0.05 + 0.9025) * s, 1e-8);
  EXPECT_NEAR(std::abs(run.last("w.z")) * 0.05, 0.24375, 1e-8);
}

// J2.4: Housner's block, with its corners and those behind them; from one impact to the next. That it comes to rest is shown by models/rocking_block.
TEST(RigidFriction, RocksABlock) {
  const ModelRun run = runModel(R"(
gravity: [0, 0, -9.81]
parameters: {b: 0.15, h: 0.6, tilt: = 0.5*atan(0.25)}
nodes:
  block: {position: [= h*sin(tilt) - b*cos(tilt), 0, = b*sin(tilt) + h*cos(tilt)], rotation: {axis: [0, 1, 0], angle: = tilt}, free: [x, z, ry]}
bodies: {block: {node: block, mass: 100 kg, inertia: [12, = 100/3*(b^2 + h^2), 12]}}
contacts: {floor: {type: box_plane, node: block, size: [= 2*b, 0.4, = 2*h], plane: {normal: [0, 0, 1]}, restitution: 0, friction: 1}}
sensors:
  angle: {measure: rotation, node: block, direction: [0, 1, 0]}
  rate: {measure: angular_velocity, node: block, direction: [0, 1, 0]}
  N: {measure: force, contact: floor}
)",
                                "angle, rate, N", "end: 3.4, step: 2 ms");
  const std::vector<std::array<double, 2>> impacts{
      {0.38249832566, 0.66510475133}, {1.0050161241, 0.60641903798}, {1.5332296224, 0.5529114758},
      {1.9912717962, 0.50412516911},  {2.3937740611, 0.45964353655}, {2.7506229785, 0.41908675391},
      {3.0689871173, 0.38210851092},  {3.3543282418, 0.34839305407}};
  const std::vector<double> events = run.interruptions();
  ASSERT_GE(events.size(), impacts.size());
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    EXPECT_NEAR(events[i], impacts[i][0], 2e-5) << i;
  }
}

// J3.3: a thin disc, inclined, that rolls without slip.
TEST(RigidFriction, RollsADisc) {
  const ModelRun run = runModel(R"(
gravity: [0, 0, -9.81]
parameters: {R: 0.0375, m: 0.4387, a: = pi/3}
nodes: {d: {position: [0, 0, = R*sin(a)], rotation: {axis: [1, 0, 0], angle: = a}, velocity: [= -40*R, 0, 0], angular_velocity: [0, = 5*cos(a) - 40*sin(a), = 5*sin(a) + 40*cos(a)]}}
bodies: {d: {node: d, mass: = m, inertia: [= m*R^2/4, = m*R^2/4, = m*R^2/2]}}
contacts: {floor: {type: disc_plane, node: d, radius: = R, axis: [0, = -sin(a), = cos(a)], plane: {normal: [0, 0, 1]}, restitution: 0, friction: 10}}
sensors: {w: {measure: angular_velocity, node: d, frame: body}, x: {measure: position, node: d}, E: {measure: energy, component: total}}
)",
                                "w, x, E", "end: 1, step: 0.25 ms");
  const auto expectAt = [&](double t, std::array<double, 3> w, std::array<double, 2> x) {
    EXPECT_NEAR(run.at(t, "w.x"), w[0], 0.02) << t;
    EXPECT_NEAR(run.at(t, "w.y"), w[1], 0.02) << t;
    EXPECT_NEAR(run.at(t, "w.z"), w[2], 0.002) << t;
    EXPECT_NEAR(run.at(t, "x.x"), x[0], 5e-4) << t;
    EXPECT_NEAR(run.at(t, "x.y"), x[1], 5e-4) << t;
  };
  expectAt(0.1, {-4.620702093, -1.903635827, 39.9990329}, {-0.1476998912, 0.02411511839});
  expectAt(0.2, {3.51354649, -3.543496772, 39.99616329}, {-0.2800606316, 0.09395642898});
  expectAt(0.5, {1.812156645, -4.605156489, 39.97738037}, {-0.4638547144, 0.4865067251});
  expectAt(1.0, {-3.212410888, 3.751519068, 39.92748949}, {0.04430518784, 0.9267544});
}

// A box of 0.4 by 0.3 by 0.2 m on a slope of 30 degrees that falls along x, turned by 20 degrees about its normal.
std::string makeBox(double friction, double mass, double length, double time,
                    const std::string& speed = "0, 0, 0") {
  const double g = 9.81 * length / time / time, J = mass * length * length;
  return formatText(R"(
gravity: [%.17g, 0, %.17g]
nodes: {b: {position: [0, 0, %.17g], rotation: {axis: [0, 0, 1], angle: 20 deg}, velocity: [%s]}}
bodies: {b: {node: b, mass: %.17g, inertia: [%.17g, %.17g, %.17g]}}
contacts: {floor: {type: box_plane, node: b, size: [%.17g, %.17g, %.17g], plane: {normal: [0, 0, 1]}, restitution: 0, friction: %.17g}}
sensors:
  x: {measure: position, node: b}
  v: {measure: velocity, node: b}
  T: {measure: friction_force, contact: floor}
  s: {measure: sticking, contact: floor}
)",
                    0.5 * g, -g * std::sqrt(0.75), 0.1 * length, speed.c_str(), 2.0 * mass,
                    0.02 * J, 0.03 * J, 0.04 * J, 0.4 * length, 0.3 * length, 0.2 * length,
                    friction);
}

constexpr double kSlope = 0.57735026918962576;  // tan 30 degrees

// The upper corners are pressed less than the lower ones and cannot hold a quarter of the weight each, but all together hold it.
TEST(RigidFriction, HoldsABoxAsLongAsItsCornersCan) {
  for (const auto& [mass, length, time] :
       {std::array{1.0, 1.0, 1.0}, {1e-9, 1e6, 1e3}, {1e9, 1e-6, 1e-3}}) {
    for (const double more : {1e-4, 2e-3, 0.05, 0.1, 0.2, 0.5}) {
      for (const double step : {1e-3, 2e-2}) {
        const ModelRun run =
            runModel(makeBox(kSlope * (1.0 + more), mass, length, time), "x, v, T, s",
                     formatText("end: %.17g, step: %.17g", 0.2 * time, step * time));
        EXPECT_LT(std::hypot(run.last("x.x"), run.last("x.y")), 1e-12 * length) << more;
        EXPECT_LT(std::hypot(run.last("v.x"), run.last("v.y")), 1e-12 * length / time) << more;
        EXPECT_EQ(run.last("s"), 1.0) << more;
        EXPECT_TRUE(run.interruptions().empty()) << more;
      }
    }
  }
  const ModelRun hour =
      runModel(makeBox(kSlope * 1.0002, 1.0, 1.0, 1.0), "x, T", "end: 3600, step: 1 s");
  EXPECT_LT(std::hypot(hour.last("x.x"), hour.last("x.y")), 1e-12);
  EXPECT_NEAR(hour.last("T"), 2.0 * 4.905, 1e-3);  // all along the slope
}

// Where the friction is too small by 0.1 % it slides, with the acceleration of what is missing, and without turning.
TEST(RigidFriction, LetsABoxSlideThatItsCornersCannotHold) {
  for (const double less : {1e-3, 0.1}) {
    const ModelRun run =
        runModel(makeBox(kSlope * (1.0 - less), 1.0, 1.0, 1.0), "x, v, s", "end: 1, step: 5 ms");
    EXPECT_NEAR(run.last("v.x"), 4.905 * less, 1e-6 * 4.905 + 1e-9);
    EXPECT_NEAR(run.last("x.x"), 0.5 * 4.905 * less, 1e-5 * 4.905);
    EXPECT_NEAR(run.last("x.y"), 0.0, 1e-9);
    EXPECT_EQ(run.last("s"), 0.0);
  }
}

// Thrown down the slope it stops where it should, on all corners at once, and stays.
TEST(RigidFriction, StopsABoxOnItsCorners) {
  const double friction = 0.7, deceleration = 9.81 * (friction * std::sqrt(0.75) - 0.5);
  const double speed = 0.3, stop = speed / deceleration;
  const ModelRun run =
      runModel(makeBox(friction, 1.0, 1.0, 1.0, "0.3, 0, 0"), "x, v, s", "end: 2, step: 5 ms");
  ASSERT_LT(stop, 1.9);
  EXPECT_NEAR(run.last("x.x"), 0.5 * speed * stop, 1e-6);
  EXPECT_NEAR(run.last("x.y"), 0.0, 1e-6);
  EXPECT_LT(std::hypot(run.last("v.x"), run.last("v.y")), 1e-12);
  EXPECT_EQ(run.last("s"), 1.0);
}

// A force that grows, at the height of the floor, moves it when it exceeds what all corners hold together.
TEST(RigidFriction, ReleasesABoxWhenAllCornersAreAtTheirLimit) {
  const double limit = 0.6 * 2.0 * 9.81;
  const ModelRun run = runModel(R"(
gravity: [0, 0, -9.81]
nodes: {b: {position: [0, 0, 0.1]}}
bodies: {b: {node: b, mass: 2, inertia: [0.02, 0.03, 0.04], com: [0.08, 0.03, 0]}}
contacts: {floor: {type: box_plane, node: b, size: [0.4, 0.3, 0.2], plane: {normal: [0, 0, 1]}, restitution: 0, friction: 0.6}}
loads: {pull: {node: b, force: [8, 6, 0], torque: [0.6, -0.8, 0.24], signal: t}}
blocks: {t: {type: ramp, slope: 1}}
sensors: {v: {measure: velocity, node: b}, s: {measure: sticking, contact: floor}}
)",
                                "v, s", "end: 1.5, step: 5 ms");
  const double start =
      limit / 10.0;  // s; the line of the force goes through the floor below the centre of mass
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    const double t = run.times()[i];
    const double speed = std::hypot(run.column("v.x")[i], run.column("v.y")[i]);
    if (t < start - 1e-4) {
      EXPECT_LT(speed, 1e-10) << t;
    } else {
      EXPECT_NEAR(speed, 0.5 * 10.0 / 2.0 * std::pow(std::max(t - start, 0.0), 2), 1e-3) << t;
    }
  }
}

// Dropped flat with the speed vx, it loses μ vz of that in the impact on all four corners, or all of it, and slides on until it stops.
TEST(RigidFriction, DropsABoxOnItsCorners) {
  const double fall = std::sqrt(2.0 * 9.81 * 0.05), arrival = fall / 9.81, speed = 0.3;
  for (const double friction : {0.7, 0.25, 0.2, 0.05}) {
    std::string model = makeBox(friction, 1.0, 1.0, 1.0, "0.3, 0, 0");
    const std::size_t gravity = model.find("gravity: ["),
                      start = model.find("position: [0, 0, 0.1");
    model.replace(start, model.find(']', start) - start, "position: [0, 0, 0.15");
    model.replace(gravity, model.find(']', gravity) - gravity, "gravity: [0, 0, -9.81");
    const ModelRun run = runModel(model, "x, v, s", "end: 0.5, step: 5 ms");
    const double left = std::max(speed - friction * fall, 0.0);
    const auto after = [&](double t) {
      return std::max(left - friction * 9.81 * (t - arrival), 0.0);
    };
    for (const double t : {0.15, 0.3, 0.5})
      EXPECT_NEAR(run.at(t, "v.x"), after(t), 1e-9) << friction;
    const double stop = left / (friction * 9.81);
    const double slid =
        stop < 0.5 - arrival ? 0.5 * left * stop : 0.5 * (left + after(0.5)) * (0.5 - arrival);
    EXPECT_NEAR(run.last("x.x"), speed * arrival + slid, 1e-8) << friction;
    EXPECT_NEAR(run.last("x.z"), 0.1, 1e-12);
    EXPECT_NEAR(run.last("x.y"), 0.0, 1e-10);
  }
}

// Thrown, it lands on a corner, falls over, slides and turns, and comes to rest on one of its faces; energy never grows.
TEST(RigidFriction, TumblesABoxToRest) {
  for (const auto& [restitution, axis] : {std::pair{0.0, 0.3}, {0.3, -0.2}}) {
    const ModelRun run = runModel(formatText(R"(
gravity: [0, 0, -9.81]
nodes: {b: {position: [0, 0, 0.5], rotation: {axis: [0.3, %.17g, 0.4], angle: 50 deg}, velocity: [0.5, 0, 0], angular_velocity: [1, 2, 3]}}
bodies: {b: {node: b, mass: 2, inertia: [0.02, 0.03, 0.04]}}
contacts: {floor: {type: box_plane, node: b, size: [0.4, 0.3, 0.2], plane: {normal: [0, 0, 1]}, restitution: %.17g, friction: 0.5}}
sensors:
  z: {measure: position, node: b, direction: [0, 0, 1]}
  v: {measure: velocity, node: b}
  w: {measure: angular_velocity, node: b}
  s: {measure: sticking, contact: floor}
  E: {measure: energy, component: total}
)",
                                             axis, restitution),
                                  "z, v, w, s, E", "end: 1.2, step: 2 ms");
    const double z = run.last("z");
    const double face = std::min({std::abs(z - 0.1), std::abs(z - 0.15), std::abs(z - 0.2)});
    EXPECT_LT(face, 1e-9) << axis;
    for (const char* rate : {"v.x", "v.y", "v.z", "w.x", "w.y", "w.z"}) {
      EXPECT_LT(std::abs(run.last(rate)), 1e-12) << axis << " " << rate;
    }
    EXPECT_EQ(run.last("s"), 1.0) << axis;
    EXPECT_NEAR(run.last("E"), 2.0 * 9.81 * z, 1e-9) << axis;
    const std::vector<double>& energy = run.column("E");
    for (std::size_t i = 1; i < energy.size(); ++i) {
      EXPECT_LT(energy[i] - energy[i - 1], 1e-6 * energy[0]) << axis << " " << run.times()[i];
    }
  }
}

// At rest from the start on, and as an equilibrium.
TEST(RigidFriction, FindsTheRestOfABoxOnItsCorners) {
  for (const double more : {2e-3, 0.1}) {
    const auto rest =
        analysis::findEquilibrium(buildModel(makeBox(kSlope * (1.0 + more), 1.0, 1.0, 1.0)));
    ASSERT_TRUE(rest.report.ok()) << messageOf(rest.report.failure);
    EXPECT_TRUE(rest.notes.empty()) << rest.notes.front();
    const ModelRun run = runModel(makeBox(kSlope * (1.0 + more), 1.0, 1.0, 1.0), "x, s",
                                  "end: 0.1, step: 5 ms, start: equilibrium");
    EXPECT_LT(std::hypot(run.last("x.x"), run.last("x.y")), 1e-12);
    EXPECT_EQ(run.last("s"), 1.0);
  }
}

// J1.4: a slender rod that is pushed over a rough floor at 60 degrees. With μ = 2 no acceleration agrees with its friction; with μ = 1.2, below 1.347, it slides.
TEST(RigidFriction, NamesWhatJams) {
  const auto run = [](const char* friction) {
    return tryModel(std::string(R"(
gravity: [0, 0, -9.81]
nodes: {c: {position: [0.25, 0, 0.43401270189], velocity: [-1, 0, 0], free: [x, z, ry]}}
bodies: {c: {node: c, mass: 1, inertia: [1, = 1/12, 1]}}
contacts: {tip: {type: sphere_plane, node: c, at: [0, 0, 1 mm], radius: 1 mm, plane: {normal: [0, 0, 1]}, restitution: 0, friction: )") +
                        friction + "}}\nsensors: {x: {measure: position, node: c}}\n",
                    "x", "end: 0.05, step: 1 ms");
  };
  const ModelRun jams = run("2");
  ASSERT_TRUE(jams.report.failure.has_value());
  EXPECT_TRUE(says(jams.report.failure->message, "friction of contact tip"));
  EXPECT_TRUE(says(jams.report.failure->hint, "jams"));
  EXPECT_FALSE(run("1.2").report.failure.has_value());
}

}  // namespace
}  // namespace flexloop::test
