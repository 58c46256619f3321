#include "support/places.hpp"

namespace flexloop::test {

std::string inProject(const std::string& path) {
  return std::string(FLEXLOOP_SOURCE_DIR "/") + path;
}

std::string programFile() {
  return FLEXLOOP_PROGRAM;
}

}  // namespace flexloop::test
