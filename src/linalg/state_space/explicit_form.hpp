// A linear machine with inputs w as ordinary differential equations (docs/theory/18_eigenproblem.md):
//
//     P(d/dt) u = F w    →    x' = A x + B(d/dt) w,   u = V x + W(d/dt) w                         (18.8)
//
// Constraints, multipliers and algebraic signals are eliminated exactly (descriptor.hpp): equations without derivatives
// give unknowns, and what is left is treated alike until every equation has a derivative of its own. The eigenvalues of
// A are the finite roots of P.
//
// Inputs that prescribe motions enter with their derivatives; for others B and W are constant.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "linalg/roots/quadratic_pencil.hpp"
#include "linalg/state_space/descriptor.hpp"

namespace flexloop::linalg {

// Of the terms of an entry, what cancellation leaves of nothing.
constexpr double kUsualShare = 1e-12;

// The pencil without its infinite roots: E z' = A z + F w in units of time in which its motions are neither
// slow nor fast, u = V z + W w. E is regular.
struct ReducedPencil {
  bool ok = false;
  int singularEquation = -1;  // one of those that determine nothing, if not ok
  double timeScale = 1.0;     // [1/s]: roots are timeScale · eig(A, E)
  Eigen::MatrixXd E, A, V;
  MatrixPolynomial F, W;
};

ReducedPencil removeInfiniteRoots(const QuadraticPencil& pencil);
// With inputs: F has one column for each. What is below `share` of its terms is round-off. Units of time are no longer
// than 1/`leastRate`.
ReducedPencil removeInfiniteRoots(const QuadraticPencil& pencil, const MatrixPolynomial& F,
                                  double share = kUsualShare, double leastRate = 0.0);

struct ExplicitForm {
  bool ok = false;
  int singularEquation = -1;  // one of those that determine nothing, if not ok
  Eigen::MatrixXd A, V;
  MatrixPolynomial B, W;
};

// Of a pencil from which infinite roots were removed.
ExplicitForm makeExplicitForm(const ReducedPencil& reduced);
// F has one column per input and may have none.
ExplicitForm makeExplicitForm(const QuadraticPencil& pencil, const MatrixPolynomial& F,
                              double share = kUsualShare);

}  // namespace flexloop::linalg
