#include "solve/equilibrium.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace flexloop::solve {

using system::Kind;
using system::State;
using system::UnknownIndex;

namespace {

constexpr double kLargestTurn = 0.4;  // [rad] in one iteration
constexpr double kLargestMove = 0.4;  // of the machine's size in one iteration
constexpr double kSmallestLoadStep = 1.0 / 512.0;
constexpr int kEasyIterations = 8;  // a load step this easy is doubled
constexpr int kMaxPseudoSteps = 2000;
constexpr double kNullDirection = 1e-12;  // reciprocal condition of a free motion

class Search {
 public:
  Search(system::Assembler& assembler, const Eigen::VectorXd& compliance,
         const EquilibriumOptions& options, const State& state)
      : assembler_(assembler),
        compliance_(compliance),
        options_(options),
        matrix_(assembler.pattern()) {
    const int n = assembler.system().unknowns();
    weights_.value.setOnes(n);
    weights_.rate.setZero(n);
    weights_.acceleration.setZero(n);
    weights_.row.setOnes(n);
    for (const auto& frame : state.frames) size_ = std::max(size_, frame.x.cwiseAbs().maxCoeff());
    if (size_ == 0.0) size_ = 1.0;
  }

  // Newton at the current load factor; false if it does not converge.
  bool newton(State& state, EquilibriumReport& report) {
    double previous = std::numeric_limits<double>::infinity();
    calcResidual(state, residual_);
    for (int k = 0; k < options_.maxIterations; ++k) {
      ++report.iterations;
      if (!solveFor(state, 0.0, report)) return false;
      const double size = limit(delta_);
      if (!std::isfinite(size)) return false;
      state = lineSearch(state, delta_);
      if (size <= options_.tolerance) return true;
      // Corrections at round-off that no longer shrink are as good as it gets.
      if (size <= kRoundOff && size >= 0.5 * previous) return true;
      previous = size;
    }
    report.trouble = "no equilibrium was found; the largest unbalance is at '" + nameWorst() + "'";
    return false;
  }

  // Pseudo-transient continuation with the mass.
  bool settle(State& state, EquilibriumReport& report) {
    calcResidual(state, residual_);
    const double start = motionNorm(residual_);
    const double first = firstMass();
    double mu = first;
    for (int k = 0; k < kMaxPseudoSteps; ++k) {
      ++report.iterations;
      if (!solveFor(state, mu, report)) return false;
      const double size = limit(delta_);
      if (!std::isfinite(size)) return false;
      State next = state;
      assembler_.system().retract(state, delta_, next);
      state = next;
      calcResidual(state, residual_);
      const double norm = motionNorm(residual_);
      mu = first * std::min(1.0, norm / std::max(start, 1e-300));
      if (norm <= kSettled * start) return true;
    }
    report.trouble =
        "the machine does not come to rest; the largest unbalance is at '" + nameWorst() + "'";
    return false;
  }

  // A motion that nothing resists, by name; empty if there is none.
  std::string findFreeMotion(const State& state) {
    calcResidual(state, residual_);
    calcMatrix(state, 0.0);
    auto solver = linalg::makeSparseSolver(matrix_, linalg::SolverChoice::kKlu,
                                           assembler_.eliminationGroups());
    if (solver == nullptr) return "the equations cannot be ordered for a solution";
    const linalg::FactorReport factored = solver->factorize(matrix_);
    if (factored.ok && factored.reciprocalCondition > kNullDirection) return {};
    // Inverse iteration with a small mass shows the direction.
    calcMatrix(state, 1e-9 * firstMass());
    if (!solver->factorize(matrix_).ok) return "several motions at once";
    Eigen::VectorXd x = Eigen::VectorXd::Ones(residual_.size());
    for (int k = 0; k < 3; ++k) {
      solver->solve(x);
      x /= x.cwiseAbs().maxCoeff();
    }
    return describe(x);
  }

 private:
  static constexpr double kRoundOff = 1e-8;
  static constexpr double kFirstSteps = 20.0;
  static constexpr double kLargestGrowth = 1e10;
  static constexpr double kSettled = 1e-6;

  // μ at the start [1/s²]: gravity moves the machine by a twentieth of its size in one step, and the
  // mass outweighs what gravity takes from the stiffness.
  double firstMass() const {
    return kFirstSteps * std::max(assembler_.system().gravity().norm(), 1.0) / size_;
  }

  void calcResidual(const State& state, Eigen::VectorXd& r) {
    assembler_.calcResidual(state, r);
    r -= compliance_.cwiseProduct(state.value);
  }

  void calcMatrix(const State& state, double mu) {
    const std::vector<Kind>& kinds = assembler_.system().kinds();
    for (int u = 0; u < weights_.value.size(); ++u) {
      weights_.acceleration[u] = kinds[u] == Kind::kMotion ? mu : 0.0;
    }
    assembler_.calcIterationMatrix(state, weights_, nullptr, matrix_);
    for (int u = 0; u < compliance_.size(); ++u) {
      if (compliance_[u] != 0.0) matrix_.coeffRef(u, u) -= compliance_[u];
    }
  }

  bool solveFor(const State& state, double mu, EquilibriumReport& report) {
    calcMatrix(state, mu);
    if (solver_ == nullptr) {
      solver_ = linalg::makeSparseSolver(matrix_, linalg::SolverChoice::kAutomatic,
                                         assembler_.eliminationGroups());
    }
    const linalg::FactorReport factored =
        solver_ == nullptr ? linalg::FactorReport{false, -1, 0.0} : solver_->factorize(matrix_);
    if (!factored.ok) {
      report.trouble = "the equations of equilibrium cannot be solved";
      return false;
    }
    delta_ = -residual_;
    solver_->solve(delta_);
    return true;
  }

  // Shortens the correction to the largest allowed and returns its size relative to the machine.
  double limit(Eigen::VectorXd& delta) const {
    const system::System& system = assembler_.system();
    double move = 0.0, turn = 0.0;
    for (int u = 0; u < delta.size(); ++u) {
      if (system.kinds()[u] != Kind::kMotion) continue;
      double& largest = system.isRotation(UnknownIndex{u}) ? turn : move;
      largest = std::max(largest, std::abs(delta[u]));
    }
    const double excess = std::max(turn / kLargestTurn, move / (kLargestMove * size_));
    if (excess > 1.0) delta /= excess;
    return std::max(turn, move / size_);
  }

  // Halves the correction while the unbalance explodes. It may grow a lot: a turn of slender beams
  // stretches them at second order, which the next correction takes back at once.
  State lineSearch(const State& state, const Eigen::VectorXd& delta) {
    const double before = motionNorm(residual_);
    double share = 1.0;
    State next = state;
    for (int k = 0; k < 6; ++k, share *= 0.5) {
      assembler_.system().retract(state, share * delta, next);
      calcResidual(next, residual_);
      const double after = motionNorm(residual_);
      if (std::isfinite(after) && (after <= kLargestGrowth * before || before == 0.0)) break;
    }
    return next;
  }

  double motionNorm(const Eigen::VectorXd& r) const {
    const std::vector<Kind>& kinds = assembler_.system().kinds();
    double sum = 0.0;
    for (int u = 0; u < r.size(); ++u) {
      if (kinds[u] == Kind::kMotion) sum += r[u] * r[u];
    }
    return std::sqrt(sum);
  }

  std::string nameWorst() const {
    int worst = 0;
    residual_.cwiseAbs().maxCoeff(&worst);
    return assembler_.system().equationName(UnknownIndex{worst});
  }

  std::string describe(const Eigen::VectorXd& x) const {
    const system::System& system = assembler_.system();
    std::vector<int> order;
    for (int u = 0; u < x.size(); ++u) {
      if (system.kinds()[u] == Kind::kMotion && std::abs(x[u]) > 0.1) order.push_back(u);
    }
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return std::abs(x[a]) > std::abs(x[b]); });
    std::string text;
    for (std::size_t k = 0; k < std::min<std::size_t>(order.size(), 4); ++k) {
      text += (k > 0 ? ", " : "") + system.unknownName(UnknownIndex{order[k]});
    }
    return text;
  }

  system::Assembler& assembler_;
  const Eigen::VectorXd& compliance_;
  EquilibriumOptions options_;
  system::Weights weights_;
  linalg::SparseMatrix matrix_;
  std::unique_ptr<linalg::SparseSolver> solver_;
  Eigen::VectorXd residual_, delta_;
  double size_ = 0.0;
};

// Brings the loads on in steps that adapt to the difficulty.
bool loadInSteps(system::Assembler& assembler, Search& search, State& state,
                 EquilibriumReport& report) {
  double reached = 0.0, step = 1.0;
  while (reached < 1.0) {
    const double next = std::min(1.0, reached + step);
    assembler.setLoadFactor(next);
    State trial = state;
    const int before = report.iterations;
    if (search.newton(trial, report)) {
      state = trial;
      reached = next;
      ++report.loadSteps;
      if (report.iterations - before <= kEasyIterations) step *= 2.0;
    } else {
      step *= 0.5;
      if (step < kSmallestLoadStep) return false;
    }
  }
  return true;
}

}  // namespace

EquilibriumReport findEquilibrium(system::Assembler& assembler, State& state,
                                  const Eigen::VectorXd& compliance,
                                  const EquilibriumOptions& options) {
  EquilibriumReport report;
  State found = state;
  found.rate.setZero();
  found.acceleration.setZero();
  Search search(assembler, compliance, options, state);
  const State rest = found;
  report.ok = loadInSteps(assembler, search, found, report);
  assembler.setLoadFactor(1.0);
  if (!report.ok) {
    found = rest;
    report.ok = search.settle(found, report) && search.newton(found, report);
  }
  if (!report.ok) {
    const std::string motion = search.findFreeMotion(rest);
    if (!motion.empty()) report.trouble = "nothing holds the " + motion;
    return report;
  }
  report.trouble.clear();
  state = found;
  return report;
}

}  // namespace flexloop::solve
