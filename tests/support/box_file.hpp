// Where the black boxes of tests/fixtures/boxes are built.
#pragma once

#include <filesystem>
#include <string>

namespace flexloop::testing {

inline std::string boxFile(const std::string& name) {
  return (std::filesystem::path(FLEXLOOP_PROGRAM).parent_path() / "boxes" / (name + ".so"))
      .string();
}

}  // namespace flexloop::testing
