// A set of rigid stops, on coordinates or between shapes, as constraints that come and go.
#pragma once

#include <string>
#include <vector>

#include "mechanics/contacts/stop_reading.hpp"
#include "system/switching_elements.hpp"

namespace flexloop::mechanics {

template <class Stop>
class StopSet final : public system::SwitchingElements<Stop> {
 public:
  using Branch = system::Switching::Branch;

  int switches() const override { return this->size(); }
  std::string switchName(int k) const override { return Stop::kWord + this->name(k); }
  bool isStop(int) const override { return true; }
  double restitution(int k) const override { return this->parameters(k).restitution; }
  system::UnknownIndex multiplier(int k) const override { return this->scalar(k, 0); }
  Branch branch(int k, const std::vector<double>& history) const override {
    return this->branchAt(this->historyOffset(k) + kTouchSlot, history);
  }
  void setBranch(int k, Branch branch, const system::Motion&, system::State& state) const override {
    state.history[this->historyOffset(k) + kTouchSlot] = static_cast<double>(branch);
  }
  system::SwitchReading read(int k, const system::Motion& motion,
                             const system::Environment& environment) const override {
    const GapReading gap = Stop::readGap(*this, k, motion);
    const bool isTouched = motion.history[this->historyOffset(k) + kTouchSlot] > kAlmostTouched;
    const double lambda = environment.constraintScale * motion.value[this->scalar(k, 0).value];
    return {gap.value, gap.rate,  gap.acceleration, gap.rateSize, isTouched ? -lambda : 0.0,
            0.0,       isTouched, gap.valueSize};
  }
};

}  // namespace flexloop::mechanics
