// Runs the program as a user would.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace flexloop::testing {

struct ProgramResult {
  int exitCode = -1;  // -1: ended by a signal
  std::string out;    // standard output
  std::string errors;
  double seconds = 0.0;  // from its start to its end
  double cpuSeconds = 0.0;
  double peakMegabytes = 0.0;  // resident
};

// In the folder given, which is where results go unless told otherwise.
ProgramResult runProgram(const std::vector<std::string>& words, const std::string& folder);

// Starts it and comes back at once; standard output and errors go nowhere.
pid_t startProgram(const std::vector<std::string>& words, const std::string& folder);

}  // namespace flexloop::testing
