// Included by every file that has mutants. One binary holds them all; FLEXLOOP_MUTANT chooses one by its number.
// With FLEXLOOP_MUTANT=-1 the numbers of the statements that were reached are appended to the file FLEXLOOP_MUTANT_TRACE.
#pragma once
#ifdef __cplusplus

#include <cstdio>
#include <cstdlib>

namespace flexloop::mutants {

inline constexpr int kMost = 32768;
inline bool reached[kMost];

inline void writeReached() {
  const char* const path = std::getenv("FLEXLOOP_MUTANT_TRACE");
  std::FILE* const file = path != nullptr ? std::fopen(path, "a") : nullptr;
  if (file == nullptr) return;
  for (int id = 0; id < kMost; ++id) {
    if (reached[id]) std::fprintf(file, "%d\n", id);
  }
  std::fclose(file);
}

inline const int active = [] {
  const char* const text = std::getenv("FLEXLOOP_MUTANT");
  const int id = text != nullptr ? std::atoi(text) : 0;
  if (id < 0) std::atexit(writeReached);
  return id;
}();

inline bool is(int id) {
  if (active < 0) reached[id] = true;
  return active == id;
}

}  // namespace flexloop::mutants

#endif
