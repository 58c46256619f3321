// A shared library of numerical routines that is loaded at its first use (docs/decisions/0020): most runs need none, and
// loading them would take longer than many runs.
#pragma once

#include <string>

namespace flexloop::linalg {

class LazyLibrary {
 public:
  explicit LazyLibrary(std::string file) : file_(std::move(file)) {}

  // The address of a function, never null. Throws std::runtime_error if the library or the function is missing.
  void* find(const char* function);
  // The same, null if the library, or one that it needs, has no such function.
  void* findIfAny(const char* function);

 private:
  void load();

  std::string file_;  // as the dynamic loader looks for it
  void* handle_ = nullptr;
};

// For libraries that are loaded later: their BLAS starts no threads. Its threads would only wait for each other where a
// machine has thousands of small matrices and no large one.
void useOneBlasThread();

// For a program that has loaded libraries of the same names for itself, as Python with NumPy has: those here are loaded
// apart from them, with their own settings, so that both have what they want and results have the bits that they always have.
void loadApart();

}  // namespace flexloop::linalg
