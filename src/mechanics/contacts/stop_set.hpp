// A set of rigid stops as constraints that come and go.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "mechanics/contacts/coordinate_stop.hpp"
#include "system/switching_elements.hpp"

namespace flexloop::mechanics {

template <class Place>
class StopSet final : public system::SwitchingElements<RigidStop<Place>> {
 public:
  using Branch = system::Switching::Branch;

  int switches() const override { return this->size(); }
  std::string switchName(int k) const override { return "limit " + this->name(k); }
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
    const StopPlace<Place, double>& stop = this->parameters(k).stop;
    const double angle = motion.history[this->historyOffset(k) + kLimitAngleSlot];
    const CoordinateReading q = readPlace<Place>(*this, k, stop.place, motion, angle);
    const bool isTouched = motion.history[this->historyOffset(k) + kTouchSlot] > kAlmostTouched;
    const double lambda = environment.constraintScale * motion.value[this->scalar(k, 0).value];
    return {stop.side * (q.value - stop.bound),
            stop.side * q.rate,
            stop.side * q.acceleration,
            q.rateSize,
            isTouched ? -lambda : 0.0,
            0.0,
            isTouched,
            q.size + std::abs(stop.bound)};
  }
};

}  // namespace flexloop::mechanics
