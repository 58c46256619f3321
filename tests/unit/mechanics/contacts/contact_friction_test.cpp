// Friction of contacts against closed forms: J1.2, J3.1, J3.2, J3.3 and the small pile of J7 of the reference tables.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// A block across a slope of 30°, x along it and y down, as large as a point; the contact carries it from the start.
std::string makeSlope(const std::string& mu, const std::string& stiffness, const char* velocity) {
  return R"(
gravity: [0, 4.905, -8.495709211125343]
nodes: {b: {position: [0, 0, 0], free: [x, y, z], velocity: )" +
         std::string(velocity) + R"(}}
bodies: {b: {node: b, mass: 1}}
contacts:
  floor: {type: sphere_plane, node: b, radius: 50 mm, at: [0, 0, = 0.05-8.495709211125343e-6], plane: {normal: [0, 0, 1]},
          stiffness: 1e6, exponent: 1, damping: 1, friction: )" +
         mu + ", tangential_stiffness: " + stiffness + R"(, tangential_damping: 100}
sensors: {p: {measure: position, node: b}, v: {measure: velocity, node: b}, s: {measure: sticking, contact: floor},
          F: {measure: force, contact: floor}}
)";
}

double pathError(const std::string& stiffness, const char* step) {
  const ModelRun run = runModel(makeSlope("0.3", stiffness, "[2, 0, 0]"), "p, v",
                                std::string("end: 1, step: ") + step);
  return std::max(
      {std::abs(run.last("p.x") - 1.10275829726), std::abs(run.last("p.y") - 1.69404961869),
       std::abs(run.last("v.x") - 0.598775023359), std::abs(run.last("v.y") - 3.02006335807)});
}

// The bristle stretches by μN/k_t before it slides and its direction lags by as much: an error in 1/k_t, beside that of the steps.
TEST(ContactFriction, FollowsTheHodographAsTheBristleBecomesStiff) {
  const double soft = pathError("1e4", "1 ms"), firm = pathError("1e5", "1 ms");
  EXPECT_LT(firm, 3e-5);
  EXPECT_NEAR(soft / firm, 10.0, 0.5);
  const double coarse = pathError("1e6", "2 ms"), fine = pathError("1e6", "1 ms"),
               finest = pathError("1e6", "0.5 ms");
  EXPECT_NEAR((coarse - fine) / (fine - finest), 4.0, 0.3);
}

// Thrown uphill it stops and stays, or slides back. The changes from sliding to sticking and back are not located: where it stops
// within a step it is off by less than the way a h² of that step and the stretch of the bristle to both sides, and what follows by less than 2 h in time.
TEST(ContactFriction, HoldsOnASlopeUpToTheAngleOfFriction) {
  const ModelRun held =
      runModel(makeSlope("0.7", "1e7", "[0, -2, 0]"), "p, v, s, F", "end: 1, step: 0.5 ms");
  constexpr double kStep = 0.5e-3, kBristle = 2.0 * 0.7 * 8.4957 / 1e7;
  EXPECT_NEAR(held.last("p.y"), -0.184297885612, 10.9 * kStep * kStep + kBristle);
  EXPECT_EQ(held.last("s"), 1.0);
  EXPECT_NEAR(held.last("F.y"), -4.905, 1e-6);
  const ModelRun back = runModel(makeSlope("0.3", "1e7", "[0, -2, 0]"), "p, v, s",
                                 "end: 0.745554651955, step: 0.5 ms");
  EXPECT_NEAR(back.last("p.y"), 0.0, 2.0 * kStep * 1.1244956628);
  EXPECT_NEAR(back.last("v.y"), 1.1244956628, 2.0 * kStep * 2.35628723666);
  EXPECT_EQ(back.last("s"), 0.0);
}

// A box on a slope of 30° for an hour.
TEST(ContactFriction, DoesNotCreep) {
  const ModelRun run = runModel(R"(
gravity: [4.905, 0, -8.495709211125343]
nodes: {b: {position: [0, 0, 0], rotation: {axis: [0, 0, 1], angle: 0.3}}}
bodies: {b: {node: b, mass: 1, inertia: [2e-3, 2e-3, 2e-3]}}
contacts:
  f: {type: box_plane, node: b, size: [0.2, 0.15, 0.1], plane: {at: [0, 0, -0.04998], normal: [0, 0, 1]}, stiffness: 1e7,
      damping: 5, friction: 0.7}
sensors: {p: {measure: position, node: b}, s: {measure: sticking, contact: f}, F: {measure: force, contact: f}}
)",
                                "p, s, F", "end: 3600, step: 1 s, start: equilibrium");
  EXPECT_EQ(run.last("s"), 1.0);
  EXPECT_NEAR(run.last("p.x"), run.at(1800, "p.x"), 1e-14);
  EXPECT_NEAR(run.last("F.x"), -4.905, 1e-9);
  EXPECT_NEAR(run.last("F.z"), 8.495709211125343, 1e-7);
}

// A mass on a spring and a belt: with the excess D of the static force over the spring's stiffness, a cycle takes (2/ω)(π − atan(ω D/v)) + 2D/v. A tenth of the error
// of steps that go over the changes, whatever their length is.
TEST(ContactFriction, SticksAndSlipsInTime) {
  const double excess = (0.4 - 0.25) * 9.81 / 100.0, speed = 0.1, omega = 10.0;
  const double slip = 2.0 / omega * (std::numbers::pi - std::atan(omega * excess / speed));
  const double period = slip + 2.0 * excess / speed, first = 0.4 * 9.81 / 100.0 / speed;
  for (const char* time : {"step: 5 ms", "step: 2 ms", "step: 5 ms, adaptive: true"}) {
    const ModelRun run = runModel(R"(
gravity: [0, 0, -9.81]
nodes: {belt: {position: [0, 0, 0], free: [x]}, m: {position: [0, 0, 0.05], free: [x, z], velocity: [0.1, 0, 0]}}
bodies: {belt: {node: belt, mass: 1}, m: {node: m, mass: 1}}
joints: {d: {type: slider, between: [ground, belt], axis: [1, 0, 0], drive: way}}
springs: {s: {type: linear, between: [ground, m], direction: [1, 0, 0], stiffness: 100}}
blocks: {way: {type: ramp, slope: 0.1}}
contacts: {c: {type: sphere_plane, node: m, radius: 50 mm, plane: {node: belt, normal: [0, 0, 1]}, stiffness: 1e8, damping: 50, friction: 0.25, static: 0.4}}
sensors: {x: {measure: displacement, node: m, direction: [1, 0, 0]}}
)",
                                  "x", std::string("end: 5, ") + time);
    // In the middle of the sticking of the seventh cycle.
    const double t = first + 6.0 * period - 0.5 * 2.0 * excess / speed;
    ASSERT_LT(t, 5.0);
    const double x = 0.4 * 9.81 / 100.0 - excess;
    double before = 0.0, beforeTime = 0.0;
    for (std::size_t i = 0; i < run.times().size() && run.times()[i] <= t; ++i) {
      beforeTime = run.times()[i];
      before = run.column("x")[i];
    }
    EXPECT_NEAR(before + speed * (t - beforeTime), x, 2e-4) << time;
  }
}

// A ball that slides at 7 m/s rolls at 5 m/s after 1.01936799185 s and 6.11620795107 m.
TEST(ContactFriction, TurnsSlidingIntoRolling) {
  const ModelRun run = runModel(R"(
gravity: [0, 0, -9.81]
nodes: {b: {position: [0, 0, 0.1], velocity: [7, 0, 0]}}
bodies: {b: {node: b, mass: 2, inertia: [8e-3, 8e-3, 8e-3]}}
contacts:
  f: {type: sphere_plane, node: b, radius: 0.1, plane: {at: [0, 0, 1.962e-5], normal: [0, 0, 1]}, stiffness: 1e6, exponent: 1,
      damping: 1, friction: 0.2}
sensors: {x: {measure: position, node: b, direction: [1, 0, 0]}, v: {measure: velocity, node: b, direction: [1, 0, 0]},
          w: {measure: angular_velocity, node: b, direction: [0, 1, 0]}}
)",
                                "x, v, w", "end: 2, step: 1 ms");
  EXPECT_NEAR(run.at(1, "v"), 7.0 - 0.2 * 9.81, 1e-5);
  EXPECT_NEAR(run.last("v"), 5.0, 1e-5);
  EXPECT_NEAR(run.last("w"), 50.0, 1e-4);
  EXPECT_NEAR(run.last("x"), 6.11620795107 + 5.0 * (2.0 - 1.01936799185), 1e-4);
}

// The path of a disc that rolls without sliding; a stiff contact with much damping comes near it.
TEST(ContactFriction, LetsADiscRoll) {
  const ModelRun run = runModel(R"(
gravity: [0, 0, -9.81]
parameters: {R: 0.0375, m: 0.4387, k: 1e7, a: = pi/3}
nodes: {d: {position: [0, 0, = R*sin(a)], rotation: {axis: [1, 0, 0], angle: 60 deg}, velocity: [= -R*40, 0, 0],
            angular_velocity: [0, = 5*cos(a)-40*sin(a), = 5*sin(a)+40*cos(a)]}}
bodies: {d: {node: d, mass: = m, inertia: [= m*R*R/4, = m*R*R/4, = m*R*R/2]}}
contacts:
  f: {type: disc_plane, node: d, radius: = R, axis: [0, = -sin(a), = cos(a)], plane: {at: [0, 0, = m*9.81/k], normal: [0, 0, 1]},
      stiffness: = k, exponent: 1, damping: 5000, friction: 2}
sensors: {p: {measure: position, node: d}, w: {measure: angular_velocity, node: d, frame: body}}
)",
                                "p, w", "end: 0.2, step: 0.1 ms");
  EXPECT_NEAR(run.last("w.x"), 3.51354649, 0.01);
  EXPECT_NEAR(run.last("w.y"), -3.543496772, 0.01);
  EXPECT_NEAR(run.last("w.z"), 39.99616329, 1e-3);
  EXPECT_NEAR(run.last("p.x"), -0.2800606316, 1e-5);
  EXPECT_NEAR(run.last("p.y"), 0.09395642898, 1e-5);
}

// One of three discs rests on the two others, if both coefficients are large enough.
ModelRun runPile(const std::string& between, const std::string& floor, const std::string& end) {
  const std::string law = "stiffness: 1e6, exponent: 1, damping: 5, friction: ";
  const auto onFloor = [&](const std::string& n) {
    return "  f" + n + ": {type: sphere_plane, node: " + n +
           ", radius: 0.01, plane: {normal: [0, 0, 1]}, " + law + floor + "}\n";
  };
  const auto onTop = [&](const std::string& n) {
    return "  " + n + "c: {type: sphere_sphere, first: {node: " + n +
           ", radius: 0.01}, second: {node: c, radius: 0.01}, " + law + between + "}\n";
  };
  return runModel(R"(
gravity: [0, 0, -9.81]
nodes: {a: {position: [-0.01, 0, 0.01], free: [x, z, ry]}, b: {position: [0.01, 0, 0.01], free: [x, z, ry]},
        c: {position: [0, 0, = 0.01+0.01*sqrt(3)], free: [x, z, ry]}}
bodies: {a: {node: a, mass: 0.01, inertia: [1e-6, 1e-6, 1e-6]}, b: {node: b, mass: 0.01, inertia: [1e-6, 1e-6, 1e-6]},
         c: {node: c, mass: 0.01, inertia: [1e-6, 1e-6, 1e-6]}}
contacts:
)" + onFloor("a") + onFloor("b") +
                      onTop("a") + onTop("b") + R"(
sensors: {z: {measure: position, node: c, direction: [0, 0, 1]}, Nf: {measure: normal_force, contact: fa},
          Tf: {measure: friction_force, contact: fa}, Nc: {measure: normal_force, contact: ac},
          Tc: {measure: friction_force, contact: ac}}
)",
                  "z, Nf, Tf, Nc, Tc", "step: 0.2 ms, end: " + end);
}

TEST(ContactFriction, LetsASmallPileStandOrFall) {
  constexpr double kTop = 0.027320508, kWeight = 0.0981;
  const ModelRun stands = runPile("0.27", "0.0895", "1");
  EXPECT_NEAR(stands.last("z"), kTop, 2e-5);
  EXPECT_NEAR(stands.last("Nf"), 1.5 * kWeight, 1e-4 * kWeight);
  EXPECT_NEAR(stands.last("Nc"), 0.5 * kWeight, 1e-4 * kWeight);
  // Up to the deflection of the contacts, which opens the angle a little.
  EXPECT_NEAR(stands.last("Tf"), 0.133974596216 * kWeight, 3e-4 * kWeight);
  EXPECT_NEAR(stands.last("Tc"), 0.133974596216 * kWeight, 3e-4 * kWeight);
  EXPECT_LT(runPile("0.265", "0.12", "0.3").last("z"), kTop - 1e-3);
  EXPECT_LT(runPile("0.27", "0.0885", "0.3").last("z"), kTop - 1e-3);
}

// Without a constant part it is linear: with N = 10 N and 1 kg, v = 2 m/s e^(−0.2·10 t/s).
TEST(ContactFriction, MayGrowWithSpeedAlone) {
  const ModelRun run = runModel(R"(
nodes: {b: {position: [0, 0, 0], free: [x], velocity: [2, 0, 0]}}
bodies: {b: {node: b, mass: 1}}
contacts: {floor: {type: sphere_plane, node: b, radius: 50 mm, plane: {at: [0, 0, -49 mm], normal: [0, 0, 1]}, stiffness: 1e4,
                   exponent: 1, viscous: 0.2}}
sensors: {v: {measure: velocity, node: b, direction: [1, 0, 0]}}
)",
                                "v", "end: 0.5, step: 1 ms");
  EXPECT_NEAR(run.last("v"), 2.0 * std::exp(-1.0), 1e-5);
}

}  // namespace
}  // namespace flexloop::test
