// The roots of a large quadratic pencil that are nearest to a point, by a Krylov method on the inverse of
// P at that point (docs/theory/18_eigenproblem.md, section 18.5).
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "linalg/roots/quadratic_pencil.hpp"

namespace flexloop::linalg {

struct NearestOptions {
  std::complex<double> shift =
      0.0;  // as near to the wanted roots as is known; need not be a root itself
  int count = 10;
  double tolerance = 1e-12;  // of the Krylov method, relative to 1/(s - shift)
  int maxRestarts = 300;
  std::vector<int> groups = {};  // elimination groups as in makeSparseSolver
};

struct NearestResult {
  std::vector<Eigenpair> pairs;
  std::optional<base::Failure> failure;
  // Roots as near as those that were found may be missing: they are not far above the rounding of the operator.
  bool isBlurred = false;
  int factorizations = 0, solves = 0;

  bool converged() const { return !failure; }
};

// The `count` roots nearest to the shift, sorted by distance; all of them if the pencil has fewer. A
// conjugate pair is given once, by its root with im >= 0; so is a shift with im < 0, which finds the
// conjugates of its roots. Multiple roots come as often as they have independent vectors. Roots some 1e5
// times farther from the shift than the nearest one drown in rounding and may be taken for infinite. The
// same input gives the same bits.
NearestResult findNearest(const QuadraticPencil& pencil, const NearestOptions& options);

}  // namespace flexloop::linalg
