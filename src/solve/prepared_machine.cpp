#include "solve/prepared_machine.hpp"

namespace flexloop::solve {
namespace {

bool areSame(const system::Environment& a, const system::Environment& b) {
  return a.loadFactor == b.loadFactor && a.constraintScale == b.constraintScale &&
         a.constraintPenalty == b.constraintPenalty;
}

}  // namespace

std::shared_ptr<const RedundancyReport> PreparedMachine::redundancy(const system::State& state) {
  const system::Environment& now = assembler_.environment();
  if (redundancy_ == nullptr || !areSame(now, redundancyIn_) || !(state == redundancyAt_)) {
    redundancy_ = std::make_shared<const RedundancyReport>(analyzeRedundancy(assembler_, state));
    redundancyAt_ = state;
    redundancyIn_ = now;
  }
  return redundancy_;
}

MassSystem& PreparedMachine::massSystem() {
  if (massSystem_ == nullptr) massSystem_.reset(new MassSystem(assembler_));
  return *massSystem_;
}

}  // namespace flexloop::solve
