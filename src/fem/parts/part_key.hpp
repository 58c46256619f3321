// What a reduced part is kept by: the bytes of its files and everything that its request says.
#pragma once

#include <string>

#include "fem/parts/part_request.hpp"

namespace flexloop::fem {

// Empty where the part cannot be kept: a file cannot be read, or includes others, whose changes would go unnoticed.
std::string findPartKey(const PartRequest& request, bool compares);

}  // namespace flexloop::fem
