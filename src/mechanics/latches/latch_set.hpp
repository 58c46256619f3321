// A set of latches as constraints that come and go, commanded by their signals.
#pragma once

#include <string>
#include <vector>

#include "mechanics/latches/latch.hpp"
#include "system/switching_elements.hpp"

namespace flexloop::mechanics {

// Where the coordinate or the pose is, for what is remembered.
template <class Place>
void captureLatch(const system::SwitchingElements<CoordinateLatch<Place>>& set, int e,
                  const system::Motion& motion, double* history) {
  history[kLatchPlaceSlot] =
      readPlace<Place>(set, e, set.parameters(e).place, motion, history[kLatchPlaceSlot]).value;
}
inline void captureLatch(const system::SwitchingElements<PoseLatch>& set, int e,
                         const system::Motion& motion, double* history) {
  const math::Frame<double> relative = math::relative(motion.nodes[set.node(e, 0).value].frame,
                                                      motion.nodes[set.node(e, 1).value].frame);
  for (int i = 0; i < 9; ++i) history[kLatchPlaceSlot + i] = relative.R(i / 3, i % 3);
  for (int i = 0; i < 3; ++i) history[kLatchPlaceSlot + 9 + i] = relative.x[i];
}

// Each row is a switch; those of one latch have one branch.
template <class Latch>
class LatchSet final : public system::SwitchingElements<Latch> {
 public:
  using Branch = system::Switching::Branch;

  int switches() const override { return Latch::kRows * this->size(); }
  std::string switchName(int k) const override { return "latch of " + this->name(elementOf(k)); }
  bool isStop(int) const override { return false; }
  bool isLatch(int) const override { return true; }
  bool leads(int k) const override { return k % Latch::kRows == 0; }
  system::UnknownIndex multiplier(int k) const override {
    return this->scalar(elementOf(k), k % Latch::kRows);
  }
  Branch branch(int k, const std::vector<double>& history) const override {
    return this->branchAt(this->historyOffset(elementOf(k)) + kLatchBranchSlot, history);
  }
  void setBranch(int k, Branch branch, const system::Motion& motion,
                 system::State& state) const override {
    const int e = elementOf(k);
    double* history = state.history.data() + this->historyOffset(e);
    history[kLatchBranchSlot] = static_cast<double>(branch);
    if (branch == Branch::kClosed) captureLatch(*this, e, motion, history);
  }
  system::SwitchReading read(int k, const system::Motion& motion,
                             const system::Environment&) const override {
    const int e = elementOf(k);
    system::SwitchReading reading;
    reading.isClosed = motion.history[this->historyOffset(e) + kLatchBranchSlot] > kAlmostLatched;
    reading.command = motion.value[this->scalar(e, Latch::kRows).value] - kLatchLevel;
    return reading;
  }

 private:
  static int elementOf(int k) { return k / Latch::kRows; }
};

}  // namespace flexloop::mechanics
