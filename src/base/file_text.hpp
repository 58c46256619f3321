// The text of a file that a user named.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"

namespace flexloop::base {

// Far above the largest model.
inline constexpr std::size_t kLargestModelFile = std::size_t{256} << 20;

// Fails for what is missing, larger than `largest` bytes, or no regular file; suggests the nearest name in the
// folder.
base::Result<std::string> readFileText(const std::string& path,
                                       std::size_t largest = kLargestModelFile);

// What it is instead of a regular file, which pipes and devices are not: reading them may never end. Empty if it is
// one, or if there is none.
std::string describeSpecialFile(const std::string& path);

}  // namespace flexloop::base
