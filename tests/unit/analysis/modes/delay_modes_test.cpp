// Modes of loops with pure delays, against Lambert's W function and Newton's method in 30 digits.
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_stability.hpp"
#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "analysis/records/free_response.hpp"
#include "linalg/roots/all_roots.hpp"
#include "linalg/roots/delay_roots.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using analysis::Mode;
using analysis::ModeResult;
using Complex = std::complex<double>;

ModeResult modesOf(const std::string& text, analysis::ModeOptions options = {}) {
  const model::Model model = buildModel(text);
  const analysis::OperatingState point = analysis::findOperatingPoint(model, model.modes().about);
  EXPECT_TRUE(point.ok()) << messageOf(point.failure);
  ModeResult result = analysis::findModes(model, point.state, options);
  EXPECT_TRUE(result.ok()) << messageOf(result.failure);
  return result;
}

// Every root is among the modes; nothing else is, as far as they are asked for.
void expectRoots(const std::vector<Mode>& modes, const std::vector<Complex>& roots,
                 double tolerance = 1e-12) {
  EXPECT_EQ(modes.size(), roots.size());
  for (const Complex& root : roots) {
    double nearest = INFINITY;
    for (const Mode& mode : modes) nearest = std::min(nearest, std::abs(mode.eigenvalue - root));
    EXPECT_LE(nearest, tolerance * std::abs(root)) << root;
  }
  for (const Mode& mode : modes) EXPECT_LT(mode.residual, 1e-13) << mode.eigenvalue;
}

const char* const kMass =
    "nodes: {cart: {position: [0, 0, 0], free: [x]}}\n"
    "bodies: {cart: {node: cart, mass: 3}}\n"
    "sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}\n"
    "blocks:\n"
    "  late: {type: transport_delay, input: x, delay: 0.3}\n"
    "  u: {type: gain, input: late, gain: -12}\n"
    "loads: {push: {node: cart, force: [1, 0, 0], signal: u}}\n";

// m s² + k e^{−sτ} = 0 for k/m = ω²: s = 2/τ W_k(± i ω τ/2); mpmath 1.2, 30 digits:
// 2/t*lambertw(sg*1j*w*t/2, k) for w = 2, t = 0.3, k = 0, 1, 2, sg = 1, -1.
const std::vector<Complex> kRootsOfMass{
    {0.49297548705365336, 1.7908294140233041}, {-16.114521465445415, 15.599765898342838},
    {-20.570740797845857, 38.625487804959765}, {-23.175709922534175, 60.388913848110772},
    {-25.039072800014257, 81.79540102847026},  {-26.493308225039824, 103.04201680069871}};

TEST(DelayModes, AMassWithLateFeedbackHasTheRootsOfLambert) {
  expectRoots(modesOf(kMass, {.count = 6}).modes, kRootsOfMass);
}

TEST(DelayModes, TheNearestToAFrequencyAreFoundToo) {
  const ModeResult result = modesOf(kMass, {.count = 2, .nearHz = 72.0 / 6.283185307179586});
  expectRoots(result.modes, {kRootsOfMass[3], kRootsOfMass[4]});
}

TEST(DelayModes, WithoutTheLoopThereIsNoDelay) {
  const ModeResult result = modesOf(kMass, {.count = 5, .view = {analysis::LoopView::kOpen}});
  ASSERT_EQ(result.modes.size(), 1);
  EXPECT_EQ(result.modes[0].eigenvalue, 0.0);
}

std::string makeLag(double gain) {
  return "blocks:\n"
         "  late: {type: transport_delay, input: y, delay: 0.2}\n"
         "  y: {type: transfer_function, input: late, denominator: [0.5, 1], numerator: " +
         std::to_string(-gain) + "}\n";
}

// T s + 1 + g e^{−sτ} = 0: s = W_k(−g τ/T e^{τ/T})/τ − 1/T;
// lambertw(-3*t/T*exp(t/T), k)/t - 1/T for T = 0.5, t = 0.2, k = 0 … 3.
TEST(DelayModes, ALagWithADelayHasTheRootsOfLambert) {
  expectRoots(modesOf(makeLag(3.0), {.count = 4}).modes,
              {{-1.5334850386697552, 8.1402179629280809},
               {-9.3617858959344671, 38.32092591184183},
               {-12.334258555372637, 69.95247635489732},
               {-14.177456622098001, 101.50476790054916}});
}

// ωτ + atan ωT = π at the limit of stability: w = findroot(lambda w: w*t + atan(w*T) - pi, 9),
// g = sqrt(1 + (w*T)**2).
TEST(DelayModes, TheCriticalGainIsWhereTheRootCrosses) {
  const double critical = 4.5867838229537928;
  const auto slowest = [](double gain) { return modesOf(makeLag(gain), {.count = 1}).modes.at(0); };
  EXPECT_LT(slowest(critical - 1e-4).eigenvalue.real(), 0.0);
  EXPECT_GT(slowest(critical + 1e-4).eigenvalue.real(), 0.0);
  EXPECT_NEAR(slowest(critical).eigenvalue.imag(), 8.9528958082869724, 1e-5);
  EXPECT_FALSE(slowest(critical + 1e-4).isStable());
}

// y' = −2 y(t − 0.3) − y(t − 1.1); one signal enters with a minus. All roots of
// s + 2 e^{−0.3 s} + e^{−1.1 s} with |s| < 25, by findroot from a grid.
TEST(DelayModes, SeveralDelaysAct) {
  expectRoots(modesOf("blocks:\n"
                      "  a: {type: transport_delay, input: y, delay: 0.3}\n"
                      "  minus: {type: gain, input: y, gain: -1}\n"
                      "  b: {type: transport_delay, input: minus, delay: 1.1}\n"
                      "  rate: {type: expression, inputs: [a, b], value: -2*a + b}\n"
                      "  y: {type: integrator, input: rate}\n",
                      {.count = 5})
                  .modes,
              {{-0.41636598300308938, 2.3261926612942506},
               {-1.3894449883015548, 6.5967704402965061},
               {-2.5271265113081395, 12.503520647477336},
               {-2.7934622862173504, 18.594622662806964},
               {-2.74331071034749, 24.264058176231892}});
}

// A delay that nothing depends on adds nothing, whatever the record of its past is.
TEST(DelayModes, ADelayThatIsNotReadAddsNothing) {
  const std::string text =
      "blocks:\n"
      "  y: {type: transfer_function, input: 2, numerator: 1, denominator: [0.5, 1]}\n"
      "  late: {type: transport_delay, input: y, delay: 0.2}\n"
      "analysis: {modes: {about: equilibrium}}\n";
  const ModeResult result = modesOf(text, {.count = 5});
  ASSERT_EQ(result.modes.size(), 1);
  EXPECT_NEAR(std::abs(result.modes[0].eigenvalue + 2.0), 0.0, 1e-14);
}

// The same roots about an equilibrium, where the past of the delay is as its present.
TEST(DelayModes, TheStateOfTheRecordDoesNotMatter) {
  expectRoots(
      modesOf(makeLag(3.0) + "analysis: {modes: {about: equilibrium}}\n", {.count = 1}).modes,
      {{-1.5334850386697552, 8.1402179629280809}});
}

// A run of the lag rings as its slowest roots say.
TEST(DelayModes, ASimulationRingsAsTheModesSay) {
  std::string text = makeLag(3.0);
  text.insert(text.rfind('}'), ", initial_output: 1");
  const ModelRun run = runModel(text, "y", "end: 3, step: 0.5 ms");
  std::vector<double> values;
  for (double t = 1.0; t < 2.6; t += 0.04) values.push_back(run.at(t, "y"));
  const Complex root(-1.5334850386697552, 8.1402179629280809);
  const auto roots = analysis::calcEigenvalues(values, 0.04, 4);
  double nearest = INFINITY;
  for (const Complex& s : roots) nearest = std::min(nearest, std::abs(s - root));
  EXPECT_LT(nearest, 2e-4 * std::abs(root));
}

// The [n−1/n] Padé approximation of e^{−x}: for n = 2, (1 − x/3)/(1 + 2x/3 + x²/6).
TEST(DelayModes, TheApproximationIsThatOfPade) {
  linalg::QuadraticPencil pencil;
  for (linalg::SparseMatrix* m : {&pencil.K, &pencil.C, &pencil.M}) m->resize(2, 2);
  pencil.K.insert(0, 0) = 1.0;
  pencil.K.insert(1, 1) = 1.0;
  const double delay = 0.7;
  const auto approximation = linalg::approximateDelays(pencil, {{1, 0, -1.0, delay}}, {2});
  const Complex s(0.3, -1.1), x = s * delay;
  Eigen::VectorXcd f = Eigen::VectorXcd::Unit(4, 0);
  const Eigen::VectorXcd z =
      Eigen::MatrixXcd(linalg::evaluate(approximation, s)).partialPivLu().solve(f);
  const Complex pade = (1.0 - x / 3.0) / (1.0 + 2.0 * x / 3.0 + x * x / 6.0);
  EXPECT_LT(std::abs(z[1] - pade), 1e-14);
}

// What a delay passes on without coming back moves no root: the modes are all there are, also one that decays by e⁶⁰ in the
// time of the delay, and their shapes have the delay in them.
TEST(DelayModes, ADelayBesideTheLoopsAddsNoRoots) {
  const ModeResult result = modesOf(
      "nodes: {cart: {position: [0, 0, 0], free: [x]}}\n"
      "bodies: {cart: {node: cart, mass: 2}}\n"
      "springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 50}}\n"
      "sensors: {x: {measure: displacement, node: cart, direction: [1, 0, 0]}}\n"
      "blocks:\n"
      "  late: {type: transport_delay, input: x, delay: 0.3}\n"
      "  lag: {type: transfer_function, input: late, numerator: [1], denominator: [0.005, 1]}\n");
  EXPECT_TRUE(result.isComplete);
  expectRoots(result.modes, {{-200.0, 0.0}, {0.0, 5.0}});
  const model::Model model = buildModel(
      "nodes: {cart: {position: [0, 0, 0], free: [x]}}\n"
      "bodies: {cart: {node: cart, mass: 2}}\n"
      "springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 50}}\n"
      "sensors: {x: {measure: displacement, node: cart, direction: [1, 0, 0]}}\n"
      "blocks: {late: {type: transport_delay, input: x, delay: 0.3}}\n");
  const analysis::OperatingState point = analysis::findOperatingPoint(model, {});
  const ModeResult alone = analysis::findModes(model, point.state, {});
  ASSERT_EQ(alone.modes.size(), 1u);
  const Complex x = alone.modes[0].shape[model.findSignal("x")->value];
  const Complex late = alone.modes[0].shape[model.findSignal("late")->value];
  EXPECT_LT(std::abs(late - x * std::exp(Complex(0.0, -1.5))), 1e-12);
}

// The free motion of a machine with a delay is a mode as well.
TEST(DelayModes, AFreeMotionIsFound) {
  const ModeResult result = modesOf(
      "nodes: {A: {position: [0, 0, 0], free: [x]}, B: {position: [1, 0, 0], free: [x]}}\n"
      "bodies: {a: {node: A, mass: 0.5}, b: {node: B, mass: 2}}\n"
      "springs:\n"
      "  d: {type: damper, between: [ground, A], direction: [1, 0, 0], damping: 10}\n"
      "  k: {type: linear, between: [ground, B], direction: [1, 0, 0], stiffness: 50}\n"
      "sensors: {x: {measure: displacement, node: B, direction: [1, 0, 0]}}\n"
      "blocks:\n"
      "  late: {type: transport_delay, input: x, delay: 0.2}\n"
      "  u: {type: gain, input: late, gain: -3}\n"
      "actuators: {f: {type: force, node: B, direction: [1, 0, 0], input: u}}\n",
      {.count = 3});
  ASSERT_EQ(result.modes.size(), 3u);
  EXPECT_EQ(result.modes[0].eigenvalue, 0.0);
  EXPECT_EQ(result.rigidMotions, 1);
}

// It has roots without end: whether a rest is stable is judged by some of them, and by those that grow.
TEST(DelayModes, DecideAboutARestWithFewOfThem) {
  for (const double gain : {-30.0, -3000.0}) {
    const model::Model model = buildModel(
        "nodes: {A: {position: [0, 0, 0], free: [x]}}\n"
        "bodies: {a: {node: A, mass: 1}}\n"
        "springs: {k: {type: linear, between: [ground, A], direction: [1, 0, 0], stiffness: 400, "
        "damping: 8}}\n"
        "sensors: {x: {measure: displacement, node: A, direction: [1, 0, 0]}}\n"
        "blocks: {late: {type: transport_delay, input: x, delay: 20 ms}}\n"
        "actuators: {f: {type: force, node: A, direction: [1, 0, 0], input: late, gain: " +
        std::to_string(gain) + "}}\n");
    const ModeResult result = analysis::findDecidingModes(model, model.start());
    ASSERT_TRUE(result.ok()) << messageOf(result.failure);
    EXPECT_LE(static_cast<int>(result.modes.size()), analysis::ModeOptions().count);
    const bool isStable = analysis::judgeByModes(result) == solve::Stability::kStable;
    EXPECT_EQ(isStable, gain == -30.0);
  }
}

}  // namespace
}  // namespace flexloop::test
