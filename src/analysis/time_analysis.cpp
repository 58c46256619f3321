#include "analysis/time_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "analysis/contradiction.hpp"
#include "analysis/crossing_search.hpp"
#include "analysis/energy_watch.hpp"
#include "analysis/step_control.hpp"
#include "solve/redundancy.hpp"
#include "solve/time_stepper.hpp"
#include "system/assembler.hpp"

namespace flexloop::analysis {
namespace {

constexpr int kMostHalvings = 10;
constexpr int kMostSwitches = 20;  // at one instant

solve::StepperOptions stepperOptions(const TimeSettings& settings) {
  solve::StepperOptions options;
  options.scheme = settings.scheme;
  options.tolerance = settings.newtonTolerance;
  options.maxIterations = settings.maxIterations;
  options.constraints = settings.constraints;
  options.constraintScale = settings.constraintScale;
  options.constraintPenalty = settings.constraintPenalty;
  return options;
}

std::string describeTime(const char* before, double time) {
  char text[64];
  std::snprintf(text, sizeof text, "%s%.9g s: ", before, time);
  return text;
}

// Which steps are recorded; asked once for each that may be.
class RecordClock {
 public:
  explicit RecordClock(const model::RecordSettings& settings) : settings_(settings) {}

  bool isDue(double time) {
    if (settings_.interval <= 0.0) return ++steps_ % settings_.every == 0;
    const auto reached = static_cast<std::int64_t>(time / settings_.interval + kRoundOff);
    return std::exchange(passed_, reached) < reached;
  }

 private:
  static constexpr double kRoundOff = 1e-6;  // share of the interval

  model::RecordSettings settings_;
  std::int64_t steps_ = 0;
  std::int64_t passed_ = 0;  // intervals
};

class TimeRun {
 public:
  TimeRun(const model::Model& model, const TimeSettings& settings, Observer& observer)
      : model_(model),
        settings_(settings),
        observer_(observer),
        assembler_(model.system()),
        stepper_(assembler_, stepperOptions(settings)),
        state_(model.system().start()) {}

  TimeReport run() {
    if (start()) report_.ok = stepToEnd();
    report_.time = state_.time;
    watchEnergy();
    report_.energy = energy_.report(model_.isConservative());
    return report_;
  }

 private:
  bool start() {
    const solve::RedundancyReport redundancy = solve::analyzeRedundancy(assembler_, state_);
    stepper_.setCompliance(redundancy.compliance, redundancy.accelerationCompliance);
    contradiction_.emplace(model_.system(), redundancy.compliance);
    massSystem_.emplace(assembler_);
    massSystem_->setCompliance(redundancy.accelerationCompliance);
    report_.start = solve::makeConsistent(assembler_, *massSystem_, state_);
    if (!report_.start.ok) {
      return fail("at the start: " + report_.start.trouble);
    }
    const StepControl control(settings_, {}, model_.system().clocks());
    located_ = assembler_.locatedIndicators();
    if (!settle(control.dueAtStart())) return false;
    observer_.onStart(report_.start);
    record();
    stepper_.start(state_, settings_.step);
    return true;
  }

  bool stepToEnd() {
    StepControl control(settings_, model_.system().breaks(), model_.system().clocks());
    RecordClock clock(settings_.record);
    while (!control.done()) {
      const StepTarget target = control.next(state_.time);
      const std::int64_t failedBefore = report_.failedSteps;
      // Where a source jumps, the step ends with its old value and the next begins with the new one.
      const double end = target.isBreak ? std::nextafter(target.time, state_.time) : target.time;
      assembler_.calcIndicators(state_, before_);
      if (!advance(target.length, end, 0)) return false;
      const bool hasFailed = report_.failedSteps > failedBefore;
      if (adapt(control, hasFailed)) continue;
      if (!hasFailed && endsEarlier(target)) {
        control.interrupt();
        if (!restart({})) return false;
        continue;
      }
      state_.time = target.time;
      if ((target.isBreak || haveModesEnded()) && !restart(target.dueClocks)) return false;
      if (control.done() || (target.isRegular && clock.isDue(target.time))) record();
      if (!observer_.onStep(state_.time)) {
        report_.stopped = true;
        return false;
      }
    }
    return true;
  }

  // Where a mode ends inside the step, the step is repeated to end there.
  bool endsEarlier(const StepTarget& target) {
    if (located_.empty()) return false;
    assembler_.calcIndicators(state_, indicators_);
    CrossingSearch search(before_, indicators_, located_);
    if (!search.hasCrossing()) return false;
    const system::State whole = state_;
    double start = 0.0;
    do {
      stepper_.reject(state_);
      start = state_.time;
      const double fraction = search.next();
      const double end = fraction < 1.0 ? start + fraction * target.length : whole.time;
      const solve::StepReport step = stepper_.step(state_, fraction * target.length, end);
      report_.iterations += step.iterations;
      report_.factorizations += step.factorizations;
      if (!step.converged) {
        // The whole step did converge, so its end will have to do.
        return !stepper_.step(state_, target.length, whole.time).converged;
      }
      assembler_.calcIndicators(state_, indicators_);
    } while (!search.accept(indicators_));
    ++report_.events;
    return state_.time < whole.time;
  }

  bool haveModesEnded() {
    if (located_.empty()) return false;
    assembler_.calcIndicators(state_, indicators_);
    return std::any_of(indicators_.begin(), indicators_.end(), [](double g) { return g < 0.0; });
  }

  // Goes on after a jump of signals, at the instant of clocks or the end of modes.
  bool restart(const std::vector<bool>& dueClocks) {
    const system::State before = state_;
    restarts_ = false;
    if (!settle(dueClocks)) return false;
    if (!restarts_) return true;
    if (dueClocks.empty()) {
      stepper_.start(state_, settings_.step);
    } else {
      stepper_.resume(state_, before);
    }
    return true;
  }

  // Samples what is due, switches the modes that have ended, and finds the state that goes with it;
  // the end of one mode may end another.
  bool settle(std::vector<bool> dueClocks) {
    for (int round = 0; round < kMostSwitches; ++round) {
      const solve::JumpReport jump =
          solve::restartAfterJump(assembler_, *massSystem_, state_, dueClocks);
      if (!jump.trouble.empty()) {
        return fail(describeTime("at t = ", state_.time) + jump.trouble);
      }
      restarts_ = restarts_ || jump.restarted;
      dueClocks.clear();
      if (!haveModesEnded()) return true;
      assembler_.switchModes(state_);
    }
    return true;
  }

  // Chooses the length of the next step; true if the last one was taken back.
  bool adapt(StepControl& control, bool hasFailed) {
    if (hasFailed) {
      control.adaptToFailure();
      return false;
    }
    const double error = stepper_.localError();
    const bool rejected = control.rejects(error);
    if (rejected) {
      stepper_.reject(state_);
      ++report_.rejectedSteps;
      --report_.steps;
    }
    control.adaptTo(error);
    return rejected;
  }

  // One step of the length, or two halves of it where it fails.
  bool advance(double length, double end, int halvings) {
    const double from = state_.time;
    const solve::StepReport step = stepper_.step(state_, length, end);
    report_.iterations += step.iterations;
    report_.factorizations += step.factorizations;
    const std::string fault = assembler_.fault();
    if (!fault.empty()) return fail(describeTime("at t = ", from) + fault);
    if (step.converged) {
      ++report_.steps;
      return isFreeOfContradiction();
    }
    ++report_.failedSteps;
    if (halvings == kMostHalvings) return fail(describeTime("at t = ", from) + step.trouble);
    const double half = 0.5 * length;
    return advance(half, from + half, halvings + 1) && advance(half, end, halvings + 1);
  }

  bool isFreeOfContradiction() {
    const std::string equation = contradiction_->find(state_);
    if (equation.empty()) return true;
    return fail(describeTime("at t = ", state_.time) + "the joints contradict each other; '" +
                equation + "' cannot be satisfied");
  }

  // A second line is what helps.
  bool fail(const std::string& trouble) {
    const std::size_t line = trouble.find('\n');
    report_.trouble = trouble.substr(0, line);
    if (line != std::string::npos) report_.hint = trouble.substr(line + 1);
    return false;
  }

  void record() {
    model_.outputs().calc(assembler_.calcMotion(state_), outputs_);
    observer_.onRecord(state_, outputs_);
    if (model_.isConservative() || state_.time == 0.0) watchEnergy();
  }

  void watchEnergy() { energy_.add(assembler_.calcEnergy(state_)); }

  const model::Model& model_;
  const TimeSettings& settings_;
  Observer& observer_;
  system::Assembler assembler_;
  solve::TimeStepper stepper_;
  system::State state_;
  std::optional<solve::MassSystem> massSystem_;  // from the start on
  std::vector<double> outputs_;
  std::vector<bool> located_;                        // by indicator
  std::vector<double> before_, indicators_;          // at the start and at the end of a step
  bool restarts_ = false;                            // set by settle
  std::optional<ContradictionWatch> contradiction_;  // from the start on
  EnergyWatch energy_;
  TimeReport report_;
};

}  // namespace

TimeReport runTime(const model::Model& model, const TimeSettings& settings, Observer& observer) {
  return TimeRun(model, settings, observer).run();
}

}  // namespace flexloop::analysis
