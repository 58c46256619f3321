// Margins of loops, and whether they are stable when closed, against closed forms.
#include <cmath>
#include <numbers>
#include <optional>
#include <sstream>

#include <gtest/gtest.h>

#include "support/linear_machine.hpp"
#include "support/message_matchers.hpp"

namespace flexloop::test {
namespace {

using Complex = std::complex<double>;

constexpr double kPi = std::numbers::pi;
const Complex i1(0.0, 1.0);

// L = k/(s (s+1) (s+2)): phase −180° at ω = √2, where |L| = k/6.
TEST(Margins, OfThreePoles) {
  const auto loop = [](double omega) -> std::optional<Complex> {
    const Complex s = i1 * omega;
    if (omega == 0.0) return std::nullopt;
    return 2.0 / (s * (s + 1.0) * (s + 2.0));
  };
  const auto margins = analysis::findMargins(loop, analysis::makeSearchGrid(1e-2, 1e2, {}));
  ASSERT_EQ(margins.gains.size(), 1u);
  EXPECT_NEAR(margins.gains[0].factor, 3.0, 1e-12);
  EXPECT_NEAR(2.0 * kPi * margins.gains[0].frequencyHz, std::sqrt(2.0), 1e-12);
  // python3: w=brentq(lambda w: abs(2/(1j*w*(1j*w+1)*(1j*w+2)))-1,.1,2,xtol=1e-15); 90-degrees(atan(w)+atan(w/2))
  ASSERT_EQ(margins.phases.size(), 1u);
  const double w = 2.0 * kPi * margins.phases[0].frequencyHz;
  EXPECT_NEAR(w * w * (w * w + 1.0) * (w * w + 4.0), 4.0, 1e-11);
  const double degrees = 90.0 - (std::atan(w) + std::atan(0.5 * w)) * 180.0 / kPi;
  EXPECT_NEAR(margins.phases[0].degrees, degrees, 1e-10);
  EXPECT_NEAR(*margins.smallestDelay(), degrees * kPi / 180.0 / w, 1e-11);
}

TEST(Margins, OfBlocksAndWhetherTheClosedLoopIsStable) {
  for (const double gain : {2.0, 6.5}) {
    std::ostringstream text;
    text << "blocks:\n  e: {type: sum, inputs: [-y]}\n"
         << "  y: {type: transfer_function, input: e, numerator: [" << gain
         << "], denominator: [1, 3, 2, 0]}\n";
    const Machine machine(text.str(), {{"y"}, {"y"}, "y"});
    const auto loop =
        analysis::analyzeLoop(machine.model.system(), machine.linear, machine.ports, 0.1, 1.0);
    ASSERT_EQ(loop.margins.gains.size(), 1u);
    EXPECT_NEAR(loop.margins.gains[0].factor, 6.0 / gain, 1e-11);
    EXPECT_EQ(loop.isStable(), gain < 6.0);
    EXPECT_EQ(*loop.openUnstable, 0);
    EXPECT_EQ(*loop.closedUnstable, gain < 6.0 ? 0 : 2);
  }
}

analysis::ReturnRatio analyzeCut(const std::string& text, const std::string& cut) {
  const Machine machine(text, {{cut}, {cut}, cut});
  return analysis::analyzeLoop(machine.model.system(), machine.linear, machine.ports, 0.01, 10.0);
}

// y' = −k y(t − τ): a pair of roots crosses the axis at each k τ = π/2 + 2π n; with k < 0 one root is real and positive.
TEST(Margins, OfAnExactDelayCountThePolesThatGrow) {
  const std::pair<double, int> cases[] = {{1.0, 0},   {1.57, 0}, {1.572, 2}, {7.8, 2},
                                          {7.9, 4},   {20.4, 6}, {20.5, 8},  {-0.5, 1},
                                          {-1e-4, 1}, {-5.0, 3}, {-4.7, 1}};
  for (const auto& [k, growing] : cases) {
    std::ostringstream text;
    text << "blocks:\n  y: {type: integrator, input: u}\n  v: {type: gain, input: y, gain: " << -k
         << "}\n  u: {type: transport_delay, input: v, delay: 1}\n";
    for (const char* cut : {"y", "v", "u"}) {
      const auto loop = analyzeCut(text.str(), cut);
      ASSERT_TRUE(loop.closedUnstable) << k;
      EXPECT_EQ(*loop.closedUnstable, growing) << k << " cut at " << cut;
      EXPECT_EQ(*loop.openUnstable, 0);
      EXPECT_TRUE(loop.isComplete);
    }
  }
}

// x'' + x + k x(t − τ) = 0 with a small k: s = i + (k/2)(sin τ + i cos τ), so that the sign of sin τ decides. The pole
// of the cut loop is on the axis, and the root 5e-7 beside it.
TEST(Margins, OfADelayBesideAnUndampedPole) {
  for (const double tau : {1.0, 4.0, 7.0}) {
    std::ostringstream text;
    text << "blocks:\n  x: {type: transfer_function, input: u, numerator: [1], denominator: [1, 0, "
            "1]}\n"
         << "  v: {type: gain, input: x, gain: -1e-6}\n"
         << "  u: {type: transport_delay, input: v, delay: " << tau << "}\n";
    const auto loop = analyzeCut(text.str(), "v");
    ASSERT_TRUE(loop.closedUnstable) << tau;
    EXPECT_EQ(*loop.closedUnstable, std::sin(tau) > 0.0 ? 2 : 0) << tau;
  }
}

// L = e^{−sτ} (4 + 3s)/(s² − 1), unstable when cut, is at its limit where the phase margin is used up:
// |4 + 3iω| = ω² + 1, hence ω⁴ − 7ω² − 15 = 0, and τ = atan(3ω/4)/ω.
TEST(Margins, OfAnUnstableMachineThatADelayedLoopHolds) {
  const double w = std::sqrt(0.5 * (7.0 + std::sqrt(109.0))), limit = std::atan(0.75 * w) / w;
  for (const double share : {0.999, 1.001}) {
    std::ostringstream text;
    text.precision(17);
    text << "blocks:\n"
         << "  x: {type: transfer_function, input: u, numerator: [3, 4], denominator: [1, 0, -1]}\n"
         << "  v: {type: gain, input: x, gain: -1}\n"
         << "  u: {type: transport_delay, input: v, delay: " << share * limit << "}\n";
    const auto loop = analyzeCut(text.str(), "v");
    ASSERT_TRUE(loop.closedUnstable);
    EXPECT_EQ(*loop.openUnstable, 1);
    EXPECT_EQ(*loop.closedUnstable, share < 1.0 ? 0 : 2);
  }
}

// y = −g y(t − τ) + …: e^{sτ} = −g, all roots at re s = ln g/τ. Below one none grows; above one they are without number.
TEST(Margins, OfADelayThatComesBackAtOnce) {
  for (const double g : {0.8, 1.2}) {
    std::ostringstream text;
    text << "blocks:\n  y: {type: sum, inputs: [late, c]}\n  c: {type: constant, value: 0}\n"
         << "  v: {type: gain, input: y, gain: " << -g << "}\n"
         << "  late: {type: transport_delay, input: v, delay: 0.1}\n";
    const auto loop = analyzeCut(text.str(), "v");
    EXPECT_EQ(loop.closedUnstable.has_value(), g < 1.0);
    EXPECT_EQ(loop.isStable(), g < 1.0);
  }
}

// The disk touches −1/L where gain and phase margins meet: for L = k/s², with derivative k(1 + Ts)/s².
TEST(Margins, DiskIsThatOfThePeakOfSMinusT) {
  const auto loop = [](double omega) -> std::optional<Complex> {
    if (omega == 0.0) return std::nullopt;
    const Complex s = i1 * omega;
    return 4.0 * (1.0 + 0.5 * s) / (s * s);
  };
  const auto margins = analysis::findMargins(loop, analysis::makeSearchGrid(1e-2, 1e2, {}));
  // |S − T|² = ((ω²+4)² + 4ω²)/((ω²−4)² + 4ω²), by fine sampling.
  double peak = 0.0;
  for (double w = 1.0; w < 4.0; w += 1e-5) {
    const double a = w * w;
    peak = std::max(peak, std::sqrt(((a + 4) * (a + 4) + 4 * a) / ((a - 4) * (a - 4) + 4 * a)));
  }
  EXPECT_NEAR(margins.disk.alpha, 2.0 / peak, 1e-8);
  EXPECT_NEAR(margins.disk.highestGain, (2.0 + 2.0 / peak) / (2.0 - 2.0 / peak), 1e-7);
  EXPECT_TRUE(margins.gains.empty());
}

// An inverted pendulum needs a least gain: L(0) < −1 counts as a margin at zero frequency.
TEST(Margins, LeastGainOfAnUnstablePlant) {
  const auto loop = [](double omega) -> std::optional<Complex> {
    const Complex s = i1 * omega;
    return (30.0 + 4.0 * s) / (s * s - 10.0);
  };
  const auto margins = analysis::findMargins(loop, analysis::makeSearchGrid(1e-2, 1e2, {}));
  ASSERT_EQ(margins.gains.size(), 1u);
  EXPECT_EQ(margins.gains[0].frequencyHz, 0.0);
  EXPECT_NEAR(margins.gains[0].factor, 1.0 / 3.0, 1e-12);
}

}  // namespace
}  // namespace flexloop::test
