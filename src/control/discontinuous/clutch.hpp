// A clutch or brake whose torque has a limit (docs/theory/15_discontinuous_blocks.md, section 15.6).
#pragma once

#include <cstdint>

#include "control/blocks/block.hpp"
#include "control/discontinuous/range.hpp"

namespace flexloop::control {

// A spring and damper that twist by x, in series with a slider that gives way at the capacity T_c:
//
//     (15.14)  T_e = k x + c v,   T = min(max(T_e, −T_c), T_c)
//     (15.15)  x' = v where |T_e| ≤ T_c, else (T − k x)/c;   y = −T
class Clutch final : public BlockOf<Clutch> {
 public:
  Clutch(double stiffness, double damping, bool located)
      : stiffness_(stiffness), damping_(damping), located_(located) {}
  BlockSize size() const override { return {.inputs = 2, .states = 1, .memory = located_ ? 1 : 0}; }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    const S elastic = elasticTorque(p);
    const S capacity = capacityOf(p);
    // One without capacity is open, also where nothing pulls.
    const bool slips = elastic > capacity || elastic < -capacity || !(capacity > S(0.0));
    const S torque = slips ? (elastic > capacity ? capacity : -capacity) : elastic;
    p.dx[0] = slips ? (torque - stiffness_ * p.x[0]) / damping_ : p.u[kRate];
    p.y[0] = -torque;
  }

  int indicators() const override { return located_ ? Range::kIndicators : 0; }
  void calcIndicators(const BlockPorts<double>& ports, double* values) const override {
    rangeOf(ports).calcIndicators(*ports.memory, elasticTorque(ports), values);
  }
  void switchBranches(const BlockPorts<double>& ports, BlockMemory memory) const override {
    *memory.memory = rangeOf(ports).nextBranch(*ports.memory, elasticTorque(ports));
  }

 private:
  enum Input : std::uint8_t { kRate, kCapacity };

  template <class S>
  S elasticTorque(const BlockPorts<S>& p) const {
    return stiffness_ * p.x[0] + damping_ * p.u[kRate];
  }
  template <class S>
  static S capacityOf(const BlockPorts<S>& p) {
    return math::notBelow(p.u[kCapacity], 0.0);
  }
  static Range rangeOf(const BlockPorts<double>& ports) {
    const double capacity = capacityOf(ports);
    return {-capacity, capacity};
  }

  double stiffness_, damping_;
  bool located_;
};

}  // namespace flexloop::control
