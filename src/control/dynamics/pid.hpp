// The PID controller (docs/theory/14_dynamic_blocks.md, section 14.7). Without limits and filter it is
// a linear system,
//
//     (14.14)  v = kp (b r − y) + x_i + kd (c r' − y'),   x_i' = ki (r − y)
//
// of the input y, the reference r and, where they are used, their exact rates. With a filter, the last
// term is kd (w − x_d)/T with w = c r − y and x_d' = (w − x_d)/T.
#pragma once

#include <array>

#include "control/blocks/block.hpp"
#include "control/discontinuous/block_mode.hpp"
#include "control/dynamics/linear_system.hpp"

namespace flexloop::control {

struct PidSettings {
  double kp = 0.0, ki = 0.0, kd = 0.0;
  double b = 1.0, c = 1.0;
  double filter = 0.0;  // T [s]; 0: exact rates
  // Which rates are inputs, after the input and the reference.
  bool usesRate = false, usesReferenceRate = false;
};

// The states are x_i, if ki ≠ 0, then x_d, if there is a filter; the output is v.
StateMatrices makePidSystem(const PidSettings& settings);

struct PidLimits {
  double lower = 0.0, upper = 0.0;
  // Back-calculation over this time [s]; 0: clamping.
  double trackingTime = 0.0;
};

// With a filter, or with limits,
//
//     (14.15)  u = v between the limits;   u = u_max or u_min, exactly, beyond.
//
// While u is limited the integral does not wind up: see (14.16) and (14.17).
class Pid final : public BlockOf<Pid> {
 public:
  static constexpr int kMemory = 3;

  // Without limits if there are none.
  Pid(const PidSettings& settings, const PidLimits* limits);

  BlockSize size() const override {
    return {.inputs = rows_.inputs(), .states = rows_.states(), .memory = kMemory};
  }
  // A limited output acts back on the integral.
  bool uses(int row, int column) const override {
    return rows_(row, column) != 0.0 ||
           (isLimited_ && hasIntegral_ && row == 0 && rows_(rows_.states(), column) != 0.0);
  }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    std::array<S, 2> x{S(0.0), S(0.0)};
    const S v = calcLinear(p, x, p.dx);
    const int mode = isLimited_ ? modeOf(p.memory[kMode], kLastMode) : kFree;
    p.y[0] = mode == kFree ? v : S(boundOf(mode));
    if (mode != kFree && hasIntegral_) p.dx[0] = calcLimitedRate(mode, p.dx[0], v);
  }

  int indicators() const override { return isLimited_ ? 3 : 1; }
  void calcIndicators(const BlockPorts<double>& p, double* values) const override;
  void switchBranches(const BlockPorts<double>& p, BlockMemory to) const override;
  void settleAtRest(const BlockPorts<double>& p, BlockMemory to) const override;
  void endRest(const BlockPorts<double>& p, BlockMemory to) const override;

 private:
  enum Memory { kMode, kOffset, kHasStarted };
  // Branches at the upper limit; those at the lower one are their negatives.
  static constexpr int kFree = 0, kEdge = 1, kHeld = 2;
  // While an equilibrium is looked for, whatever the sign of the error on the way: the integral stays as
  // it is, or is where clamping would let it end.
  static constexpr int kRestHeld = 3, kRestEdge = 4, kLastMode = kRestEdge;
  static constexpr double kHasLeft = 0.25;  // free, from the limit of this sign

  double boundOf(int mode) const { return mode > 0 ? limits_.upper : limits_.lower; }

  // v; and the rates of the states where there is room for them.
  template <class S>
  S calcLinear(const BlockPorts<S>& p, std::array<S, 2>& x, std::span<S> rates) const {
    for (std::size_t i = 0; i < p.x.size(); ++i) x[i] = p.x[i];
    if (filterState_ >= 0) x[filterState_] = x[filterState_] + p.memory[kOffset];
    for (std::size_t i = 0; i < rates.size(); ++i) {
      rates[i] = rows_.product(static_cast<int>(i), x.data(), p.u.data());
    }
    return rows_.product(rows_.states(), x.data(), p.u.data());
  }

  template <class S>
  S calcLimitedRate(int mode, const S& rate, const S& v) const {
    const double side = mode > 0 ? 1.0 : -1.0;
    if (limits_.trackingTime > 0.0) {
      return rate + (boundOf(mode) - v) / limits_.trackingTime;
    }
    if (std::abs(mode) == kRestHeld) return S(0.0);
    if (std::abs(mode) == kRestEdge) return boundOf(mode) + side * edge_ - v;
    if (side * math::valueOf(rate) <= 0.0) return rate;
    if (std::abs(mode) == kHeld) return S(0.0);
    return rate * (1.0 - (side / edge_) * (v - boundOf(mode)));
  }

  int findMode(double v) const;
  bool hasEdge() const { return hasIntegral_ && limits_.trackingTime == 0.0; }

  SystemRows rows_;
  PidLimits limits_;
  bool isLimited_, hasIntegral_;
  int filterState_;
  double filter_;
  double edge_;  // width of the edge in which clamping sets in
};

}  // namespace flexloop::control
