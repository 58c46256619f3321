// Eigenvalues and vectors of a real matrix, by LAPACK.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "linalg/roots/quadratic_pencil.hpp"

namespace flexloop::linalg {

// Conjugate pairs once, with im ≥ 0; nothing where LAPACK finds none.
std::vector<Eigenpair> findRealEigenpairs(Eigen::MatrixXd A);

}  // namespace flexloop::linalg
