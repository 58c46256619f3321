// One root of a pencil and its vectors to the last digits, by inverse iteration and the Rayleigh
// functional (docs/theory/18_eigenproblem.md):
//
//     P(s) y = P'(s) z,    s ← s − (wᵀ P z)/(wᵀ P' z),    z ← y/|y|                              (18.5)
#pragma once

#include "linalg/complex_solver.hpp"
#include "linalg/delay_pencil.hpp"
#include "linalg/quadratic_pencil.hpp"

namespace flexloop::linalg {

class RootPolish {
 public:
  explicit RootPolish(const QuadraticPencil& pencil, DelayTerms delays = {});
  ~RootPolish();

  // Improves the pair as long as its corrections fall; one that is far from a root is left alone.
  void improve(Eigenpair& pair);
  // w with wᵀ P(s) = 0 for a root, of length one.
  Eigen::VectorXcd findLeftVector(const Eigenpair& pair);
  // The vector of the root that is nearest to `s`, which is none itself, by inverse iteration; zero if that fails. Right-hand
  // sides are P'(rate) z: with `rate` far above a double root they have a share along its left vector, unlike P'(s) z.
  Eigen::VectorXcd findVector(std::complex<double> s, double rate, Eigen::VectorXcd start);

 private:
  bool factorizeNear(std::complex<double> s);

  const QuadraticPencil& pencil_;
  DelayTerms delays_;
  std::unique_ptr<ComplexSparseSolver> solver_;
};

}  // namespace flexloop::linalg
