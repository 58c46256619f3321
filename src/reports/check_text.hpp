// What a model consists of, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "analysis/check/model_check.hpp"

namespace flexloop::reports {

std::vector<std::string> describeCheck(const model::Model& model,
                                       const analysis::CheckReport& report);
void writeCheckJson(const std::string& path, const analysis::CheckReport& report);

}  // namespace flexloop::reports
