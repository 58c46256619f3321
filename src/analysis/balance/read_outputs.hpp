// Which outputs of a block something reads: another block, an actuator, a drive. Only these take part in the rest of a machine; a
// counter of calls that nobody reads may count.
#pragma once

#include <vector>

#include "control/blocks/block_set.hpp"
#include "system/assembler.hpp"

namespace flexloop::analysis {

// By output, from the equations that depend on it. What is only recorded is not read.
[[nodiscard]] std::vector<bool> findReadOutputs(const system::Assembler& assembler,
                                                const control::BlockSet& blocks, int element);

}  // namespace flexloop::analysis
