// All finite roots of a small quadratic pencil, by its explicit form and LAPACK
// (docs/theory/18_eigenproblem.md).
#pragma once

#include <vector>

#include "linalg/roots/quadratic_pencil.hpp"

namespace flexloop::linalg {

struct AllRoots {
  bool ok = false;
  int singularEquation = -1;  // one of those that determine nothing, if not ok
  // Conjugate pairs once, with im ≥ 0; nearest to zero first.
  std::vector<Eigenpair> pairs;
};

// The `count` roots nearest to `point` are refined to the last digits; negative: all.
AllRoots findAllRoots(const QuadraticPencil& pencil, std::complex<double> point = 0.0,
                      int count = -1);

}  // namespace flexloop::linalg
