// The roots of a polynomial with real coefficients.
#pragma once

#include <complex>
#include <vector>

#include "math/polynomial.hpp"

namespace flexloop::linalg {

// All roots, multiple ones as often as they count, sorted by real and then by imaginary part;
// complex ones come in exact conjugate pairs. A leading coefficient of zero counts as absent, so
// that there are fewer roots; a constant has none. Coefficients must be finite.
//
// A simple root is found to the accuracy that the coefficients allow, near zero too; one of
// multiplicity m only to about the m-th root of it. A quadratic whose discriminant is zero within
// rounding has an exact double root.
std::vector<std::complex<double>> calcRoots(const math::Polynomial& polynomial);

}  // namespace flexloop::linalg
