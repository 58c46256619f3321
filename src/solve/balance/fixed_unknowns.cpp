#include "solve/balance/fixed_unknowns.hpp"

#include <cmath>

namespace flexloop::solve {

void fixUnknowns(const std::vector<int>& unknowns, linalg::SparseMatrix& A) {
  std::vector<bool> isFixed(A.cols(), false);
  for (const int u : unknowns) isFixed[u] = true;
  for (int column = 0; column < A.outerSize(); ++column) {
    for (linalg::SparseMatrix::InnerIterator it(A, column); it; ++it) {
      if (!isFixed[it.row()] && !isFixed[column]) continue;
      if (it.row() != column) it.valueRef() = 0.0;
    }
  }
  for (const int u : unknowns) {
    const double stiffness = std::abs(A.coeff(u, u));
    A.coeffRef(u, u) = stiffness > 0.0 ? stiffness : 1.0;
  }
}

}  // namespace flexloop::solve
