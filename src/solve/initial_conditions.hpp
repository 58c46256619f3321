// A consistent start: positions that satisfy the constraints, velocities that keep them, and the
// accelerations and multipliers that follow (docs/theory/09_time.md, section 9.3). What the user gave
// is changed as little as possible, measured by the mass, and the change is reported.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "solve/prepared_machine.hpp"

namespace flexloop::solve {

struct StartReport {
  std::optional<base::Failure> failure;
  double gap = 0.0;             // largest constraint violation that was given
  double positionChange = 0.0;  // largest change of a translation [m] or rotation [rad]
  std::string positionWhere;    // the freedom that changed most
  double velocityChange = 0.0;
  std::string velocityWhere;
  int iterations = 0;

  bool ok() const { return !failure; }
};

[[nodiscard]] StartReport makeConsistent(PreparedMachine& machine, system::State& state);

// Accelerations, rates of states, multipliers and signals of a state whose positions and velocities are
// consistent. False if the mass system cannot be solved.
[[nodiscard]] bool calcAccelerations(PreparedMachine& machine, system::State& state);

struct JumpReport {
  bool restarted = false;  // signals have changed, be it by their last digits
  std::optional<base::Failure>
      failure;  // the signals could not be solved, or a prescribed position jumps
};

// At an instant at which signals may jump, because a source does, a mode has switched, or sampled
// blocks act (those whose clocks are due): their new values, and the accelerations and
// multipliers that go with them where the jump is more than round-off. Samplers read the machine as it is just
// before. A joint whose prescribed position jumps is reported: no force can bring that about.
[[nodiscard]] JumpReport restartAfterJump(PreparedMachine& machine, system::State& state,
                                          const std::vector<bool>& dueClocks = {},
                                          bool mustRestart = false);

// Rates of the signals that drive joints.
std::vector<double> calcDriveRates(PreparedMachine& machine, system::State state);
// Whether rates of driven joints jump, by more than round-off.
bool haveDriveRatesJumped(const std::vector<double>& before, const std::vector<double>& after);
// Lets the velocities follow rates of driven joints that have jumped, and accelerations with them.
[[nodiscard]] bool followDriveRates(PreparedMachine& machine, system::State& state);

}  // namespace flexloop::solve
