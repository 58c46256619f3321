// Newton's method for the balance of a machine at rest, along Newton's path (docs/theory/10_equilibrium.md, section 10.1).
#pragma once

#include <optional>

#include "base/result.hpp"
#include "solve/balance/static_balance.hpp"

namespace flexloop::solve {

struct NewtonLimits {
  double tolerance;   // of corrections, relative to the size of the machine
  int maxIterations;  // factorisations
};

struct NewtonOutcome {
  // Each step was about as large as the one before had left it: nothing has turned on the way.
  bool isDirect = true;
  bool isAtStart = false;  // no step was larger than rounding: the start is an equilibrium
  std::optional<base::Failure> failure;

  bool converged() const { return !failure; }
};

// At the share of the loads that the balance has. `state` is where the iteration ended.
[[nodiscard]] NewtonOutcome followNewton(StaticBalance& balance, system::State& state,
                                         const NewtonLimits& limits);

}  // namespace flexloop::solve
