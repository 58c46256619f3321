// A state inside of a step: part of the way between its ends. Signals there are still to be solved.
#pragma once

#include "system/state.hpp"

namespace flexloop::analysis {

system::State interpolate(const system::State& from, const system::State& to, double share);

}  // namespace flexloop::analysis
