#include "support/mode_start.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "analysis/linear/linear_model.hpp"
#include "analysis/records/free_response.hpp"
#include "solve/initial_conditions.hpp"
#include "solve/prepared_machine.hpp"
#include "solve/time/time_stepper.hpp"

namespace flexloop::test {
namespace {

using analysis::Mode;
using Complex = std::complex<double>;
using system::Kind;

constexpr double kStep = 0.02;             // times |s|
constexpr double kNewtonTolerance = 1e-8;  // far below what other modes may get
constexpr int kCorrections = 2;
constexpr int kMostHalvings = 6;
constexpr double kPeriods = 2.0;  // of a pair at most
// Of the time in which it falls or grows by e. One tells the rate of a slow decay before an unstable mode has
// grown from round-off; a frequency needs more.
constexpr double kDecaysOfRate = 1.0;
constexpr double kDecaysOfPair = 3.0;

bool isPair(const Mode& mode) {
  return mode.eigenvalue.imag() > 0.0;
}

int countSteps(const Mode& mode, double h) {
  const Complex s = mode.eigenvalue;
  // Infinite without damping.
  const double decays = (isPair(mode) ? kDecaysOfPair : kDecaysOfRate) / std::abs(s.real());
  const double periods = isPair(mode) ? kPeriods * 2.0 * std::numbers::pi / s.imag() : decays;
  return static_cast<int>(std::min(decays, periods) / h);
}

void move(const system::System& system, const Eigen::VectorXd& value, const Eigen::VectorXd& rate,
          const Eigen::VectorXd& acceleration, system::State& state) {
  const system::State before = state;
  system.retract(before, value, state);
  for (int u = 0; u < system.unknowns(); ++u) {
    const bool isMotion = system.kinds()[u] == Kind::kMotion;
    if (isMotion || system.kinds()[u] == Kind::kState) state.rate[u] += rate[u];
    if (isMotion) state.acceleration[u] += acceleration[u];
  }
}

// What a mode leaves in the equations is quadratic in its size, but in a slender beam multiplied with its large
// axial stiffness. A motion δ exp(σ t) that meets it, P(σ) δ = −r, takes it off without haste.
void closeEquations(double sigma, system::Assembler& assembler,
                    const linalg::QuadraticPencil& pencil, system::State& state) {
  const linalg::SparseMatrix P = linalg::evaluateReal(pencil, sigma);
  const auto solver = linalg::makeSparseSolver(P, linalg::SolverChoice::kAutomatic);
  if (solver == nullptr || !solver->factorize(P).ok) throw std::runtime_error("P is singular");
  for (int i = 0; i < kCorrections; ++i) {
    Eigen::VectorXd delta;
    assembler.calcResidual(state, delta);
    delta = -delta;
    solver->solve(delta);
    move(assembler.system(), delta, sigma * delta, sigma * sigma * delta, state);
  }
}

system::State startIn(const Mode& mode, double size, system::Assembler& assembler,
                      const system::State& rest) {
  const system::System& system = assembler.system();
  for (int u = 0; u < system.unknowns(); ++u) {
    if (system.kinds()[u] != Kind::kMotion || rest.rate[u] == 0.0) continue;
    throw std::runtime_error("the machine must start at rest");
  }
  const linalg::QuadraticPencil pencil = analysis::makePencil(assembler, rest);
  const Complex s = mode.eigenvalue;
  system::State state = rest;
  move(system, size * mode.shape.real(), size * (s * mode.shape).real(),
       size * (s * s * mode.shape).real(), state);
  closeEquations(std::abs(s), assembler, pencil, state);
  return state;
}

// Where it is seen best: the motion that is largest, or the state where nothing moves.
int findLargest(const Mode& mode, const system::System& system, Kind kind) {
  int largest = -1;
  for (int u = 0; u < system.unknowns(); ++u) {
    if (system.kinds()[u] != kind) continue;
    if (largest < 0 || std::abs(mode.shape[u]) > std::abs(mode.shape[largest])) largest = u;
  }
  return largest;
}

int findWatched(const Mode& mode, const system::System& system) {
  constexpr double kStill = 1e-9;
  const int motion = findLargest(mode, system, Kind::kMotion);
  if (motion >= 0 && std::abs(mode.shape[motion]) > kStill) return motion;
  return findLargest(mode, system, Kind::kState);
}

solve::StepperOptions makeOptions(const model::TimeSettings& time) {
  solve::StepperOptions options;
  options.scheme = time.scheme;
  options.constraints = time.constraints;
  options.tolerance = kNewtonTolerance;
  return options;
}

// In two halves where the iteration ends in the noise of round-off, as in every run.
void advance(solve::TimeStepper& stepper, system::State& state, double h, int halvings) {
  const solve::StepReport report = stepper.step(state, h);
  if (report.converged()) return;
  if (halvings == kMostHalvings) throw std::runtime_error(messageOf(report.failure));
  for (int half = 0; half < 2; ++half) advance(stepper, state, 0.5 * h, halvings + 1);
}

// The rate of one unknown after each step.
std::vector<double> runSteps(const model::Model& model, const system::State& rest, const Mode& mode,
                             double size, double h) {
  const solve::MachineLoan machine = model.borrowMachine();
  system::State state = startIn(mode, size, machine->assembler(), rest);
  solve::TimeStepper stepper(*machine, makeOptions(model.time().value()), state);
  const solve::StartReport start = solve::makeConsistent(*machine, state);
  if (!start.ok()) throw std::runtime_error(messageOf(start.failure));
  stepper.start(state, h);
  const int watched = findWatched(mode, model.system());
  std::vector<double> rates;
  for (int i = countSteps(mode, h); i > 0; --i) {
    advance(stepper, state, h, 0);
    rates.push_back(state.rate[watched]);
  }
  return rates;
}

}  // namespace

Complex measureEigenvalue(const model::Model& model, const system::State& rest, const Mode& mode,
                          double size) {
  const double h = std::min(kStep / std::abs(mode.eigenvalue), model.time().value().step);
  std::vector<double> rates = runSteps(model, rest, mode, size, h);
  // What is quadratic in the size is the same in both directions.
  const std::vector<double> opposite = runSteps(model, rest, mode, -size, h);
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] -= opposite[i];
  return analysis::calcEigenvalues(rates, h, isPair(mode) ? 2 : 1).back();
}

}  // namespace flexloop::test
