// Whether something grows, told by the energy for machines whose roots are not all known.
#include <cmath>
#include <complex>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "support/machine_modes.hpp"

namespace flexloop::test {
namespace {

using analysis::ModeResult;

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

// A strip of aluminium along x with six unknowns per element; above 40 elements not all roots are found.
std::string makeStrip(int elements, const std::string& from, double damping,
                      const std::string& more = "") {
  return "materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}\n"
         "sections: {s: {type: rectangle, width: 20 mm, height: 5 mm}}\n"
         "nodes: {A: {position: [0, 0, 0]" +
         from +
         "}, M: [0.6, 0, 0], B: [1, 0, 0]}\n"
         "beams:\n"
         "  a: {from: A, to: M, elements: " +
         std::to_string(elements / 2) +
         ", section: s, material: alu, y_axis: [0, 1, 0], damping: " + number(damping) +
         "}\n"
         "  b: {from: M, to: B, elements: " +
         std::to_string(elements / 2) +
         ", section: s, material: alu, y_axis: [0, 1, 0], damping: " + number(damping) + "}\n" +
         more;
}

std::string makeLoop(const std::string& node, const std::string& measure,
                     const std::string& controller) {
  return "sensors: {y: {measure: " + measure + ", node: " + node +
         ", direction: [0, 0, 1]}}\n"
         "blocks: {c: {" +
         controller +
         ", input: y}}\n"
         "actuators: {f: {type: force, node: B, direction: [0, 0, 1], input: c}}\n";
}

const std::string kClamped = ", free: []";

ModeResult findModes(const std::string& text) {
  ModeResult result = modesOf(text, {.count = 8});
  EXPECT_TRUE(result.ok()) << messageOf(result.failure);
  return result;
}

void expectStable(const std::string& text) {
  const ModeResult result = findModes(text);
  EXPECT_FALSE(result.isComplete);  // not by knowing all roots
  EXPECT_TRUE(result.verdict.isCertain);
  EXPECT_EQ(result.verdict.growing, 0);
}

TEST(EnergyBound, MakesTheVerdictOnPassiveMachinesCertain) {
  for (const double damping : {0.0, 1e-4}) {
    expectStable(makeStrip(60, kClamped, damping));
    expectStable(makeStrip(60, "", damping));  // floats
  }
}

TEST(EnergyBound, KnowsJointsAndSprings) {
  expectStable(makeStrip(
      60, "", 0.0,
      "joints: {h: {type: hinge, between: [ground, A], axis: [0, 1, 0]}}\n"
      "springs: {k: {type: linear, between: [ground, B], direction: [0, 0, 1], stiffness: 100, "
      "damping: 0.1}}\n"));
}

// Phase that leads all the way, at the node that is moved.
TEST(EnergyBound, KnowsControllersThatTakeEnergyOut) {
  for (const std::string controller :
       {"type: pid, kp: 60, kd: 0.4, ki: 9, filter: 0.002", "type: pid, kp: 60, kd: 0.4"}) {
    expectStable(makeStrip(60, kClamped, 0.0, makeLoop("B", "displacement", controller)));
  }
  expectStable(makeStrip(60, kClamped, 0.0,
                         makeLoop("B", "acceleration",
                                  "type: transfer_function, numerator: [-0.5], denominator: "
                                  "[0.001, 1]")));
  expectStable(makeStrip(60, kClamped, 0.0, makeLoop("B", "velocity", "type: gain, gain: -2")));
}

// A sensor elsewhere feeds energy into some modes; damping of the strip takes it up.
TEST(EnergyBound, LetsDampingTakeUpWhatAControllerFeedsIn) {
  const std::string loop =
      makeLoop("M", "displacement", "type: pid, kp: 0.5, kd: 0.001, filter: 0.01");
  expectStable(makeStrip(60, kClamped, 3e-4, loop));
}

// A lag behind a position feedback drives all modes: k (1 + τs)⁻¹ has the power −kτ/(1 + ω²τ²).
TEST(EnergyBound, CallsNothingStableThatGrows) {
  const std::string lag = "type: transfer_function, numerator: [-60], denominator: [0.001, 1]";
  const ModeResult driven =
      findModes(makeStrip(60, kClamped, 0.0, makeLoop("B", "displacement", lag)));
  EXPECT_GT(driven.verdict.growing, 0);
  const ModeResult negative =
      findModes(makeStrip(60, kClamped, 0.0, makeLoop("B", "velocity", "type: gain, gain: 2")));
  EXPECT_GT(negative.verdict.growing, 0);
  // The sensor elsewhere without damping: whatever is found, nobody knows about all.
  const ModeResult elsewhere = findModes(
      makeStrip(60, kClamped, 0.0,
                makeLoop("M", "displacement", "type: pid, kp: 0.5, kd: 0.001, filter: 0.01")));
  EXPECT_FALSE(elsewhere.verdict.isCertain && elsewhere.verdict.growing == 0);
}

}  // namespace
}  // namespace flexloop::test
