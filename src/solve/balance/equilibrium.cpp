#include "solve/balance/equilibrium.hpp"

#include <cstdio>
#include <optional>

#include "linalg/solvers/inertia.hpp"
#include "solve/balance/load_path.hpp"
#include "solve/balance/newton_path.hpp"
#include "solve/balance/overdamped_motion.hpp"
#include "solve/balance/tangent_signs.hpp"
#include "solve/signal_system.hpp"

namespace flexloop::solve {

using system::State;

namespace {

class Search {
 public:
  Search(system::Assembler& assembler, const std::vector<DependentRow>& dependent,
         const EquilibriumOptions& options, const State& rest, FurtherUnknowns* further)
      : assembler_(assembler),
        options_(options),
        balance_(assembler, dependent, rest, further),
        rest_(rest) {}

  EquilibriumReport find(State& found) {
    bool ok = approach(found);
    if (ok && options_.wanted == Wanted::kStable) ok = makeStable(found);
    if (ok) {
      describeNeutral(found);
      report_.stability = judgeByStiffness(found);
    } else {
      report_.failure = explainFailure();
    }
    report_.iterations = balance_.factorizations();
    report_.released.assign(balance_.released().begin(), balance_.released().end());
    return report_;
  }

 private:
  // The machine as its loads grow, or as it comes to rest under them.
  bool approach(State& found) {
    loaded_ = judgeStance(balance_, rest_);
    fixNeutral(balance_, loaded_);
    State near = rest_;
    const NewtonOutcome newton = polish(near);
    if (newton.converged() && (newton.isAtStart || (newton.isDirect && isEndOfPath(near)))) {
      found = near;
      return true;
    }
    balance_.forgetMoves();
    if (!newton.converged() && !isUndriven(balance_, rest_, loaded_)) balance_.fix({});
    const bool isHeld = isHeldWithoutLoads();
    if (isHeld ? followLoads(rest_, 0.0, found) : fallToRest(found)) return true;
    report_.limits = passed_;
    if (runaway_) return false;
    const bool isAnyGood = options_.wanted == Wanted::kFirst && passed_.empty();
    if (newton.converged() && (isAnyGood || judge(near) != Stability::kUnstable)) {
      found = near;
      return true;
    }
    if (isHeld && fallToRest(found)) {
      report_.lostShare = lost_;
      return true;
    }
    found = near;
    return newton.converged();
  }

  // What Newton's method has found is where growing loads lead if the stiffness holds the machine all the way: at the
  // start without loads and with them, and at the end. Where it does not decide, a determinant that keeps its sign must do.
  bool isEndOfPath(const State& end) {
    const Stability atEnd = judgeByStiffness(end);
    if (atEnd == Stability::kUnstable) return false;
    if (atEnd == Stability::kUnknown) {
      const Hold slow = balance_.hasFeedback() ? judgeStance(balance_, end).hold : Hold::kUnknown;
      if (slow == Hold::kUnstable) return false;
      if (slow == Hold::kUnknown) return hasSameSigns(end);
    }
    balance_.setShare(0.0);
    const Hold unloaded = judgeStance(balance_, rest_).hold;
    balance_.setShare(1.0);
    bool isKnown = true;
    for (const Hold hold : {loaded_.hold, unloaded}) {
      if (hold == Hold::kUnstable) return false;
      isKnown = isKnown && hold != Hold::kUnknown;
    }
    return isKnown || hasSameSigns(end);
  }

  bool hasSameSigns(const State& end) {
    const auto atEnd = signsAt(end, 1.0), loaded = signsAt(rest_, 1.0),
               unloaded = signsAt(rest_, 0.0);
    return areSame(atEnd, loaded) && areSame(atEnd, unloaded);
  }

  std::optional<bool> signsAt(const State& state, double share) {
    balance_.setShare(share);
    balance_.calcResidual(state);
    balance_.calcMatrix(state);
    return linalg::isDeterminantNegative(balance_.scaledMatrix());
  }

  // Where one of them is singular, as a machine that its controller alone holds is without it, it says nothing.
  static bool areSame(std::optional<bool> a, std::optional<bool> b) { return !a || !b || *a == *b; }

  // Unless it floats or is about to fall over at the start, loads that grow from nothing lead it.
  bool isHeldWithoutLoads() {
    balance_.setShare(0.0);
    unloaded_ = judgeStance(balance_, rest_).hold;
    balance_.setShare(1.0);
    return unloaded_ == Hold::kFirm || unloaded_ == Hold::kUnknown;
  }

  // The machine slowed down by friction: without loads if it cannot stay where it starts, then as they grow; a
  // machine that floats goes where they push it.
  bool fallToRest(State& found) {
    balance_.fix({});
    found = rest_;
    if (unloaded_ == Hold::kUnstable && balance_.isHeld()) {
      balance_.release();
      balance_.setShare(0.0);
      const bool rests = comeToRest(balance_, found, runaway_);
      if (rests) {
        State start = found;
        if (settle(start, 0.0) && judgeStance(balance_, start).hold != Hold::kUnstable &&
            followLoads(start, 0.0, found)) {
          return true;
        }
      }
      balance_.fix({});
      if (!rests) found = rest_;
    }
    balance_.setShare(1.0);
    if (!comeToRest(balance_, found, runaway_)) return false;
    const State near = found;
    if (settle(found)) return true;
    found = near;
    balance_.fix({});
    balance_.setShare(1.0);
    return comeToRest(balance_, found, runaway_, Closeness::kAtRest) && settle(found);
  }

  // Newton's method from a state near rest, where what is neutral stays as it is.
  bool settle(State& state, double share = 1.0) {
    balance_.setShare(share);
    balance_.fix({});
    fixNeutral(balance_, judgeStance(balance_, state));
    if (polish(state, share).converged() && !balance_.fixed().empty()) return true;
    // What is neutral at the equilibrium itself need not be so beside it.
    balance_.fix({});
    if (!polish(state, share).converged()) return false;
    fixNeutral(balance_, judgeRest(balance_, state));
    return polish(state, share).converged();
  }

  NewtonOutcome polish(State& state, double share = 1.0) {
    balance_.setShare(share);
    NewtonOutcome outcome =
        followNewton(balance_, state, {options_.tolerance, options_.maxIterations});
    if (outcome.failure) {
      lastFailure_ = *outcome.failure;
    } else if (!isUndriven(balance_, state)) {
      outcome.failure = lastFailure_;
    }
    return outcome;
  }

  // Beyond a limit point, the machine leaps; what is unstable there is not where it ends.
  bool followLoads(const State& start, double share, State& found) {
    LoadPath path(balance_, start, share);
    State next;
    while (path.findNext(next)) {
      const bool converged = polish(next).converged();
      passed_ = path.limits();
      report_.loadSteps = path.points();
      if (!converged) continue;
      const bool isAnyGood = path.limits().empty() || options_.wanted == Wanted::kFirst;
      if (!isAnyGood && judge(next) == Stability::kUnstable) continue;
      report_.limits = path.limits();
      found = next;
      return true;
    }
    passed_ = path.limits();
    lost_ = path.share();
    balance_.setShare(1.0);
    return false;
  }

  bool makeStable(State& found) {
    if (judge(found) != Stability::kUnstable) return true;
    State near = found;
    report_.hasLeft = true;
    balance_.fix({});
    if (leaveUnstable(balance_, near) && settle(near) && judge(near) != Stability::kUnstable) {
      found = near;
      return true;
    }
    lastFailure_ = base::numericalFailure(
        "no stable equilibrium was found; the one reached by growing loads is unstable",
        "use '--find loaded' to get it; another initial state may lead to a stable one");
    isUnstable_ = true;
    return false;
  }

  Stability judgeByStiffness(const State& state) {
    balance_.setShare(1.0);
    return judgeStiffness(balance_, state);
  }

  // Which of many equilibria this is, nothing says.
  void describeNeutral(const State& found) {
    balance_.fix({});
    balance_.setShare(1.0);
    const Stance stance = judgeStance(balance_, found);
    for (Eigen::Index k = 0; k < stance.neutral.cols(); ++k) {
      const std::string motion = balance_.describeMotions(stance.neutral.col(k));
      report_.neutral += (report_.neutral.empty() ? "" : "; ") + motion;
    }
  }

  Stability judge(const State& state) {
    const Stability byStiffness = judgeByStiffness(state);
    if (byStiffness != Stability::kUnknown || !options_.judge) return byStiffness;
    return options_.judge(state);
  }

  base::Failure describeLimit() const {
    char share[32];
    std::snprintf(share, sizeof share, "%.4g %%", 100.0 * passed_.front());
    return base::numericalFailure(std::string("no equilibrium was found with the full load: as the "
                                              "loads grow, the machine can carry only ") +
                                      share + " of them",
                                  "reduce the loads; 'flexloop run' shows how the machine moves");
  }

  // The cause that says most.
  base::Failure explainFailure() {
    balance_.fix({});
    if (auto fault = assembler_.fault()) return *fault;
    if (runaway_) return *runaway_;
    balance_.setShare(1.0);
    balance_.calcResidual(rest_);
    if (auto undefined = balance_.describeUndefinedValues()) return *undefined;
    if (isUnstable_) return lastFailure_;
    if (auto free = balance_.describeFreeMotion(rest_)) return *free;
    return passed_.empty() ? lastFailure_ : describeLimit();
  }

  system::Assembler& assembler_;
  const EquilibriumOptions& options_;
  StaticBalance balance_;
  State rest_;
  EquilibriumReport report_;
  std::vector<double> passed_;  // limit points, whether or not the path led anywhere
  double lost_ = -1.0;          // share at which the path ended without leading anywhere
  base::Failure lastFailure_ = base::numericalFailure("no equilibrium was found");
  std::optional<base::Failure> runaway_;  // what loads drive on and on
  Stance loaded_;                         // at the start, with all loads
  Hold unloaded_ = Hold::kUnknown;
  bool isUnstable_ = false;
};

}  // namespace

EquilibriumReport findEquilibrium(system::Assembler& assembler, State& state,
                                  const std::vector<DependentRow>& dependent,
                                  const EquilibriumOptions& options, FurtherUnknowns* further) {
  EquilibriumReport report;
  if (assembler.system().unknowns() == 0) return report;
  State rest = state;
  rest.rate.setZero();
  rest.acceleration.setZero();
  // Blocks such as a ratio have no value for signals that nobody has set; where this leads to nothing,
  // the search says why.
  static_cast<void>(SignalSystem(assembler).solve(rest));
  State found = rest;
  report = Search(assembler, dependent, options, rest, further).find(found);
  if (report.ok()) state = found;
  return report;
}

}  // namespace flexloop::solve
