// Everything that changes. A State can be copied, compared and written to a file: it is also the
// checkpoint. The system that gives it meaning is const.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "math/se3.hpp"

namespace flexloop::system {

struct State {
  double time = 0.0;
  std::vector<math::Frame<double>> frames;  // configuration of every node, ground first
  // One entry per unknown. Node freedoms have no `value` (the frame holds it); states and algebraic
  // unknowns have no `acceleration`; algebraic unknowns have no `rate`: those entries stay zero.
  Eigen::VectorXd value, rate, acceleration;
  // The acceleration-like variables of the time scheme (a for motion, w for states).
  Eigen::VectorXd algorithmic;
  std::vector<double> history;  // what elements remember from accepted steps, such as hinge turns
  // The same where its length changes: the past of a delayed signal, the memory of a black box.
  std::vector<std::vector<double>> records;

  bool operator==(const State& other) const;
};

}  // namespace flexloop::system
