// A point of a run may come from a file: nothing of it is used that does not have the form of the machine.
#pragma once

#include <string>

#include "analysis/time/run_point.hpp"
#include "model/model.hpp"

namespace flexloop::analysis {

// Whether a state has the numbers of the machine, all of them finite; memories of blocks are not looked at.
bool isStateOf(const model::Model& model, const system::State& state);

// Throws base::InputError where state, counts or memories of blocks do not fit.
void checkPoint(const model::Model& model, const RunPoint& point);
[[noreturn]] void refusePoint(const std::string& what);

}  // namespace flexloop::analysis
