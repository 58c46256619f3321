// The filtered derivative (docs/theory/14_dynamic_blocks.md, section 14.6),
//
//     (14.13)  y = x' = (u − x − c)/T
//
// with the offset c in the memory, so that it can start at rest: y(0) = 0 whatever u(0) is.
#pragma once

#include "control/blocks/block.hpp"

namespace flexloop::control {

class Derivative final : public BlockOf<Derivative> {
 public:
  // Memory: the offset, and whether the block has started (1) or must yet find the offset (0).
  static constexpr int kOffset = 0, kHasStarted = 1, kMemory = 2;

  explicit Derivative(double filter) : filter_(filter) {}

  BlockSize size() const override { return {.states = 1, .memory = kMemory}; }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    p.dx[0] = (p.u[0] - p.x[0] - p.memory[kOffset]) / filter_;
    p.y[0] = p.dx[0];
  }

  int indicators() const override { return 1; }
  void calcIndicators(const BlockPorts<double>& p, double* values) const override {
    values[0] = p.memory[kHasStarted] > 0.5 ? 1.0 : -1.0;
  }
  void switchBranches(const BlockPorts<double>& p, BlockMemory to) const override {
    if (p.memory[kHasStarted] > 0.5) return;
    to.memory[kOffset] = p.u[0] - p.x[0];
    to.memory[kHasStarted] = 1.0;
  }

 private:
  double filter_;
};

}  // namespace flexloop::control
