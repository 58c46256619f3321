// A set of frictions as constraints that come and go: elements of one type, and the branches on which they are.
#pragma once

#include <string>
#include <vector>

#include "mechanics/friction/coordinate_friction.hpp"
#include "system/switching_elements.hpp"

namespace flexloop::mechanics {

template <class Place, class Load>
class FrictionSet final : public system::SwitchingElements<CoordinateFriction<Place, Load>> {
 public:
  using Friction = CoordinateFriction<Place, Load>;
  using Branch = system::Switching::Branch;

  int switches() const override { return this->size(); }
  std::string switchName(int k) const override { return "friction of " + this->name(k); }
  bool isStop(int) const override { return false; }
  system::UnknownIndex multiplier(int k) const override { return this->scalar(k, 1); }
  Branch branch(int k, const std::vector<double>& history) const override {
    return this->branchAt(this->historyOffset(k) + kBranchSlot, history);
  }
  void setBranch(int k, Branch branch, const system::Motion& motion,
                 system::State& state) const override {
    double* history = state.history.data() + this->historyOffset(k);
    history[kBranchSlot] = static_cast<double>(branch);
    if (branch == Branch::kClosed) {
      history[kStuckSlot] = readAt(k, motion, history[kStuckSlot]).value;
    }
  }
  system::SwitchReading read(int k, const system::Motion& motion,
                             const system::Environment& environment) const override {
    const double* history = motion.history + this->historyOffset(k);
    const CoordinateReading q = readAt(k, motion, history[kStuckSlot]);
    const bool sticks = history[kBranchSlot] > kAlmostStuck;
    const double held = environment.constraintScale * motion.value[this->scalar(k, 1).value];
    const double force = motion.value[this->scalar(k, 0).value] + (sticks ? held : 0.0);
    const double limit =
        Load::calcLimit(this->parameters(k).law, force, findLoad(k, motion, environment));
    return {q.value, q.rate, q.acceleration, q.rateSize, force, limit, sticks, q.size};
  }
  bool isImpulsive(int) const override { return Load::kAreMultipliers; }
  system::UnknownIndex slidingForce(int k, int) const override { return this->scalar(k, 0); }
  void calcSliding(int k, double direction, const system::Motion& motion,
                   const system::Environment& environment, double* forces) const override {
    forces[0] =
        Load::calcKinetic(this->parameters(k).law, direction, findLoad(k, motion, environment));
  }

 private:
  std::array<double, Load::kScalars> findLoad(int k, const system::Motion& motion,
                                              const system::Environment& environment) const {
    std::array<double, Friction::kScalars> value;
    for (int i = 0; i < Friction::kScalars; ++i) value[i] = motion.value[this->scalar(k, i).value];
    return Friction::template findLoad<double>(value, environment.constraintScale);
  }
  CoordinateReading readAt(int k, const system::Motion& motion, double target) const {
    return readPlace<Place>(*this, k, this->parameters(k).place, motion, target);
  }
};

}  // namespace flexloop::mechanics
