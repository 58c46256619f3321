#include "analysis/balance/steady_motion.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "analysis/balance/moving_parts.hpp"
#include "analysis/balance/rest_branches.hpp"
#include "analysis/balance/resting_switches.hpp"
#include "analysis/balance/steady_samples.hpp"
#include "linalg/solvers/sparse_solver.hpp"
#include "solve/balance/balance_units.hpp"
#include "solve/balance/holding_states.hpp"
#include "solve/initial_conditions.hpp"
#include "solve/machine_size.hpp"
#include "solve/newton_end.hpp"
#include "solve/prepared_machine.hpp"
#include "solve/soft_constraints.hpp"
#include "system/turn_counting.hpp"

namespace flexloop::analysis {
namespace {

using system::Kind;
using system::State;
using system::UnknownIndex;

constexpr double kConverged = 1e-12;  // of corrections, relative to the size of the machine
constexpr double kRoundOff = 1e-8;  // below, corrections that do not shrink are as good as it gets
constexpr double kLargestStep = 0.4;  // turn [rad], or move relative to the machine
constexpr double kSteady = 1e-6;      // what a correction may be after the machine has turned on
constexpr double kSmallMass = 1e-6;   // of the square of the speed; holds what nothing else holds
constexpr double kAllowed = 1e-9;     // of the terms of a constraint or of the motion
constexpr double kSmallestShare = 1.0 / 64.0;
constexpr int kMaxIterations = 60;

// What becomes of the angle of a part that nothing holds: it is kept, or left to the small mass, or to the mass and what
// resists its rate, which the integral of a governor needs.
enum class FreeAngles { kKept, kLeft, kSlow };

class Search {
 public:
  Search(const model::Model& model, system::Assembler& assembler, const State& start,
         const solve::SoftConstraints& soft, PartMotion kind, FreeAngles angles)
      : model_(model),
        assembler_(assembler),
        soft_(soft),
        parts_(model.system(), start, kind),
        angles_(angles),
        size_(solve::findFarthestNode(start)) {}

  const MovingParts& parts() const { return parts_; }

  // At once, or with loads, gravity and the squares of velocities brought on in steps.
  bool find(State& state, solve::EquilibriumReport& report) {
    double reached = 0.0, step = 1.0;
    while (reached < 1.0) {
      const double share = std::min(1.0, reached + step);
      State trial = state;
      if (correct(share, trial, report)) {
        state = trial;
        reached = share;
        ++report.loadSteps;
        step *= 2.0;
      } else if ((step *= 0.5) < kSmallestShare) {
        return false;
      }
    }
    return true;
  }

  // Whether it is the same motion a radian later, or, of what does not turn, a second.
  bool goesOn(const State& state) {
    State later = state;
    parts_.goOn(1.0 / unitSpeed(), later);
    return solveNewton(1.0, later) && sizeOf(delta_) <= kSteady && spinUp_ <= kSteady;
  }

  std::string nameWorst() const {
    int worst = 0;
    residual_.cwiseAbs().maxCoeff(&worst);
    return model_.system().equationName(UnknownIndex{worst});
  }

 private:
  bool correct(double share, State& state, solve::EquilibriumReport& report) {
    solve::NewtonEnd end(kConverged);
    for (int k = 0; k < kMaxIterations; ++k) {
      ++report.iterations;
      if (!solveNewton(share, state)) return false;
      const double size = sizeOf(delta_);
      if (!std::isfinite(size)) return false;
      if (size > kLargestStep) delta_ *= kLargestStep / size;
      State next = state;
      model_.system().retract(state, delta_, next);
      system::countTurns(model_.system(), state, delta_, next);
      state = next;
      parts_.setMotion(std::sqrt(share), state);
      if (end.isReached(size, size <= kRoundOff)) return spinUp_ <= kSteady;
    }
    return false;
  }

  // (10.6)
  bool solveNewton(double share, State& state) {
    assembler_.setLoadFactor(share);
    parts_.setMotion(std::sqrt(share), state);
    assembler_.calcResidual(state, residual_);
    linalg::SparseMatrix K, C, M;
    assembler_.calcTangents(state, K, C, M);
    const MovingParts::Tangents motion = parts_.calcTangents(state);
    linalg::SparseMatrix matrix = K + C * motion.rate + M * motion.acceleration + smallMass() * M;
    if (angles_ == FreeAngles::kSlow) matrix += std::sqrt(smallMass()) * C;
    Eigen::VectorXd softness;
    soft_.soften(matrix, nullptr, nullptr, softness);
    if (angles_ != FreeAngles::kSlow) solve::holdStates(model_.system().kinds(), matrix);
    matrix.makeCompressed();
    assembler_.setLoadFactor(1.0);
    const auto solver = linalg::makeSparseSolver(matrix, linalg::SolverChoice::kAutomatic,
                                                 assembler_.eliminationGroups());
    const linalg::MatrixScaling units =
        solve::findBalanceUnits(model_.system().kinds(), matrix, matrix.diagonal().cwiseAbs());
    if (solver == nullptr || !solver->factorize(solve::inUnits(units, matrix)).ok) return false;
    delta_ = -residual_;
    const auto byFactors = [&](Eigen::VectorXd& x) {
      x.array() *= units.rows.array();
      solver->solve(x);
      x.array() *= units.columns.array();
    };
    if (!soft_.isEmpty()) soft_.removeSelfStress(state.value, softness, byFactors, delta_);
    byFactors(delta_);
    if (angles_ == FreeAngles::kKept) keepAngles(matrix, M, state);
    return delta_.allFinite();
  }

  // (10.7)
  void keepAngles(const linalg::SparseMatrix& matrix, const linalg::SparseMatrix& M,
                  const State& state) {
    spinUp_ = 0.0;
    const Eigen::MatrixXd fields = parts_.calcFields(state);
    Eigen::VectorXd together = Eigen::VectorXd::Zero(delta_.size());
    for (int k = 0; k < fields.cols(); ++k) {
      const Eigen::VectorXd z = fields.col(k);
      if (isAllowed(matrix, z)) {
        keepAngle(M, z);
      } else {
        together += z;
      }
    }
    if (isAllowed(matrix, together)) keepAngle(M, together);
  }

  // Whether joints let it be, and no signal sees it.
  bool isAllowed(const linalg::SparseMatrix& matrix, const Eigen::VectorXd& z) const {
    const Eigen::VectorXd change = matrix * z;
    const Eigen::VectorXd terms = matrix.cwiseAbs() * z.cwiseAbs();
    const double largest = z.cwiseAbs().maxCoeff();
    for (int u = 0; u < z.size(); ++u) {
      if (model_.system().kinds()[u] == Kind::kMotion) continue;
      if (std::abs(change[u]) > kAllowed * std::max(terms[u], largest)) return false;
    }
    return true;
  }

  void keepAngle(const linalg::SparseMatrix& M, const Eigen::VectorXd& z) {
    const Eigen::VectorXd momentum = M * z;
    const double mass = z.dot(momentum);
    if (!(mass > 0.0)) return;
    const double turn = momentum.dot(delta_) / mass;
    delta_ -= turn * z;
    spinUp_ = std::max(spinUp_, smallMass() * std::abs(turn) / unitSpeed());
  }

  // Of what does not turn, a radian per second.
  double unitSpeed() const { return parts_.speed() > 0.0 ? parts_.speed() : 1.0; }
  double smallMass() const { return kSmallMass * unitSpeed() * unitSpeed(); }

  double sizeOf(const Eigen::VectorXd& delta) const {
    return solve::calcLargestMove(model_.system(), delta, size_);
  }

  const model::Model& model_;
  system::Assembler& assembler_;
  const solve::SoftConstraints& soft_;
  MovingParts parts_;
  FreeAngles angles_;
  double size_;
  Eigen::VectorXd residual_, delta_;
  double spinUp_ = 0.0;  // by how much of itself a free speed would change in a radian
};

struct Way {
  PartMotion motion;
  FreeAngles angles;
};

// All kinds of motion have the same start; the first that lasts is meant.
void search(const model::Model& model, system::Assembler& assembler,
            const solve::SoftConstraints& soft, EquilibriumResult& result) {
  std::string message;
  for (const Way& way :
       {Way{PartMotion::kAsOne, FreeAngles::kKept}, Way{PartMotion::kAsOne, FreeAngles::kLeft},
        Way{PartMotion::kAsOne, FreeAngles::kSlow}, Way{PartMotion::kInPlace, FreeAngles::kLeft}}) {
    Search search(model, assembler, result.state, soft, way.motion, way.angles);
    if (const std::string beam = search.parts().findSplitBeam(); !beam.empty()) {
      result.report.failure = base::numericalFailure(
          "the initial state is not a steady motion: " + beam + " do not move as one",
          "give all moving nodes the 'velocity' and 'angular_velocity' of that motion");
      return;
    }
    State found = result.state;
    // Of states and of coordinates that are no nodes, such as the modes of a part, nothing moves; nodes are set by the search.
    found.rate.setZero();
    found.acceleration.setZero();
    if (!search.find(found, result.report)) {
      message =
          "no steady motion was found; the largest residual is at '" + search.nameWorst() + "'";
    } else if (!search.goesOn(found)) {
      message = "the machine is not in steady motion: forces change as it moves, most at '" +
                search.nameWorst() + "'";
    } else {
      result.state = found;
      return;
    }
  }
  result.report.failure =
      base::numericalFailure(message,
                             "use '--at TIME' to linearise at an instant of a simulation; without "
                             "'gravity', a rotor may have a steady motion");
}

}  // namespace

EquilibriumResult findSteadyMotion(const model::Model& model) {
  EquilibriumResult result;
  result.isSteady = true;
  result.state = model.start();
  if (auto failure = chooseByMotion(model, result.state)) {
    result.report.failure = base::withContext("at the start: ", *failure);
    return result;
  }
  solve::MachineLoan machine = model.borrowMachine();
  system::Assembler& assembler = machine->assembler();
  assembler.forgetPast(result.state);
  const auto redundancy = machine->redundancy(result.state);
  machine->begin(result.state);
  const solve::StartReport start = solve::makeConsistent(*machine, result.state);
  if (start.failure) {
    result.report.failure = base::withContext("at the start: ", *start.failure);
  } else if (MovingParts(model.system(), result.state, PartMotion::kAsOne).isAtRest()) {
    machine.reset();
    return findEquilibrium(model);
  } else {
    const solve::SoftConstraints soft(model.system(), redundancy->dependentRows);
    const BalanceSearch balance = [&](State& state) {
      EquilibriumResult found;
      found.state = state;
      search(model, assembler, soft, found);
      if (found.report.ok()) state = found.state;
      return found.report;
    };
    const control::BlockSet* blocks = control::findBlocks(model.system());
    const bool isSampled = blocks != nullptr && !blocks->sampled().empty();
    const auto settled = [&](State& state) {
      return isSampled ? SteadySamples(assembler, *blocks, balance).find(state) : balance(state);
    };
    result.report = settleAtRest(assembler, settled, result.state, result.notes);
  }
  model.outputs().calc(assembler.calcMotion(result.state), result.outputs);
  return result;
}

}  // namespace flexloop::analysis
