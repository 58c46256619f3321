// Gains of blocks by perturbation, and black boxes in linear models. Expected values are the gains that
// the box is made with: those of the published tables 1 to 5 of the method.
#include "analysis/linear/identification.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using analysis::Identification;
using control::Gains;

std::string boxLine(const std::string& config, const std::string& more = {}) {
  return "  box: {type: library, path: boxes/gains.so, inputs: [r], outputs: [u], config: \"" +
         config + "\"" + more + "}\n";
}

// r is a sine of 1 Hz; the step is that of the published tests.
std::string sineModel(const std::string& config, const std::string& more = {},
                      const std::string& step = "0.01") {
  return "blocks:\n  r: {type: sine, amplitude: 1, frequency: 1}\n" + boxLine(config, more) +
         "analysis: {time: {end: 1, step: " + step + "}}\n";
}

Identification identifyAt(const model::Model& model, const system::State& state,
                          const control::GainSettings& settings = {},
                          const std::string& block = "box") {
  return analysis::identify(model, analysis::findBlock(model.system(), block), state, settings);
}

Identification identifyAtStart(const std::string& text, const control::GainSettings& settings = {},
                               const std::string& block = "box") {
  const model::Model model = buildModel(text);
  const analysis::OperatingState start = analysis::findOperatingPoint(model, {});
  EXPECT_TRUE(start.ok()) << messageOf(start.failure);
  const Identification found = identifyAt(model, start.state, settings, block);
  EXPECT_EQ(messageOf(found.failure), "");
  return found;
}

void expectPid(const Gains& gains, double kp, double ki, double kd, double tolerance) {
  EXPECT_NEAR(gains[0], kp, tolerance);
  EXPECT_NEAR(gains[-1], ki, tolerance);
  EXPECT_NEAR(gains[1], kd, tolerance);
}

// Table 3: all combinations of kp = 100, ki = 20, kd = 6.
TEST(Identification, EveryCombinationOfGainsIsFound) {
  for (int set = 0; set < 8; ++set) {
    const double kp = set & 1 ? 100 : 0, ki = set & 2 ? 20 : 0, kd = set & 4 ? 6 : 0;
    const Identification found = identifyAtStart(sineModel(
        "kp=" + std::to_string(kp) + " ki=" + std::to_string(ki) + " kd=" + std::to_string(kd)));
    ASSERT_EQ(found.pairs.size(), 1u);
    EXPECT_EQ(found.pairs[0].input, "r");
    EXPECT_EQ(found.pairs[0].output, "box");
    expectPid(found.pairs[0].gains, kp, ki, kd, 1e-9);
    EXPECT_LT(found.residual, 1e-10) << set;
  }
}

// Tables 4 and 5: along a simulation, without and with a switch that makes inputs beyond ±0.7 zero.
TEST(Identification, GainsAreFoundAtAnyTimeOfARun) {
  for (const bool hasSwitch : {false, true}) {
    const model::Model model =
        buildModel(sineModel(hasSwitch ? "kp=100 ki=20 kd=6 limit=0.7" : "kp=100 ki=20 kd=6"));
    std::vector<double> times;
    for (int k = 0; k <= 10; ++k) times.push_back(0.1 * k);
    int visits = 0;
    const auto run = analysis::visitStates(model, times, [&](const system::State& state) {
      ++visits;
      const double r = std::sin(2.0 * std::numbers::pi * state.time);
      const double on = hasSwitch && std::abs(r) > 0.7 ? 0.0 : 1.0;
      const Identification found = identifyAt(model, state);
      SCOPED_TRACE(state.time);
      ASSERT_EQ(found.pairs.size(), 1u) << messageOf(found.failure);
      expectPid(found.pairs[0].gains, 100 * on, 20 * on, 6 * on, 1e-9);
    });
    EXPECT_TRUE(run.ok()) << messageOf(run.failure);
    EXPECT_EQ(visits, 11);
  }
}

// Tables 1 and 2: three integrals, two derivatives, perturbed by 0.1 s.
TEST(Identification, HigherIntegralsAndDerivativesAreFound) {
  for (const char* rule : {"rule=0", "rule=1", "rule=2"}) {
    const Gains integrals =
        identifyAtStart(sineModel("kp=2 ki=3 kii=4 kiii=5 " + std::string(rule), "", "1"),
                        {.order = {.integrals = 3, .derivatives = 1}})
            .pairs[0]
            .gains;
    EXPECT_NEAR(integrals[0], 2, 1e-9);
    EXPECT_NEAR(integrals[-1], 3, 1e-9);
    EXPECT_NEAR(integrals[-2], 4, 1e-9);
    EXPECT_NEAR(integrals[-3], 5, 1e-9);
    EXPECT_LT(integrals.residual, 1e-10);
  }
  const Gains derivatives = identifyAtStart(sineModel("kp=2 kd=3 kdd=4", "", "1"),
                                            {.order = {.integrals = 1, .derivatives = 2}})
                                .pairs[0]
                                .gains;
  EXPECT_NEAR(derivatives[0], 2, 1e-9);
  EXPECT_EQ(derivatives[-1], 0);
  EXPECT_NEAR(derivatives[1], 3, 1e-9);
  EXPECT_NEAR(derivatives[2], 4, 1e-9);
}

TEST(Identification, RulesAndDelaysOfTheBoxDoNotMatter) {
  for (const char* more : {"rule=1", "rule=2", "delay=1", "delay=2", "rule=1 delay=2"}) {
    SCOPED_TRACE(more);
    const Identification found =
        identifyAtStart(sineModel("kp=100 ki=20 kd=6 " + std::string(more)));
    expectPid(found.pairs[0].gains, 100, 20, 6, 1e-9);
    EXPECT_LT(found.residual, 1e-10);
  }
}

// With a clock, also one that takes its own period for granted.
TEST(Identification, SampledBoxesAreFoundToo) {
  for (const char* more : {"", " period=0.001"}) {
    SCOPED_TRACE(more);
    const Identification found =
        identifyAtStart(sineModel("kp=100 ki=20 kd=6" + std::string(more), ", sample: 1 ms"));
    expectPid(found.pairs[0].gains, 100, 20, 6, 1e-8);
    EXPECT_LT(found.residual, 1e-9);
    EXPECT_EQ(found.step, 1e-3);
  }
  expectPid(identifyAtStart("blocks:\n  r: {type: sine, amplitude: 1, frequency: 1}\n"
                            "  box: {type: discrete_pid, input: r, reference: 0, kp: 100, ki: 20, "
                            "kd: 6, sample: 1 ms}\n")
                .pairs[0]
                .gains,
            -100, -20, -6, 1e-8);
}

TEST(Identification, SeveralInputsAndOutputsAreToldApart) {
  const Identification found = identifyAtStart(
      "blocks:\n  a: {type: constant, value: 7}\n  b: {type: constant, value: -2}\n"
      "  box: {type: library, path: boxes/gains.so, inputs: [a, -b], outputs: [x, y], "
      "config: \"kp=100 ki=20 kd=6 mimo=1\"}\nanalysis: {time: {end: 1, step: 0.01}}\n");
  ASSERT_EQ(found.pairs.size(), 4u);
  EXPECT_EQ(found.pairs[0].output, "box.x");
  EXPECT_EQ(found.pairs[1].input, "-b");
  EXPECT_EQ(found.pairs[3].output, "box.y");
  expectPid(found.pairs[0].gains, 100, 20, 6, 1e-9);
  expectPid(found.pairs[1].gains, 3, 0, 0, 1e-9);
  expectPid(found.pairs[2].gains, 5, 0, 0, 1e-9);
  expectPid(found.pairs[3].gains, 0, -2, 0, 1e-9);
}

// What is not a PID controller is told by the residual; a smooth curve is not in the way.
TEST(Identification, TheResidualTellsWhatGainsDoNotDescribe) {
  for (const char* config : {"kp=100 kd=6 filter=0.01", "kp=100 kd=6 filter=1", "kp=1 lag=0.1"}) {
    EXPECT_GT(identifyAtStart(sineModel(config)).residual, control::kGainTolerance) << config;
  }
  const Identification curved = identifyAtStart("blocks:\n  r: {type: constant, value: 2}\n" +
                                                boxLine("kp=1 ki=3 cubic=0.5"));
  expectPid(curved.pairs[0].gains, 1 + 0.5 * 3 * 4, 3, 0, 1e-5);
  EXPECT_LT(curved.residual, control::kGainTolerance);
}

// e = −x: the block sees x and, for the derivative, its exact rate.
TEST(Identification, BlocksOfTheProgramGiveTheirGainsFromTheirEquations) {
  const Identification found = identifyAtStart(
      "nodes: {cart: {position: [0, 0, 0], free: [x]}}\nbodies: {cart: {node: cart, mass: 1}}\n"
      "sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}\n"
      "blocks: {pid: {type: pid, input: x, reference: 0, kp: 100, ki: 20, kd: 6}}\n"
      "loads: {push: {node: cart, force: [1, 0, 0], signal: pid}}\n",
      {}, "pid");
  EXPECT_FALSE(found.isPerturbed);
  bool isFound = false;
  for (const analysis::GainPair& pair : found.pairs) {
    if (pair.input != "x") continue;
    isFound = true;
    expectPid(pair.gains, -100, -20, -6, 1e-12);
  }
  EXPECT_TRUE(isFound);
  EXPECT_EQ(found.residual, 0.0);
  EXPECT_GT(identifyAtStart("blocks:\n  r: {type: constant, value: 1}\n"
                            "  box: {type: transfer_function, input: r, numerator: [1], "
                            "denominator: [0.01, 1]}\n")
                .residual,
            control::kGainTolerance);
}

std::string cartModel(const std::string& block) {
  return R"(nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 1}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 12, damping: 8}}
sensors: {x: {measure: displacement, node: cart, direction: [1, 0, 0]}}
blocks:
  one: {type: constant, value: 1}
  e: {type: sum, inputs: [one, -x]}
)" + block +
         R"(actuators: {f: {type: force, node: cart, direction: [1, 0, 0], input: u}}
outputs: [x]
analysis: {time: {end: 0.2, step: 1 ms}}
)";
}

// Every identification in the middle of a run leaves the run as it is, to the bit.
TEST(Identification, LeavesNoTraceInARun) {
  const std::string text = cartModel(
      "  box: {type: library, path: boxes/gains.so, inputs: [e], outputs: [u], config: \"kp=100 "
      "ki=20 kd=6\"}\n"
      "  digital: {type: library, path: boxes/gains.so, inputs: [e], outputs: [u], config: \"kp=10 "
      "ki=2 kd=0.1\", sample: 3 ms}\n"
      "  u: {type: sum, inputs: [box, digital]}\n");
  const std::vector<double> times{0.05, 0.1, 0.2};
  const auto run = [&](bool isDisturbed) {
    const model::Model model = buildModel(text);
    return analysis::visitStates(model, times, [&](const system::State& state) {
      for (const char* name : {"box", "digital"}) {
        if (!isDisturbed) continue;
        const Identification found = identifyAt(model, state, {}, name);
        EXPECT_EQ(messageOf(found.failure), "");
        EXPECT_LT(found.residual, 1e-8);
      }
    });
  };
  const analysis::OperatingState plain = run(false), disturbed = run(true);
  ASSERT_TRUE(plain.ok()) << messageOf(plain.failure);
  ASSERT_TRUE(disturbed.ok()) << messageOf(disturbed.failure);
  EXPECT_EQ(plain.state.time, 0.2);
  EXPECT_TRUE(plain.state == disturbed.state);
}

TEST(Identification, ABoxThatCannotBeRestoredIsRefused) {
  const model::Model model = buildModel(
      "blocks:\n  r: {type: constant, value: 1}\n"
      "  box: {type: library, path: boxes/cubic.so, inputs: [r, r], outputs: [x, y]}\n");
  const Identification found = identifyAt(model, model.system().start());
  EXPECT_EQ(messageOf(found.failure),
            "black box 'box' cannot be perturbed: it has no block_save and block_restore");
  EXPECT_NE(found.failure->hint, "");
}

analysis::ModeResult modesOf(const std::string& text) {
  const model::Model model = buildModel(text);
  const analysis::OperatingState start = analysis::findOperatingPoint(model, {});
  EXPECT_TRUE(start.ok()) << messageOf(start.failure);
  return analysis::findModes(model, start.state, {});
}

// s³ + (8 + 6) s² + (12 + 100) s + 20 = 0: numpy.roots([1, 14, 112, 20]), numpy 1.24.2
TEST(BoxModes, AreThoseOfTheBuiltInController) {
  const std::string pid = "  u: {type: pid, input: x, reference: 1, kp: 100, ki: 20, kd: 6}\n";
  const std::string library =
      "  u: {type: library, path: boxes/gains.so, inputs: [e], outputs: [f], config: \"kp=100 "
      "ki=20 "
      "kd=6\"}\n";
  for (const std::string& block : {pid, library}) {
    const analysis::ModeResult found = modesOf(cartModel(block));
    ASSERT_TRUE(found.ok()) << messageOf(found.failure);
    EXPECT_TRUE(found.notes.empty());
    ASSERT_EQ(found.modes.size(), 2u);
    EXPECT_NEAR(found.modes[0].eigenvalue.real(), -0.1826888924638363, 1e-8);
    EXPECT_NEAR(found.modes[1].eigenvalue.real(), -6.908655553768076, 1e-8);
    EXPECT_NEAR(found.modes[1].eigenvalue.imag(), 7.857875614714535, 1e-8);
  }
}

// The box integrates reference and input, as one: no root at zero for the integral of a constant.
TEST(BoxModes, HaveOneIntegralForInputsThatAreIntegratedTogether) {
  const analysis::ModeResult found = modesOf(
      cartModel("  u: {type: library, path: boxes/gains.so, inputs: [e, one], outputs: [f], "
                "config: \"kp=100 ki=20 kd=6 sum=1\"}\n"));
  ASSERT_TRUE(found.ok()) << messageOf(found.failure);
  ASSERT_EQ(found.modes.size(), 2u);
  EXPECT_NEAR(found.modes[0].eigenvalue.real(), -0.18268889, 1e-8);
}

// A lag of 0.1 s that the box integrates by the backward rule, with steps h = 0.1 · 1 ms: z = e^{sh} is
// (1 + s h/2) / (1 − s h/2), so the box is 100 (1 + s h/2) / (1 + s (0.1 + h/2)) in the loop.
// numpy.roots(polyadd(polymul([1, 8, 12], [0.1 + h/2, 1]), [50*h, 100]))
TEST(BoxModes, OfABoxThatIsNoPidHaveItsStates) {
  const analysis::ModeResult found =
      modesOf(cartModel("  u: {type: library, path: boxes/gains.so, inputs: [e], outputs: [f], "
                        "config: \"kp=100 lag=0.1\"}\n"));
  ASSERT_TRUE(found.ok()) << messageOf(found.failure);
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_NE(
      found.notes[0].find(
          "black box 'u' is not a PID controller; the linear model uses 1 states instead of gains"),
      std::string::npos)
      << found.notes[0];
  ASSERT_EQ(found.modes.size(), 2u);
  EXPECT_NEAR(found.modes[0].eigenvalue.real(), -16.526254064200646, 1e-6);
  EXPECT_NEAR(found.modes[1].eigenvalue.real(), -0.7343742172749897, 1e-6);
  EXPECT_NEAR(found.modes[1].eigenvalue.imag(), 8.197425188785228, 1e-6);
}

// It is never silently left out.
TEST(BoxModes, OfABoxThatCannotBeRestoredCarryAWarning) {
  const analysis::ModeResult found =
      modesOf(cartModel("  box: {type: library, path: boxes/cubic.so, inputs: [e, x], outputs: [a, "
                        "b], sample: 1 ms}\n  u: {type: sum, inputs: [box.a]}\n"));
  ASSERT_TRUE(found.ok()) << messageOf(found.failure);
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_NE(found.notes[0].find("has no block_save and block_restore"), std::string::npos);
}

}  // namespace
}  // namespace flexloop::test
