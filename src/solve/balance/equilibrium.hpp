// Static equilibrium: r(value, 0, 0, t) = 0 for positions, states, multipliers and signals
// (docs/theory/10_equilibrium.md). Newton's method with steps of limited turn and corrections after
// each; where it does not lead straight to the equilibrium, the path of equilibria under growing
// loads, by arc length through limit points; a machine that can swing (its stiffness comes
// from gravity alone) is led to rest by a pseudo-transient, (K + μM) δ = −r with μ falling as r does.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "solve/balance/static_balance.hpp"
#include "system/assembler.hpp"

namespace flexloop::solve {

// Which of the equilibria is looked for.
enum class Wanted {
  kFirst,  // the first with full load on the path of growing loads, stable or not
  kLoaded,  // what slowly growing loads lead to: the first one, or beyond limit points the first stable one
  kStable,  // the same; if it is unstable, a stable one to which the machine goes from there
};

struct EquilibriumOptions {
  double tolerance = 1e-11;  // of corrections, relative to the size of the machine
  int maxIterations = 200;   // of Newton's method
  Wanted wanted = Wanted::kLoaded;
  // For machines of whose stability the stiffness does not decide; may be empty.
  std::function<Stability(const system::State&)> judge{};
};

struct EquilibriumReport {
  std::optional<base::Failure> failure{};
  int iterations = 0;  // in all
  int loadSteps = 0;
  std::vector<double> limits;  // shares of the loads at the limit points that were passed
  bool hasLeft = false;        // an unstable equilibrium, for the one that was found
  // The share of the loads at which their path was lost, where what was found is not on it but where the machine comes to
  // rest with friction; negative where it is on the path, or where there is none.
  double lostShare = -1.0;
  // States whose rest depends on the way there: they followed the machine only for a part of it.
  std::vector<int> released{};
  Stability stability = Stability::kUnknown;  // by the stiffness
  // Motions that nothing holds and nothing drives, by the user's names: the machine rests wherever they are.
  std::string neutral{};

  bool ok() const { return !failure; }
};

// Rates and accelerations of the state are set to zero. A state that failed is unchanged. Unknowns of rest that are not
// those of the system may be given.
[[nodiscard]] EquilibriumReport findEquilibrium(system::Assembler& assembler, system::State& state,
                                                const std::vector<DependentRow>& dependent,
                                                const EquilibriumOptions& options = {},
                                                FurtherUnknowns* further = nullptr);

}  // namespace flexloop::solve
