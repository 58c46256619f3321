// The text of a file that a user named.
#pragma once

#include <string>

#include "base/result.hpp"

namespace flexloop::io {

// Fails for what is missing, a folder, or larger than any model; suggests the nearest name in the
// folder.
base::Result<std::string> readFileText(const std::string& path);

}  // namespace flexloop::io
