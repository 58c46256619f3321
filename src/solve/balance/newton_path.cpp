#include "solve/balance/newton_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/newton_end.hpp"

namespace flexloop::solve {

using system::State;

namespace {

// Steps are measured by the largest turn [rad], or move as a part of the machine's size.
constexpr double kFirstReach = 0.4, kLargestReach = 1.0, kSmallestReach = 0.005;
constexpr double kReachGrowth = 1.5, kReachCut = 0.4;
constexpr double kNearPath = 0.3;     // unbalance off Newton's path, of that at the step's start
constexpr double kContraction = 0.5;  // of corrections, from one to the next but one
constexpr int kMaxCorrections = 8;
constexpr int kEasyCorrections = 2;  // after so few the next step reaches further
constexpr double kRoundOff = 1e-8;
constexpr double kSmallStep = 1e-4;  // of the first: what is below is no turn of the path

class Search {
 public:
  Search(StaticBalance& balance, const NewtonLimits& limits)
      : balance_(balance), limits_(limits), end_(balance.factorizations() + limits.maxIterations) {}

  NewtonOutcome find(State& state) {
    NewtonEnd end(limits_.tolerance);
    double expected = std::numeric_limits<double>::infinity();
    balance_.calcResidual(state);
    while (isAllowed()) {
      if (auto failure = solveNewton(state)) return fail(std::move(*failure));
      const Step step{balance_.residual(), delta_, balance_.sizeOf(delta_)};
      if (!std::isfinite(step.size)) return fail(describeDivergence());
      if (end.isReached(step.size, step.size <= kRoundOff)) {
        state = balance_.moved(state, delta_);
        balance_.calcResidual(state);
        outcome_.isAtStart = first_ <= kRoundOff;
        return outcome_;
      }
      if (first_ == 0.0) first_ = step.size;
      if (step.size > std::max(expected, kSmallStep * first_)) outcome_.isDirect = false;
      if (step.size <= kSmallestReach) {
        state = balance_.moved(state, step.direction);
        expected = kContraction * step.size;
      } else if (!follow(step, state)) {
        break;
      } else {
        expected = (1.0 - share_) * step.size + kContraction * step.size;
      }
      balance_.noteMove(state);
      balance_.calcResidual(state);
    }
    balance_.calcResidual(state);
    return fail(base::numericalFailure("no equilibrium was found; the largest residual is at '" +
                                       balance_.nameWorst() + "'"));
  }

 private:
  // A Newton step: where it starts, where it would lead.
  struct Step {
    Eigen::VectorXd unbalance, direction;
    double size;
  };

  bool isAllowed() const { return balance_.factorizations() < end_; }

  NewtonOutcome fail(base::Failure failure) {
    outcome_.failure = std::move(failure);
    return outcome_;
  }

  base::Failure describeDivergence() const {
    return balance_.describeUndefinedValues().value_or(
        base::numericalFailure("the search for an equilibrium diverged"));
  }

  // Goes along Newton's path (10.2), as far as corrections lead back to it; with screw motions of the
  // nodes or with straight ones, beginning with what worked last.
  bool follow(const Step& step, State& state) {
    for (; reach_ >= kSmallestReach && isAllowed();
         reach_ = kReachCut * std::min(reach_, step.size)) {
      share_ = std::min(1.0, reach_ / step.size);
      for (int attempt = 0; attempt < 2; ++attempt) {
        State trial = balance_.moved(state, share_ * step.direction);
        const int before = balance_.factorizations();
        if (returnToPath(step, trial)) {
          const bool easy = balance_.factorizations() - before <= kEasyCorrections;
          if (easy) reach_ = std::min(kLargestReach, kReachGrowth * reach_);
          state = trial;
          return true;
        }
        balance_.setStraight(!balance_.isStraight());
      }
    }
    return false;
  }

  // Newton's method for (10.2). Where beams are slender, corrections that take back a stretch and
  // corrections that bend come in turns, so each is compared with the last but one.
  bool returnToPath(const Step& step, State& state) {
    const double allowed = kNearPath * balance_.motionNorm(step.unbalance);
    double previous = share_ * step.size, beforePrevious = previous;
    for (int k = 0; k < kMaxCorrections; ++k) {
      balance_.calcResidual(state);
      balance_.residual() -= (1.0 - share_) * step.unbalance;
      const double off = balance_.motionNorm(balance_.residual());
      if (!std::isfinite(off)) return false;
      if (off <= allowed) return true;
      if (solveNewton(state)) return false;
      const double correction = balance_.sizeOf(delta_);
      if (correction <= kRoundOff) return true;
      if (!(correction <= kContraction * beforePrevious)) return false;
      beforePrevious = previous;
      previous = correction;
      state = balance_.moved(state, delta_);
    }
    return false;
  }

  std::optional<base::Failure> solveNewton(const State& state) {
    balance_.calcMatrix(state);
    if (auto failure = balance_.factorize()) return failure;
    delta_ = balance_.solveNewton(balance_.residual());
    return std::nullopt;
  }

  StaticBalance& balance_;
  NewtonLimits limits_;
  int end_;
  NewtonOutcome outcome_;
  Eigen::VectorXd delta_;
  double reach_ = kFirstReach, share_ = 1.0, first_ = 0.0;
};

}  // namespace

NewtonOutcome followNewton(StaticBalance& balance, State& state, const NewtonLimits& limits) {
  return Search(balance, limits).find(state);
}

}  // namespace flexloop::solve
