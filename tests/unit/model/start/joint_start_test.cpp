// Simulations whose joints start elsewhere than where they are drawn: with a given coordinate or rate, or with those of their drive
// (docs/theory/26_rest_of_controllers.md, section 26.5).
#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using std::numbers::pi;

// A rod of 2 m from a hinge at the origin, hanging along −z.
constexpr const char* kPendulum = R"(gravity: [0, 0, -9.81]
nodes: {bob: [0, 0, -2]}
bodies: {bob: {node: bob, mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {pivot: {type: hinge, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0], START}}
sensors:
  angle: {measure: angle, joint: pivot}
  rate: {measure: rate, joint: pivot}
  x: {measure: position, node: bob, direction: [1, 0, 0]}
  vz: {measure: velocity, node: bob, direction: [0, 0, 1]}
)";

std::string withStart(std::string text, const std::string& start) {
  return text.replace(text.find("START"), 5, start);
}

TEST(JointStart, TurnsWhatHangsOnIt) {
  const ModelRun run = runModel(withStart(kPendulum, "start: 30 deg, start_rate: 2 rad/s"),
                                "angle, rate, x, vz", "end: 0.01, step: 1 ms");
  EXPECT_NEAR(run.column("angle").front(), pi / 6.0, 1e-13);
  EXPECT_NEAR(run.column("rate").front(), 2.0, 1e-12);
  EXPECT_NEAR(run.column("x").front(), -1.0, 1e-13);              // −2 sin 30°
  EXPECT_NEAR(run.column("vz").front(), 2.0 * 2.0 * 0.5, 1e-12);  // 2 ω sin 30°
  EXPECT_LT(run.report.start.positionChange, 1e-12);
  EXPECT_LT(run.report.start.velocityChange, 1e-12);
}

TEST(JointStart, CountsTurns) {
  const ModelRun run =
      runModel(withStart(kPendulum, "start: 400 deg"), "angle, x", "end: 0.01, step: 1 ms");
  EXPECT_NEAR(run.column("angle").front(), 400.0 * pi / 180.0, 1e-12);
  EXPECT_NEAR(run.column("x").front(), -2.0 * std::sin(400.0 * pi / 180.0), 1e-12);
}

TEST(JointStart, MovesTheFirstNodeWhereTheSecondIsGround) {
  std::string text = withStart(kPendulum, "start: 30 deg, start_rate: 2 rad/s");
  text.replace(text.find("[ground, bob]"), 13, "[bob, ground]");
  const ModelRun run = runModel(text, "angle, rate, x", "end: 0.01, step: 1 ms");
  EXPECT_NEAR(run.column("angle").front(), pi / 6.0, 1e-13);
  EXPECT_NEAR(run.column("rate").front(), 2.0, 1e-12);
  EXPECT_NEAR(run.column("x").front(), 1.0, 1e-13);
}

// A lower link on the upper one: it keeps its angle to it, and both have their own starts.
TEST(JointStart, MovesATreeAlong) {
  const std::string text = R"(nodes: {a: [1, 0, 0], b: [2, 0, 0], c: [2, 1, 0]}
bodies:
  a: {node: a, mass: 1, inertia: [0.1, 0.1, 0.1]}
  b: {node: b, mass: 0.1, inertia: [0.1, 0.1, 0.1]}
  c: {node: c, mass: 3, inertia: [0.1, 0.1, 0.1]}
joints:
  h1: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], start: 90 deg, start_rate: 3}
  h2: {type: hinge, between: [a, b], at: [1, 0, 0], axis: [0, 0, 1], start: 90 deg}
springs: {s: {type: bushing, between: [b, c], stiffness: [100, 100, 100, 1, 1, 1]}}
sensors:
  bx: {measure: position, node: b, direction: [1, 0, 0]}
  by: {measure: position, node: b, direction: [0, 1, 0]}
  cx: {measure: position, node: c, direction: [1, 0, 0]}
  cy: {measure: position, node: c, direction: [0, 1, 0]}
  vx: {measure: velocity, node: b, direction: [1, 0, 0]}
  vy: {measure: velocity, node: b, direction: [0, 1, 0]}
)";
  const ModelRun run = runModel(text, "bx, by, cx, cy, vx, vy", "end: 0.01, step: 1 ms");
  const auto first = [&](const char* name) { return run.column(name).front(); };
  // a at (0, 1), b behind it at (−1, 1), c beside b at (−1, 1) − (0, 1) turned by 180°.
  EXPECT_NEAR(first("bx"), -1.0, 1e-13);
  EXPECT_NEAR(first("by"), 1.0, 1e-13);
  EXPECT_NEAR(first("cx"), -1.0, 1e-13);
  EXPECT_NEAR(first("cy"), 0.0, 1e-13);
  EXPECT_NEAR(first("vx"), -3.0, 1e-12);
  EXPECT_NEAR(first("vy"), -3.0, 1e-12);
}

TEST(JointStart, SlidesAndScrews) {
  const std::string text = R"(nodes: {a: [1, 0, 0], b: [0, 5, 0], c: [0, 9, 0]}
bodies:
  a: {node: a, mass: 1, inertia: [0.1, 0.1, 0.1]}
  b: {node: b, mass: 1, inertia: [0.1, 0.1, 0.1]}
  c: {node: c, mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  s: {type: slider, between: [ground, a], axis: [1, 0, 0], start: 50 mm, start_rate: 0.2}
  t: {type: screw, between: [ground, b], axis: [0, 0, 1], pitch: 0.1, start: 180 deg}
  u: {type: cylindrical, between: [ground, c], axis: [0, 0, 1], rotation: {start: 20 deg}, translation: {start: 0.3}}
sensors:
  x: {measure: position, node: a, direction: [1, 0, 0]}
  vx: {measure: velocity, node: a, direction: [1, 0, 0]}
  z: {measure: position, node: b, direction: [0, 0, 1]}
  cz: {measure: position, node: c, direction: [0, 0, 1]}
  cr: {measure: rotation, node: c, direction: [0, 0, 1]}
)";
  const ModelRun run = runModel(text, "x, vx, z, cz, cr", "end: 0.01, step: 1 ms");
  EXPECT_NEAR(run.column("x").front(), 1.05, 1e-13);
  EXPECT_NEAR(run.column("vx").front(), 0.2, 1e-13);
  EXPECT_NEAR(run.column("z").front(), 0.05, 1e-13);
  EXPECT_NEAR(run.column("cz").front(), 0.3, 1e-13);
  EXPECT_NEAR(run.column("cr").front(), 20.0 * pi / 180.0, 1e-13);
}

// A parallelogram: the coupler stays parallel and goes round on a circle.
constexpr const char* kParallelogram =
    R"(nodes: {crank: [0, 0, 0.5], coupler: [1, 0, 1], rocker: [2, 0, 0.5]}
bodies:
  crank: {node: crank, mass: 1, inertia: [0.1, 0.1, 0.1]}
  coupler: {node: coupler, mass: 1, inertia: [0.1, 0.1, 0.1]}
  rocker: {node: rocker, mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  a: {type: hinge, between: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0], START}
  b: {type: spherical, between: [crank, coupler], at: [0, 0, 1]}
  c: {type: spherical, between: [coupler, rocker], at: [2, 0, 1]}
  d: {type: hinge, between: [ground, rocker], at: [2, 0, 0], axis: [0, 1, 0]}
sensors:
  a: {measure: angle, joint: a}
  d: {measure: angle, joint: d}
  rate: {measure: rate, joint: d}
  x: {measure: position, node: coupler, direction: [1, 0, 0]}
)";

TEST(JointStart, ClosesALoop) {
  const ModelRun run = runModel(withStart(kParallelogram, "start: 50 deg, start_rate: 2"),
                                "a, d, rate, x", "end: 0.01, step: 1 ms");
  const double angle = 50.0 * pi / 180.0;
  EXPECT_NEAR(run.column("a").front(), angle, 1e-12);
  EXPECT_NEAR(run.column("d").front(), angle, 1e-12);
  EXPECT_NEAR(run.column("rate").front(), 2.0, 1e-11);
  EXPECT_NEAR(run.column("x").front(), 1.0 + std::sin(angle), 1e-12);
}

// An arm that starts at 0.3 rad, and bodies that hang on it by springs. Where springs lead on to something that does not move
// along, the file says where they are; where they do not, the arm carries them.
TEST(JointStart, LeavesWhereItIsPlacedWhatSpringsTieToOtherThings) {
  const struct {
    const char *springs, *free, *label;
    bool moves;
  } cases[] = {
      {"a: {type: distance, between: [arm, c], stiffness: 50}", "[x, y, z, rx, ry, rz]",
       "on the arm alone", true},
      {"a: {type: linear, between: [arm, c], direction: [1, 0, 0], stiffness: 50}, "
       "b: {type: linear, between: [c, d], direction: [1, 0, 0], stiffness: 50}",
       "[x, z, ry]", "a chain on the arm", true},
      {"a: {type: distance, between: [arm, c], stiffness: 50}, "
       "b: {type: damper, between: [ground, c], direction: [1, 0, 0], damping: 3}",
       "[x, y, z, rx, ry, rz]", "slowed down by ground", true},
      {"a: {type: distance, between: [arm, c], stiffness: 50}, "
       "b: {type: linear, between: [ground, c], direction: [1, 0, 0], stiffness: 30}",
       "[x, y, z, rx, ry, rz]", "held by ground", false},
      {"a: {type: bushing, between: [c, arm], stiffness: [9, 9, 9, 1, 1, 1]}, "
       "b: {type: bushing, between: [d, c], stiffness: [9, 9, 9, 1, 1, 1]}, "
       "e: {type: distance, between: [d, ground], stiffness: 30}",
       "[x, y, z, rx, ry, rz]", "held by ground through another body", false},
      {"a: {type: distance, between: [arm, c], stiffness: 50}, "
       "b: {type: distance, between: [base, c], stiffness: 50}",
       "[x, y, z, rx, ry, rz]", "held by the other end of the joint", false},
      {"a: {type: distance, between: [arm, c], stiffness: 50}, "
       "b: {type: distance, between: [wall, c], stiffness: 50}",
       "[x, y, z, rx, ry, rz]", "held by a node that cannot move", false},
      {"a: {type: distance, between: [arm, c], stiffness: 50}", "[x]", "free along a line", false},
      {"a: {type: distance, between: [arm, c], stiffness: 50}, "
       "b: {type: distance, between: [c, d], stiffness: 50}",
       "[x, y, z]", "free to move but not to turn", false},
  };
  for (const auto& [springs, free, label, moves] : cases) {
    SCOPED_TRACE(label);
    const ModelRun run = runModel(std::string(R"(
nodes:
  base: [0, 0, 0]
  arm: [1, 0, 0]
  c: {position: [2, 0, 0], free: )") + free +
                                      R"(}
  d: [3, 0, 0]
  wall: {position: [2, 0, 1], free: []}
bodies:
  base: {node: base, mass: 1, inertia: [1, 1, 1]}
  arm: {node: arm, mass: 1, inertia: [1, 1, 1]}
  c: {node: c, mass: 1, inertia: [1, 1, 1]}
  d: {node: d, mass: 1, inertia: [1, 1, 1]}
joints: {h: {type: hinge, between: [base, arm], at: [0, 0, 0], axis: [0, 1, 0], start: 0.3, start_rate: 2}}
springs: {)" + springs +
                                      R"(}
sensors:
  q: {measure: angle, joint: h}
  w: {measure: rate, joint: h}
  p: {measure: position, node: c}
  v: {measure: velocity, node: c, direction: [1, 0, 0]}
)",
                                  "q, w, p, v", "end: 1 ms, step: 1 ms");
    const auto first = [&](const char* name) { return run.column(name).front(); };
    EXPECT_NEAR(first("q"), 0.3, 1e-13);
    EXPECT_NEAR(first("w"), 2.0, 1e-12);
    EXPECT_NEAR(first("p.x"), moves ? 2.0 * std::cos(0.3) : 2.0, 1e-13);
    EXPECT_NEAR(first("p.z"), moves ? -2.0 * std::sin(0.3) : 0.0, 1e-13);
    EXPECT_NEAR(first("v"), moves ? -2.0 * 2.0 * std::sin(0.3) : 0.0, 1e-12);
  }
}

// A crank of 0.2 m and a rod of 0.4 m, and a piston that is a node with one freedom: it closes the loop.
TEST(JointStart, ClosesALoopThroughANodeWithFewFreedoms) {
  const std::string text = R"(
nodes: {crank: [0.1, 0, 0], rod: [0.4, 0, 0], piston: {position: [0.6, 0, 0], free: [x]}}
bodies:
  crank: {node: crank, mass: 1, inertia: [0.1, 0.1, 0.1]}
  rod: {node: rod, mass: 1, inertia: [0.1, 0.1, 0.1]}
  piston: {node: piston, mass: 1}
joints:
  a: {type: hinge, between: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0], start: 0.5, start_rate: 2}
  b: {type: hinge, between: [crank, rod], at: [0.2, 0, 0], axis: [0, 1, 0]}
  c: {type: spherical, between: [rod, piston]}
sensors:
  angle: {measure: angle, joint: a}
  x: {measure: position, node: piston, direction: [1, 0, 0]}
  v: {measure: velocity, node: piston, direction: [1, 0, 0]}
)";
  const ModelRun run = runModel(text, "angle, x, v", "end: 1 ms, step: 1 ms");
  const double s = 0.2 * std::sin(0.5), c = 0.2 * std::cos(0.5), along = std::sqrt(0.16 - s * s);
  EXPECT_NEAR(run.column("angle").front(), 0.5, 1e-12);
  EXPECT_NEAR(run.column("x").front(), c + along, 1e-12);
  EXPECT_NEAR(run.column("v").front(), 2.0 * (-s - s * c / along), 1e-11);
}

TEST(JointStart, SaysWhatCannotBeReached) {
  std::string few = withStart(kPendulum, "start: 0.2");
  few.replace(few.find("[0, 0, -2]"), 10, "{position: [0, 0, -2], free: [x, z]}");
  EXPECT_TRUE(says(mistakesOf(few), "'bob' does not have the freedoms")) << mistakesOf(few);
  std::string text = withStart(kParallelogram, "start: 50 deg");
  text.replace(text.find("joints:\n"), 8,
               "joints:\n  e: {type: distance, between: [coupler, ground]}\n");
  EXPECT_TRUE(says(mistakesOf(text), "cannot be reached")) << mistakesOf(text);
  EXPECT_TRUE(
      says(mistakesOf(withStart(kPendulum, "start: 1, drive: 0")), "'drive' cannot be combined"));
  EXPECT_TRUE(says(mistakesOf(withStart(kPendulum, "locked: true, start_rate: 1")),
                   "'locked' cannot be combined"));
}

// A cart of which the pendulum hangs, and what drives it.
std::string makeDrivenCart(const std::string& drive, const std::string& start) {
  return "gravity: [0, 0, -9.81]\n"
         "nodes: {c: [0, 0, 0], p: [0, 0, -0.5]}\n"
         "bodies: {c: {node: c, mass: 2, inertia: [1, 1, 1]}, p: {node: p, mass: 1, inertia: [.02, "
         ".02, .02]}}\n"
         "joints:\n"
         "  s: {type: slider, between: [ground, c], axis: [1, 0, 0], drive: d}\n"
         "  h: {type: hinge, between: [c, p], at: [0, 0, 0], axis: [0, 1, 0]" +
         start +
         "}\n"
         "sensors:\n"
         "  q: {measure: angle, joint: h}\n"
         "  x: {measure: displacement, joint: s}\n"
         "  v: {measure: velocity, node: p, direction: [1, 0, 0]}\n"
         "blocks: {d: " +
         drive + "}\n";
}

// The first value and rate of a drive move all that hangs on the joint, and other joints keep what they are given, or where
// they are drawn.
TEST(DriveStart, LeavesOtherJointsAsTheyAre) {
  struct Case {
    const char *drive, *start;
    double x, v, q, rate;
  };
  const Case cases[] = {
      {"{type: sine, amplitude: 0.1, omega: 9, phase: 90 deg}", ", start: 0.1, start_rate: 2", 0.1,
       0.0, 0.1, 2.0},
      {"{type: sine, amplitude: 1, omega: 9, phase: 90 deg}", ", start: 0.1, start_rate: 2", 1.0,
       0.0, 0.1, 2.0},
      {"{type: sine, amplitude: 0.1, omega: 9}", ", start: 0.1, start_rate: 2", 0.0, 0.9, 0.1, 2.0},
      {"{type: sine, amplitude: 1, omega: 9}", ", start: 0, start_rate: 0", 0.0, 9.0, 0.0, 0.0},
      {"{type: sine, amplitude: 1, omega: 9, phase: 30 deg}", "", 0.5, 9.0 * std::sqrt(0.75), 0.0,
       0.0},
      {"{type: constant, value: -3}", "", -3.0, 0.0, 0.0, 0.0},
      {"{type: integrator, input: 4, initial: 0.2}", ", start: 1", 0.2, 4.0, 1.0, 0.0}};
  for (const Case& c : cases) {
    const ModelRun run = runModel(makeDrivenCart(c.drive, c.start), "q, q.rate, x, x.rate, v",
                                  "end: 0.01, step: 1 ms");
    const auto first = [&](const char* name) { return run.column(name).front(); };
    EXPECT_NEAR(first("x"), c.x, 1e-12) << c.drive;
    EXPECT_NEAR(first("x.rate"), c.v, 1e-11) << c.drive;
    EXPECT_NEAR(first("q"), c.q, 1e-12) << c.drive;
    EXPECT_NEAR(first("q.rate"), c.rate, 1e-11) << c.drive;
    EXPECT_NEAR(first("v"), c.v - 0.5 * c.rate * std::cos(c.q), 1e-11) << c.drive;
    EXPECT_LT(run.report.start.positionChange, 1e-11) << c.drive;
    EXPECT_LT(run.report.start.velocityChange, 1e-10) << c.drive;
  }
}

// A drive that follows from another joint has its value and rate where that one starts, also over a chain of them.
TEST(DriveStart, FollowsFromOtherJoints) {
  const std::string text = R"(nodes: {a: [0.5, 0, 0], b: [1, 0, 0], c: [1.5, 0, 0]}
bodies:
  a: {node: a, mass: 1, inertia: [.02, .02, .02]}
  b: {node: b, mass: 1, inertia: [.02, .02, .02]}
  c: {node: c, mass: 1, inertia: [.02, .02, .02]}
joints:
  h1: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], start: 0.4, start_rate: 2}
  h2: {type: hinge, between: [a, b], at: [0.5, 0, 0], axis: [0, 1, 0], drive: d}
  h3: {type: hinge, between: [b, c], at: [1, 0, 0], axis: [0, 1, 0]}
sensors:
  q1: {measure: angle, joint: h1}
  q2: {measure: angle, joint: h2}
  q3: {measure: angle, joint: h3}
blocks: {d: {type: gain, input: q1, gain: -3}, e: {type: expression, inputs: [q2], value: q2^2}}
actuators: {m: {type: motion, joint: h3, input: e}}
)";
  const ModelRun run =
      runModel(text, "q1, q2, q3, q1.rate, q2.rate, q3.rate", "end: 0.01, step: 1 ms");
  const auto first = [&](const char* name) { return run.column(name).front(); };
  EXPECT_NEAR(first("q1"), 0.4, 1e-12);
  EXPECT_NEAR(first("q2"), -1.2, 1e-12);
  EXPECT_NEAR(first("q3"), 1.44, 1e-12);
  EXPECT_NEAR(first("q1.rate"), 2.0, 1e-11);
  EXPECT_NEAR(first("q2.rate"), -6.0, 1e-11);
  EXPECT_NEAR(first("q3.rate"), 14.4, 1e-10);
}

// A beam on a driven hinge starts straight, turned and turning as one, whatever drives the hinge.
TEST(DriveStart, TurnsABeamAsOne) {
  const auto make = [](const std::string& joint, const std::string& more) {
    return R"(sections: {s: {type: stiffness, EA: 1e5, GAy: 1e4, GAz: 1e4, GJ: 5, EIy: 50, EIz: 60, rhoA: .5,
  rhoJ: [0.002, 0.001, 0.001]}}
nodes: {A: [0, 0, 0], B: [1, 0, 0]}
bodies: {a: {node: A, mass: 1, inertia: [.1, .1, .1]}}
beams: {w: {from: A, to: B, elements: 4, section: s, y_axis: [0, 1, 0]}}
joints: {h: {type: hinge, between: [ground, A], axis: [0, 1, 0])" +
           joint + "}}\n" + more +
           "sensors:\n  q: {measure: angle, joint: h}\n  E: {measure: energy}\n"
           "  m: {measure: section_force, beam: w, at: 0, component: bending_y}\n";
  };
  const double inertia = 0.1 + 0.5 / 3.0 + 0.001;
  const std::string ramp = "blocks: {d: {type: ramp, slope: 5, offset: OFFSET}}\n";
  const auto at = [&](const char* offset) {
    std::string text = ramp;
    return text.replace(text.find("OFFSET"), 6, offset);
  };
  const std::string motion = "actuators: {turn: {type: motion, joint: h, input: d}}\n";
  struct Case {
    std::string joint, more;
    double angle, rate;
  };
  const Case cases[] = {{", drive: 0.6", "", 0.6, 0.0},
                        {", drive: d", at("0.6"), 0.6, 5.0},
                        {", drive: d", at("0"), 0.0, 5.0},
                        {", drive: d", at("-20"), -20.0, 5.0},
                        {"", at("2.6") + motion, 2.6, 5.0}};
  for (const Case& c : cases) {
    const ModelRun run =
        runModel(make(c.joint, c.more), "q, q.rate, E, m", "end: 0.01, step: 1 ms");
    const auto first = [&](const char* name) { return run.column(name).front(); };
    EXPECT_NEAR(first("q"), c.angle, 1e-11) << c.joint << c.more;
    EXPECT_NEAR(first("q.rate"), c.rate, 1e-10) << c.joint << c.more;
    EXPECT_NEAR(first("E.kinetic"), 0.5 * inertia * c.rate * c.rate, 1e-9) << c.joint << c.more;
    EXPECT_NEAR(first("E.potential"), 0.0, 1e-9) << c.joint << c.more;
    EXPECT_NEAR(first("m"), 0.0, 1e-8) << c.joint << c.more;
  }
}

// A pendulum on the coupler of a driven parallelogram, which moves on a circle and does not turn.
TEST(DriveStart, CarriesWhatHangsOnALoop) {
  for (const bool isDriven : {true, false}) {
    std::string text =
        withStart(kParallelogram, isDriven ? "drive: turn" : "start: 0.8, start_rate: 2");
    text.replace(text.find("bodies:\n"), 8,
                 "bodies:\n  bob: {node: bob, mass: 1, inertia: [0.1, 0.1, 0.1]}\n");
    text.replace(text.find("nodes: {"), 8, "nodes: {bob: [1, 0, -1], ");
    text.replace(
        text.find("joints:\n"), 8,
        "joints:\n  p: {type: hinge, between: [coupler, bob], at: [1, 0, 1], axis: [0, 1, 0]}\n");
    text +=
        "  p: {measure: angle, joint: p}\n  bx: {measure: position, node: bob, direction: [1, 0, "
        "0]}\n"
        "blocks: {turn: {type: ramp, offset: 0.8, slope: 2}}\n";
    const ModelRun run = runModel(text, "a, d, rate, p, p.rate, bx", "end: 0.01, step: 1 ms");
    const auto first = [&](const char* name) { return run.column(name).front(); };
    EXPECT_NEAR(first("a"), 0.8, 1e-12);
    EXPECT_NEAR(first("d"), 0.8, 1e-12);
    EXPECT_NEAR(first("rate"), 2.0, 1e-11);
    EXPECT_NEAR(first("p"), 0.0, 1e-12);
    EXPECT_NEAR(first("p.rate"), 0.0, 1e-11);
    EXPECT_NEAR(first("bx"), 1.0 + std::sin(0.8), 1e-12);
  }
}

// Velocities of nodes that go with the drive are not counted twice.
TEST(DriveStart, TakesVelocitiesOfNodesAsTheyAre) {
  std::string text = makeDrivenCart("{type: ramp, slope: 3}", "");
  text.replace(text.find("p: [0, 0, -0.5]"), 15,
               "p: {position: [0, 0, -0.5], velocity: [3, 0, 0]}");
  text.replace(text.find("c: [0, 0, 0]"), 12, "c: {position: [0, 0, 0], velocity: [3, 0, 0]}");
  const ModelRun run = runModel(text, "v, q.rate", "end: 0.01, step: 1 ms");
  EXPECT_NEAR(run.column("v").front(), 3.0, 1e-12);
  EXPECT_NEAR(run.column("q.rate").front(), 0.0, 1e-12);
}

// A mass on a spring is where the file places it and at rest, although its base is driven: x'' + ω² x = ω² y.
TEST(DriveStart, LeavesWhatHangsOnSpringsAtRest) {
  const std::string text = R"(nodes: {base: [0, 0, 0], mass: {position: [1, 0, 0], free: [x]}}
bodies: {mass: {node: mass, mass: 1}}
springs: {k: {type: linear, between: [base, mass], direction: [1, 0, 0], stiffness: 100}}
joints: {s: {type: slider, between: [ground, base], axis: [1, 0, 0], drive: y}}
blocks: {y: {type: sine, amplitude: 0.1, omega: 4, phase: 60 deg}}
sensors: {x: {measure: displacement, node: mass, direction: [1, 0, 0]}}
)";
  const ModelRun run = runModel(text, "x", "end: 1, step: 1 ms");
  // y = 0.1 sin(4t + φ): x = B sin(4t + φ) − B sin φ cos 10t − 0.4 B cos φ sin 10t
  const double phi = pi / 3.0, B = 0.1 * 100.0 / (100.0 - 16.0);
  EXPECT_NEAR(run.column("x").back(),
              B * (std::sin(4.0 + phi) - std::sin(phi) * std::cos(10.0) -
                   0.4 * std::cos(phi) * std::sin(10.0)),
              1e-5);
}

TEST(DriveStart, SaysWhatItContradicts) {
  EXPECT_TRUE(says(mistakesOf(withStart(kPendulum, "start: 1") +
                              "blocks: {d: {type: constant, value: 1}}\n"
                              "actuators: {m: {type: motion, joint: pivot, input: d}}\n"),
                   "'drive' cannot be combined with 'start'"));
  std::string loop = withStart(kParallelogram, "drive: turn") +
                     "blocks: {turn: {type: ramp, offset: 0.8, slope: 2}}\n";
  loop.replace(loop.find("at: [2, 0, 0], axis: [0, 1, 0]"), 30,
               "at: [2, 0, 0], axis: [0, 1, 0], start_rate: 1, start: 0.8");
  EXPECT_TRUE(says(mistakesOf(loop), "contradicts")) << mistakesOf(loop);
}

// Two cranks of 0.5 m, 1 m apart, that lie in one line with the rod between them.
std::string makeFlatParallelogram(const std::string& start, double scale = 1.0) {
  const auto at = [&](double x) { return "[" + std::to_string(scale * x) + ", 0, 0]"; };
  std::string text = "nodes: {a: " + at(0.25) + ", b: " + at(1.0) + ", c: " + at(1.25) + "}\n";
  text += "bodies:\n";
  for (const char* body : {"a", "b", "c"}) {
    text +=
        std::string("  ") + body + ": {node: " + body + ", mass: 1, inertia: [.02, .02, .02]}\n";
  }
  const auto hinge = [&](const char* name, const char* between, double x, const std::string& more) {
    text += std::string("  ") + name + ": {type: hinge, between: [" + between + "], at: " + at(x) +
            ", axis: [0, 1, 0]" + more + "}\n";
  };
  text += "joints:\n";
  hinge("h1", "ground, a", 0.0, ", " + start);
  hinge("h2", "a, b", 0.5, "");
  hinge("h3", "b, c", 1.5, "");
  hinge("h4", "c, ground", 1.0, "");
  return text +
         "sensors: {q: {measure: angle, joint: h1}, r: {measure: rate, joint: h1}, "
         "p: {measure: position, node: c, direction: [1, 0, 0]}}\n";
}

// A parallelogram that is drawn flat may become another mechanism from there. No feedback is to blame.
TEST(JointStart, SaysThatAMechanismIsAtADeadPoint) {
  const std::string mistakes = mistakesOf(makeFlatParallelogram("start: 0, start_rate: 3"));
  EXPECT_TRUE(says(mistakes, "dead point")) << mistakes;
  EXPECT_FALSE(says(mistakes, "feedback")) << mistakes;
}

// Close to a dead point the pose exists all the same: the other crank is parallel to the driven one, or, in the crossed
// mechanism, at the angle that the rod leaves it.
TEST(JointStart, ReachesWhatIsCloseToADeadPoint) {
  for (const double start : {1e-3, -1e-3, 0.02, 0.3}) {
    for (const double scale : {1.0, 1e3}) {
      const ModelRun run = runModel(
          makeFlatParallelogram("start: " + std::to_string(start) + ", start_rate: 3", scale),
          "q, r, p", "end: 1 ms, step: 1 ms");
      EXPECT_NEAR(run.column("q").front(), start, 1e-9) << start;
      EXPECT_NEAR(run.column("r").front(), 3.0, 1e-6) << start;
      // Parallel: the middle of the second crank is 1 m from that of the first one.
      EXPECT_NEAR(run.column("p").front(), scale * (1.0 + 0.25 * std::cos(start)), 1e-8 * scale)
          << start;
    }
  }
}

// `locked` holds a joint as it is at the start.
TEST(JointStart, IsWhereALockedJointIsHeld) {
  const ModelRun run = runModel(withStart(kPendulum, "start: 30 deg, locked: true"), "angle",
                                "end: 0.5, step: 10 ms");
  for (const double angle : run.column("angle")) ASSERT_NEAR(angle, pi / 6.0, 1e-10);
}

// All analyses begin there.
TEST(JointStart, IsTheStartOfAnEquilibrium) {
  const std::string text =
      withStart(kPendulum, "start: 170 deg, stiffness: 200, rest: 170 deg") + "outputs: [angle]\n";
  const analysis::EquilibriumResult result = analysis::findEquilibrium(buildModel(text));
  ASSERT_TRUE(result.report.ok()) << messageOf(result.report.failure);
  // 200 (θ − θ₀) + 2·9.81 sin θ = 0 near 170°
  const double angle = result.outputs[0];
  EXPECT_NEAR(200.0 * (angle - 170.0 * pi / 180.0) + 2.0 * 9.81 * std::sin(angle), 0.0, 1e-9);
  EXPECT_GT(angle, 2.8);
}

}  // namespace
}  // namespace flexloop::test
