// Threads of this process.
#pragma once

#include <filesystem>
#include <iterator>

namespace flexloop::control {

// Whether there are others than the one that asks; also where that cannot be known.
inline bool hasThreads() {
  std::error_code error;
  const std::filesystem::directory_iterator threads("/proc/self/task", error);
  return error || std::distance(begin(threads), end(threads)) > 1;
}

}  // namespace flexloop::control
