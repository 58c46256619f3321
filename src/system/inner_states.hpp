// Elements with states of their own that a time step solves for by themselves, at given inputs, within its iteration
// (docs/theory/09_time.md, section 9.13).
#pragma once

#include <vector>

#include <Eigen/Core>

#include "system/element_set.hpp"

namespace flexloop::system {

// By unknown. A correction d of a Newton unknown moves its value by w₀ d and its rate by w₁ d; `norm` is one over the square
// of the correction that the tolerance allows.
struct InnerWeights {
  const Eigen::VectorXd& value;
  const Eigen::VectorXd& rate;
  const Eigen::VectorXd& norm;
};

class InnerStates {
 public:
  virtual ~InnerStates() = default;
  // Whether any element has such states.
  virtual bool hasInnerStates() const = 0;
  // Corrections with which these elements satisfy their own equations, of states and outputs, at the motion's values of
  // their inputs; other entries are left as they are. With `chosen`, by unknown, instead those of all elements, steep or not, with
  // a state that is chosen. False, with nothing changed, if no element needs any.
  virtual bool settleStates(const Motion& motion, const InnerWeights& weights,
                            const std::vector<bool>* chosen,
                            Eigen::VectorXd& corrections) const = 0;
};

}  // namespace flexloop::system
