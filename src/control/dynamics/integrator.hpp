// The integrator with limits and reset (docs/theory/14_dynamic_blocks.md, section 14.5),
//
//     (14.12)  x' = k u,  y = x + c           between the limits,
//              x' = 0,    y = y_max or y_min  at one of them,
//
// where the offset c, in the memory, lets y jump and leave a limit while x does not jump. The limit is
// left when k u turns inwards. Where the signal `reset` rises through zero, y becomes its start value.
#pragma once

#include <cmath>
#include <limits>

#include "control/blocks/block.hpp"
#include "control/discontinuous/range.hpp"

namespace flexloop::control {

class Integrator final : public BlockOf<Integrator> {
 public:
  struct Settings {
    double gain = 1.0, start = 0.0;
    Range limits{};
    bool hasReset = false;
  };
  static constexpr int kMemory = 3;

  explicit Integrator(const Settings& settings) : s_(settings) {}

  BlockSize size() const override {
    return {.inputs = s_.hasReset ? 2 : 1, .states = 1, .memory = kMemory};
  }
  // The rate uses u, the output uses x.
  bool uses(int row, int column) const override { return column == (row == 0 ? 1 : 0); }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    const int side = sideOf(p.memory);
    p.dx[0] = side == 0 ? s_.gain * p.u[0] : S(0.0);
    p.y[0] = side == 0 ? p.x[0] + p.memory[kOffset] : S(s_.limits.end(side));
  }

  int indicators() const override { return s_.hasReset ? 3 : 2; }

  void calcIndicators(const BlockPorts<double>& p, double* values) const override {
    const int side = sideOf(p.memory);
    const double push = s_.gain * p.u[0];
    if (side == 0) {
      const double y = p.x[0] + p.memory[kOffset];
      values[0] = staysInside(s_.limits.upper - y, push);
      values[1] = staysInside(y - s_.limits.lower, -push);
    } else {
      values[0] = side * push;
      values[1] = 1.0;
    }
    if (s_.hasReset) values[2] = p.memory[kIsHigh] > 0.5 ? p.u[1] : -p.u[1];
  }

  void switchBranches(const BlockPorts<double>& p, BlockMemory to) const override {
    double g[3] = {1.0, 1.0, 1.0};
    calcIndicators(p, g);
    const int side = sideOf(p.memory);
    if (side == 0 && g[0] < 0.0) to.memory[kSide] = 1.0;
    if (side == 0 && g[1] < 0.0) to.memory[kSide] = -1.0;
    if (side != 0 && g[0] < 0.0) leaveAt(s_.limits.end(side), p, to);
    if (g[2] < 0.0) {
      const bool wasHigh = p.memory[kIsHigh] > 0.5;
      if (!wasHigh) leaveAt(s_.start, p, to);
      to.memory[kIsHigh] = wasHigh ? 0.0 : 1.0;
    }
  }

  // At rest no input pushes an integrator that is free, so the value decides. At a limit it holds. One that
  // is pushed inwards there, although its rest is beyond, goes away from it as far as the other limit.
  void settleAtRest(const BlockPorts<double>& p, BlockMemory to) const override {
    const int side = sideOf(p.memory);
    if (side == 0) {
      const double y = p.x[0] + p.memory[kOffset];
      const int beyond = s_.limits.branchOf(y);
      const bool hasLeft = beyond * p.memory[kSide] > 0.0;
      if (beyond != 0) to.memory[kSide] = hasLeft && s_.limits.hasEnd(-beyond) ? -beyond : beyond;
    } else if (side * s_.gain * p.u[0] < 0.0) {
      leaveAt(s_.limits.end(side), p, to);
      to.memory[kSide] = side * kHasLeft;
    }
  }
  void endRest(const BlockPorts<double>& p, BlockMemory to) const override {
    to.memory[kSide] = sideOf(p.memory);
    if (s_.hasReset) to.memory[kIsHigh] = p.u[1] > 0.0 ? 1.0 : 0.0;
  }

 private:
  enum Memory { kSide, kOffset, kIsHigh };

  static constexpr double kHasLeft = 0.25;  // of kSide: free, from the limit of this sign

  int sideOf(const double* memory) const {
    const int side = readBranch(memory[kSide]);
    return side != 0 && s_.limits.hasEnd(side) ? side : 0;
  }

  // Negative where nothing is left of the gap and the input pushes on. Just after a limit was left, the
  // gap may be negative by rounding while the input pulls back.
  static double staysInside(double gap, double push) {
    if (gap > 0.0 || push <= 0.0) return std::max(gap, -push);
    return std::min(std::max(gap, -push), -std::numeric_limits<double>::min());
  }

  static void leaveAt(double y, const BlockPorts<double>& p, BlockMemory to) {
    to.memory[kSide] = 0.0;
    to.memory[kOffset] = y - p.x[0];
  }

  Settings s_;
};

}  // namespace flexloop::control
