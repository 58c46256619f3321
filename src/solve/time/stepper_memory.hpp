// What a time stepper knows beside the state, so that a run can go on from a file with the same bits.
#pragma once

#include <vector>

#include <Eigen/Core>

namespace flexloop::solve {

struct StepperMemory {
  Eigen::VectorXd acceleration, value;  // of the step before
  std::vector<double> numbers;
  // The matrices whose factors are in use; see FactoredMatrix.
  std::vector<std::vector<double>> factors;
};

}  // namespace flexloop::solve
