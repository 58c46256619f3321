// Stabilising solutions of Riccati's equations (docs/theory/39_controller_design.md, section 39.1):
//
//     Aᵀ X + X A − X G X + Q = 0                       A − G X has roots in the left half plane    (39.1)
//     Aᵀ X A − X − Aᵀ X B (R + Bᵀ X B)⁻¹ Bᵀ X A + Q = 0     A − B K inside the unit circle         (39.2)
//
// The invariant subspace of the Hamiltonian matrix, or of the symplectic pencil, by LAPACK's ordered Schur form in states
// of comparable size, then Newton's steps while they lower the residual. Where there is no solution, a reason is given.
#pragma once

#include <Eigen/Core>

#include "base/result.hpp"

namespace flexloop::linalg {

struct RiccatiSolution {
  Eigen::MatrixXd X;       // symmetric
  Eigen::VectorXcd roots;  // of the closed loop
  double residual = 0.0;   // by the largest term of the equation, in the states of comparable size
  // Distance of the Hamiltonian's roots from the axis or circle, by their size: where it is small there is hardly a solution.
  double distance = 0.0;
};

// G and Q are symmetric and may be indefinite.
base::Result<RiccatiSolution> solveRiccati(const Eigen::MatrixXd& A, const Eigen::MatrixXd& G,
                                           const Eigen::MatrixXd& Q);

// R is positive definite and Q symmetric.
base::Result<RiccatiSolution> solveDiscreteRiccati(const Eigen::MatrixXd& A,
                                                   const Eigen::MatrixXd& B,
                                                   const Eigen::MatrixXd& Q,
                                                   const Eigen::MatrixXd& R);

// Units d of the states, powers of two, for which the rows and columns of [A −G; −Q −Aᵀ] are of comparable size:
// A_ij d_j/d_i, G_ij/(d_i d_j) and Q_ij d_i d_j.
Eigen::VectorXd findHamiltonianUnits(const Eigen::MatrixXd& A, const Eigen::MatrixXd& G,
                                     const Eigen::MatrixXd& Q);

}  // namespace flexloop::linalg
