// What takes the place of a black box whose code must not run: a block with its ports, states and clock
// that gives zeros.
#pragma once

#include <algorithm>

#include "control/blocks/block.hpp"
#include "control/sampled/sampled.hpp"

namespace flexloop::control {

class BoxStandIn final : public Block {
 public:
  BoxStandIn(const BlockSize& size, bool hasFeedthrough)
      : size_(size), hasFeedthrough_(hasFeedthrough) {}

  BlockSize size() const override { return size_; }
  bool uses(int row, int column) const override {
    return hasFeedthrough_ || row < size_.states || column < size_.states;
  }
  void calc(const BlockPorts<double>& p) const override {
    std::fill(p.dx.begin(), p.dx.end(), 0.0);
    std::fill(p.y.begin(), p.y.end(), 0.0);
  }
  void calcPartials(const BlockPorts<double>&, Eigen::MatrixXd&) const override {}
  void calcAlong(const BlockPorts<math::Taylor2>& p) const override {
    std::fill(p.dx.begin(), p.dx.end(), math::Taylor2(0.0));
    std::fill(p.y.begin(), p.y.end(), math::Taylor2(0.0));
  }

 private:
  BlockSize size_;
  bool hasFeedthrough_;
};

// Holds its initial outputs for ever.
class SampledStandIn final : public SampledBlock {
 public:
  SampledStandIn(int clock, int inputs, int outputs)
      : SampledBlock(clock, {.inputs = inputs, .outputs = outputs, .memory = outputs}) {}
};

}  // namespace flexloop::control
