#include "solve/equilibrium.hpp"

#include <cstdio>
#include <optional>

#include "linalg/inertia.hpp"
#include "solve/load_path.hpp"
#include "solve/newton_path.hpp"
#include "solve/overdamped_motion.hpp"
#include "solve/signal_system.hpp"
#include "solve/tangent_signs.hpp"

namespace flexloop::solve {

using system::State;

namespace {

class Search {
 public:
  Search(system::Assembler& assembler, const Eigen::VectorXd& compliance,
         const EquilibriumOptions& options, const State& rest)
      : assembler_(assembler),
        options_(options),
        balance_(assembler, compliance, rest),
        rest_(rest) {}

  EquilibriumReport find(State& found) {
    report_.ok = approach(found);
    if (report_.ok && options_.wanted == Wanted::kStable) report_.ok = makeStable(found);
    if (report_.ok) {
      report_.trouble.clear();
      report_.stability = isNeutral_ ? Stability::kStable : judgeByStiffness(found);
    } else {
      explainFailure();
    }
    report_.iterations = balance_.factorizations();
    report_.released.assign(balance_.released().begin(), balance_.released().end());
    return report_;
  }

 private:
  // The machine as its loads grow, or as it comes to rest under them.
  bool approach(State& found) {
    State near = rest_;
    const NewtonOutcome newton = polish(near);
    if (newton.converged && (newton.isAtStart || (newton.isDirect && isEndOfPath(near)))) {
      found = near;
      return true;
    }
    balance_.forgetMoves();
    const bool isHeld = isHeldWithoutLoads();
    if (isHeld ? followLoads(rest_, found) : fallToRest(found)) return true;
    report_.limits = passed_;
    if (!runaway_.empty()) return false;
    const bool isAnyGood = options_.wanted == Wanted::kFirst && passed_.empty();
    if (newton.converged && (isAnyGood || judge(near) != Stability::kUnstable)) {
      found = near;
      return true;
    }
    if (isHeld && fallToRest(found)) {
      report_.lostShare = lost_;
      return true;
    }
    found = near;
    return newton.converged;
  }

  // What Newton's method has found is where growing loads lead if the stiffness holds the machine all the way: at the
  // start without loads and with them, and at the end. Where it does not decide, a determinant that keeps its sign must do.
  bool isEndOfPath(const State& end) {
    const Stability atEnd = judgeByStiffness(end);
    if (atEnd == Stability::kUnstable) return false;
    if (atEnd == Stability::kUnknown && !balance_.hasPotential()) return hasSameSigns(end);
    for (const double share : {1.0, 0.0}) {
      balance_.setShare(share);
      const Hold hold = judgeHold(balance_, rest_);
      if (hold != Hold::kFirm && hold != Hold::kFloating) return false;
    }
    return true;
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
    return linalg::isDeterminantNegative(balance_.matrix());
  }

  // Where one of them is singular, as a machine that its controller alone holds is without it, it says nothing.
  static bool areSame(std::optional<bool> a, std::optional<bool> b) { return !a || !b || *a == *b; }

  // Unless it floats or is about to fall over at the start, loads that grow from nothing lead it.
  bool isHeldWithoutLoads() {
    balance_.setShare(0.0);
    unloaded_ = judgeHold(balance_, rest_);
    balance_.setShare(1.0);
    return unloaded_ == Hold::kFirm || unloaded_ == Hold::kUnknown;
  }

  // The machine slowed down by friction: without loads if it cannot stay where it starts, then as they grow; a
  // machine that floats goes where they push it.
  bool fallToRest(State& found) {
    found = rest_;
    if (unloaded_ == Hold::kUnstable && balance_.isHeld()) {
      balance_.release();
      balance_.setShare(0.0);
      const bool rests = comeToRest(balance_, found, runaway_);
      if (rests && judgeHold(balance_, found) == Hold::kFirm) {
        const State start = found;
        if (followLoads(start, found)) return true;
      }
      balance_.setShare(1.0);
      if (!rests) found = rest_;
    }
    balance_.setShare(1.0);
    if (!comeToRest(balance_, found, runaway_)) return false;
    State next = found;
    if (polish(next).converged) {
      found = next;
      return true;
    }
    // A top that hangs may spin about its axis as it likes. Where no force moves the machine, nothing says where
    // it rests.
    isNeutral_ = hasMoved(found) && settleNeutral(balance_, found);
    return isNeutral_;
  }

  // By more than rounding.
  bool hasMoved(const State& state) const {
    constexpr double kRoundOff = 1e-8;
    for (std::size_t i = 0; i < state.frames.size(); ++i) {
      const auto &from = rest_.frames[i], &to = state.frames[i];
      if ((to.x - from.x).norm() > kRoundOff * balance_.size()) return true;
      if ((to.R - from.R).norm() > kRoundOff) return true;
    }
    return false;
  }

  NewtonOutcome polish(State& state) {
    balance_.setShare(1.0);
    const NewtonOutcome outcome =
        followNewton(balance_, state, {options_.tolerance, options_.maxIterations});
    if (!outcome.converged) report_.trouble = outcome.trouble;
    return outcome;
  }

  // Beyond a limit point, the machine leaps; what is unstable there is not where it ends.
  bool followLoads(const State& start, State& found) {
    LoadPath path(balance_, start);
    State next;
    while (path.findNext(next)) {
      const bool converged = polish(next).converged;
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
    if (leaveUnstable(balance_, near)) {
      State next = near;
      if (polish(next).converged && judge(next) != Stability::kUnstable) {
        found = next;
        return true;
      }
      isNeutral_ = settleNeutral(balance_, near);
      if (isNeutral_) {
        found = near;
        return true;
      }
    }
    report_.trouble =
        "no stable equilibrium was found; the one that the loads lead to is unstable\n"
        "'--find loaded' gives it; another start may lead to a stable one";
    isUnstable_ = true;
    return false;
  }

  Stability judgeByStiffness(const State& state) {
    balance_.setShare(1.0);
    balance_.calcResidual(state);
    return balance_.judgeStiffness(state);
  }

  Stability judge(const State& state) {
    const Stability byStiffness = judgeByStiffness(state);
    if (byStiffness != Stability::kUnknown || !options_.judge) return byStiffness;
    return options_.judge(state);
  }

  std::string describeLimit() const {
    char share[32];
    std::snprintf(share, sizeof share, "%.4g %%", 100.0 * passed_.front());
    return std::string(
               "no equilibrium was found with all loads: as they grow, the machine can bear ") +
           share +
           " of them\na smaller load has an equilibrium; 'flexloop run' shows where the machine "
           "goes";
  }

  // The cause that says most; a second line is what helps.
  void explainFailure() {
    std::string cause = assembler_.fault();
    if (cause.empty()) cause = runaway_;
    if (cause.empty()) {
      balance_.setShare(1.0);
      balance_.calcResidual(rest_);
      cause = balance_.describeUndefinedValues();
    }
    if (cause.empty() && !isUnstable_) cause = balance_.describeFreeMotion(rest_);
    if (cause.empty() && !isUnstable_ && !passed_.empty()) cause = describeLimit();
    if (cause.empty()) cause = report_.trouble;
    const std::size_t line = cause.find('\n');
    report_.trouble = cause.substr(0, line);
    if (line != std::string::npos) report_.hint = cause.substr(line + 1);
  }

  system::Assembler& assembler_;
  const EquilibriumOptions& options_;
  StaticBalance balance_;
  State rest_;
  EquilibriumReport report_;
  std::vector<double> passed_;  // limit points, whether or not the path led anywhere
  double lost_ = -1.0;          // share at which the path ended without leading anywhere
  std::string runaway_;         // what loads drive on and on
  Hold unloaded_ = Hold::kUnknown;
  bool isUnstable_ = false;
  bool isNeutral_ = false;  // one of many, stable but for the way to the others
};

}  // namespace

EquilibriumReport findEquilibrium(system::Assembler& assembler, State& state,
                                  const Eigen::VectorXd& compliance,
                                  const EquilibriumOptions& options) {
  EquilibriumReport report;
  report.ok = assembler.system().unknowns() == 0;
  if (report.ok) return report;
  State rest = state;
  rest.rate.setZero();
  rest.acceleration.setZero();
  // Blocks such as a ratio have no value for signals that nobody has set; where this leads to nothing,
  // the search says why.
  static_cast<void>(SignalSystem(assembler).solve(rest));
  State found = rest;
  report = Search(assembler, compliance, options, rest).find(found);
  if (report.ok) state = found;
  return report;
}

}  // namespace flexloop::solve
