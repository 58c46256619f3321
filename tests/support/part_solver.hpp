// Statics and frequencies of a part in tests, by direct solution and subspace iteration.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <Eigen/Core>

#include "fem/assembly/part_system.hpp"
#include "fem/mesh/mesh.hpp"

namespace flexloop::test {

// A nodal freedom has the number 6 · node + component.
class PartSolver {
 public:
  // Throws where K without the held freedoms is singular; `shift` (rad²/s²) is subtracted as shift · M from K, for frequencies
  // of free parts.
  PartSolver(const fem::PartSystem& part, const std::vector<int>& held, double shift = 0.0);

  // Displacements by nodal freedom under forces by nodal freedom.
  Eigen::VectorXd solve(const Eigen::VectorXd& forces);
  // The lowest, Hz, ascending.
  std::vector<double> findFrequencies(int count);

 private:
  Eigen::MatrixXd solveUnknowns(Eigen::MatrixXd right);

  const fem::PartSystem& part_;
  double shift_;
  std::vector<int> kept_;  // unknowns that are not held
  linalg::SparseMatrix K_, M_;
  std::shared_ptr<linalg::SparseSolver> solver_;
};

// These components of the nodes; "xyz" bits 0-2, rotations bits 3-5.
std::vector<int> holdNodes(const std::vector<int>& nodes, unsigned components = 0x3f);

// Of a dense symmetric pencil, ascending.
Eigen::VectorXd findPencilEigenvalues(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M);
Eigen::VectorXd findSymmetricEigenvalues(const Eigen::MatrixXd& A);

// Equivalent nodal forces by nodal freedom of a traction (Pa, as a function of the point) on the faces of solid elements whose
// nodes are all in the set.
Eigen::VectorXd calcTraction(const fem::Mesh& mesh, const std::vector<int>& nodes,
                             const Eigen::Vector3d& traction);

}  // namespace flexloop::test
