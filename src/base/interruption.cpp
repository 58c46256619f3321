#include "base/interruption.hpp"

#include <utility>

namespace flexloop::base {
namespace {

constexpr std::chrono::milliseconds kPause{50};
thread_local InterruptionScope* current = nullptr;

}  // namespace

InterruptionScope::InterruptionScope(std::function<bool()> isWanted)
    : isWanted_(std::move(isWanted)), last_(std::chrono::steady_clock::now()), outer_(current) {
  current = this;
}

InterruptionScope::~InterruptionScope() {
  current = outer_;
}

void InterruptionScope::look() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kPause) return;
  last_ = now;
  if (isWanted_()) throw Interrupted();
}

void lookForInterruption() {
  if (current != nullptr) current->look();
}

}  // namespace flexloop::base
