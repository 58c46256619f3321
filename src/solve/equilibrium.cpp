#include "solve/equilibrium.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "solve/holding_states.hpp"
#include "solve/machine_size.hpp"
#include "solve/signal_system.hpp"
#include "solve/straight_moves.hpp"
#include "system/signal_graph.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;
using system::UnknownIndex;

namespace {

// What helps where a motion is free; a second line of a trouble.
constexpr const char* kHoldIt =
    "\nhold it by a joint, a spring or a controller, or take the freedom from the node with 'free'";
constexpr const char* kSmoothIt =
    "\na formula like sqrt(x) or atan2(y, x) at zero? Start elsewhere, or round it off, as sqrt(x "
    "+ "
    "1e-9)";
// Steps are measured by the largest turn [rad], or move as a part of the machine's size.
constexpr double kFirstReach = 0.4, kLargestReach = 1.0, kSmallestReach = 0.005;
constexpr double kReachGrowth = 1.5, kReachCut = 0.4;
constexpr double kNearPath = 0.3;     // unbalance off Newton's path, of that at the step's start
constexpr double kContraction = 0.5;  // of corrections, from one to the next but one
constexpr int kMaxCorrections = 8;
constexpr int kEasyCorrections = 2;  // after so few the next step reaches further
constexpr double kSmallestLoadStep = 1.0 / 64.0;
constexpr int kEasyIterations = 8;  // a load step this easy is doubled
constexpr double kLargestPseudoStep = 0.4;
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
    size_ = findMachineSize(state);
  }

  // Newton at the current load factor; false if it does not converge.
  bool newton(State& state, EquilibriumReport& report) {
    const int end = report.iterations + options_.maxIterations;
    double reach = kFirstReach, previous = std::numeric_limits<double>::infinity();
    calcResidual(state, residual_);
    while (report.iterations < end) {
      if (!solveNewton(state, report)) return false;
      const Step step{residual_, delta_, sizeOf(delta_)};
      if (!std::isfinite(step.size)) return diverge(report);
      // Corrections at round-off that no longer shrink are as good as it gets.
      const bool stalled = step.size <= kRoundOff && step.size >= 0.5 * previous;
      if (step.size <= options_.tolerance || stalled) {
        state = moved(state, delta_);
        return true;
      }
      previous = step.size;
      if (step.size <= kSmallestReach) {
        state = moved(state, step.direction);
        calcResidual(state, residual_);
      } else if (!follow(step, end, state, reach, report)) {
        break;
      }
    }
    calcResidual(state, residual_);
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
      calcMatrix(state, mu);
      if (!solve(report)) return false;
      const double size = sizeOf(delta_);
      if (!std::isfinite(size)) return diverge(report);
      delta_ *= std::min(1.0, kLargestPseudoStep / size);
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

  // What has no value at the state; empty if all has one.
  std::string findUndefined(const State& state) {
    calcResidual(state, residual_);
    return describeUndefined(assembler_.system(), residual_);
  }

  // Says which motions nothing resists; empty if there are none, or if an infinite slope hides them.
  std::string findFreeMotion(const State& state) {
    calcMatrix(state, 0.0);
    if (!matrix_.coeffs().allFinite()) return {};
    auto solver = linalg::makeSparseSolver(matrix_, linalg::SolverChoice::kKlu,
                                           assembler_.eliminationGroups());
    if (solver == nullptr) return "the equations cannot be ordered for a solution";
    const linalg::FactorReport factored = solver->factorize(matrix_);
    if (factored.ok && factored.reciprocalCondition > kNullDirection) return {};
    // Inverse iteration with a small mass shows the direction.
    calcMatrix(state, 1e-9 * firstMass());
    if (const auto again = solver->factorize(matrix_); !again.ok) {
      return describeSingular(again.singularColumn);
    }
    Eigen::VectorXd x = Eigen::VectorXd::Ones(matrix_.rows());
    for (int k = 0; k < 3; ++k) {
      solver->solve(x);
      x /= x.cwiseAbs().maxCoeff();
    }
    const std::string motions = describe(x);
    return motions.empty() ? motions : "nothing holds the " + motions + kHoldIt;
  }

 private:
  static constexpr double kRoundOff = 1e-8;
  static constexpr double kFirstSteps = 20.0;
  static constexpr double kSettled = 1e-6;

  // A Newton step: where it starts, where it would lead.
  struct Step {
    Eigen::VectorXd unbalance, direction;
    double size;
  };

  // Goes along Newton's path (10.2), as far as corrections lead back to it; with screw motions of the
  // nodes or with straight ones, beginning with what worked last.
  bool follow(const Step& step, int end, State& state, double& reach, EquilibriumReport& report) {
    for (; reach >= kSmallestReach && report.iterations < end;
         reach = kReachCut * std::min(reach, step.size)) {
      const double share = std::min(1.0, reach / step.size);
      for (int attempt = 0; attempt < 2; ++attempt, straight_ = !straight_) {
        State trial = moved(state, share * step.direction);
        const int before = report.iterations;
        if (!returnToPath(step, share, trial, report)) continue;
        const bool easy = report.iterations - before <= kEasyCorrections;
        if (easy) reach = std::min(kLargestReach, kReachGrowth * reach);
        state = trial;
        calcResidual(state, residual_);
        return true;
      }
    }
    return false;
  }

  // Newton's method for (10.2). Where beams are slender, corrections that take back a stretch and
  // corrections that bend come in turns, so each is compared with the last but one.
  bool returnToPath(const Step& step, double share, State& state, EquilibriumReport& report) {
    const double allowed = kNearPath * motionNorm(step.unbalance);
    double previous = share * step.size, beforePrevious = previous;
    for (int k = 0; k < kMaxCorrections; ++k) {
      calcResidual(state, residual_);
      residual_ -= (1.0 - share) * step.unbalance;
      const double off = motionNorm(residual_);
      if (!std::isfinite(off)) return false;
      if (off <= allowed) return true;
      if (!solveNewton(state, report)) return false;
      const double correction = sizeOf(delta_);
      if (correction <= kRoundOff) return true;
      if (!(correction <= kContraction * beforePrevious)) return false;
      beforePrevious = previous;
      previous = correction;
      state = moved(state, delta_);
    }
    return false;
  }

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
    holdStates(kinds, matrix_);
  }

  // By screw motions or along straight lines.
  State moved(const State& state, const Eigen::VectorXd& delta) const {
    if (straight_) return moveStraight(assembler_.system(), state, delta);
    State next = state;
    assembler_.system().retract(state, delta, next);
    return next;
  }

  bool solveNewton(const State& state, EquilibriumReport& report) {
    calcMatrix(state, 0.0);
    if (straight_) addTurnOfForces(assembler_.system(), state, residual_, matrix_);
    return solve(report);
  }

  bool solve(EquilibriumReport& report) {
    ++report.iterations;
    if (solver_ == nullptr) {
      solver_ = linalg::makeSparseSolver(matrix_, linalg::SolverChoice::kAutomatic,
                                         assembler_.eliminationGroups());
    }
    const linalg::FactorReport factored =
        solver_ == nullptr ? linalg::FactorReport{false, -1, 0.0} : solver_->factorize(matrix_);
    if (!factored.ok) {
      report.trouble = describeInfiniteSlope();
      if (report.trouble.empty()) report.trouble = describeSingular(factored.singularColumn);
      return false;
    }
    delta_ = -residual_;
    solver_->solve(delta_);
    return true;
  }

  bool diverge(EquilibriumReport& report) const {
    report.trouble = describeUndefined(assembler_.system(), residual_);
    if (report.trouble.empty()) report.trouble = "the search for an equilibrium diverged";
    return false;
  }

  double sizeOf(const Eigen::VectorXd& delta) const {
    return calcLargestMove(assembler_.system(), delta, size_);
  }

  // Of forces, and of torques over the machine's size.
  double motionNorm(const Eigen::VectorXd& r) const {
    const system::System& system = assembler_.system();
    double sum = 0.0;
    for (int u = 0; u < r.size(); ++u) {
      if (system.kinds()[u] != Kind::kMotion) continue;
      const double force = system.isRotation(UnknownIndex{u}) ? r[u] / size_ : r[u];
      sum += force * force;
    }
    return std::sqrt(sum);
  }

  std::string nameWorst() const {
    int worst = 0;
    residual_.cwiseAbs().maxCoeff(&worst);
    return assembler_.system().equationName(UnknownIndex{worst});
  }

  // Where a formula is steep beyond all numbers or has no slope, as sqrt(x) and atan2(y, x) at zero.
  std::string describeInfiniteSlope() const {
    for (int column = 0; column < matrix_.outerSize(); ++column) {
      for (linalg::SparseMatrix::InnerIterator it(matrix_, column); it; ++it) {
        if (std::isfinite(it.value())) continue;
        const system::System& system = assembler_.system();
        const UnknownIndex row{static_cast<int>(it.row())};
        return "'" + system.equationName(row) + "' has no finite slope over '" +
               system.unknownName(UnknownIndex{column}) + "'" + kSmoothIt;
      }
    }
    return {};
  }

  // What even a small mass does not hold.
  std::string describeSingular(int column) const {
    if (column < 0) return "nothing holds several motions at once";
    const UnknownIndex unknown{column};
    const std::string name = assembler_.system().unknownName(unknown);
    if (assembler_.system().kind(unknown) == Kind::kMotion) {
      return "nothing holds the " + name + kHoldIt;
    }
    return "nothing determines '" + name + "' at rest";
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
  bool straight_ = false;  // see straight_moves.hpp
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

// The cause that says most; a second line is what helps.
void explainFailure(const system::Assembler& assembler, Search& search, const State& rest,
                    EquilibriumReport& report) {
  std::string cause = assembler.fault();
  if (cause.empty()) cause = search.findUndefined(rest);
  if (cause.empty()) cause = search.findFreeMotion(rest);
  if (cause.empty()) cause = report.trouble;
  const std::size_t line = cause.find('\n');
  report.trouble = cause.substr(0, line);
  if (line != std::string::npos) report.hint = cause.substr(line + 1);
}

}  // namespace

EquilibriumReport findEquilibrium(system::Assembler& assembler, State& state,
                                  const Eigen::VectorXd& compliance,
                                  const EquilibriumOptions& options) {
  EquilibriumReport report;
  State found = state;
  found.rate.setZero();
  found.acceleration.setZero();
  // Blocks such as a ratio have no value for signals that nobody has set; where this leads to nothing,
  // the search says why.
  static_cast<void>(SignalSystem(assembler).solve(found));
  Search search(assembler, compliance, options, state);
  const State rest = found;
  report.ok = loadInSteps(assembler, search, found, report);
  assembler.setLoadFactor(1.0);
  if (!report.ok) {
    found = rest;
    report.ok = search.settle(found, report) && search.newton(found, report);
  }
  if (!report.ok) {
    explainFailure(assembler, search, rest, report);
    return report;
  }
  report.trouble.clear();
  state = found;
  return report;
}

}  // namespace flexloop::solve
