// Shared by the instances of both versions: functions by name, and what an FMU reports.
#pragma once

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <dlfcn.h>

namespace flexloop::control {

// The numbers of fmi2Status and fmi3Status.
enum class FmuStatus { kOk, kWarning, kDiscard, kError, kFatal, kPending };

class FmuLog {
 public:
  void add(int status, const std::string& message) {
    if (status == static_cast<int>(FmuStatus::kOk)) return;
    if (!last_.empty() && last_.size() < kLongest) last_ += "; ";
    if (last_.size() < kLongest) last_ += message;
  }

  // The function is named in two parts, so that nothing is put together while all is well.
  void check(const char* prefix, const char* function, int status) {
    if (status == static_cast<int>(FmuStatus::kOk) ||
        status == static_cast<int>(FmuStatus::kWarning)) {
      last_.clear();
      return;
    }
    fail(std::string(prefix) + function + " returned " + wordOf(status));
  }

  // Ends with what the FMU has said last.
  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) {
    const std::string said = last_;
    last_.clear();
    throw std::runtime_error(what + (said.empty() ? "" : ": " + said) +
                             (hint.empty() ? "" : "\n" + hint));
  }

  [[noreturn]] void failAtEnd() {
    fail("it asks to end the simulation", "end the run before that time, with 'end' or '--end'");
  }

 private:
  static constexpr std::size_t kLongest = 120;

  static std::string wordOf(int status) {
    switch (static_cast<FmuStatus>(status)) {
      case FmuStatus::kDiscard:
        return "'discard'";
      case FmuStatus::kError:
        return "'error'";
      case FmuStatus::kFatal:
        return "'fatal'";
      case FmuStatus::kPending:
        return "'pending'";
      default:
        return "the unknown status " + std::to_string(status);
    }
  }

  std::string last_;
};

// Finds functions until one is missing.
class FmuSymbols {
 public:
  FmuSymbols(void* library, std::string prefix) : library_(library), prefix_(std::move(prefix)) {}

  template <class Function>
  void find(Function*& function, const std::string& name, bool isNeeded = true) {
    function = reinterpret_cast<Function*>(dlsym(library_, (prefix_ + name).c_str()));
    if (function == nullptr && isNeeded && missing_.empty()) missing_ = prefix_ + name;
  }
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string prefix_;
  std::string missing_;
};

template <class T>
T nearestWhole(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value >= 0.5;
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    constexpr auto lowest = static_cast<double>(std::numeric_limits<T>::min());
    constexpr auto highest = static_cast<double>(std::numeric_limits<T>::max());
    if (value <= lowest) return std::numeric_limits<T>::min();
    if (value >= highest) return std::numeric_limits<T>::max();
    return static_cast<T>(std::nearbyint(value));
  }
}

}  // namespace flexloop::control
