// What the signs of the stiffness say about a path of equilibria (docs/theory/10_equilibrium.md, section 10.5).
#pragma once

#include <optional>

#include "solve/balance/static_balance.hpp"

namespace flexloop::solve {

// The number of negative directions, or where signals feed back or forces follow, whether the determinant is
// negative. From one equilibrium of a path to the next, it changes only where the path turns or another one crosses it.
struct TangentSigns {
  bool isCount = true;
  int negative = 0;
};

// By the balance's matrix, as it is; nothing if that is singular.
[[nodiscard]] std::optional<TangentSigns> findSigns(const StaticBalance& balance);

// Whether stiffness resists every motion, leaves some free, or drives some away.
enum class Hold { kUnknown, kFirm, kFloating, kUnstable };

struct Stance {
  Hold hold = Hold::kUnknown;
  Eigen::MatrixXd
      neutral{};  // motions that meet no stiffness, as columns by unknown; none if they are too many
};

// With the share of the loads that the balance has, by the stiffness on the constraints with what controllers add to it, up to its
// rounding (10.14). Where the machine is not in balance, by the symmetric part with the reactions that the joints would have.
// Unknown where controllers make it unsymmetric and not positive.
[[nodiscard]] Stance judgeStance(StaticBalance& balance, const system::State& state);

// The same at an equilibrium.
[[nodiscard]] Stance judgeRest(StaticBalance& balance, const system::State& state);

// At an equilibrium; unknown where signals feed back or forces follow, because the stiffness does not decide there.
[[nodiscard]] Stability judgeStiffness(StaticBalance& balance, const system::State& state);

// Whether the symmetric part of K + μB, as it is in the balance's matrix, with what controllers do to slow motions at the state, is
// positive on the constraints. True, too, where controllers have no potential: nothing is downhill there.
[[nodiscard]] bool leadsDownhill(StaticBalance& balance, const system::State& state);

// Fixes as many unknowns as there are neutral motions.
void fixNeutral(StaticBalance& balance, const Stance& stance);

// Whether nothing but rounding acts along what is neutral.
[[nodiscard]] bool isUndriven(StaticBalance& balance, const system::State& state,
                              const Stance& stance);

// Whether nothing but rounding acts on what is fixed, at a state in which all else is in balance.
[[nodiscard]] bool isUndriven(StaticBalance& balance, const system::State& state);

}  // namespace flexloop::solve
