// The slowest motions of a machine, found one by one, beside the machine itself: responses to round-off of the rest, and roots.
#include "study/lpv/sparse_local_model.hpp"

#include <complex>
#include <numbers>
#include <sys/resource.h>

#include <gtest/gtest.h>

#include "analysis/linear/frequency_response.hpp"
#include "api/linear_machine.hpp"
#include "control/lpv/lpv_file.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/state_space/minimal_form.hpp"
#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using Complex = std::complex<double>;

study::LocalModel makeSparse(const api::LinearMachine& machine, int order) {
  const auto made =
      study::makeSparseLocalModel(machine.model(), machine.linear(), machine.ports(), order);
  EXPECT_TRUE(made) << made.failure().message;
  return made ? made.value() : study::LocalModel{};
}

// The largest difference from the machine, as a share of the response, up to a frequency [Hz].
double compare(const api::LinearMachine& machine, const study::LocalModel& local, double low,
               double high) {
  analysis::ResponseSolver solver(machine.ports());
  double worst = 0.0;
  for (const double hz : analysis::makeFrequencies(low, high, 60, false)) {
    const Complex s(0.0, 2.0 * std::numbers::pi * hz);
    Eigen::MatrixXcd exact;
    EXPECT_TRUE(solver.calc(s, exact));
    const Eigen::MatrixXcd found = linalg::calcResponse(local.system, s);
    for (Eigen::Index i = 0; i < exact.size(); ++i) {
      worst =
          std::max(worst, std::abs(found.data()[i] - exact.data()[i]) / std::abs(exact.data()[i]));
    }
  }
  return worst;
}

int countNear(const study::LocalModel& local, Complex root) {
  const Eigen::VectorXcd roots = linalg::findEigenvaluesOfReal(local.system.A);
  return static_cast<int>(std::count_if(roots.begin(), roots.end(), [&](const Complex& other) {
    return std::abs(other - root) < 1e-7 * std::abs(root);
  }));
}

class SparseLocalModel : public ::testing::Test {
 protected:
  api::LinearMachine linearize(const std::string& text, analysis::PortNames names) {
    api::ModelSource source;
    source.file = folder_.write("m.yaml", text);
    api::LinearMachine machine(source, std::move(names));
    const auto failure = machine.linearize(machine.model().modes().about);
    EXPECT_FALSE(failure);
    return machine;
  }

  testing::TemporaryFolder folder_;
};

// A free machine: its carriage moves without resistance, and accelerations are outputs.
TEST_F(SparseLocalModel, PickAndPlace) {
  const api::LinearMachine machine = linearize(
      "flexloop: 1\ninclude: [" + test::inProject("models/pick_and_place/model.yaml") + "]\n",
      {{"force"}, {"x_motor", "x_tip", "a_motor", "a_tip"}, {}});
  const study::LocalModel local = makeSparse(machine, 12);
  ASSERT_FALSE(local.parts.empty());
  EXPECT_FALSE(local.isWhole);
  // Its energy cannot grow.
  EXPECT_TRUE(local.isRestStable);
  EXPECT_TRUE(local.growing.empty());
  EXPECT_EQ(local.free, 1);
  EXPECT_EQ(local.parts.front().states(), 2);
  // What is left out has its response at rest: the error grows with the square of the frequency.
  EXPECT_LT(compare(machine, local, 1.0, 100.0), 1e-5);
  EXPECT_LT(compare(machine, local, 1.0, 1000.0), 1e-3);
}

// A cart at 1e6 rad/s is driven by its own velocity, far beyond the motions that are kept.
TEST_F(SparseLocalModel, FastGrowthIsNotTakenForStable) {
  const api::LinearMachine machine = linearize(R"(flexloop: 1
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7850}}
sections: {rod: {type: circle, diameter: 20 mm}}
beams: {rod: {from: root, to: end, elements: 20, section: rod, material: steel, y_axis: [0, 1, 0], damping: 1e-5}}
nodes:
  root: {position: [0, 1, 0], free: []}
  end: [1, 1, 0]
  cart: {position: [2, 0, 0], free: [x]}
bodies: {cart: {node: cart, mass: 0.001}}
springs: {hold: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 1e9}}
sensors:
  z: {measure: displacement, node: end, direction: [0, 0, 1]}
  v: {measure: velocity, node: cart, direction: [1, 0, 0]}
blocks:
  u: {type: constant, value: 0}
  drive: {type: gain, input: v, gain: 0.5}
actuators:
  push: {type: force, node: end, direction: [0, 0, 1], input: u}
  motor: {type: force, node: cart, direction: [1, 0, 0], input: drive}
)",
                                               {{"u"}, {"z"}, {}});
  const study::LocalModel local = makeSparse(machine, 2);
  ASSERT_FALSE(local.parts.empty());
  EXPECT_TRUE(!local.isRestStable || !local.growing.empty());
}

// Two equal oscillators side by side, a filter, a motion that grows, and a beam that nothing reaches.
constexpr const char* kMixed = R"(flexloop: 1
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7850}}
sections: {rod: {type: circle, diameter: 20 mm}}
beams: {rod: {from: root, to: end, elements: 20, section: rod, material: steel, y_axis: [0, 1, 0]}}
nodes:
  root: {position: [0, 1, 0], free: []}
  end: [1, 1, 0]
  a: {position: [0, 0, 0], free: [x]}
  b: {position: [1, 0, 0], free: [x]}
  c: {position: [2, 0, 0], free: [x]}
bodies: {a: {node: a, mass: 1}, b: {node: b, mass: 1}, c: {node: c, mass: 2}}
springs:
  a: {type: linear, between: [ground, a], direction: [1, 0, 0], stiffness: 100, damping: 0.2}
  b: {type: linear, between: [ground, b], direction: [1, 0, 0], stiffness: 100, damping: 0.2}
  c: {type: linear, between: [ground, c], direction: [1, 0, 0], stiffness: -8, damping: 1}
sensors:
  xa: {measure: displacement, node: a, direction: [1, 0, 0]}
  xb: {measure: displacement, node: b, direction: [1, 0, 0]}
  xc: {measure: displacement, node: c, direction: [1, 0, 0]}
  vc: {measure: velocity, node: c, direction: [1, 0, 0]}
blocks:
  u: {type: constant, value: 0}
  lag: {type: transfer_function, input: u, numerator: [1], denominator: [0.5, 1]}
  all: {type: sum, inputs: [xa, xb, lag]}
actuators:
  fa: {type: force, node: a, direction: [1, 0, 0], input: u}
  fb: {type: force, node: b, direction: [1, 0, 0], input: lag}
  fc: {type: force, node: c, direction: [1, 0, 0], input: u}
)";

TEST_F(SparseLocalModel, EqualRealAndGrowingRootsSlow) {
  const api::LinearMachine machine = linearize(kMixed, {{"u"}, {"all", "xc", "vc"}, {}});
  const study::LocalModel local = makeSparse(machine, 7);
  ASSERT_FALSE(local.parts.empty());
  // As exact as state equations of small machines must be.
  EXPECT_LT(compare(machine, local, 0.01, 20.0), 1e-6);
  EXPECT_EQ(countNear(local, {-0.1, std::sqrt(100.0 - 0.01)}), 2);
  EXPECT_EQ(countNear(local, -2.0), 1);
  EXPECT_EQ(countNear(local, -0.25 + std::sqrt(4.0 + 0.0625)), 1);
}

// Of CPU, of the programs that have ended.
double readSeconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
}

// A machine of some 5,000 unknowns at nine lengths, and between them.
TEST_F(SparseLocalModel, FiveThousandUnknownsSlow) {
  const double before = readSeconds();
  const testing::ProgramResult made = testing::runProgram(
      {"lpv", test::inProject("models/pick_and_place/model.yaml"), "-p", "n=540", "-p",
       "length=0.33:0.53:9", "--from", "force", "--to", "a_motor", "a_tip", "--order", "10",
       "--range", "1:1000", "-o", "p.lpv", "--quiet"},
      folder_.file(""));
  ASSERT_EQ(made.exitCode, 0) << made.errors;
  EXPECT_LT(readSeconds() - before, 30.0);
  const auto model = control::readLpv(folder_.file("p.lpv"));
  ASSERT_TRUE(model);
  EXPECT_LT(model.value().error, 0.02);
}

}  // namespace
}  // namespace flexloop
