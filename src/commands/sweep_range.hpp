// Ranges of numbers, as the command line has them.
#pragma once

#include <optional>
#include <string>

#include "model/model.hpp"
#include "study/sweep_axis.hpp"

namespace flexloop::commands {

inline constexpr int kMostSweepPoints = 1'000'000;
inline constexpr const char* kRangeHint = "NAME=from:to:count, for example -p ki=0:320:41";

// `NAME=from:to:count` of -p or --set; nothing for a plain value. Throws base::InputError, also below.
std::optional<study::SweepAxis> readAxis(const std::string& text, study::Spacing spacing);

// Where --find-stability-limit of `modes` looks: `NAME=from:to`, with `:count` if need be. `NAME` alone goes from
// a hundredth of the value that the model has to a hundred times of it.
study::SweepAxis readSearchRange(const std::string& text, const model::Model& model);

}  // namespace flexloop::commands
