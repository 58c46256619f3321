// Direct solvers for sparse square systems behind one small interface. The pattern is analysed once;
// factorisations with new values reuse that analysis.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace flexloop::linalg {

using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

struct FactorReport {
  bool ok = true;
  int singularColumn = -1;           // where elimination found no pivot, if it is known
  double reciprocalCondition = 1.0;  // a cheap estimate; 0 means singular
  bool chosePivots = false;          // for these values; false: those of earlier ones are kept
};

class SparseSolver {
 public:
  virtual ~SparseSolver() = default;

  // The matrix must have the pattern that the solver was made for.
  [[nodiscard]] virtual FactorReport factorize(const SparseMatrix& matrix) = 0;
  // Solves in place with the last factorisation.
  virtual void solve(Eigen::Ref<Eigen::VectorXd> x) = 0;
  virtual std::string name() const = 0;
  // Two right-hand sides in one pass through the factors.
  virtual void solvePair(Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> y) {
    solve(x);
    solve(y);
  }
};

enum class SolverChoice { kAutomatic, kKlu, kMumps };

// Automatic: KLU, whose refactorisation is the cheapest for chain-like machines, while its analysed
// work stays below 45 flops per entry of the factors, or below 10⁷ flops in all, as with a reduced part of
// 100 modes; MUMPS, whose dense fronts win on plates and solids, above (DEPENDENCIES: measured on 18 matrices).
//
// `groups` may name, by unknown, a group of unknowns that are eliminated together, in their order;
// empty: none.
std::unique_ptr<SparseSolver> makeSparseSolver(const SparseMatrix& pattern,
                                               SolverChoice choice = SolverChoice::kAutomatic,
                                               const std::vector<int>& groups = {});

}  // namespace flexloop::linalg
