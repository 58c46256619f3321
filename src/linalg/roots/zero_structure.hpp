// The roots of a pencil at zero, by structure rather than by size (docs/theory/18_eigenproblem.md, section 18.4).
//
// With Z and W close to what P(0) takes to nothing from the right and from the left, the solution of
//
//     P(s) X(s) + W F(s) = 0,    Zᵀ X(s) = 1                                                    (18.12)
//
// is regular about zero, and the small matrix F(s) = F₀ + s F₁ + … is singular where P(s) is.
#pragma once

#include <vector>

#include "linalg/roots/quadratic_pencil.hpp"

namespace flexloop::linalg {

struct ZeroStructure {
  bool ok = false;
  int multiplicity = 0;          // of the root zero
  Eigen::MatrixXd vectors;       // independent solutions of P(0) z = 0, orthonormal
  std::vector<Eigenpair> other;  // roots close to zero that are not zero, with im s ≥ 0
  double resolution = 0.0;       // rounding hides slower ones
};

// Of a scaled pencil (pencil_scaling.hpp). `expected` is how many vectors there may be; there may be more.
ZeroStructure findZeroStructure(const QuadraticPencil& pencil, const std::vector<int>& groups,
                                int expected);

}  // namespace flexloop::linalg
