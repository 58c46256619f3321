// Machines with reduced parts in large motion, against references from outside and against beams that are geometrically
// exact.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <sstream>

#include <gtest/gtest.h>

#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "mechanics/parts/reduced_bodies.hpp"
#include "support/machine_modes.hpp"
#include "support/model_run.hpp"
#include "support/part_machine.hpp"
#include "support/part_samples.hpp"
#include "system/assembler.hpp"

namespace flexloop::test {
namespace {

using math::Mat3;
using math::Vec3;
using math::Vec6;

constexpr double kPi = std::numbers::pi;

std::string text(double x) {
  std::ostringstream stream;
  stream.precision(17);
  stream << x;
  return stream.str();
}

// The momentum of the parts of a machine about the z axis of the ground: the derivative of the kinetic energy by a common
// spin about it.
double calcSpinMomentum(const model::Model& model, const system::State& state) {
  system::Assembler assembler(model.system());
  const system::Motion& motion = assembler.calcMotion(state);
  double sum = 0.0;
  for (const auto& set : model.system().sets()) {
    const auto* energy = dynamic_cast<const mechanics::ReducedBodies*>(set.get());
    if (energy == nullptr) continue;
    for (int e = 0; e < set->size(); ++e) {
      const int n = set->freedoms(e);
      system::Tangents t;
      for (Eigen::MatrixXd* X : {&t.K, &t.C, &t.M}) X->setZero(n + 1, n + 1);
      energy->subtractEnergyGradient(motion, assembler.environment(), e, {1.0, 0.0}, t);
      for (int k = 0; k < set->nodes(e); ++k) {
        const Vec6<double> spin = math::applyAdjointInverse<double>(
            motion.nodes[set->node(e, k).value].frame, Vec6<double>::Unit(5));
        sum -= t.C.block<1, 6>(n, 6 * k).dot(spin);
      }
    }
  }
  return sum;
}

// H6 R2: a plate of 0.4 × 0.1 × 0.02 m tumbles freely. Integrated to 1e-13 elsewhere; body rates.
TEST(PartMotion, RigidPlateTumblesAsTheTableSays) {
  const Vec3<double> inertia(0.00544266667, 0.0839426667, 0.0889666667);
  const model::Model model = buildWithParts(
      "nodes: {A: {position: [0, 0, 0], angular_velocity: [4, 6, 12]}}\n"
      "springs: {plate: {type: hand_part, nodes: [A], part: plate}}\n"
      "sensors: {w: {measure: angular_velocity, node: A, frame: body}, E: {measure: energy}}\n"
      "outputs: [w, E]\n"
      "analysis: {time: {end: 0.5, step: 0.1 ms, rho: 1}}\n",
      {{"plate", makeRigidPart(6.28, Vec3<double>::Zero(), inertia.asDiagonal())}});
  const ModelRun run = runModel(model);
  // Second order: an error of 3e-5 rad/s at 0.1 ms falls with the square of the step.
  const auto expectRates = [&](double t, double x, double y, double z) {
    EXPECT_NEAR(run.at(t, "w.x"), x, 1e-4) << t;
    EXPECT_NEAR(run.at(t, "w.y"), y, 1e-4) << t;
    EXPECT_NEAR(run.at(t, "w.z"), z, 1e-4) << t;
  };
  expectRates(0.1, -3.374592015, 6.400902494, 11.814878228);
  expectRates(0.2, -6.946834940, -1.107958737, 13.222531750);
  expectRates(0.5, 5.930750625, 3.915607132, 12.740796675);
  EXPECT_NEAR(run.last("E.total"), 7.960109333, 1e-6);
}

// C2 of the references: a beam of 10 m is spun up to 6 rad/s in 15 s. The tip lags by 0.5738 m and comes back; without
// stiffening the part would bend without limit.
TEST(PartMotion, SpunUpBeamLagsAsTheExactBeamDoes) {
  const BeamPart blade{.length = 10.0,
                       .massPerLength = 1.2,
                       .polarInertia = 1.2e-3,
                       .EA = 2.8e7,
                       .GJ = 1.4e4,
                       .EIy = 1.4e4,
                       .EIz = 1.4e4};
  const model::Model model = buildWithParts(
      "parameters: {T: 15, speed: 6}\n"
      "nodes: {root: [0, 0, 0], tip: [10, 0, 0]}\n"
      "springs: {blade: {type: hand_part, nodes: [root, tip], part: blade}}\n"
      "joints: {shaft: {type: hinge, between: [ground, root], axis: [0, 0, 1], drive: turn}}\n"
      "blocks:\n"
      "  turn:\n"
      "    type: expression\n"
      "    value: \"= if(t < T, speed/T*(t^2/2 + (T/(2*pi))^2*(cos(2*pi*t/T) - 1)), speed*(t - "
      "T/2))\"\n"
      "outputs: [{name: tip, measure: position, node: tip, frame: root}]\n"
      "analysis: {time: {end: 20, step: 10 ms, rho: 0.8}}\n",
      {{"blade", makeBeamPart(blade, 8, 8, true)}});
  const ModelRun run = runModel(model);
  const auto& y = run.column("tip.y");
  EXPECT_NEAR(*std::min_element(y.begin(), y.end()), -0.5738347, 0.01 * 0.5738347);
  EXPECT_NEAR(run.last("tip.y"), 0.0, 0.01 * 0.5738347);
  EXPECT_NEAR(run.last("tip.x"), 10.000514317, 1e-5);
}

// D3 of the references: flap and lag of a cantilever that spins about its root, in units of the beam.
TEST(PartMotion, SpinningCantileverStiffensAsTheTableSays) {
  const BeamPart blade{.length = 1.0,
                       .massPerLength = 1.0,
                       .polarInertia = 2e-5,
                       .EA = 1e5,
                       .GJ = 10.0,
                       .EIy = 1.0,
                       .EIz = 1.0};
  const auto modesAt = [&](double eta, bool stiffening) {
    const std::string s = text(eta);
    const model::Model model = buildWithParts(
        "nodes:\n"
        "  root: {position: [0, 0, 0], angular_velocity: [0, 0, " +
            s +
            "]}\n"
            "  tip: {position: [1, 0, 0], velocity: [0, " +
            s + ", 0], angular_velocity: [0, 0, " + s +
            "]}\n"
            "springs: {blade: {type: hand_part, nodes: [root, tip], part: blade}}\n"
            "joints: {shaft: {type: hinge, between: [ground, root], axis: [0, 0, 1], drive: "
            "angle}}\n"
            "blocks: {angle: {type: ramp, slope: " +
            s + "}}\n",
        {{"blade", makeBeamPart(blade, 12, 12, stiffening)}});
    const auto point =
        analysis::findOperatingPoint(model, {stiffening ? model::OperatingPoint::Kind::kSteady
                                                        : model::OperatingPoint::Kind::kInitial});
    EXPECT_TRUE(point.ok()) << messageOf(point.failure);
    return analysis::findModes(model, point.state, {.count = 6});
  };
  const auto expectMode = [](const analysis::ModeResult& modes, double mu, double relative) {
    ASSERT_TRUE(modes.ok()) << messageOf(modes.failure);
    EXPECT_LT(distanceTo(modes, {0.0, mu}), relative * mu) << mu;
  };
  const auto atSix = modesAt(6.0, true);
  for (const double mu : {7.360373, 26.809082, 66.683914}) expectMode(atSix, mu, 0.002);
  for (const double mu : {7.360373, 26.809082}) {
    expectMode(atSix, std::sqrt(mu * mu - 36.0), 0.005);
  }
  const auto atTwelve = modesAt(12.0, true);
  for (const double mu : {13.170150, 37.603112, 79.614478}) expectMode(atTwelve, mu, 0.002);
  // Without it, flap keeps its frequencies.
  const auto plain = modesAt(3.0, false);
  for (const double mu : {3.516015, 22.034492}) expectMode(plain, mu, 0.002);
}

// A strip of steel of the size of H5, with interfaces at both ends: m = 6.28 kg, 0.4 m.
BeamPart makeStrip() {
  const double E = 210e9, b = 0.1, h = 0.02;
  return {.length = 0.4,
          .massPerLength = 7850 * b * h,
          .polarInertia = 7850 * b * h * (b * b + h * h) / 12.0,
          .EA = E * b * h,
          .GJ = 0.2808 * E / 2.6 * b * h * h * h,
          .EIy = E * b * h * h * h / 12.0,
          .EIz = E * h * b * b * b / 12.0};
}

// H6 R3 in kind: the strip spins on a hinge with 2π rad/s, and a smooth push of its tip, over after 10 ms, makes it vibrate across
// the spin (`force` along z) or in its plane (y). Steps along screws conserve momentum; straight ones vary by 1e-7 within a
// period, as they do with exact beams.
model::Model makeSpinningStrip(const std::string& force, double end, double rho, double step) {
  const double spin = 2.0 * kPi;
  return buildWithParts(
      "formulation: se3\n"
      "nodes:\n"
      "  root: {position: [0, 0, 0], angular_velocity: [0, 0, " +
          text(spin) +
          "]}\n"
          "  tip: {position: [0.4, 0, 0], velocity: [0, " +
          text(0.4 * spin) + ", 0], angular_velocity: [0, 0, " + text(spin) +
          "]}\n"
          "springs: {strip: {type: hand_part, nodes: [root, tip], part: strip}}\n"
          "joints: {shaft: {type: hinge, between: [ground, root], axis: [0, 0, 1]}}\n"
          "loads: {push: {node: tip, force: " +
          force +
          ", frame: body, signal: pulse}}\n"
          "blocks: {pulse: {type: expression, value: \"= if(t < 0.01, sin(pi*t/0.01)^2, 0)\"}}\n"
          "sensors: {E: {measure: energy}, a: {measure: angle, joint: shaft}}\n"
          "outputs: [E, a]\n"
          "analysis: {time: {end: " +
          text(end) + ", step: " + text(step) + ", rho: " + text(rho) +
          ", newton: {tolerance: 1e-10}}}\n",
      {{"strip", makeBeamPart(makeStrip(), 4, 6)}});
}

// After the push, which leaves 0.34 J of strain across, as R3 has. The strip alone vibrates with 106 Hz across and 530 Hz in the plane; a period has twenty steps.
// Momentum varies within a period by an amount that falls with the square of the step, to 1e-7 with twenty steps across.
void expectConserved(const std::string& force, double end, double step, double momentum) {
  const model::Model model = makeSpinningStrip(force, end, 1.0, step);
  constexpr double pushed = 0.0105;
  const ModelRun start = runModel(makeSpinningStrip(force, pushed, 1.0, step));
  const ModelRun run = runModel(model);
  const double first = calcSpinMomentum(model, start.lastState);
  EXPECT_NEAR(calcSpinMomentum(model, run.lastState), first, momentum * first);
  // Against the mean of the first tenth.
  const auto& E = run.column("E.total");
  const std::size_t from = static_cast<std::size_t>(pushed / step) + 1, count = E.size() / 10;
  const double energy = std::accumulate(&E[from], &E[from + count], 0.0) / count;
  for (std::size_t i = from; i < E.size(); ++i) {
    EXPECT_NEAR(E[i], energy, 1e-6 * energy) << run.times()[i];
  }
}

TEST(PartMotion, SpinGainsNoEnergyByVibrationAcross) {
  expectConserved("[0, 0, 446]", 0.2, 0.1e-3, 1e-8);
}
TEST(PartMotion, SpinGainsNoEnergyByVibrationInThePlane) {
  expectConserved("[0, 500, 0]", 0.05, 0.1e-3, 1e-8);
}
TEST(PartMotion, TenTurnsGainNoEnergyAcrossSlow) {
  expectConserved("[0, 0, 446]", 10.0, 0.47e-3, 1.2e-7);
}
TEST(PartMotion, TenTurnsGainNoEnergyInThePlaneSlow) {
  expectConserved("[0, 500, 0]", 10.0, 0.1e-3, 1e-8);
}

// With dissipation of the scheme, the vibration dies and the spin stays.
TEST(PartMotion, DissipationTakesStrainEnergyOnly) {
  const model::Model model = makeSpinningStrip("[0, 0, 446]", 0.5, 0.9, 0.47e-3);
  const ModelRun run = runModel(model);
  const double rigid = 0.5 * 6.28 * 0.16 / 3.0 * 4.0 * kPi * kPi;
  EXPECT_LT(run.last("E.total"), run.at(0.011, "E.total"));
  EXPECT_GT(run.last("E.total"), rigid * (1.0 - 1e-6));
}

// An elastic pendulum of 1 m falls from the horizontal: tip and bending as those of an exact beam of the same stiffness and
// damping, within 1 % of the largest bending.
TEST(PartMotion, PendulumSwingsAsTheExactBeam) {
  const BeamPart bar{.length = 1.0,
                     .massPerLength = 0.78,
                     .polarInertia = 1.3e-5,
                     .EA = 2.1e6,
                     .GJ = 135,
                     .EIy = 175,
                     .EIz = 175};
  mechanics::ReducedModel model = makeBeamPart(bar, 8, 12, true);
  model.D = 2e-3 * model.K;
  const std::string rest =
      "gravity: [0, 0, -9.81]\n"
      "nodes: {root: [0, 0, 0], tip: [1, 0, 0]}\n"
      "joints: {hinge: {type: hinge, between: [ground, root], axis: [0, 1, 0]}}\n"
      "outputs: [{name: tip, measure: position, node: tip}, {name: bent, measure: position, node: "
      "tip, frame: root}]\n"
      "analysis: {time: {end: 1, step: 2 ms, rho: 0.9}}\n";
  const ModelRun part = runModel(
      buildWithParts(rest + "springs: {bar: {type: hand_part, nodes: [root, tip], part: bar}}\n",
                     {{"bar", model}}));
  const ModelRun beam = runModel(buildModel(
      rest +
      "sections: {bar: {type: stiffness, EA: 2.1e6, GAy: 1e8, GAz: 1e8, GJ: 135, EIy: 175, EIz: "
      "175, rhoA: 0.78, rhoJ: [1.3e-5, 1e-9, 1e-9]}}\n"
      "beams: {bar: {from: root, to: tip, elements: 8, order: 2, section: bar, y_axis: [0, 1, 0], "
      "damping: 2e-3}}\n"));
  double largest = 0.0, difference = 0.0, apart = 0.0;
  const auto &a = part.column("bent.z"), &b = beam.column("bent.z");
  for (std::size_t i = 0; i < b.size(); ++i) {
    largest = std::max(largest, std::abs(b[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
    for (const char* x : {"tip.x", "tip.z"}) {
      apart = std::max(apart, std::abs(part.column(x)[i] - beam.column(x)[i]));
    }
  }
  EXPECT_GT(largest, 5e-4);
  EXPECT_LT(difference, 0.01 * largest);
  EXPECT_LT(apart, 0.01 * largest);
}

// The hinged end of a part with many modes turns with hardly any inertia of its own. Stiffening by its rotation, instead of by
// the mean one, made the mass matrix indefinite within 50 ms.
TEST(PartMotion, StiffenedPendulumOfManyModesSwings) {
  const BeamPart bar{.length = 1.0,
                     .massPerLength = 0.78,
                     .polarInertia = 1.3e-5,
                     .EA = 2.1e6,
                     .GJ = 11,
                     .EIy = 17.5,
                     .EIz = 17.5};
  const ModelRun run = runModel(
      buildWithParts("gravity: [0, 0, -9.81]\n"
                     "nodes: {root: [0, 0, 0], tip: [1, 0, 0]}\n"
                     "springs: {bar: {type: hand_part, nodes: [root, tip], part: bar}}\n"
                     "joints: {hinge: {type: hinge, between: [ground, root], axis: [0, 1, 0]}}\n"
                     "sensors: {E: {measure: energy}}\n"
                     "outputs: [E]\n"
                     "analysis: {time: {end: 0.2, step: 1 ms, rho: 0.8}}\n",
                     {{"bar", makeBeamPart(bar, 10, 30, true)}}));
  EXPECT_EQ(run.report.failedSteps, 0);
  EXPECT_NEAR(run.last("E.total"), 0.0, 1e-3 * 0.78 * 9.81);
}

// Two parts and another machine in one model move as each does alone.
TEST(PartMotion, PartsDoNotFeelEachOther) {
  const BeamPart strip = makeStrip();
  const PartList parts{{"strip", makeBeamPart(strip, 2, 3)}};
  const auto machine = [](const std::string& name, double y) {
    return std::pair<std::string, std::string>(
        name + "1: {position: [0, " + text(y) + ", 0]}, " + name + "2: {position: [0.4, " +
            text(y) + ", 0]}",
        name + ": {type: hand_part, nodes: [" + name + "1, " + name + "2], part: strip}");
  };
  const auto [a, aPart] = machine("a", 0.0);
  const auto [b, bPart] = machine("b", 2.0);
  const std::string time = "analysis: {time: {end: 0.1, step: 1 ms, newton: {tolerance: 1e-12}}}\n";
  const std::string hinge = "{type: hinge, axis: [0, 1, 0], between: [ground, ";
  const ModelRun alone = runModel(buildWithParts(
      "gravity: [0, 0, -9.81]\nnodes: {" + a + "}\nsprings: {" + aPart + "}\njoints: {ha: " +
          hinge + "a1]}}\noutputs: [{name: p, measure: position, node: a2}]\n" + time,
      parts));
  const ModelRun both = runModel(buildWithParts(
      "gravity: [0, 0, -9.81]\nnodes: {" + a + ", " + b +
          ", c: {position: [5, 0, 0], free: [x]}}\nbodies: {c: {node: c, mass: 1}}\nsprings: {" +
          aPart + ", " + bPart +
          ", k: {type: linear, between: [ground, c], direction: [1, 0, 0], stiffness: 100}}\n"
          "joints: {ha: " +
          hinge + "a1]}, hb: " + hinge +
          "b1]}}\noutputs: [{name: p, measure: position, node: a2}, {name: r, measure: position, "
          "node: b2}]\n" +
          time,
      parts));
  EXPECT_NEAR(both.last("p.z"), alone.last("p.z"), 1e-10);
  EXPECT_NEAR(both.last("r.z"), alone.last("p.z"), 1e-10);
  EXPECT_NEAR(both.last("r.y"), 2.0, 1e-12);
}

}  // namespace
}  // namespace flexloop::test
