// The units in which a pencil is computed (docs/theory/18_eigenproblem.md, section 18.2).
//
//     P̂(ŝ) = R P(ρ ŝ) S,    R, S diagonal,    z = S ẑ,    s = ρ ŝ                              (18.6)
//
// K, C and M hold newtons beside radians, volts and counts. Whether a number is round-off or a soft spring can only be
// judged beside numbers of its own kind, so every decision about ranks, pivots and lengths of vectors is made for P̂. R, S
// and ρ come from the entries alone: the same machine in other units, a thousand times as large or as fast, or with
// signals multiplied by anything, has the same P̂ up to factors of two. All three are powers of two, so that nothing is
// rounded.
#pragma once

#include <Eigen/Core>

#include "linalg/roots/delay_pencil.hpp"
#include "linalg/roots/quadratic_pencil.hpp"

namespace flexloop::linalg {

struct PencilScaling {
  Eigen::VectorXd rows, columns;  // the diagonals of R and S
  double rate = 1.0;              // ρ [1/s]
};

// ρ is the median of how fast the unknowns would be alone. R and S make the logarithms of all entries of RKS, ρRCS and
// ρ²RMS small in the sense of least squares, and then the largest entry of every row and column near one. Entries that
// are round-off beside all others of their row and column do not count, nor do those of C beside stiffness and mass:
// damping says nothing about size or speed.
PencilScaling findScaling(const QuadraticPencil& pencil, const DelayTerms& delays = {});
// The same, and then the diagonals of motions are one, and the strongest couplings between them symmetric: for sparse
// factors, whose pivots then stay on the diagonal.
PencilScaling findScalingForPivots(const QuadraticPencil& pencil, const DelayTerms& delays = {});
// With this ρ.
PencilScaling findScaling(const QuadraticPencil& pencil, double rate);
PencilScaling findScalingForPivots(const QuadraticPencil& pencil, double rate);

// P̂. What rounding has left of round-off, far below all others of its row and column, is zero there.
QuadraticPencil applyScaling(const QuadraticPencil& pencil, const PencilScaling& scaling);
DelayTerms applyScaling(const DelayTerms& delays, const PencilScaling& scaling);

}  // namespace flexloop::linalg
