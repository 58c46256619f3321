// P(s) z with sums and products in twice the working precision, rounded once at the end. The terms of a root's equation
// cancel to a small share of their size: on a fine mesh the stiffness of an element is 1e15 times that of the machine. What
// is left of them is the correction of the root, and must not be the rounding of the terms.
#pragma once

#include <initializer_list>

#include "linalg/roots/delay_pencil.hpp"

namespace flexloop::linalg {

Eigen::VectorXcd applyExactly(const QuadraticPencil& pencil, const DelayTerms& delays,
                              std::complex<double> s, const Eigen::VectorXcd& z);
// Pᵀ(s) w
Eigen::VectorXcd applyTransposedExactly(const QuadraticPencil& pencil, const DelayTerms& delays,
                                        std::complex<double> s, const Eigen::VectorXcd& w);
// A x + s (B x + s …) for real numbers and any number of matrices
Eigen::VectorXd applyExactly(std::initializer_list<const SparseMatrix*> coefficients, double s,
                             const Eigen::VectorXd& x);
// wᵀ z without conjugation
std::complex<double> multiplyExactly(const Eigen::VectorXcd& w, const Eigen::VectorXcd& z);

}  // namespace flexloop::linalg
