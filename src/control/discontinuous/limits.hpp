// Blocks with kinks and without memory (docs/theory/15_discontinuous_blocks.md, section 15.2). Their
// output follows from the input alone; a branch is kept only where the kinks are to be located.
#pragma once

#include "control/blocks/block.hpp"
#include "control/discontinuous/range.hpp"

namespace flexloop::control {

// A function of one input with kinks at both ends of a range.
template <class B>
class Kinked : public BlockOf<B> {
 public:
  Kinked(Range range, bool located) : range_(range), located_(located) {}
  BlockSize size() const override { return {.memory = located_ ? 1 : 0}; }

  int indicators() const override { return located_ ? Range::kIndicators : 0; }
  void calcIndicators(const BlockPorts<double>& ports, double* values) const override {
    range_.calcIndicators(*ports.memory, ports.u[0], values);
  }
  void switchBranches(const BlockPorts<double>& ports, BlockMemory memory) const override {
    *memory.memory = range_.nextBranch(*ports.memory, ports.u[0]);
  }

 protected:
  const Range& range() const { return range_; }
  bool isLocated() const { return located_; }

 private:
  Range range_;
  bool located_;
};

//     (15.4)  y = min(max(u, lower), upper)
class Saturation final : public Kinked<Saturation> {
 public:
  using Kinked::Kinked;
  BlockSize size() const override { return {.memory = 1}; }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    p.y[0] = range().limit(p.u[0], *p.memory);
  }

  void beginRest(const BlockPorts<double>&, BlockMemory memory) const override {
    *memory.memory = Range::beginRest();
  }
  void settleAtRest(const BlockPorts<double>& ports, BlockMemory memory) const override {
    *memory.memory = range().settleAtRest(*ports.memory, ports.u[0]);
  }
  void endRest(const BlockPorts<double>& ports, BlockMemory memory) const override {
    *memory.memory = range().branchOf(ports.u[0]);
  }
};

//     (15.5)  y = max(u − upper, 0) + min(u − lower, 0); without width, y = u − lower, which has no kink
//
// Where kinks are located the output stays on its line within a step: beside the zero all that follows from it is as small as
// what a correction makes of it, and an iteration across the kink would not end.
class DeadZone final : public Kinked<DeadZone> {
 public:
  using Kinked::Kinked;

  void beginRest(const BlockPorts<double>&, BlockMemory memory) const override {
    if (isLocated()) *memory.memory = Range::beginRest();
  }
  void settleAtRest(const BlockPorts<double>&, BlockMemory) const override {}
  void endRest(const BlockPorts<double>& ports, BlockMemory memory) const override {
    if (isLocated()) *memory.memory = range().branchOf(ports.u[0]);
  }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    if (range().lower == range().upper) {
      p.y[0] = p.u[0] - range().lower;
      return;
    }
    if (isLocated() && !Range::isPinned(*p.memory)) {
      const double branch = *p.memory;
      p.y[0] = std::abs(branch) > 0.5 ? S(p.u[0] - range().end(branch)) : S(0.0);
      return;
    }
    p.y[0] = math::notBelow(S(p.u[0] - range().upper), 0.0) +
             math::notAbove(S(p.u[0] - range().lower), 0.0);
  }
};

}  // namespace flexloop::control
