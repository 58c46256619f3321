// Play between a driving and a driven part (docs/theory/15_discontinuous_blocks.md, section 15.5).
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "control/blocks/block.hpp"
#include "control/discontinuous/range.hpp"

namespace flexloop::control {

//     (15.11)  y = min(max(y_m, u − w/2), u + w/2), with y_m the output after the last step
//
// In contact, y_m follows after every step. Free of contact it stays, so that the indicators tell
// where contact begins.
class Backlash final : public BlockOf<Backlash> {
 public:
  Backlash(double width, bool located) : half_(0.5 * width), located_(located) {}
  BlockSize size() const override { return {.memory = kMemory}; }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    const S lower = p.u[0] - half_, upper = p.u[0] + half_;
    const double held = p.memory[kHeld];
    p.y[0] = held < lower ? lower : (held > upper ? upper : S(held));
    if constexpr (!std::is_same_v<S, double>) {
      // In contact the output has the slope of the input also where it agrees with what is remembered.
      if (p.memory[kContact] <= 0.5) return;
      if (isTouch(held - math::valueOf(lower))) p.y[0] = lower + (held - math::valueOf(lower));
      if (isTouch(math::valueOf(upper) - held)) p.y[0] = upper - (math::valueOf(upper) - held);
    }
  }

  void remember(const BlockPorts<double>& ports, BlockMemory memory) const override {
    if (isInContact(ports)) follow(ports, memory);
  }

  int indicators() const override { return Range::kIndicators; }
  bool isLocated() const override { return located_; }
  void calcIndicators(const BlockPorts<double>& ports, double* values) const override {
    const double held = ports.memory[kHeld];
    const Range free = rangeOf(ports);
    free.calcIndicators(0.0, held, values);
    if (!isInContact(ports)) return;
    // What is remembered agrees with the input, unless the input has jumped since the last step.
    values[0] = values[1] = free.branchOf(held) == 0 ? 0.0 : -1.0;
  }
  void switchBranches(const BlockPorts<double>& ports, BlockMemory memory) const override {
    if (rangeOf(ports).branchOf(ports.memory[kHeld]) != 0) follow(ports, memory);
  }

 private:
  enum Slot : std::uint8_t { kHeld, kContact, kMemory };
  static constexpr double kTouch = 1e-9;

  bool isTouch(double gap) const { return gap >= 0.0 && gap <= kTouch * half_; }
  static bool isInContact(const BlockPorts<double>& ports) { return ports.memory[kContact] > 0.5; }
  Range rangeOf(const BlockPorts<double>& ports) const {
    return {ports.u[0] - half_, ports.u[0] + half_};
  }

  // Contact ends where the input turns back; not for the round-off of an input at rest.
  void follow(const BlockPorts<double>& ports, BlockMemory memory) const {
    const Range free = rangeOf(ports);
    double& held = memory.memory[kHeld];
    held = std::clamp(held, free.lower, free.upper);
    const double gap = std::min(held - free.lower, free.upper - held);
    memory.memory[kContact] = gap <= kTouch * half_ ? 1.0 : 0.0;
  }

  double half_;
  bool located_;
};

}  // namespace flexloop::control
