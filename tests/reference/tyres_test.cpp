// Tyres in machines: relaxation and the single-track car (reference J6), standstill, locked wheels, lift-off.
#include <cmath>
#include <complex>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/machine_modes.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"
#include "support/places.hpp"

namespace flexloop::test {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

std::string text(double x) {
  std::ostringstream stream;
  stream.precision(17);
  stream << x;
  return stream.str();
}

std::string tyreFile() {
  return "file: " + inProject("tests/fixtures/tyres/passenger_car.tir");
}

constexpr const char* kRoad = "road: {normal: [0, 0, 1]}";

// Reference J6.3: a car whose tyres are joined in one at each axle, with the axle stiffnesses of the reference; so little
// steering that everything is linear.
std::string singleTrack(double speed, double steering, const std::string& relaxation) {
  const auto tyre = [&](const char* name, double x, double stiffness, double angle) {
    return std::string("  ") + name + ": {type: tyre, node: car, at: [" + text(x) +
           ", 0, 0.29], axis: [" + text(-std::sin(angle)) + ", " + text(std::cos(angle)) +
           ", 0], " + kRoad +
           ", free_rolling: true, model: tanh, radius: 0.3, stiffness: 1e6, friction: 1e9, "
           "slip_stiffness: 1e5, cornering_stiffness: " +
           text(stiffness) + ", " + relaxation + "}\n";
  };
  return "nodes: {car: {position: [0, 0, 0.29], free: [x, y, rz], velocity: [" + text(speed) +
         ", 0, 0]}}\n"
         "bodies: {car: {node: car, mass: 1660, inertia: [1300, 1300, 2600]}}\n"
         "contacts:\n" +
         tyre("front", 1.27, 146200.0, steering) + tyre("rear", -1.49, 134500.0, 0.0) +
         "sensors:\n"
         "  r: {measure: angular_velocity, node: car, direction: [0, 0, 1]}\n"
         "  vy: {measure: velocity, node: car, direction: [0, 1, 0], frame: body}\n";
}

constexpr const char* kAtOnce = "relaxation: false";
constexpr const char* kRelaxed = "relaxation_length: 0.35, initial_slip: none";

TEST(SingleTrackCar, HasTheRootsOfTheReference) {
  using C = std::complex<double>;
  const std::vector<std::pair<double, C>> expected{{10.0, {-18.7319237, 1.357298882}},
                                                   {20.0, {-9.36596185, 2.170228556}},
                                                   {30.0, {-6.243974567, 2.289308826}}};
  for (const auto& [speed, root] : expected) {
    EXPECT_LT(distanceTo(modesOf(singleTrack(speed, 0.0, kAtOnce)), root), 1e-7 * std::abs(root));
  }
  const auto relaxed = modesOf(singleTrack(10.0, 0.0, kRelaxed));
  for (const C root : {C{-15.2060836, 16.9703278}, C{-13.365345, 19.3890306}}) {
    EXPECT_LT(distanceTo(relaxed, root), 1e-7 * std::abs(root));
  }
}

struct StepResponse {
  double speed, time, r, vy;
};

// Of the scheme at these steps, which is of second order.
constexpr double kStepError = 2e-5;

TEST(SingleTrackCar, AnswersAStepOfTheSteeringWheel) {
  constexpr double kSmaller = 1e-3;
  const std::vector<StepResponse> expected{
      {10, 0.05, 0.0789454518, 0.08798583862}, {10, 0.2, 0.1223662373, 0.1164496358},
      {10, 1, 0.1244416285, 0.1147462346},     {20, 0.05, 0.09806309718, 0.08027081469},
      {20, 0.2, 0.2123512248, -0.01645144545}, {20, 1, 0.2374615934, -0.1854470802},
      {30, 0.05, 0.1058943513, 0.05837310598}, {30, 0.2, 0.2693549358, -0.3051464067},
      {30, 1, 0.3315102878, -1.192737282}};
  for (std::size_t i = 0; i < expected.size(); i += 3) {
    const auto run = runModel(singleTrack(expected[i].speed, kSmaller * 2.0 * kDegree, kAtOnce),
                              "r, vy", "end: 1, step: 0.2 ms");
    for (std::size_t k = i; k < i + 3; ++k) {
      const StepResponse& e = expected[k];
      EXPECT_NEAR(run.at(e.time, "r") / kSmaller, e.r, kStepError) << e.speed << " " << e.time;
      EXPECT_NEAR(run.at(e.time, "vy") / kSmaller, e.vy, kStepError) << e.speed << " " << e.time;
    }
  }
}

TEST(SingleTrackCar, AnswersLaterWithRelaxation) {
  constexpr double kSmaller = 1e-3;
  const std::vector<std::pair<double, std::vector<double>>> expected{
      {10.0, {0.05237459467, 0.1138984628, 0.1332281491, 0.1245715722, 0.1244414595}},
      {20.0, {0.07598345737, 0.1534938092, 0.2196519727, 0.2378927788, 0.2374442458}},
      {30.0, {0.08829753924, 0.1744009136, 0.2725421938, 0.3338323511, 0.3313094862}}};
  const std::vector<double> times{0.05, 0.1, 0.2, 0.5, 1.0};
  for (const auto& [speed, rates] : expected) {
    const auto run = runModel(singleTrack(speed, kSmaller * 2.0 * kDegree, kRelaxed), "r",
                              "end: 1, step: 0.2 ms");
    for (std::size_t k = 0; k < times.size(); ++k) {
      EXPECT_NEAR(run.at(times[k], "r") / kSmaller, rates[k], kStepError)
          << speed << " " << times[k];
    }
  }
}

// Four tyres of the magic formula without shifts, 4 degrees at 20 m/s, which a strong drive holds.
TEST(SingleTrackCar, AnswersALargeStepAsTheMagicFormulaSays) {
  const double front = 1660.0 * 9.81 * 1.49 / 2.76 / 2.0, rear = 1660.0 * 9.81 * 1.27 / 2.76 / 2.0;
  const auto tyre = [&](const char* name, double x, double load, double angle) {
    return std::string("  ") + name + ": {type: tyre, node: car, at: [" + text(x) + ", 0, " +
           text(0.344 - load / 280835.2941) + "], axis: [" + text(-std::sin(angle)) + ", " +
           text(std::cos(angle)) + ", 0], " + kRoad +
           ", free_rolling: true, relaxation: false, side: right, " + tyreFile() +
           ", coefficients: {PHX1: 0, PHX2: 0, PVX1: 0, PVX2: 0, PHY1: 0, PHY2: 0, PVY1: 0, PVY2: "
           "0, QDZ1: 1e-9, QDZ2: 0, QDZ6: 0, QDZ7: 0, QHZ1: 0, QHZ2: 0, VERTICAL_DAMPING: 0}}\n";
  };
  const auto run = runModel(
      "nodes: {car: {position: [0, 0, 0.3], free: [x, y, rz], velocity: [20, 0, 0]}}\n"
      "bodies: {car: {node: car, mass: 1660, inertia: [1300, 1300, 2600]}}\n"
      "contacts:\n" +
          tyre("fl", 1.27, front, 4.0 * kDegree) + tyre("fr", 1.27, front, 4.0 * kDegree) +
          tyre("rl", -1.49, rear, 0.0) + tyre("rr", -1.49, rear, 0.0) +
          "sensors:\n"
          "  r: {measure: angular_velocity, node: car, direction: [0, 0, 1]}\n"
          "  vx: {measure: velocity, node: car, direction: [1, 0, 0], frame: body}\n"
          "  vy: {measure: velocity, node: car, direction: [0, 1, 0], frame: body}\n"
          "blocks: {error: {type: sum, inputs: [20, -vx]}}\n"
          "actuators: {drive: {type: force, node: car, direction: [1, 0, 0], frame: body, input: "
          "error, gain: 1e8}}\n",
      "r, vy", "end: 3, step: 0.5 ms");
  const std::vector<StepResponse> expected{{20, 0.1, 0.2686834363, 0.1307869505},
                                           {20, 0.2, 0.3850318995, -0.03022407067},
                                           {20, 0.5, 0.4541079984, -0.5131190682},
                                           {20, 1, 0.4504843262, -0.8030252606},
                                           {20, 3, 0.4418161909, -0.8269863008}};
  for (const StepResponse& e : expected) {
    EXPECT_NEAR(run.at(e.time, "r"), e.r, kStepError) << e.time;
    EXPECT_NEAR(run.at(e.time, "vy"), e.vy, kStepError) << e.time;
  }
}

// J6.2: the wheel begins to move sideways at 0.1 s.
TEST(TyreRelaxation, ApproachesTheSlipOfTheWheelOverItsLength) {
  const auto run = runModel(
      "nodes:\n"
      "  car: {position: [0, 0, 0.29], free: [x], velocity: [10, 0, 0]}\n"
      "  wheel: {position: [0, 0, 0.29], free: [x, y]}\n"
      "bodies: {car: {node: car, mass: 1e9}, wheel: {node: wheel, mass: 1}}\n"
      "joints: {side: {type: slider, between: [car, wheel], axis: [0, 1, 0], drive: way}}\n"
      "contacts: {t: {type: tyre, node: wheel, axis: [0, 1, 0], road: {normal: [0, 0, 1]}, "
      "free_rolling: true, model: brush, radius: 0.3, stiffness: 1e5, friction: 1e6, "
      "slip_stiffness: "
      "1e5, cornering_stiffness: 1e5, relaxation_length: 0.35}}\n"
      "sensors: {a: {measure: slip_angle, contact: t}}\n"
      "blocks: {way: {type: table, time: [0, 0.1, 1], value: [0, 0, 0.09]}}\n",
      "a", "end: 0.3, step: 0.1 ms");
  const std::vector<std::pair<double, double>> expected{{0.01, 0.248522706925},
                                                        {0.035, 0.632120558829},
                                                        {0.07, 0.864664716763},
                                                        {0.1, 0.942567380732}};
  for (const auto& [time, share] : expected) {
    EXPECT_NEAR(std::tan(run.at(0.1 + time, "a")) / 0.01, share, 1e-4) << time;
  }
}

// A car on a slope of ten degrees, with its wheels locked.
std::string parkedCar(const std::string& model, double speed, double slope) {
  const double g = 9.81;
  std::string contacts;
  for (const auto& [name, x, y] : {std::tuple{"fl", 1.3, 0.75}, std::tuple{"fr", 1.3, -0.75},
                                   std::tuple{"rl", -1.4, 0.75}, std::tuple{"rr", -1.4, -0.75}}) {
    contacts += std::string("  ") + name + ": {type: tyre, node: car, at: [" + text(x) + ", " +
                text(y) + ", 0.33], axis: [0, 1, 0], " + kRoad + ", carcass_damping: 10 ms, " +
                model + "}\n";
  }
  return "gravity: [" + text(-g * std::sin(slope)) + ", 0, " + text(-g * std::cos(slope)) +
         "]\nnodes: {car: {position: [0, 0, 0.5], velocity: [" + text(speed) +
         ", 0, 0]}}\n"
         "bodies: {car: {node: car, mass: 1600, inertia: [500, 2300, 2600]}}\ncontacts:\n" +
         contacts +
         "sensors:\n"
         "  x: {measure: position, node: car, direction: [1, 0, 0]}\n"
         "  y: {measure: position, node: car, direction: [0, 1, 0]}\n"
         "  v: {measure: velocity, node: car, direction: [1, 0, 0]}\n"
         "  fl: {measure: tyre_force, contact: fl}\n  fr: {measure: tyre_force, contact: fr}\n"
         "  rl: {measure: tyre_force, contact: rl}\n  rr: {measure: tyre_force, contact: rr}\n";
}

constexpr const char* kBrush =
    "model: brush, radius: 0.344, stiffness: 2.8e5, damping: 2000, friction: 0.9, slip_stiffness: "
    "9e4, cornering_stiffness: 7e4, relaxation_length: [0.3, 0.5], contact_length: 0.1";

TEST(TyreAtStandstill, HoldsACarOnASlope) {
  const double slope = 10.0 * kDegree;
  for (const std::string& model :
       {tyreFile() + ", coefficients: {VERTICAL_DAMPING: 2000}", std::string(kBrush)}) {
    const auto run = runModel(parkedCar(model, 0.0, slope), "x, y, v, fl.x, fr.x, rl.x, rr.x, fl.y",
                              "end: 100, step: 20 ms, rho: 0.8");
    const double held = run.last("fl.x") + run.last("fr.x") + run.last("rl.x") + run.last("rr.x");
    EXPECT_NEAR(held, 1600.0 * 9.81 * std::sin(slope), 1e-6 * 1600.0 * 9.81);
    EXPECT_NEAR(run.last("x"), run.at(50.0, "x"), 1e-9);
    EXPECT_NEAR(run.last("y"), run.at(50.0, "y"), 1e-9);
    EXPECT_NEAR(run.last("v"), 0.0, 1e-10);
    EXPECT_LT(std::abs(run.last("x")), 0.05);
    EXPECT_GT(std::abs(run.last("x")), 0.001);
  }
}

// A car that is set down on the slope and still heaves and pitches takes no energy from that: it comes to the same rest with any
// step, and does not climb.
TEST(TyreAtStandstill, TakesNoEnergyFromChangesOfTheLoad) {
  std::string model = parkedCar(tyreFile(), 0.0, 10.0 * kDegree);
  model.replace(model.find("[0, 0, 0.5]"), 11, "[0, 0, 0.507]");
  for (std::size_t at = model.find(", 0.33]"); at != std::string::npos;
       at = model.find(", 0.33]")) {
    model.replace(at, 7, ", 0.337]");
  }
  const auto coarse = runModel(model, "x, v", "end: 5, step: 5 ms");
  const auto fine = runModel(model, "x, v", "end: 5, step: 1 ms");
  EXPECT_NEAR(coarse.last("x"), fine.last("x"), 1e-4);
  EXPECT_LT(std::abs(fine.last("v")), 1e-3);
  for (const double x : fine.column("x")) EXPECT_LT(x, 1e-4);
}

// On ice it slides: the locked wheels pull with F(κ = −1).
TEST(TyreAtStandstill, DoesNotHoldWhatIsTooSteep) {
  const double slope = 10.0 * kDegree;
  const std::string ice =
      "model: tanh, radius: 0.344, stiffness: 2.8e5, damping: 2000, friction: 0.1, slip_stiffness: "
      "9e4, cornering_stiffness: 7e4, relaxation_length: 0.3";
  const auto run = runModel(parkedCar(ice, 0.0, slope), "v", "end: 6, step: 5 ms, rho: 0.8");
  const double slid = (run.at(6.0, "v") - run.at(4.0, "v")) / 2.0;
  EXPECT_NEAR(slid, -9.81 * (std::sin(slope) - 0.1 * std::cos(slope)), 1e-4);
}

TEST(LockedWheels, StopACarAfterTheDistanceOfTheirFriction) {
  const std::string tanh =
      "model: tanh, radius: 0.344, stiffness: 2.8e5, damping: 2000, friction: 0.8, slip_stiffness: "
      "9e4, cornering_stiffness: 7e4, relaxation_length: 0.3, initial_slip: steady";
  const auto run =
      runModel(parkedCar(tanh, 10.0, 0.0), "x, v, fl.x", "end: 12, step: 2 ms, rho: 0.8");
  // Friction of every tyre is μN but for e^(−2 C/(μN)), so their sum does not depend on how the car pitches.
  const double a = 0.8 * 9.81;
  EXPECT_NEAR(run.at(0.8, "v"), 10.0 - 0.8 * a, 0.02);
  EXPECT_NEAR(run.last("x"), 100.0 / (2.0 * a), 0.05);
  EXPECT_NEAR(run.last("v"), 0.0, 1e-6);
}

// A wheel that falls on the road leaves it again with the same speed, and is pressed in as energy says.
TEST(TyreLoad, BeginsAndEndsWithTheContact) {
  const double k = 2e5, m = 400.0, g = 9.81, drop = 0.1, weight = m * g;
  const std::string fall =
      "gravity: [0, 0, -9.81]\n"
      "nodes: {wheel: {position: [0, 0, 0.4], free: [z]}}\n"
      "bodies: {wheel: {node: wheel, mass: 400}}\n"
      "contacts: {t: {type: tyre, node: wheel, axis: [0, 1, 0], road: {normal: [0, 0, 1]}, "
      "free_rolling: true, model: brush, radius: 0.3, stiffness: 2e5, friction: 1, slip_stiffness: "
      "1e5, cornering_stiffness: 1e5, relaxation_length: 0.35, damping: ";
  const std::string sensors =
      "}}\nsensors:\n  z: {measure: position, node: wheel, direction: [0, 0, 1]}\n"
      "  f: {measure: tyre_force, contact: t}\n";
  const auto run = runModel(fall + "0" + sensors, "z, f.z", "end: 2, step: 1 ms, rho: 1");
  double lowest = 1.0, highest = 0.0;
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    lowest = std::min(lowest, run.column("z")[i]);
    if (run.times()[i] > 0.25) highest = std::max(highest, run.column("z")[i]);
  }
  const double depth = (weight + std::sqrt(weight * weight + 2.0 * weight * k * drop)) / k;
  EXPECT_NEAR(lowest, 0.3 - depth, 1e-4);
  EXPECT_NEAR(highest, 0.4, 1e-4);
  const auto damped = runModel(fall + "8000" + sensors, "z, f.z", "end: 2, step: 1 ms");
  for (const double load : damped.column("f.z")) EXPECT_GE(load, -1e-6);
  EXPECT_NEAR(damped.last("f.z"), weight, 1e-3 * weight);
}

// On a wheel of the other side everything is mirrored.
TEST(TyreSides, AreMirrorImages) {
  const auto forces = [](const char* side, double sign) {
    const auto run = runModel(
        "nodes: {w: {position: [0, 0, 0.33], free: [x, y, rz], velocity: [10, " + text(sign * 0.5) +
            ", 0]}}\nbodies: {w: {node: w, mass: 10, inertia: [1, 1, 1]}}\n"
            "contacts: {t: {type: tyre, node: w, axis: [0, 1, " +
            text(sign * 0.03) + "], road: {normal: [0, 0, 1]}, free_rolling: true, side: " + side +
            ", " + tyreFile() +
            "}}\nsensors:\n  f: {measure: tyre_force, contact: t}\n"
            "  m: {measure: tyre_moment, contact: t}\n  a: {measure: slip_angle, contact: t}\n"
            "  c: {measure: camber, contact: t}\n",
        "f.x, f.y, f.z, m.z, a, c", "end: 1 ms, step: 1 ms");
    std::vector<double> first;
    for (const char* name : {"f.x", "f.y", "f.z", "m.z", "a", "c"}) {
      first.push_back(run.column(name).front());
    }
    return first;
  };
  const auto left = forces("left", 1.0), right = forces("right", -1.0);
  const std::vector<double> signs{1, -1, 1, -1, -1, -1};
  for (std::size_t i = 0; i < signs.size(); ++i) {
    EXPECT_NEAR(left[i], signs[i] * right[i], 1e-9 * std::abs(left[2])) << i;
  }
  EXPECT_NEAR(left[4], std::atan(0.05), 1e-12);
  EXPECT_NEAR(left[5], std::atan(0.03), 1e-12);
  EXPECT_LT(left[1], -1000.0);
}

// Over a bump that signals describe, a wheel that rolls slowly is lifted by its height.
TEST(UnevenRoad, LiftsTheWheel) {
  const auto run = runModel(
      "nodes: {w: {position: [0, 0, 0.29], free: [x, z], velocity: [1, 0, 0]}}\n"
      "bodies: {w: {node: w, mass: 100}}\ngravity: [0, 0, -10]\n"
      "contacts: {t: {type: tyre, node: w, axis: [0, 1, 0], road: {normal: [0, 0, 1], height: "
      "bump, slope: rise}, free_rolling: true, model: tanh, radius: 0.3, stiffness: 1e5, damping: "
      "1000, friction: 1, slip_stiffness: 1e5, cornering_stiffness: 1e5, relaxation_length: "
      "0.35}}\n"
      "sensors:\n  x: {measure: position, node: w, direction: [1, 0, 0]}\n"
      "  z: {measure: position, node: w, direction: [0, 0, 1]}\n"
      "  v: {measure: velocity, node: w, direction: [1, 0, 0]}\n"
      "blocks:\n"
      "  bump: {type: expression, inputs: {x: x}, value: \"= 0.01*(1 - cos(2*pi*x/4))\"}\n"
      "  rise: {type: expression, inputs: {x: x}, value: \"= 0.01*2*pi/4*sin(2*pi*x/4)\"}\n",
      "x, z, v", "end: 4, step: 5 ms");
  EXPECT_NEAR(run.at(0.5, "z") - 0.29,
              0.01 * (1.0 - std::cos(2.0 * std::numbers::pi * run.at(0.5, "x") / 4.0)), 5e-4);
  // What it gains in height it loses in speed.
  for (const double time : {1.0, 2.0, 3.0, 4.0}) {
    const double speed = run.at(time, "v");
    EXPECT_NEAR(0.5 * (1.0 - speed * speed), 10.0 * (run.at(time, "z") - 0.29), 1e-3) << time;
  }
}

}  // namespace
}  // namespace flexloop::test
