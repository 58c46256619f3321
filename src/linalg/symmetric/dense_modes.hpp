// All modes K φ = λ M φ of small dense matrices, K without negative eigenvalues and M positive, with the low ones to their last
// digits: from the pencil M x = θ (K + s M) x with s about the lowest λ that is not zero, whose largest θ are theirs.
#pragma once

#include <optional>

#include <Eigen/Core>

namespace flexloop::linalg {

struct DenseModes {
  Eigen::VectorXd values;   // rising; the first `zeros` are zero exactly
  Eigen::MatrixXd vectors;  // Φᵀ M Φ = I
};

// Nothing where M is not positive. `zeros` is how many λ are known to be zero.
std::optional<DenseModes> findDenseModes(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M,
                                         int zeros = 0);

}  // namespace flexloop::linalg
