// Margins, answers to steps and spill-over of loops in closed form.
#include "analysis/design/control_loop.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "linalg/state_space/minimal_form.hpp"

namespace flexloop::analysis {
namespace {

using Eigen::MatrixXd;
using linalg::StateMatrices;
using Complex = std::complex<double>;

constexpr double kTurn = 2.0 * std::numbers::pi;

StateMatrices makeGain(const MatrixXd& D) {
  return {MatrixXd(0, 0), MatrixXd(0, D.cols()), MatrixXd(D.rows(), 0), D};
}

// 1/(s (s + 1) (s + 2))
StateMatrices makeThirdOrder() {
  return {MatrixXd{{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, -2.0, -3.0}},
          MatrixXd{{0.0}, {0.0}, {1.0}}, MatrixXd{{1.0, 0.0, 0.0}}, MatrixXd::Zero(1, 1)};
}

// L = 1/(s (s + 1) (s + 2)) is −1/6 at √2 rad/s.
TEST(ControlLoop, GainMargin) {
  const auto loop = makeLoop(makeThirdOrder(), makeGain(MatrixXd{{-1.0}}), std::nullopt);
  ASSERT_TRUE(loop);
  const std::vector<LoopMargins> margins = findMargins(loop.value());
  ASSERT_EQ(margins.size(), 1U);
  const GainMargin* gain = margins[0].smallestGain();
  ASSERT_NE(gain, nullptr);
  EXPECT_NEAR(gain->factor, 6.0, 1e-9);
  EXPECT_NEAR(gain->frequencyHz * kTurn, std::numbers::sqrt2, 1e-9);
  EXPECT_TRUE(isStable(findRoots(loop.value())));
  const auto beyond = makeLoop(makeThirdOrder(), makeGain(MatrixXd{{-6.01}}), std::nullopt);
  EXPECT_FALSE(isStable(findRoots(beyond.value())));
  const auto below = makeLoop(makeThirdOrder(), makeGain(MatrixXd{{-5.99}}), std::nullopt);
  EXPECT_TRUE(isStable(findRoots(below.value())));
}

// A PID for a phase margin has it, and the loop that is closed has the roots of its polynomial.
TEST(ControlLoop, PhaseMarginOfAPid) {
  const StateMatrices plant{MatrixXd{{0.0, 1.0}, {0.0, 0.0}}, MatrixXd{{0.0}, {1.0}},
                            MatrixXd{{1.0, 0.0}}, MatrixXd::Zero(1, 1)};
  const double angle = 60.0 / 360.0 * kTurn;
  const auto gains = designPid(plant, 1.0, angle, 4.0);
  ASSERT_TRUE(gains);
  const auto loop = makePidLoop(plant, gains.value());
  ASSERT_TRUE(loop);
  const std::vector<LoopMargins> margins = findMargins(loop.value());
  const PhaseMargin* phase = margins[0].smallestPhase();
  ASSERT_NE(phase, nullptr);
  EXPECT_NEAR(phase->degrees, 60.0, 1e-6);
  EXPECT_NEAR(phase->frequencyHz * kTurn, 1.0, 1e-8);
  EXPECT_NEAR(phase->delay, angle, 1e-8);
  for (const Complex& s : findRoots(loop.value())) {
    const Complex value =
        s * s * s + gains.value().kd * s * s + gains.value().kp * s + gains.value().ki;
    EXPECT_LT(std::abs(value), 1e-12);
  }
}

// x' = u held over T with u = −k x: z = 1 − k T, so that the gain may grow by 2/(k T), at half the frequency of samples.
TEST(ControlLoop, SampledLoopHasTheMarginOfItsSamples) {
  const StateMatrices plant{MatrixXd::Zero(1, 1), MatrixXd::Ones(1, 1), MatrixXd::Ones(1, 1),
                            MatrixXd::Zero(1, 1)};
  const double T = 0.1, k = 4.0;
  const auto loop = makeLoop(plant, makeGain(MatrixXd{{-k}}), T);
  ASSERT_TRUE(loop);
  const std::vector<Complex> roots = findRoots(loop.value());
  ASSERT_EQ(roots.size(), 1U);
  EXPECT_NEAR(roots[0].real(), std::log(1.0 - k * T) / T, 1e-9);
  const std::vector<LoopMargins> margins = findMargins(loop.value());
  const GainMargin* gain = margins[0].smallestGain();
  ASSERT_NE(gain, nullptr);
  EXPECT_NEAR(gain->factor, 2.0 / (k * T), 1e-9);
  EXPECT_NEAR(gain->frequencyHz, 0.5 / T, 1e-9);
}

// Two loops that do not touch, one of which has the margin of the third-order plant; and the same behind a rotation of
// the outputs, which only the loop as a whole undoes.
TEST(ControlLoop, OneLoopAtATime) {
  StateMatrices plant{MatrixXd::Zero(4, 4), MatrixXd::Zero(4, 2), MatrixXd::Zero(2, 4),
                      MatrixXd::Zero(2, 2)};
  const StateMatrices third = makeThirdOrder();
  plant.A.topLeftCorner(3, 3) = third.A;
  plant.A(3, 3) = -1.0;
  plant.B.topLeftCorner(3, 1) = third.B;
  plant.B(3, 1) = 1.0;
  plant.C.topLeftCorner(1, 3) = third.C;
  plant.C(1, 3) = 1.0;
  const MatrixXd turn{{0.6, 0.8}, {-0.8, 0.6}};
  StateMatrices turned = plant;
  turned.C = turn * plant.C;
  const MatrixXd K{{-1.0, 0.0}, {0.0, -2.0}};
  for (const auto& loop : {makeLoop(plant, makeGain(K), std::nullopt),
                           makeLoop(turned, makeGain(K * turn.transpose()), std::nullopt)}) {
    ASSERT_TRUE(loop);
    const std::vector<LoopMargins> margins = findMargins(loop.value());
    ASSERT_EQ(margins.size(), 2U);
    ASSERT_NE(margins[0].smallestGain(), nullptr);
    EXPECT_NEAR(margins[0].smallestGain()->factor, 6.0, 1e-6);
    // 2/(s + 1): |L| = 1 at √3 rad/s with a phase of −60°
    ASSERT_NE(margins[1].smallestPhase(), nullptr);
    EXPECT_NEAR(margins[1].smallestPhase()->degrees, 120.0, 1e-6);
    EXPECT_NEAR(margins[1].smallestPhase()->frequencyHz * kTurn, std::sqrt(3.0), 1e-6);
  }
}

// s² + 2 ζ s + 1 by feedback of the displacement and rate of a double integrator: overshoot e^(−πζ/√(1−ζ²)).
TEST(ControlLoop, StepsOfAnOscillation) {
  const double zeta = 0.2, root = std::sqrt(1.0 - zeta * zeta);
  const StateMatrices plant{MatrixXd{{0.0, 1.0}, {0.0, 0.0}}, MatrixXd{{0.0}, {1.0}},
                            MatrixXd::Identity(2, 2), MatrixXd::Zero(2, 1)};
  const auto loop = makeLoop(plant, makeGain(MatrixXd{{-1.0, -2.0 * zeta}}), std::nullopt);
  ASSERT_TRUE(loop);
  const std::vector<StepFigures> steps = calcSteps(loop.value());
  // From d to both outputs and u, and from each reference to its output.
  ASSERT_EQ(steps.size(), 5U);
  for (const int which : {0, 3}) {
    const StepFigures& step = steps[which];
    const double overshoot = std::exp(-std::numbers::pi * zeta / root);
    EXPECT_NEAR(step.last, 1.0, 1e-12);
    // As near to the top of a parabola as the grid is: ½ (h/2)², h = settling/1500
    EXPECT_NEAR(step.peak, 1.0 + overshoot, 1e-4);
    EXPECT_NEAR(step.peakTime, std::numbers::pi / root, 0.05);
    // The envelope e^(−ζt)/√(1−ζ²) is 2 % there, and the oscillation reaches it once in half a period.
    const double envelope = -std::log(0.02 * root) / zeta;
    EXPECT_LT(step.settling, envelope + 0.05);
    EXPECT_GT(step.settling, envelope - std::numbers::pi / root);
    for (std::size_t i = 0; i < step.time.size(); i += 100) {
      const double t = step.time[i];
      const double exact =
          1.0 - std::exp(-zeta * t) * (std::cos(root * t) + zeta / root * std::sin(root * t));
      EXPECT_NEAR(step.value[i], exact, 1e-10);
    }
  }
}

// A slow motion that nothing moves does not stretch the time that is shown.
TEST(ControlLoop, StepsEndWhenTheyHaveSettled) {
  const StateMatrices plant{MatrixXd{{-100.0, 0.0}, {0.0, -1e-4}}, MatrixXd{{1.0}, {0.0}},
                            MatrixXd{{1.0, 1.0}}, MatrixXd::Zero(1, 1)};
  const auto loop = makeLoop(plant, makeGain(MatrixXd{{-100.0}}), std::nullopt);
  ASSERT_TRUE(loop);
  const std::vector<StepFigures> steps = calcSteps(loop.value());
  ASSERT_FALSE(steps.empty());
  EXPECT_NEAR(steps[0].last, 1.0 / 200.0, 1e-12);
  EXPECT_NEAR(steps[0].settling, std::log(50.0) / 200.0, 1e-4);
  EXPECT_LT(steps[0].time.back(), 0.1);
}

TEST(ControlLoop, FreeMotionsHaveNoStepAnswers) {
  const StateMatrices plant{MatrixXd{{-1.0, 0.0}, {0.0, 0.0}}, MatrixXd{{1.0}, {1.0}},
                            MatrixXd{{1.0, 0.0}}, MatrixXd::Zero(1, 1)};
  const auto loop = makeLoop(plant, makeGain(MatrixXd{{-1.0}}), std::nullopt);
  ASSERT_TRUE(loop);
  EXPECT_TRUE(calcSteps(loop.value()).empty());
}

TEST(ControlLoop, SpilloverIsWhatLosesDamping) {
  const std::vector<Complex> open{{-0.1, 10.0}, {-0.5, 50.0}, {-3.0, 0.0}};
  const std::vector<Complex> closed{{-2.0, 9.0}, {-0.1, 51.0}, {-3.0, 0.0}};
  const std::vector<ModeChange> changes = findSpillover(open, closed);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].open, open[1]);
  EXPECT_EQ(changes[0].closed, closed[1]);
  EXPECT_TRUE(findSpillover(open, open).empty());
}

// The zeros of the notch are the roots of the motion, so that they are gone from the loop.
TEST(ControlLoop, NotchCancelsItsMotion) {
  const double w = 30.0, zeta = 0.01;
  const StateMatrices plant{
      MatrixXd{{0.0, 1.0, 0.0}, {-w * w, -2.0 * zeta * w, 0.0}, {0.0, 0.0, -1.0}},
      MatrixXd{{0.0}, {w * w}, {1.0}}, MatrixXd{{1.0, 0.0, 1.0}}, MatrixXd::Zero(1, 1)};
  const auto notch = designNotch(plant, 28.0, 0.5, std::nullopt);
  ASSERT_TRUE(notch);
  EXPECT_NEAR(notch.value().rate, w, 1e-9);
  EXPECT_NEAR(notch.value().zeroDamping, zeta, 1e-9);
  EXPECT_EQ(notch.value().poleDamping, 0.5);
  const StateMatrices N = notch.value().system();
  const Complex s(-0.3, 4.0);
  const Complex exact = (s * s + 2.0 * zeta * w * s + w * w) / (s * s + w * s + w * w);
  EXPECT_LT(std::abs(linalg::calcResponse(N, s)(0, 0) - exact), 1e-12);
  EXPECT_FALSE(designNotch(plant, 28.0, 0.005, std::nullopt));
  EXPECT_FALSE(designNotch(plant, 28.0, 0.5, 1.0));
  const auto deep = designNotch(plant, 28.0, 0.5, 0.1);
  ASSERT_TRUE(deep);
  EXPECT_NEAR(std::abs(linalg::calcResponse(deep.value().system(), {0.0, w})(0, 0)), 0.1, 1e-9);
}

}  // namespace
}  // namespace flexloop::analysis
