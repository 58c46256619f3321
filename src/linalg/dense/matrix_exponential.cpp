#include "linalg/dense/matrix_exponential.hpp"

#include <unsupported/Eigen/MatrixFunctions>

namespace flexloop::linalg {

Eigen::MatrixXd calcExponential(const Eigen::MatrixXd& A) {
  return A.exp();
}

}  // namespace flexloop::linalg
