// The folders of models/, each an example with its test.
#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

#include "support/places.hpp"

namespace flexloop::test {

// By name.
inline std::vector<std::filesystem::path> findShippedModels() {
  std::vector<std::filesystem::path> folders;
  const std::filesystem::path models = inProject("models");
  for (const auto& entry : std::filesystem::directory_iterator(models)) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace flexloop::test
