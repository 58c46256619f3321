// Frequency responses and state equations against closed forms.
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <sstream>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include "analysis/modes/mode_analysis.hpp"
#include "commands/requests.hpp"
#include "support/crank_model.hpp"
#include "support/linear_machine.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::test {
namespace {

using Complex = std::complex<double>;

constexpr double kPi = std::numbers::pi;
const Complex i1(0.0, 1.0);

void expectNear(Complex value, Complex truth, double tolerance) {
  EXPECT_LE(std::abs(value - truth), tolerance * std::abs(truth)) << value << " is not " << truth;
}

// m = 2, c = 1, k = 100 with a controller u = 50 e + 30 ∫e + 4 e'. The outputs make sensors signals.
const char* const kServo = R"(
nodes: {A: {position: [0, 0, 0], free: [x]}}
bodies: {m: {node: A, mass: 2}}
springs: {k: {type: linear, between: [ground, A], direction: [1, 0, 0], stiffness: 100, damping: 1}}
sensors:
  x: {measure: displacement, node: A, direction: [1, 0, 0]}
  a: {measure: acceleration, node: A, direction: [1, 0, 0]}
blocks:
  c: {type: pid, input: x, reference: 0, kp: 50, ki: 30, kd: 4}
  accelerometer: {type: gain, input: a, gain: 1}
actuators: {u: {type: force, node: A, direction: [1, 0, 0], input: c}}
)";

Complex plant(Complex s) {
  return 1.0 / (2.0 * s * s + s + 100.0);
}

Complex controller(Complex s) {
  return 50.0 + 30.0 / s + 4.0 * s;
}

TEST(FrequencyResponse, OfAServoIsItsTransferFunction) {
  const Machine machine(kServo, {{"u", "x"}, {"x", "a"}, ""});
  for (const double omega : {0.1, 3.0, 8.5, 400.0}) {
    const Complex s = i1 * omega, H = plant(s) / (1.0 + plant(s) * controller(s));
    expectNear(machine.response(s, 0, 0), H, 1e-12);
    expectNear(machine.response(s, 1, 0), s * s * H, 1e-12);
    // An error of the sensor is seen by the controller, but not by the exact rate that its derivative term
    // reads: that is another signal. The sensor itself shows it too.
    const Complex seen = 50.0 + 30.0 / s;
    expectNear(machine.response(s, 0, 1), 1.0 - plant(s) * seen / (1.0 + plant(s) * controller(s)),
               1e-12);
  }
}

TEST(FrequencyResponse, OfACutLoopIsTheReturnRatio) {
  const Machine machine(kServo, {{"u"}, {"u"}, "u"});
  for (const double omega : {0.1, 3.0, 8.5, 400.0}) {
    const Complex s = i1 * omega;
    expectNear(machine.response(s), -plant(s) * controller(s), 1e-12);
  }
}

// 1 + L = 0 at the poles of the closed loop, with L = −(computed)/(read).
TEST(FrequencyResponse, ReturnRatioIsOneAtClosedLoopPoles) {
  const Machine machine(kServo, {{"c"}, {"c"}, "c"});
  const analysis::ModeResult modes = analysis::findModes(machine.model, machine.state, {});
  ASSERT_EQ(modes.modes.size(), 2u);
  for (const analysis::Mode& mode : modes.modes) {
    EXPECT_LE(std::abs(1.0 - machine.response(mode.eigenvalue)), 1e-9);
  }
}

TEST(FrequencyResponse, DelaysAreExact) {
  const std::string text = R"(
blocks:
  e: {type: sum, inputs: [r, -y]}
  r: {type: constant, value: 0}
  y: {type: transfer_function, input: late, numerator: [3], denominator: [0.5, 1]}
  late: {type: transport_delay, input: e, delay: 0.2}
)";
  const Machine closed(text, {{"r"}, {"y"}, ""}), cut(text, {{"e"}, {"y"}, "e"});
  for (const double omega : {0.0, 1.0, 20.0}) {
    const Complex s = i1 * omega, G = 3.0 * std::exp(-0.2 * s) / (0.5 * s + 1.0);
    expectNear(closed.response(s), G / (1.0 + G), 1e-12);
    expectNear(cut.response(s), G, 1e-12);
  }
  EXPECT_TRUE(says(messageOf(closed.stateSpace().failure), "'late'"));
  EXPECT_TRUE(says(closed.stateSpace().failure->hint, "pade"));
}

// Euler–Bernoulli's modal sum for the receptance at the tip of a clamped beam, Σ φ²(l)/(m l (ω_k² − ω²)) with
// φ²(l) = 4 for all k, by (βl)_k = 1.8751, 4.6941, …
TEST(FrequencyResponse, OfACantileverIsTheModalSum) {
  const Machine machine(R"(
materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}
sections: {s: {type: rectangle, width: 20 mm, height: 5 mm}}
nodes: {A: {position: [0, 0, 0], free: []}, B: [1, 0, 0]}
beams: {b: {from: A, to: B, elements: 40, section: s, material: alu, y_axis: [0, 1, 0]}}
sensors: {tip: {measure: displacement, node: B, direction: [0, 0, 1]}}
blocks: {push: {type: constant, value: 0}, read: {type: gain, input: tip, gain: 1}}
loads: {f: {node: B, force: [0, 0, 1], signal: push}}
)",
                        {{"push"}, {"tip"}, ""});
  const double EI = 70e9 * 0.02 * std::pow(0.005, 3) / 12.0, m = 2700.0 * 0.02 * 0.005;
  std::vector<double> roots{1.875104068711961, 4.694091132974175, 7.854757438237613,
                            10.99554073487547, 14.13716839104647};
  for (int k = 6; k < 200; ++k) roots.push_back((k - 0.5) * kPi);
  // Not near 18.0 and 58.4 Hz, where the tip hardly moves and small errors of the mesh are large beside it.
  for (const double f : {1.0, 10.0, 40.0}) {
    const double omega = 2.0 * kPi * f;
    double sum = 0.0;
    for (const double root : roots) {
      sum += 4.0 / (m * (EI / m * std::pow(root, 4) - omega * omega));
    }
    expectNear(machine.response(i1 * omega), sum, 3e-3);  // elements, shear
  }
}

TEST(FrequencyResponse, TellsAnUndampedResonance) {
  const Machine machine(R"(
nodes: {A: {position: [0, 0, 0], free: [x]}}
bodies: {m: {node: A, mass: 2}}
springs: {k: {type: linear, between: [ground, A], direction: [1, 0, 0], stiffness: 200}}
sensors: {x: {measure: displacement, node: A, direction: [1, 0, 0]}}
blocks: {u: {type: constant, value: 0}, read: {type: gain, input: x, gain: 1}}
loads: {f: {node: A, force: [1, 0, 0], signal: u}}
)",
                        {{"u"}, {"x"}, ""});
  const auto response = analysis::calcResponse(machine.ports, {1.0, 10.0 / (2.0 * kPi)});
  EXPECT_FALSE(response.ok());
  EXPECT_TRUE(says(messageOf(response.failure), "1.591549431 Hz"));
  EXPECT_TRUE(analysis::calcResponse(machine.ports, {1.0, 1.59}).ok());
}

// At the 14th digit of √(7/3) rad/s, k − m ω² has hardly a digit left, however little the input moves that mass
// beside the other one, whose response is that of a single mass.
TEST(FrequencyResponse, TellsAnUndampedResonanceBesideAnotherMachine) {
  const double resonance = (1.0 + 3e-15) * std::sqrt(7.0 / 3.0) / (2.0 * kPi);
  for (const std::string gain : {"1", "1e-12", "1e-25"}) {
    const std::string text =
        "nodes: {a: {position: [0, 0, 0], free: [x]}, b: {position: [1, 0, 0], free: [x]}}\n"
        "bodies: {a: {node: a, mass: 1}, b: {node: b, mass: 3}}\n"
        "springs:\n"
        "  s: {type: linear, between: [ground, a], direction: [1, 0, 0], stiffness: 50, damping: "
        "1}\n"
        "  t: {type: linear, between: [ground, b], direction: [1, 0, 0], stiffness: 7}\n"
        "sensors:\n"
        "  x: {measure: displacement, node: a, direction: [1, 0, 0]}\n"
        "  y: {measure: displacement, node: b, direction: [1, 0, 0]}\n"
        "blocks: {u: {type: constant, value: 0}, reads: {type: sum, inputs: [x, y]}}\n"
        "actuators:\n"
        "  f: {type: force, node: a, direction: [1, 0, 0], input: u}\n"
        "  g: {type: force, node: b, direction: [1, 0, 0], input: u, gain: " +
        gain + "}\n";
    const Machine both(text, {{"u"}, {"x", "y"}, ""}), other(text, {{"u"}, {"x"}, ""});
    EXPECT_FALSE(analysis::calcResponse(both.ports, {resonance}).ok()) << gain;
    EXPECT_TRUE(analysis::calcResponse(both.ports, {1.0001 * resonance}).ok()) << gain;
    const auto response = analysis::calcResponse(other.ports, {resonance});
    ASSERT_TRUE(response.ok()) << gain;
    const double omega = 2.0 * kPi * resonance;
    expectNear(response.H[0](0, 0), 1.0 / (50.0 - omega * omega + i1 * omega), 1e-14);
  }
}

TEST(StateSpaces, OfAServo) {
  const Machine machine(kServo, {{"u"}, {"x", "a"}, ""});
  const analysis::StateSpaceResult result = machine.stateSpace();
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  const analysis::StateSpace& system = result.system;
  EXPECT_EQ(system.states, (std::vector<std::string>{"A.x", "A.x rate", "c state"}));
  EXPECT_EQ(system.A(0, 0), 0.0);
  EXPECT_EQ(system.A(0, 1), 1.0);
  EXPECT_NEAR(system.A(1, 0), -75.0, 1e-11);
  EXPECT_NEAR(system.A(1, 1), -2.5, 1e-12);
  EXPECT_NEAR(system.B(1, 0), 0.5, 1e-13);
  EXPECT_NEAR(system.D(1, 0), 0.5, 1e-13);
  EXPECT_EQ(system.D(0, 0), 0.0);
}

TEST(StateSpaces, HaveTheResponseAndTheRootsOfTheMachine) {
  const Machine machine(kCrank, {{"u", "c"}, {"tip", "phi"}, ""});
  const analysis::StateSpaceResult result = machine.stateSpace();
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  const analysis::StateSpace& system = result.system;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(-1.0, 3.0);
  for (int k = 0; k < 10; ++k) {
    const Complex s = 2.0 * kPi * std::pow(10.0, exponent(random)) * i1;
    const Eigen::MatrixXcd M =
        s * Eigen::MatrixXcd::Identity(system.A.rows(), system.A.rows()) - system.A.cast<Complex>();
    const Eigen::MatrixXcd H =
        system.C.cast<Complex>() * M.partialPivLu().solve(system.B.cast<Complex>()) +
        system.D.cast<Complex>();
    // The rounding of A, whose entries are squares of axial frequencies (1e10/s²), is 1e-6/s² and so a few
    // 1e-8 of the square of the slowest (75/s²). Of 16 machines that differ by 0.01 % of gravity each, the
    // worst errors are between 4e-8 and 1.7e-7.
    for (int o = 0; o < 2; ++o) {
      for (int i = 0; i < 2; ++i) expectNear(H(o, i), machine.response(s, o, i), 1e-6);
    }
  }
  for (const std::string& name : system.states) EXPECT_FALSE(says(name, "combination"));
  analysis::ModeOptions options;
  options.count = 1000;
  const analysis::ModeResult modes = analysis::findModes(machine.model, machine.state, options);
  const Eigen::VectorXcd roots = system.A.eigenvalues();
  for (const analysis::Mode& mode : modes.modes) {
    const double distance = (roots.array() - mode.eigenvalue).abs().minCoeff();
    EXPECT_LE(distance, 1e-6 * std::abs(mode.eigenvalue)) << mode.eigenvalue;
  }
}

TEST(StateSpaces, RefuseDerivativesOfInputs) {
  const Machine machine(R"(
nodes: {A: [0, 0, 0]}
bodies: {a: {node: A, mass: 1, inertia: [1, 1, 1]}}
joints: {s: {type: slider, between: [ground, A], axis: [1, 0, 0], drive: way}}
sensors: {x: {measure: displacement, joint: s}, v: {measure: velocity, node: A, direction: [1, 0, 0]}}
blocks: {way: {type: constant, value: 0}, r1: {type: gain, input: x, gain: 1}, r2: {type: gain, input: v, gain: 1}}
)",
                        {{"way"}, {"x", "v"}, ""});
  const analysis::StateSpaceResult result = machine.stateSpace();
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.failure->kind, base::FailureKind::kInput);
  EXPECT_TRUE(says(messageOf(result.failure), "'way'"));
  EXPECT_TRUE(says(messageOf(result.failure), "'v'"));
  expectNear(machine.response(i1 * 3.0, 1), i1 * 3.0, 1e-12);
}

// The commands as a user types them.
class ResponseCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("m.yaml", std::string("flexloop: 1\n") + kServo +
                                "loads: {push: {node: A, force: [3, 0, 0]}}\n");
    file_ = folder_.file("m.yaml");
  }

  int frf(commands::FrfRequest request) {
    request.model.file = file_;
    std::ostringstream text, errors;
    const commands::Console console{&text, &errors};
    const int exitCode = commands::guard(console, [&] { commands::frf(request, console); });
    text_ = text.str();
    errors_ = errors.str();
    return exitCode;
  }

  static commands::FrfRequest between(const std::string& from, const std::string& to) {
    commands::FrfRequest request;
    request.from = {from};
    request.to = {to};
    return request;
  }

  testing::TemporaryFolder folder_;
  std::string file_, text_, errors_;
};

TEST_F(ResponseCommand, TellsMarginsAndLoads) {
  commands::FrfRequest cut;
  cut.cut = "u";
  EXPECT_EQ(frf(cut), 0) << errors_;
  EXPECT_TRUE(says(text_, "phase margin"));
  EXPECT_TRUE(says(text_, "the closed loop is stable"));
  EXPECT_EQ(frf(between("push", "x")), 0) << errors_;
}

TEST_F(ResponseCommand, TellsAnUnstableLoop) {
  commands::FrfRequest cut;
  cut.cut = "u";
  cut.model.overrides.values = {"blocks.c.kd=-10"};
  EXPECT_EQ(frf(cut), 0) << errors_;
  EXPECT_TRUE(says(text_, "UNSTABLE"));
  EXPECT_TRUE(says(text_, "there are no margins"));
  EXPECT_EQ(text_.find("phase margin"), std::string::npos);
  EXPECT_EQ(text_.find("delay margin"), std::string::npos);
  const testing::TemporaryFolder folder;
  cut.targets.jsonFile = folder.file("frf.json");
  EXPECT_EQ(frf(cut), 0) << errors_;
  const std::string json = testing::readWhole(cut.targets.jsonFile);
  for (const char* margin : {"gain", "phase", "delay", "disk"}) {
    EXPECT_TRUE(says(json, "\"" + std::string(margin) + "_margin\": null")) << json;
  }
}

// As `modes` does for the rotors of TurningModes.ARotorIsSeenInItsOwnAxes and its neighbour. A load or a sensor across the axis is
// steady in ground axes only.
TEST_F(ResponseCommand, TellsTheAxesOfATurningMachine) {
  const auto makeRotor = [&](const std::string& across1, const std::string& across2,
                             const std::string& along) {
    const std::string bushing = "{type: bushing, between: [ground, R], at: ";
    folder_.write(
        "m.yaml",
        "flexloop: 1\n"
        "nodes: {R: {position: [0, 0, 0], angular_velocity: [300, 0, 0]}}\n"
        "bodies: {rotor: {node: R, mass: 10, inertia: [0.5, 0.3, 0.3]}}\n"
        "joints: {thrust: {type: point_on_plane, between: [ground, R], axis: [1, 0, 0]}}\n"
        "springs:\n  b1: " +
            bushing + "[-0.4, 0, 0], stiffness: [0, 4e5, " + across1 +
            ", 0, 0, 0]}\n  b2: " + bushing + "[0.6, 0, 0], stiffness: [0, 6e5, " + across2 +
            ", 0, 0, 0]}\n"
            "loads: {push: {node: R, force: " +
            along + "}}\nsensors: {y: {measure: position, node: R, direction: " + along + "}}\n");
  };
  const std::array<const char*, 4> cases[] = {
      {"4e5", "6e5", "[1, 0, 0]", "these are linear equations in the axes of the bodies"},
      {"4e5", "6e5", "[0, 1, 0]", "these are linear equations in ground axes"},
      {"7e5", "9e5", "[0, 1, 0]", "these are linear equations in ground axes"}};
  for (const auto& [across1, across2, along, note] : cases) {
    makeRotor(across1, across2, along);
    commands::FrfRequest request = between("push", "y");
    request.frequencies = {10.0};
    EXPECT_EQ(frf(request), 0) << errors_;
    EXPECT_TRUE(says(errors_, note)) << errors_;
    commands::LinearizeRequest linear;
    linear.model.file = file_;
    linear.from = {"push"};
    linear.to = {"y"};
    std::ostringstream text, errors;
    commands::linearize(linear, {&text, &errors});
    EXPECT_TRUE(says(errors.str(), note)) << errors.str();
  }
}

TEST_F(ResponseCommand, RefusesWhatCannotBe) {
  EXPECT_EQ(frf(between("u", "xx")), 2);
  EXPECT_TRUE(says(errors_, "did you mean 'x'"));
  EXPECT_EQ(frf(between("pusch", "x")), 2);
  EXPECT_TRUE(says(errors_, "did you mean 'push'"));
  EXPECT_EQ(frf({}), 2);
  EXPECT_TRUE(says(errors_, "--from"));
  for (const char* range : {"5:1", "5", "a:b", "0:3", "-1:3", "1:2x"}) {
    commands::FrfRequest request = between("u", "x");
    request.range = range;
    EXPECT_EQ(frf(request), 2) << range;
    EXPECT_TRUE(says(errors_, "--range"));
  }
  commands::FrfRequest about = between("u", "x");
  about.about = "rest";
  EXPECT_EQ(frf(about), 2);
  EXPECT_TRUE(says(errors_, "equilibrium"));
}

}  // namespace
}  // namespace flexloop::test
