// Tangents that can be solved though constraints depend on each other (docs/theory/09_time.md, section 9.6). Rows of
// constraints that take part get
//
//     B δ − ε δλ = −Φ                                                                           (9.18)
//
// in the tangents only: the residual stays that of the constraints, so that iterations end where they are satisfied.
#pragma once

#include <functional>
#include <vector>

#include "linalg/solvers/sparse_solver.hpp"
#include "solve/redundancy.hpp"
#include "system/system.hpp"

namespace flexloop::solve {

class SoftConstraints {
 public:
  SoftConstraints() = default;
  SoftConstraints(const system::System& system, std::vector<DependentRow> rows);

  bool isEmpty() const { return rows_.empty(); }
  int size() const { return static_cast<int>(rows_.size()); }
  // The unknown of each.
  int row(int i) const { return rows_[i].unknown; }

  // Whether others imply it.
  bool isImplied(int i) const { return rows_[i].isImplied; }

  // Subtracts ε from the tangents, in their own units, and returns it by row. `scale` is what the entries of B have
  // been multiplied with against those of Bᵀ, by unknown: that of the row times that of the column.
  void soften(linalg::SparseMatrix& matrix, const Eigen::VectorXd* rowScale,
              const Eigen::VectorXd* columnScale, Eigen::VectorXd& softness) const;
  // ε by row, where motions resist as `inertia` says by unknown: the diagonal of a mass, or of a stiffness.
  Eigen::VectorXd calcSoftness(const linalg::SparseMatrix& matrix, const Eigen::VectorXd& inertia,
                               const Eigen::VectorXd* rowScale = nullptr,
                               const Eigen::VectorXd* columnScale = nullptr) const;
  void subtract(const Eigen::VectorXd& softness, linalg::SparseMatrix& matrix) const;
  // Adds what makes the solution take the self-stress out of these multipliers, by unknown (section 9.6).
  void removeSelfStress(const Eigen::VectorXd& multipliers, const Eigen::VectorXd& softness,
                        const std::function<void(Eigen::VectorXd&)>& solve,
                        Eigen::VectorXd& rhs) const;

 private:
  std::vector<DependentRow> rows_;
  int groups_ = 0;
  const system::System* system_ = nullptr;
};

// All constraints of a system, each in a group of its own.
std::vector<DependentRow> listConstraints(const system::System& system);

}  // namespace flexloop::solve
