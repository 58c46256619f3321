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
#include "control/discontinuous/range.hpp"
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
  Range range{};
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
    const int branch = isLimited_ ? readBranch(p.memory[kBranch], kLastBranch) : kFree;
    p.y[0] = branch == kFree ? v : S(range().end(branch));
    if (branch != kFree && hasIntegral_) p.dx[0] = calcLimitedRate(branch, p.dx[0], v);
  }

  int indicators() const override { return isLimited_ ? 3 : 1; }
  void calcIndicators(const BlockPorts<double>& p, double* values) const override;
  void switchBranches(const BlockPorts<double>& p, BlockMemory to) const override;
  void settleAtRest(const BlockPorts<double>& p, BlockMemory to) const override;
  void endRest(const BlockPorts<double>& p, BlockMemory to) const override;

 private:
  enum Memory { kBranch, kOffset, kHasStarted };
  // Branches at the upper limit; those at the lower one are their negatives.
  static constexpr int kFree = 0, kEdge = 1, kHeld = 2;
  // While an equilibrium is looked for, whatever the sign of the error on the way: the integral stays as
  // it is, or is where clamping would let it end.
  static constexpr int kRestHeld = 3, kRestEdge = 4, kLastBranch = kRestEdge;
  static constexpr double kHasLeft = 0.25;  // free, from the limit of this sign

  const Range& range() const { return limits_.range; }

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
  S calcLimitedRate(int branch, const S& rate, const S& v) const {
    const double side = branch > 0 ? 1.0 : -1.0, bound = range().end(side);
    if (limits_.trackingTime > 0.0) return rate + (bound - v) / limits_.trackingTime;
    if (std::abs(branch) == kRestHeld) return S(0.0);
    if (std::abs(branch) == kRestEdge) return bound + side * edge_ - v;
    if (side * math::valueOf(rate) <= 0.0) return rate;
    if (std::abs(branch) == kHeld) return S(0.0);
    return rate * (1.0 - (side / edge_) * (v - bound));
  }

  int findBranch(double v) const;
  bool hasEdge() const { return hasIntegral_ && limits_.trackingTime == 0.0; }

  SystemRows rows_;
  PidLimits limits_;
  bool isLimited_, hasIntegral_;
  int filterState_;
  double filter_;
  double edge_;  // width of the edge in which clamping sets in
};

}  // namespace flexloop::control
