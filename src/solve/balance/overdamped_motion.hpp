// The motion of a machine that is slowed down by more than its inertia, B q' = −r with B like the mass, in steps
// (K + μB) δ = −r (docs/theory/10_equilibrium.md, section 10.3). With μ so large that K + μB is positive on the
// constraints, every step goes downhill: the motion leaves what is unstable and ends in a stable equilibrium.
#pragma once

#include <optional>

#include "base/result.hpp"
#include "solve/balance/static_balance.hpp"

namespace flexloop::solve {

// From where the machine starts to near an equilibrium. False if it does not come to rest; where loads drive it on
// because nothing resists, `runaway` says what, by the user's names, and on a second line what helps.
// `how` close: where Newton's method can do the rest by what the stiffness says, or until hardly anything moves, because states of blocks
// that are far from theirs are not in the stiffness.
enum class Closeness { kNear, kAtRest };
[[nodiscard]] bool comeToRest(StaticBalance& balance, system::State& state,
                              std::optional<base::Failure>& runaway,
                              Closeness how = Closeness::kNear);

// From an unstable equilibrium, pushed a little, to near another one.
[[nodiscard]] bool leaveUnstable(StaticBalance& balance, system::State& state);

}  // namespace flexloop::solve
