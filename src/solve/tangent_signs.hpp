// What the signs of the stiffness say about a path of equilibria (docs/theory/10_equilibrium.md, section 10.5).
#pragma once

#include <optional>

#include "solve/static_balance.hpp"

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

// With the share of the loads that the balance has, by the symmetric part of the stiffness on the constraints, up to the
// rounding of its entries; at any state. Unknown where signals feed back.
[[nodiscard]] Hold judgeHold(StaticBalance& balance, const system::State& state);

}  // namespace flexloop::solve
