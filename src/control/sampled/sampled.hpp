// Blocks that act at the instants of a clock and hold their outputs in between
// (docs/theory/16_sampled_blocks.md).
#pragma once

#include <algorithm>
#include <optional>

#include "control/blocks/block.hpp"
#include "control/discontinuous/range.hpp"
#include "linalg/state_space/state_matrices.hpp"

namespace flexloop::control {

// What they have in common: the memory begins with the outputs, so that nothing depends on the inputs
// between two instants.
class SampledBlock : public Block {
 public:
  SampledBlock(int clock, const BlockSize& size) : clock_(clock), size_(size) {}

  BlockSize size() const override { return size_; }
  int clock() const override { return clock_; }
  bool uses(int, int) const override { return false; }

  void calc(const BlockPorts<double>& p) const override {
    std::copy_n(p.memory, p.y.size(), p.y.begin());
  }
  void calcPartials(const BlockPorts<double>&, Eigen::MatrixXd&) const override {}
  void calcAlong(const BlockPorts<math::Taylor2>& p) const override {
    for (std::size_t i = 0; i < p.y.size(); ++i) p.y[i] = math::Taylor2(p.memory[i]);
  }

 private:
  int clock_;
  BlockSize size_;
};

//     (16.2)  y_k = u_k
class ZeroOrderHold final : public SampledBlock {
 public:
  explicit ZeroOrderHold(int clock) : SampledBlock(clock, {.memory = 1}) {}

  void sample(const BlockPorts<double>& p, BlockMemory m) const override { m.memory[0] = p.u[0]; }
};

//     (16.3)  y_k = u_{k−1}; the memory is y and the input of the last instant
class UnitDelay final : public SampledBlock {
 public:
  explicit UnitDelay(int clock) : SampledBlock(clock, {.memory = 2}) {}

  bool samplesInputs() const override { return false; }
  void sample(const BlockPorts<double>&, BlockMemory m) const override {
    m.memory[0] = m.memory[1];
  }
  void updateSample(const BlockPorts<double>& p, BlockMemory m) const override {
    m.memory[1] = p.u[0];
  }
};

//     (16.4)  y_k = C x_k + D u_k,   x_{k+1} = A x_k + B u_k; the memory is y and x
class DiscreteStateSpace final : public SampledBlock {
 public:
  DiscreteStateSpace(int clock, linalg::StateMatrices matrices);

  bool samplesInputs() const override { return hasFeedthrough_; }
  void sample(const BlockPorts<double>& p, BlockMemory m) const override;
  void updateSample(const BlockPorts<double>& p, BlockMemory m) const override;

 private:
  linalg::StateMatrices matrices_;
  bool hasFeedthrough_;
};

// The matrices of (16.4) for a transfer function whose coefficients, of descending powers of z, have
// the same number and a denominator that starts with 1 (16.6).
linalg::StateMatrices realize(const std::vector<double>& numerator,
                              const std::vector<double>& denominator);

// A PID controller of the error e = reference − input (16.7)–(16.10); the inputs are these two, in the
// other order.
class DiscretePid final : public SampledBlock {
 public:
  enum class Method { kForward, kBackward, kTrapezoidal };
  struct Settings {
    double kp = 0.0, ki = 0.0, kd = 0.0;
    double period = 1.0;  // s
    double filter = 0.0;  // s, of the derivative
    Method method = Method::kBackward;
    std::optional<Range> limits{};
  };

  DiscretePid(int clock, const Settings& settings)
      : SampledBlock(clock, {.inputs = 2, .memory = kMemory}), settings_(settings) {}

  void sample(const BlockPorts<double>& p, BlockMemory m) const override;
  void beginRest(const BlockPorts<double>& p, BlockMemory m) const override;
  void settleAtRest(const BlockPorts<double>& p, BlockMemory m) const override;
  void endRest(const BlockPorts<double>& p, BlockMemory m) const override;

 private:
  enum Memory { kOutput, kIntegral, kDerivative, kError, kHasStarted, kMemory };
  // Of kHasStarted. While an equilibrium is looked for, one of the branches: without limits; at a limit,
  // with the integral as it is (kRestHeld) or where it stops to grow (kRestEdge).
  static constexpr double kNotStarted = 0.0, kStarted = 1.0, kRestFree = 2.0;
  static constexpr double kRestHeld = 3.0,
                          kRestEdge = 4.0;  // at the upper limit; negative: the lower

  void sampleAtRest(double error, double* memory) const;

  // What the integral grows by from the last error to this one.
  double growth(double last, double now) const;

  Settings settings_;
};

}  // namespace flexloop::control
