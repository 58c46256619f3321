// `flexloop part` and `flexloop reduce` as text and JSON.
#pragma once

#include <string>
#include <vector>

#include "fem/parts/part_study.hpp"
#include "fem/reduction/reduction_options.hpp"

namespace flexloop::reports {

std::vector<std::string> describePart(const fem::PartStudy& study);
void writePartJson(const std::string& path, const fem::PartStudy& study);

std::vector<std::string> describeReduction(const std::string& part,
                                           const fem::ReductionReport& report);
void writeReductionJson(const std::string& path, const std::string& part,
                        const fem::ReductionReport& report);

}  // namespace flexloop::reports
