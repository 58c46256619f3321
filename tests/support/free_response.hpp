// Roots of a free response: a record that is a sum of exponentials c_k exp(s_k t) tells its s_k by the
// matrix pencil of its Hankel matrices (Hua & Sarkar), so that frequencies and dampings of a
// simulation can be compared with eigenvalues.
#pragma once

#include <complex>
#include <vector>

namespace flexloop::test {

// Values at equal intervals; `count` roots, sorted by imaginary part. A pair counts as two, and a
// constant is a root at zero.
std::vector<std::complex<double>> findRoots(const std::vector<double>& values, double interval,
                                            int count);

}  // namespace flexloop::test
