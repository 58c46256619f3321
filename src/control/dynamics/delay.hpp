// The transport delay (docs/theory/14_dynamic_blocks.md, section 14.8),
//
//     (14.18)  y(t) = u(t − τ),   u = initial before the start.
//
// The past of u is a record of points (time, value). Two points of one time are the two sides of a jump;
// they bound smooth pieces, and y is the cubic through four points of one piece (14.19). A step that
// is longer than τ has t − τ inside it: then the present u is the newest of the points. Without any
// points the past is as the present, y = u.
#pragma once

#include <array>

#include "control/blocks/block.hpp"

namespace flexloop::control {

class TransportDelay final : public BlockOf<TransportDelay> {
 public:
  static constexpr int kMemory = 2;
  // What the block starts with, at time zero.
  static std::vector<double> startRecord(double initial) { return constantUntil(0.0, initial); }
  static std::vector<double> startMemory() { return {-kNever, 0.0}; }

  explicit TransportDelay(double delay) : delay_(delay) {}

  BlockSize size() const override { return {.memory = kMemory, .hasRecord = true}; }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const;

  bool jumpsWithInputs() const override { return false; }
  double delay() const override { return delay_; }
  void remember(const BlockPorts<double>& p, BlockMemory to) const override;
  // Whether a record, from a file, is one that the block may have made.
  bool isRecord(const std::vector<double>& record) const;
  void forgetPast(BlockMemory memory) const override;
  // What it starts with where that is at another time than zero.
  static void beginAt(double time, BlockMemory memory);
  void settleAtRest(const BlockPorts<double>&, BlockMemory) const override {}
  void endRest(const BlockPorts<double>& p, BlockMemory to) const override;

  // The piece in use ends where the delayed time reaches the next jump, and the record is complete
  // as long as the input has not jumped at the present time.
  int indicators() const override { return 2; }
  void calcIndicators(const BlockPorts<double>& p, double* values) const override;
  void switchBranches(const BlockPorts<double>& p, BlockMemory to) const override;

 private:
  static std::vector<double> constantUntil(double time, double value) {
    return {time, value, time, value};
  }

  // The times of the jumps at which the piece in use begins and ends.
  enum Memory { kBegin, kEnd };
  static constexpr double kNever = 1e300;
  static constexpr int kPresent = -1;

  // Indices of points, ascending in time; kPresent is the present input.
  struct Points {
    std::array<int, 4> index{};
    int count = 0;
  };
  Points findPoints(double time, const double* memory, const std::vector<double>& record) const;
  // Times that differ by no more are one.
  double roundOff(double time) const;

  double delay_;
};

template <class S>
void TransportDelay::evaluate(const BlockPorts<S>& p) const {
  const Points points = findPoints(math::valueOf(p.t), p.memory, *p.record);
  std::array<S, 4> time, value;
  for (int k = 0; k < points.count; ++k) {
    const int i = points.index[k];
    time[k] = i == kPresent ? p.t : S((*p.record)[2 * i]);
    value[k] = i == kPresent ? p.u[0] : S((*p.record)[2 * i + 1]);
  }
  const S s = p.t - delay_;
  S sum = S(0.0);
  for (int k = 0; k < points.count; ++k) {
    S weight = S(1.0);
    for (int j = 0; j < points.count; ++j) {
      if (j != k) weight = weight * (s - time[j]) / (time[k] - time[j]);
    }
    sum = sum + weight * value[k];
  }
  p.y[0] = sum;
}

}  // namespace flexloop::control
