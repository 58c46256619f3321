// What every analysis needs of a machine beside its state, made once for all of them: the maps by which its equations are
// assembled, the dependencies of its constraints and the mass system of consistent states.
#pragma once

#include <memory>

#include "solve/mass_system.hpp"
#include "solve/redundancy.hpp"
#include "system/assembler.hpp"
#include "system/state.hpp"

namespace flexloop::solve {

class PreparedMachine {
 public:
  explicit PreparedMachine(const system::System& system) : assembler_(system) {}
  PreparedMachine(const PreparedMachine&) = delete;
  PreparedMachine& operator=(const PreparedMachine&) = delete;

  system::Assembler& assembler() { return assembler_; }
  // The dependencies of the constraints at a state; those of the last state are remembered.
  std::shared_ptr<const RedundancyReport> redundancy(const system::State& state);
  MassSystem& massSystem();
  // Begins a task that starts from this state: what the mass system finds does not depend on earlier ones.
  void begin(const system::State& start) { massSystem().begin(*redundancy(start)); }

 private:
  system::Assembler assembler_;
  std::unique_ptr<MassSystem> massSystem_;  // at its first use
  std::shared_ptr<const RedundancyReport> redundancy_;
  system::State redundancyAt_;
  system::Environment redundancyIn_;
};

}  // namespace flexloop::solve
