// Times at which a call must be over, as nanoseconds of the monotonic clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <limits>

namespace flexloop::control {

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kNanoseconds = 1'000'000'000;  // in a second

// At most thirty years, so that no sum overflows.
inline std::int64_t nanosecondsOf(double seconds) {
  return static_cast<std::int64_t>(std::min(seconds, 1e9) * kNanoseconds);
}

inline timespec timespecOf(std::int64_t nanoseconds) {
  return {nanoseconds / kNanoseconds, nanoseconds % kNanoseconds};
}

inline std::int64_t monotonicNow() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kNanoseconds + time.tv_nsec;
}

}  // namespace flexloop::control
