// Threads of this process.
#pragma once

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string>

namespace flexloop::control {

// By their numbers; nothing where they cannot be known.
inline std::optional<std::set<std::string>> listThreads() {
  std::error_code error;
  std::set<std::string> numbers;
  std::filesystem::directory_iterator at("/proc/self/task", error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    numbers.insert(at->path().filename().string());
  }
  return error ? std::nullopt : std::optional(numbers);
}

// Whether there are others than the one that asks; also where that cannot be known.
inline bool hasThreads() {
  const auto threads = listThreads();
  return !threads || threads->size() > 1;
}

// Threads that were there before a library was loaded are not its own.
class ThreadWatch {
 public:
  void begin() { before_ = listThreads(); }
  // Whether there are new ones; also where that cannot be known.
  bool hasNew() const {
    const auto now = listThreads();
    return !now || !before_ ||
           !std::includes(before_->begin(), before_->end(), now->begin(), now->end());
  }

 private:
  std::optional<std::set<std::string>> before_;
};

}  // namespace flexloop::control
