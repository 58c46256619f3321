// Eigenvalues of dense matrices.
#pragma once

#include <optional>

#include <Eigen/Core>

namespace flexloop::linalg {

struct SymmetricEigensystem {
  Eigen::VectorXd values;   // rising
  Eigen::MatrixXd vectors;  // orthonormal, by column
};

// Of the symmetric matrix whose lower half is that of A; nothing where the iteration does not end.
std::optional<SymmetricEigensystem> findSymmetricEigensystem(const Eigen::MatrixXd& A);

// Of a Hermitian matrix.
std::optional<double> findLeastEigenvalue(const Eigen::MatrixXcd& A);

// Of any square matrix, by LAPACK; not a number where it finds none.
Eigen::VectorXcd findEigenvalues(Eigen::MatrixXcd A);
// Of a real one, at a quarter of the cost, and with exact conjugates.
Eigen::VectorXcd findEigenvaluesOfReal(Eigen::MatrixXd A);

}  // namespace flexloop::linalg
