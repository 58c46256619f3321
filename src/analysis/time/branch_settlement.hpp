// The branches of blocks at one instant of a motion (docs/theory/12_blocks.md, section 12.2): what is due is
// sampled, branches that have ended are switched, and rates, accelerations, multipliers and signals follow.
// The start of every analysis, and every jump of a run, goes this way.
#pragma once

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "solve/prepared_machine.hpp"
#include "solve/start_report.hpp"
#include "system/assembler.hpp"

namespace flexloop::analysis {

struct Settlement {
  bool restarted = false;       // signals have changed
  bool tangentsJump = false;    // with branches that have switched
  bool slopesJump = false;      // those, or of blocks that a source or a sample changes
  bool velocitiesJump = false;  // those of driven joints
  std::optional<base::Failure> failure;
};

// The end of one branch may end another. Sources have their old values at the time `before`.
[[nodiscard]] Settlement settleBranches(solve::PreparedMachine& machine, system::State& state,
                                        const std::vector<bool>& dueClocks, double before);

// The consistent start of a model, with the clocks that are due at time zero.
struct ConsistentStart {
  solve::StartReport report;
  std::optional<base::Failure> failure;
};
[[nodiscard]] ConsistentStart settleStart(solve::PreparedMachine& machine, system::State& state);

}  // namespace flexloop::analysis
