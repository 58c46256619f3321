#pragma once

#include <Eigen/Core>

namespace flexloop::linalg {

// e^A.
Eigen::MatrixXd calcExponential(const Eigen::MatrixXd& A);

}  // namespace flexloop::linalg
