// What an actuator makes of its input (docs/theory/17_sensors_and_actuators.md, section 17.3): a gain,
// limits, and its own dynamics, in this order,
//
//     (17.5)  v = min(max(g u, lower), upper)
//     (17.6)  y = v,   or   T y' = v − y,   or   y'' = ω² (v − y) − 2 ζ ω y'
#pragma once

#include <array>
#include <optional>

#include "control/blocks/block.hpp"
#include "control/discontinuous/modes.hpp"
#include "math/scalar.hpp"

namespace flexloop::control {

struct ActuatorLimits {
  double lower = 0.0, upper = 0.0;
};

struct ActuatorDynamics {
  int order = 0;
  double timeConstant = 0.0;              // T of order 1 [s]
  double frequency = 0.0, damping = 0.0;  // ω [rad/s] and ζ of order 2
};

class ActuatorLaw final : public BlockOf<ActuatorLaw> {
 public:
  ActuatorLaw(double gain, std::optional<ActuatorLimits> limits, const ActuatorDynamics& dynamics)
      : gain_(gain), limits_(limits), dynamics_(dynamics) {}

  BlockSize size() const override { return {.states = dynamics_.order, .memory = limits_ ? 1 : 0}; }

  // With dynamics the output is the first state; the rate of the first of two is the second.
  bool uses(int row, int column) const override {
    const int order = dynamics_.order;
    if (row == order) return column == 0;
    return order == 1 || row == 1 || column == 1;
  }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    S v = gain_ * p.u[0];
    if (limits_) v = Limited({limits_->lower, limits_->upper}).limit(v, p.memory[0]);
    if (dynamics_.order == 0) {
      p.y[0] = v;
      return;
    }
    p.y[0] = p.x[0];
    if (dynamics_.order == 1) {
      p.dx[0] = (v - p.x[0]) / dynamics_.timeConstant;
      return;
    }
    const double omega = dynamics_.frequency;
    p.dx[0] = p.x[1];
    p.dx[1] = omega * (omega * (v - p.x[0]) - 2.0 * dynamics_.damping * p.x[1]);
  }

  // The memory tells between which limits the command was, so that a step ends at a kink. The output
  // does not need it.
  int indicators() const override { return limits_ ? 2 : 0; }
  void calcIndicators(const BlockPorts<double>& ports, double* values) const override {
    const double v = gain_ * ports.u[0];
    values[0] = (v - limits_->lower) * (ports.memory[0] < -kHalf ? -1.0 : 1.0);
    values[1] = (limits_->upper - v) * (ports.memory[0] > kHalf ? -1.0 : 1.0);
  }
  void switchBranches(const BlockPorts<double>& ports, BlockMemory memory) const override {
    std::array<double, 2> indicators;
    calcIndicators(ports, indicators.data());
    if (indicators[0] >= 0.0 && indicators[1] >= 0.0) return;
    const double v = gain_ * ports.u[0];
    memory.memory[0] = v < limits_->lower ? kBelow : v > limits_->upper ? kAbove : kBetween;
  }

  void beginRest(const BlockPorts<double>&, BlockMemory memory) const override {
    if (limits_) memory.memory[0] = Limited::beginRest();
  }
  void settleAtRest(const BlockPorts<double>& ports, BlockMemory memory) const override {
    if (!limits_) return;
    const Limited limited({limits_->lower, limits_->upper});
    memory.memory[0] = limited.settleAtRest(ports.memory[0], gain_ * ports.u[0]);
  }
  void endRest(const BlockPorts<double>& ports, BlockMemory memory) const override {
    if (!limits_) return;
    memory.memory[0] = Limited({limits_->lower, limits_->upper}).endRest(gain_ * ports.u[0]);
  }

 private:
  static constexpr double kBelow = -1.0, kBetween = 0.0, kAbove = 1.0, kHalf = 0.5;

  double gain_;
  std::optional<ActuatorLimits> limits_;
  ActuatorDynamics dynamics_;
};

}  // namespace flexloop::control
