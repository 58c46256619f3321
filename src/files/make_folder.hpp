// A folder with all those above it, or a message that a user understands.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace flexloop::files {

inline void makeFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error && !std::filesystem::is_directory(folder)) {
    throw std::runtime_error("the folder '" + folder.string() +
                             "' cannot be created: " + error.message());
  }
}

}  // namespace flexloop::files
