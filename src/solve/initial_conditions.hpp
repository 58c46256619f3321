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
  bool restarted = false;  // signals have changed, be it by their last digits
  std::string trouble;  // why the signals could not be solved, or that a prescribed position jumps
};

// At an instant at which signals may jump, because a source does, a branch has switched, or sampled
// blocks act (those whose clocks are due): their new values, and the accelerations and
// multipliers that go with them where the jump is more than round-off. Samplers read the machine as it is just
// before. A joint whose prescribed position jumps is reported: no force can bring that about.
[[nodiscard]] JumpReport restartAfterJump(system::Assembler& assembler, MassSystem& massSystem,
                                          system::State& state,
                                          const std::vector<bool>& dueClocks = {},
                                          bool mustRestart = false);

// Rates of the signals that drive joints.
std::vector<double> calcDriveRates(MassSystem& massSystem, system::State state);
// Whether rates of driven joints jump, by more than round-off.
bool haveDriveRatesJumped(const std::vector<double>& before, const std::vector<double>& after);
// Lets the velocities follow rates of driven joints that have jumped, and accelerations with them.
[[nodiscard]] bool followDriveRates(system::Assembler& assembler, MassSystem& massSystem,
                                    system::State& state);

}  // namespace flexloop::solve
