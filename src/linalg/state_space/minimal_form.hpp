// The part of x' = A x + B w, y = C x + D w that inputs reach and outputs see
// (docs/theory/19_responses.md, section 19.5).
//
// The roots are taken apart into blocks that rounding does not mix. Of each block a staircase keeps what is
// reached and seen by more than rounding can make of nothing.
#pragma once

#include <complex>
#include <vector>

#include <Eigen/Core>

#include "linalg/state_space/state_matrices.hpp"

namespace flexloop::linalg {

// States that belong together: a root, or several that rounding mixes.
struct RootPart {
  std::complex<double> root;  // im ≥ 0; the mean of several
  int states = 0;             // a pair of conjugate roots has two
  // By the strongest of all parts; the largest of all inputs, and of all outputs.
  double reach = 0.0, sight = 0.0;
};

struct MinimalForm {
  StateMatrices system;        // in coordinates of the parts that are kept, one after the other
  std::vector<RootPart> kept;  // real and imaginary parts of a pair are states
  std::vector<RootPart> leftOut;
  double error = 0.0;     // of the response (19.16)
  Eigen::MatrixXd right;  // x = right · z while inputs move the machine from rest
  Eigen::MatrixXd lost;   // columns: motions that inputs reach and outputs do not see
  Eigen::VectorXd scale;  // of x, by which its entries are comparable
};

// (A − shift)⁻¹, in which neither slow nor fast roots lose their digits.
struct ShiftedInverse {
  Eigen::MatrixXd inverse;
  Eigen::MatrixXd spread;  // ‖E‖ E⁻¹: what becomes of rounding
  double shift = 0.0;      // [1/s]
};

// Of A = scale · E⁻¹ A', without the products of squares of fast frequencies in A. `roots` are those of A without those at
// zero, if they are known better than from E⁻¹ A'.
ShiftedInverse makeShiftedInverse(const Eigen::MatrixXd& E, const Eigen::MatrixXd& A, double scale,
                                  std::vector<std::complex<double>> roots = {});

// `all`: nothing is left out, and the states are those of the parts.
MinimalForm findMinimalForm(const StateMatrices& system, const ShiftedInverse& inverse,
                            bool all = false);

// The same system with states in other units, powers of two, in which rows and columns of A are of equal size.
StateMatrices balanceStates(const StateMatrices& system);

// C (s − A)⁻¹ B + D
Eigen::MatrixXcd calcResponse(const StateMatrices& system, std::complex<double> s);

// Where responses are compared: about all roots, a little to the right of the imaginary axis, where roots
// without damping are finite.
std::vector<std::complex<double>> makeTestPoints(const std::vector<RootPart>& parts, int between);

}  // namespace flexloop::linalg
