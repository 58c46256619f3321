// The rate limiter (docs/theory/14_dynamic_blocks.md, section 14.9): y follows u with a short lag T, no
// faster than the rates allow,
//
//     (14.22)  y' = (u − y)/T   where that lies between −down and up;   y' = up or y' = −down   else.
//
// The state is x = y − c; the offset c, in the memory, lets y start at u.
#pragma once

#include "control/blocks/block.hpp"
#include "control/discontinuous/range.hpp"

namespace flexloop::control {

class RateLimiter final : public BlockOf<RateLimiter> {
 public:
  static constexpr int kSide = 0, kOffset = 1, kHasStarted = 2, kMemory = 3;

  // The greatest decrease and the greatest growth per second.
  RateLimiter(Range rates, double lag) : rates_(rates), lag_(lag) {}

  BlockSize size() const override { return {.states = 1, .memory = kMemory}; }
  bool uses(int row, int column) const override { return row == 0 || column == 0; }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    const int side = readBranch(p.memory[kSide]);
    p.dx[0] = side == 0 ? wanted(p) : S(rates_.end(side));
    p.y[0] = p.x[0] + p.memory[kOffset];
  }

  int indicators() const override { return 3; }
  void calcIndicators(const BlockPorts<double>& p, double* values) const override {
    rates_.calcIndicators(p.memory[kSide], wanted(p), values);
    values[2] = p.memory[kHasStarted] > 0.5 ? 1.0 : -1.0;
  }
  void switchBranches(const BlockPorts<double>& p, BlockMemory to) const override {
    if (p.memory[kHasStarted] <= 0.5) {
      to.memory[kOffset] = p.u[0] - p.x[0];
      to.memory[kHasStarted] = 1.0;
      to.memory[kSide] = 0.0;
    } else {
      to.memory[kSide] = rates_.nextBranch(p.memory[kSide], wanted(p));
    }
  }

 private:
  template <class S>
  S wanted(const BlockPorts<S>& p) const {
    return (p.u[0] - p.x[0] - p.memory[kOffset]) / lag_;
  }

  Range rates_;
  double lag_;
};

}  // namespace flexloop::control
