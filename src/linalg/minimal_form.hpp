// The part of x' = A x + B w, y = C x that inputs reach and outputs see (docs/theory/19_responses.md,
// section 19.5), by staircases: orthogonal transformations that put what B reaches first, then what A
// reaches from there, until nothing new is reached; and the same for the transposed system.
#pragma once

#include <Eigen/Core>

namespace flexloop::linalg {

struct MinimalForm {
  Eigen::MatrixXd right;  // x = right · z where inputs and outputs see nothing else
  Eigen::MatrixXd left;   // z = left · x,  left · right = 1
  Eigen::MatrixXd lost;   // columns: motions that inputs reach and outputs do not see
};

// Couplings below `tolerance` times the largest, after balancing, count as none.
MinimalForm findMinimalForm(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B,
                            const Eigen::MatrixXd& C, double tolerance);

}  // namespace flexloop::linalg
