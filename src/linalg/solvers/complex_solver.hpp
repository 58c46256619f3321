// The direct solver for sparse complex systems of one pattern, such as P(iω) x = f at thousands of
// frequencies. The pattern is analysed once; factorisations with new values reuse the analysis, and their
// pivots as long as these can be trusted.
#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include "linalg/roots/quadratic_pencil.hpp"

namespace flexloop::linalg {

class ComplexSparseSolver {
 public:
  virtual ~ComplexSparseSolver() = default;

  // The matrix must have the pattern that the solver was made for.
  [[nodiscard]] virtual FactorReport factorize(const SparseMatrixC& matrix) = 0;
  // In place with the last factorisation: A x = b, and Aᵀ x = b without conjugation.
  virtual void solve(Eigen::Ref<Eigen::VectorXcd> x) = 0;
  virtual void solveTransposed(Eigen::Ref<Eigen::VectorXcd> x) = 0;
};

// Nothing where the pattern is structurally singular. `groups` as in makeSparseSolver.
std::unique_ptr<ComplexSparseSolver> makeComplexSparseSolver(const SparseMatrixC& pattern,
                                                             const std::vector<int>& groups = {});

}  // namespace flexloop::linalg
