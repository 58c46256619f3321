// The saddle-point system that all questions about a consistent start share:
//
//     | M  0   Bᵀ | | motion     |   | a |
//     | D  E   0  | | signals    | = | b |                                                       (9.10)
//     | B  E'  0  | | multipliers|   | c |
//
// M is the mass, B the gradient of the constraints, D and E the derivatives of the signal equations.
// Motions without mass get a small one, so that they are determined by the constraints alone.
// States are not part of it: their rows are the identity.
#pragma once

#include <memory>

#include "linalg/sparse_solver.hpp"
#include "system/assembler.hpp"

namespace flexloop::solve {

class MassSystem {
 public:
  explicit MassSystem(system::Assembler& assembler);

  // Takes the matrices at the state. False where the constraints depend on each other.
  [[nodiscard]] linalg::FactorReport update(const system::State& state);
  void solve(Eigen::VectorXd& x) { solver_->solve(x); }

  const linalg::SparseMatrix& stiffness() const { return K_; }
  const linalg::SparseMatrix& mass() const { return M_; }
  const linalg::SparseMatrix& matrix() const { return matrix_; }

  // Compliance of redundant constraints, by unknown; see Redundancy.
  void setCompliance(const Eigen::VectorXd& compliance) { compliance_ = compliance; }
  const Eigen::VectorXd& compliance() const { return compliance_; }

 private:
  system::Assembler& assembler_;
  linalg::SparseMatrix K_, C_, M_, matrix_;
  Eigen::VectorXd compliance_;
  std::unique_ptr<linalg::SparseSolver> solver_;
};

}  // namespace flexloop::solve
