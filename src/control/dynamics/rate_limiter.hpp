// The rate limiter (docs/theory/14_dynamic_blocks.md, section 14.9): y follows u with a short lag T, no
// faster than the rates allow,
//
//     (14.22)  y' = (u − y)/T   where that lies between −down and up;   y' = up or y' = −down   else.
//
// The state is x = y − c; the offset c, in the memory, lets y start at u.
#pragma once

#include "control/blocks/block.hpp"
#include "control/discontinuous/block_mode.hpp"

namespace flexloop::control {

class RateLimiter final : public BlockOf<RateLimiter> {
 public:
  static constexpr int kSide = 0, kOffset = 1, kHasStarted = 2, kMemory = 3;

  RateLimiter(double up, double down, double lag) : up_(up), down_(down), lag_(lag) {}

  BlockSize size() const override { return {.states = 1, .memory = kMemory}; }
  bool uses(int row, int column) const override { return row == 0 || column == 0; }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    const int side = modeOf(p.memory[kSide], 1);
    p.dx[0] = side == 0 ? wanted(p) : S(side > 0 ? up_ : -down_);
    p.y[0] = p.x[0] + p.memory[kOffset];
  }

  int indicators() const override { return 3; }
  void calcIndicators(const BlockPorts<double>& p, double* values) const override {
    const int side = modeOf(p.memory[kSide], 1);
    const double rate = wanted(p);
    values[0] = side > 0 ? rate - up_ : up_ - rate;
    values[1] = side < 0 ? -down_ - rate : rate + down_;
    values[2] = p.memory[kHasStarted] > 0.5 ? 1.0 : -1.0;
  }
  void switchBranches(const BlockPorts<double>& p, BlockMemory to) const override {
    double g[3];
    calcIndicators(p, g);
    if (g[2] < 0.0) {
      to.memory[kOffset] = p.u[0] - p.x[0];
      to.memory[kHasStarted] = 1.0;
      to.memory[kSide] = 0.0;
    } else if (g[0] < 0.0 || g[1] < 0.0) {
      const double rate = wanted(p);
      to.memory[kSide] = rate > up_ ? 1.0 : rate < -down_ ? -1.0 : 0.0;
    }
  }

 private:
  template <class S>
  S wanted(const BlockPorts<S>& p) const {
    return (p.u[0] - p.x[0] - p.memory[kOffset]) / lag_;
  }

  double up_, down_, lag_;
};

}  // namespace flexloop::control
