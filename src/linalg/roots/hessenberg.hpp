// Solutions of (z − A) x = b for many z, by the Hessenberg form of A.
#pragma once

#include <complex>

#include <Eigen/Core>

namespace flexloop::linalg {

class HessenbergSolver {
 public:
  HessenbergSolver() = default;
  explicit HessenbergSolver(const Eigen::MatrixXd& A);

  // One solution for each column of b. Not finite where z is a root of A to round-off.
  Eigen::MatrixXcd solve(std::complex<double> z, const Eigen::MatrixXcd& b) const;

 private:
  Eigen::VectorXd scale_;  // of rows and columns, by which they are of equal size
  Eigen::MatrixXd H_, Q_;  // scale⁻¹ A scale = Q H Qᵀ
};

}  // namespace flexloop::linalg
