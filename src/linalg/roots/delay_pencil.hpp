// The pencil of a machine with pure delays (docs/theory/25_delays_and_samples.md),
//
//   P(s) = K + s C + s² M + Σ_j f_j e^{−sτ_j} e_{r_j} e_{c_j}ᵀ,                                (25.1)
//
// which has infinitely many roots, and its rational approximation, which has finitely many.
#pragma once

#include <vector>

#include "linalg/roots/quadratic_pencil.hpp"

namespace flexloop::linalg {

// f e^{−sτ} in one row and column.
struct DelayTerm {
  int row = 0, column = 0;
  double factor = 0.0;
  double delay = 0.0;  // τ [s], positive
};
using DelayTerms = std::vector<DelayTerm>;

// P(s); its pattern does not depend on s.
SparseMatrixC evaluate(const QuadraticPencil& pencil, const DelayTerms& delays,
                       std::complex<double> s);
// P(s) z and P'(s) z.
Eigen::VectorXcd apply(const QuadraticPencil& pencil, const DelayTerms& delays,
                       std::complex<double> s, const Eigen::VectorXcd& z);
Eigen::VectorXcd applyDerivative(const QuadraticPencil& pencil, const DelayTerms& delays,
                                 std::complex<double> s, const Eigen::VectorXcd& z);
// As without delays: the share of the terms that does not cancel.
double calcResidual(const QuadraticPencil& pencil, const DelayTerms& delays, std::complex<double> s,
                    const Eigen::VectorXcd& z);

// The pencil with every delay as a Padé approximation of its own order, (25.3): the unknowns of the pencil,
// then `order` states per delay.
QuadraticPencil approximateDelays(const QuadraticPencil& pencil, const DelayTerms& delays,
                                  const std::vector<int>& orders);

}  // namespace flexloop::linalg
