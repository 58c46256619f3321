// Collects, step by step, how a run goes: see RunHealth. One step in sixteen is measured, in one pass over its vectors; energies
// and constraints, which cost as much as a step, are looked at in one of 128 (docs/theory/27_trust.md).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/time/growth_watch.hpp"
#include "analysis/time/run_health.hpp"
#include "model/model.hpp"
#include "solve/time/time_stepper.hpp"

namespace flexloop::analysis {

class RunWatch {
 public:
  RunWatch(const model::Model& model, const system::State& start, double end);

  // A step has been solved; others may take its place.
  void addIteration(const solve::StepReport& step, double time);
  // It stays, and nothing has jumped at its end yet.
  void addStep(const system::State& state, solve::TimeStepper& stepper,
               system::Assembler& assembler);

  // The state in which the run has ended.
  void addLast(const system::State& state);

  // All but what the run itself counts.
  RunHealth report() const;
  const GrowthWatch& growth() const { return growth_; }

 private:
  static constexpr std::size_t kWindows = 10;
  // Sums over the steps of a tenth of the run, by part.
  struct Window {
    double path = 0.0, error = 0.0;
    double time = 0.0, steps = 0.0;
  };
  // Of accelerations over the run, by part; and in how many of its steps they alternate.
  struct Sums {
    double acceleration = 0.0, change = 0.0, largest = 0.0;
    double steps = 0.0, alternating = 0.0;
  };
  static void addAcceleration(const solve::StepSizes& size, double weight, Sums& sums);
  bool addSizes(double from, double to, double weight);
  bool mayLook();
  // Of a step: what its energy gains beyond the work that is done on it, beside what flows.
  struct Balance {
    double flow = 0.0, defect = 0.0, size = 0.0;
    bool isLarge() const;
  };
  void addEnergy(const system::State& state, const solve::TimeStepper& stepper,
                 system::Assembler& assembler);
  Balance calcBalance(system::Assembler& assembler);
  double calcPower(const system::State& state, double dt, system::Assembler& assembler);
  void addDrift(const system::State& state, solve::TimeStepper& stepper);
  void reportResolution(RunHealth& health) const;
  void reportRinging(RunHealth& health) const;

  const model::Model& model_;
  double begin_, end_;
  GrowthWatch growth_;
  std::vector<solve::StepSizes> sizes_;  // of the last step
  std::vector<std::array<Window, kWindows>> windows_;
  std::vector<Sums> sums_;
  std::int64_t steps_ = 0, suspicious_ = 0;
  int watched_ = 0;  // further steps, for growth
  Balance energy_;   // summed
  solve::TimeStepper::Passage passage_;
  system::State from_, to_, nearby_;
  Eigen::VectorXd move_;
  RunHealth health_;
};

}  // namespace flexloop::analysis
