// Where the black boxes of tests/fixtures/boxes are built, and the traces that they leave.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "support/places.hpp"

namespace flexloop::testing {

inline std::string boxFile(const std::string& name) {
  return (std::filesystem::path(test::programFile()).parent_path() / "boxes" / (name + ".so"))
      .string();
}

// The number in a file that a process of a box is about to write; 0: none within five seconds.
inline int waitForNumber(const std::string& file) {
  int number = 0;
  for (int k = 0; k < 500 && !(std::ifstream(file) >> number); ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return number;
}

}  // namespace flexloop::testing
