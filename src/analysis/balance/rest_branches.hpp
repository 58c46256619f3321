// The branches of blocks at rest (docs/theory/26_rest_of_controllers.md, section 26.1): a balance is found on the
// branches as they are, each block goes to the branch that fits what was found, and so on until all stay.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solve/balance/equilibrium.hpp"
#include "system/assembler.hpp"

namespace flexloop::analysis {

// Finds a balance on the branches that the state has; a state that failed is unchanged.
using BalanceSearch = std::function<solve::EquilibriumReport(system::State& state)>;

// The state is the start before and, if it went well, that of rest afterwards: what blocks remember is that
// of a machine which has been at rest for all time. Notes name what is not exactly at rest.
[[nodiscard]] solve::EquilibriumReport settleAtRest(system::Assembler& assembler,
                                                    const BalanceSearch& search,
                                                    system::State& state,
                                                    std::vector<std::string>& notes);

}  // namespace flexloop::analysis
