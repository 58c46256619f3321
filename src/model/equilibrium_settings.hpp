// What `analysis: equilibrium` says.
#pragma once

#include "model/description.hpp"
#include "solve/balance/equilibrium.hpp"

namespace flexloop::model {

struct EquilibriumSettings {
  solve::Wanted wanted = solve::Wanted::kLoaded;
};

// Its defaults where the file has no `analysis: equilibrium`.
EquilibriumSettings readEquilibriumSettings(const Description& description);

}  // namespace flexloop::model
