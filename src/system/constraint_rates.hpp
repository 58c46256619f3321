// What sets of joints give beside the contract of elements: the rates Φ' of their constraints, which steps with
// constraints on velocities need in every iteration, without the forces and second derivatives of
// addTimeDerivatives.
#pragma once

#include <Eigen/Core>

#include "system/element_set.hpp"

namespace flexloop::system {

class ConstraintRates {
 public:
  virtual ~ConstraintRates() = default;
  // Adds to the rows of the multipliers.
  virtual void addConstraintRates(const Motion& motion, const Environment& environment,
                                  Eigen::VectorXd& rates) const = 0;
};

}  // namespace flexloop::system
