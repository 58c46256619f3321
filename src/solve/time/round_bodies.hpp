// Bodies that meet the same equations at every angle about the axis of a hinge (docs/theory/09_time.md, section 9.14).
#pragma once

#include <vector>

#include "system/assembler.hpp"

namespace flexloop::solve {

struct RoundBody {
  const system::ElementSet* hinge = nullptr;
  int element = 0;
  int end = 0;  // of the hinge, that is on the body
};

// All of them, by what their elements are at this state. A body with several hinges, or between two that are round, is none.
std::vector<RoundBody> findRoundBodies(system::Assembler& assembler, const system::State& state);

}  // namespace flexloop::solve
