// A linear system in time, or from one instant to the next:
//
//     x' = A x + B u,   y = C x + D u
#pragma once

#include <Eigen/Core>

namespace flexloop::linalg {

struct StateMatrices {
  Eigen::MatrixXd A, B, C, D;

  int countStates() const { return static_cast<int>(A.rows()); }
  int countInputs() const { return static_cast<int>(D.cols()); }
  int countOutputs() const { return static_cast<int>(D.rows()); }
};

}  // namespace flexloop::linalg
