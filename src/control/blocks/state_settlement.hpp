// The states of one block at given inputs, as its own equations ask for at the end of a step (docs/theory/09_time.md,
// section 9.13):
//
//     r(d) = x' + w₁ d − f(t, x + w₀ d, u) = 0                                                     (9.34)
#pragma once

#include <span>

#include <Eigen/Core>

#include "control/blocks/block.hpp"

namespace flexloop::control {

class StateSettlement {
 public:
  void begin(int states);
  // Of one state: where it is, its weights w₀ and w₁, and one over the square of the correction that may be left.
  void setState(int k, double value, double rate, double valueWeight, double rateWeight, double norm);
  double correction(int k) const { return d_[k]; }

  // Finds d by Newton's method with shortened steps. False if none is needed, or none is found. The ports are those of the
  // block with its inputs, and `x` where they read its states. In the end y is that of the new states.
  [[nodiscard]] bool solve(const Block& block, const BlockPorts<double>& ports, std::span<double> x);

 private:
  struct Place {
    const Block& block;
    const BlockPorts<double>& ports;
    std::span<double> x;
  };
  bool calcResidual(const Place& place, const Eigen::VectorXd& d);
  void calcMatrix(const Place& place);
  bool calcCorrection(Eigen::VectorXd& correction);
  bool takeStep(const Place& place);
  double calcNorm(const Eigen::VectorXd& d) const;

  Eigen::VectorXd value_, rate_, valueWeights_, rateWeights_, norms_;
  Eigen::VectorXd d_, trial_, residual_, delta_, next_;
  Eigen::MatrixXd partials_, matrix_, eliminated_;
};

}  // namespace flexloop::control
