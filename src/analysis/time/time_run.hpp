// One simulation in time, step after step. time_run.cpp shows from top to bottom what happens in a run, time_run_steps.cpp
// how a step comes about, time_run_drives.cpp what drives do in it, and time_run_report.cpp what is printed at the end.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/balance/operating_point.hpp"
#include "analysis/time/bend_watch.hpp"
#include "analysis/time/branch_watch.hpp"
#include "analysis/time/contact_watch.hpp"
#include "analysis/time/drive_watch.hpp"
#include "analysis/time/energy_watch.hpp"
#include "analysis/time/record_clock.hpp"
#include "analysis/time/run_point.hpp"
#include "analysis/time/run_watch.hpp"
#include "analysis/time/source_steps.hpp"
#include "analysis/time/step_control.hpp"
#include "analysis/time/time_analysis.hpp"
#include "analysis/time/turn_watch.hpp"
#include "solve/prepared_machine.hpp"
#include "solve/time/time_stepper.hpp"
#include "system/bounded.hpp"
#include "system/switching.hpp"

namespace flexloop::analysis {

class TimeRun {
 public:
  TimeRun(const model::Model& model, const TimeSettings& settings, Observer& observer,
          const RunPlan& plan);
  // One that is stepped: from another start than that of the model, and beyond the end of the settings, which is an estimate.
  TimeRun(const model::Model& model, const TimeSettings& settings, Observer& observer,
          const RunPlan& plan, const system::State& start);

  TimeReport run();

  // In place of run(), from one time to another: false after a failure, which is in the report.
  bool begin() { return start(); }
  bool stepTo(double time);
  // Signals jump at this instant to what external inputs are next.
  bool takeInputs();
  // And forces to what they are in another model than before, in which the run continues.
  bool takeModel();
  system::State& state() { return state_; }
  const TimeReport& report() const { return report_; }
  // From which another run can go on.
  RunPoint point();

 private:
  TimeRun(const model::Model& model, const TimeSettings& settings, Observer& observer,
          const RunPlan& plan, const system::State& start, double end);

  // How the way to a target went, and what holds on it.
  struct Walk {
    double shortest = 0.0;       // no part of it may be shorter
    int halvings = 0;            // so far
    bool hasFailed = false;      // steps were halved
    bool isInterrupted = false;  // a branch has ended before the target
    bool isTakenBack = false;    // it failed, and another target will be nearer
    bool hasBlow = false;        // the velocity of a drive has jumped on it
    // Where it ends, before its target or at it, because the velocity of a drive jumps there.
    struct Kink {
      bool isFound = false, isAtStart = false;
      double before = 0.0, after = 0.0;
    } kink;
  };

  // The way of a run.
  bool start();
  bool startAtRest();
  bool resume(const RunPoint& point);
  void compareWithSources();
  void stepToEnd();
  bool takeStep();
  bool isBlow(const StepTarget& target) const;
  bool isBlowAhead();
  std::optional<bool> passBlow(const StepTarget& target);
  bool isToGoOn();
  bool accept(const StepTarget& target, Walk& walk);
  void endStep(const StepTarget& target, Walk& walk);
  bool goOn(const StepTarget& target, const Walk& walk);
  bool settle(const std::vector<bool>& dueClocks, double timeBefore);
  bool settleBlocks(const std::vector<bool>& dueClocks, double timeBefore);
  bool settleSwitches(bool& hasSwitched);
  void takeStepper();
  bool passCheckpoints();
  void takeCheckpoints();
  void record();
  bool isNoisy();
  void watchEnergy() { energy_.add(assembler_.calcEnergy(state_)); }

  // Steps.
  bool advance(double length, double end, Walk& walk);
  void listNear(double length);
  bool halve(double length, double end, Walk& walk, const base::Failure& failure);
  void shortenLag(double step);
  bool adapt(const Walk& walk);
  bool locate(double length, double end, Walk& walk);
  bool isFreeOfContradiction();
  bool areVelocitiesBounded();

  // Drives.
  bool areDrivesSteady(Walk& walk);
  bool endBefore(const DriveJumps& jumps, Walk& walk);
  void warnOfKink(const DriveJumps& jumps);
  void resumeAfterBlow();
  void resumeAfter(const system::State& before, bool slopesJump);
  void calcDriveAccelerations(double time, system::State& state);

  // The report.
  void noteChatter();
  void warnOfCoarseSteps();
  void judgeRun();
  bool fail(base::Failure failure);
  bool failNow(base::Failure failure);
  bool failToSolve(base::Failure failure);
  base::Failure explainStep(double length);
  void keepIterate();

  const model::Model& model_;
  const TimeSettings& settings_;
  Observer& observer_;
  const RunPlan& plan_;
  const std::optional<OperatingState>
      rest_;  // if the run starts there; found before the machine is taken
  const std::vector<system::Switch> switches_;  // constraints that come and go
  const solve::MachineLoan machine_;
  system::Assembler& assembler_;
  const system::BoundedSets bounded_ = system::findBounded(assembler_.system());
  std::unique_ptr<solve::TimeStepper> stepper_;  // another one where constraints come or go
  system::State state_, shown_;
  SourceSteps sources_;
  StepControl control_;
  TurnWatch turns_;
  ContactWatch contacts_;
  BendWatch bends_;
  RecordClock recordClock_;
  std::size_t nextCheckpoint_ = 0;
  std::vector<double> outputs_;
  double lastRecord_ = 0.0;                                     // [s]
  std::optional<BranchWatch> modes_;                            // from the start on
  bool hasDriveKink_ = false;                                   // and it has been said
  double lastKink_ = -std::numeric_limits<double>::infinity();  // [s]
  bool startsAnew_ = false;  // whether the scheme starts in the next step
  bool isStruck_ = false;    // whether the last jumps are in the middle of a blow or at its end
  int kinksOfStep_ = 0;
  double longestLag_ = std::numeric_limits<double>::infinity();  // [s], a nominal step
  EnergyWatch energy_;
  std::optional<RunWatch> watch_;  // from the start on
  solve::StepReport failedStep_;   // the last that did not converge
  bool isUnsolved_ = false;        // a step has no solution
  std::string unsolved_;           // why
  std::int64_t coarseSteps_ = 0;   // of the shortest length, that err more than the tolerance
  TimeReport report_;
};

// Such as "at t = 1.5 s: ".
std::string describeTime(const char* before, double time);

}  // namespace flexloop::analysis
