// x = f(x) of few unknowns by the secants of all tries so far: exact after one try more than there are unknowns where f is linear,
// whatever its slopes are.
#pragma once

#include <vector>

#include <Eigen/Core>

namespace flexloop::solve {

class SecantSearch {
 public:
  // What to try next, after f(x) at x.
  Eigen::VectorXd next(const Eigen::VectorXd& x, const Eigen::VectorXd& fx);

 private:
  std::vector<Eigen::VectorXd> tries_, rests_;  // x, and f(x) - x
};

}  // namespace flexloop::solve
