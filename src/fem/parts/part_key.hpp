// What a reduced part is kept by: the bytes of its files and everything that its request says.
#pragma once

#include <string>

#include "fem/parts/part_request.hpp"

namespace flexloop::fem {

// Empty where the part cannot be kept: a file cannot be read, or includes others, whose changes would go unnoticed.
std::string findPartKey(const PartRequest& request, bool compares);

// Of the request alone, whatever its files hold: a part that a result has kept belongs to the same request.
std::string findRequestKey(const PartRequest& request);

}  // namespace flexloop::fem
