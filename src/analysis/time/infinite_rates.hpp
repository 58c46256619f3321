// Rates of sources that jump (docs/theory/14_dynamic_blocks.md, section 14.7).
#pragma once

#include <optional>

#include "base/result.hpp"
#include "system/assembler.hpp"

namespace flexloop::analysis {

// The source that jumps between two times although something uses its rate, which is infinite there, with what helps; or
// nothing. A rate that is only recorded does no harm.
std::optional<base::Failure> describeInfiniteRate(const system::Assembler& assembler, double from,
                                                  double to);

}  // namespace flexloop::analysis
