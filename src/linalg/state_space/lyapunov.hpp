// Lyapunov's equations (docs/theory/39_controller_design.md, section 39.2):
//
//     A X + X Aᵀ + Q = 0                                                                          (39.4)
//     A X Aᵀ − X + Q = 0                                                                          (39.5)
#pragma once

#include <Eigen/Core>

#include "base/result.hpp"

namespace flexloop::linalg {

// Q is symmetric, and so is X. No two roots of A may add up to zero.
base::Result<Eigen::MatrixXd> solveLyapunov(const Eigen::MatrixXd& A, const Eigen::MatrixXd& Q);

// A X + X Bᵀ + Q = 0. No root of A and root of B may add up to zero.
base::Result<Eigen::MatrixXd> solveSylvester(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B,
                                             const Eigen::MatrixXd& Q);

// All roots of A must be inside the unit circle.
base::Result<Eigen::MatrixXd> solveDiscreteLyapunov(const Eigen::MatrixXd& A,
                                                    const Eigen::MatrixXd& Q);

}  // namespace flexloop::linalg
