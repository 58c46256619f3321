// What an actuator makes of its input (docs/theory/17_sensors_and_actuators.md, section 17.3): a gain,
// limits, and its own dynamics, in this order,
//
//     (17.5)  v = min(max(g u, lower), upper)
//     (17.6)  y = v,   or   T y' = v − y,   or   y'' = ω² (v − y) − 2 ζ ω y'
#pragma once

#include <optional>

#include "control/blocks/block.hpp"
#include "control/discontinuous/range.hpp"
#include "math/scalar.hpp"

namespace flexloop::control {

struct ActuatorDynamics {
  int order = 0;
  double timeConstant = 0.0;              // T of order 1 [s]
  double frequency = 0.0, damping = 0.0;  // ω [rad/s] and ζ of order 2
};

class ActuatorLaw final : public BlockOf<ActuatorLaw> {
 public:
  ActuatorLaw(double gain, std::optional<Range> limits, const ActuatorDynamics& dynamics)
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
    if (limits_) v = limits_->limit(v, p.memory[0]);
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

  // The memory holds the limits between which the command was, so that a step ends at a kink. The output
  // does not need it.
  int indicators() const override { return limits_ ? Range::kIndicators : 0; }
  void calcIndicators(const BlockPorts<double>& ports, double* values) const override {
    limits_->calcIndicators(*ports.memory, gain_ * ports.u[0], values);
  }
  void switchBranches(const BlockPorts<double>& ports, BlockMemory memory) const override {
    *memory.memory = limits_->nextBranch(*ports.memory, gain_ * ports.u[0]);
  }

  void beginRest(const BlockPorts<double>&, BlockMemory memory) const override {
    if (limits_) *memory.memory = Range::beginRest();
  }
  void settleAtRest(const BlockPorts<double>& ports, BlockMemory memory) const override {
    if (limits_) *memory.memory = limits_->settleAtRest(*ports.memory, gain_ * ports.u[0]);
  }
  void endRest(const BlockPorts<double>& ports, BlockMemory memory) const override {
    if (limits_) *memory.memory = limits_->branchOf(gain_ * ports.u[0]);
  }

 private:
  double gain_;
  std::optional<Range> limits_;
  ActuatorDynamics dynamics_;
};

}  // namespace flexloop::control
