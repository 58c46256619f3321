// A consistent start: positions that satisfy the constraints, velocities that keep them, and the
// accelerations and multipliers that follow (docs/theory/09_time.md, section 9.3). What the user gave
// is changed as little as possible, measured by the mass, and the change is reported.
#pragma once

#include <string>
#include <vector>

#include "solve/mass_system.hpp"
#include "system/assembler.hpp"

namespace flexloop::solve {

struct StartReport {
  bool ok = false;
  std::string trouble;
  double gap = 0.0;             // largest constraint violation that was given
  double positionChange = 0.0;  // largest change of a translation [m] or rotation [rad]
  std::string positionWhere;    // the freedom that changed most
  double velocityChange = 0.0;
  std::string velocityWhere;
  int iterations = 0;
};

[[nodiscard]] StartReport makeConsistent(system::Assembler& assembler, MassSystem& massSystem,
                                         system::State& state);

// Accelerations, rates of states, multipliers and signals of a state whose positions and velocities are
// consistent. False if the mass system cannot be solved.
[[nodiscard]] bool calcAccelerations(system::Assembler& assembler, MassSystem& massSystem,
                                     system::State& state);

struct JumpReport {
  bool restarted = false;
  std::string trouble;  // why the signals could not be solved
};

// At an instant at which signals may jump, because a source does, a mode has switched, or sampled
// blocks act (those whose clocks are due): their new values, and the velocities, accelerations and
// multipliers that go with them. Samplers read the machine as it is just before. Nothing restarts
// where nothing jumped, unless it must, or where the new values ask for other positions, which no
// force can bring about at once.
[[nodiscard]] JumpReport restartAfterJump(system::Assembler& assembler, MassSystem& massSystem,
                                          system::State& state,
                                          const std::vector<bool>& dueClocks = {},
                                          bool mustRestart = false);

}  // namespace flexloop::solve
