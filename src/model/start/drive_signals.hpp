// What the signals that drive joints are at a given state of the machine (docs/theory/26_rest_of_controllers.md,
// section 26.5).
#pragma once

#include "solve/prepared_machine.hpp"
#include "system/state.hpp"

namespace flexloop::model {

class DriveSignals {
 public:
  explicit DriveSignals(solve::PreparedMachine& machine);

  // Whether they follow from time alone, and neither from motions nor from states.
  bool areGivenByTime() const { return signals_.areDrivesGivenByTime(); }
  // False if the signals have no values there.
  [[nodiscard]] bool read(const system::State& state);
  double value(system::UnknownIndex signal) const { return state_.value[signal.value]; }
  double rate(system::UnknownIndex signal) const { return state_.rate[signal.value]; }

 private:
  void calcStateRates();

  system::Assembler& assembler_;
  solve::SignalSystem& signals_;
  system::State state_;
};

}  // namespace flexloop::model
