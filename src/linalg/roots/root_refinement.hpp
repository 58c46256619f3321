// One root of a pencil and its vectors to the last digits (docs/theory/18_eigenproblem.md, section 18.4), by a factorisation
// beside the root:
//
//     s ← s − (wᵀ P(s) z)/(wᵀ P'(s) z),    z ← z − P(σ)⁻¹ P(s) z,    w ← w − P(σ)⁻ᵀ Pᵀ(s) w        (18.10)
//
// The pencil should be scaled (pencil_scaling.hpp).
#pragma once

#include <memory>
#include <vector>

#include "linalg/roots/delay_pencil.hpp"
#include "linalg/roots/quadratic_pencil.hpp"
#include "linalg/solvers/complex_solver.hpp"

namespace flexloop::linalg {

class RootRefinement {
 public:
  explicit RootRefinement(const QuadraticPencil& pencil, DelayTerms delays = {},
                          std::vector<int> groups = {});
  ~RootRefinement();

  // Improves the pair as long as its corrections fall, and sets its residual and uncertainty; one that is far from a
  // root is left alone, and false. `mostly` is how far the root may be off, beside a hundredth of its size.
  bool improve(Eigenpair& pair, double mostly = 0.0);
  // Newton's method (18.17) to its end; whether that is near the pair. Roundings turn infinite roots into huge
  // ones, whose residual is small too, because the pencil grows with s²; but there the steps do not end.
  // `distance` is the measure of what is near.
  [[nodiscard]] bool settle(Eigenpair& pair, double distance);
  // The vector of the root that is nearest to `s`, by inverse iteration; zero if that fails. Right-hand sides are P'(rate) z:
  // with `rate` far above a double root they have a share along its left vector, unlike P'(s) z.
  Eigen::VectorXcd findVector(std::complex<double> s, double rate, Eigen::VectorXcd start);
  // w with wᵀ P(s) = 0 for a root, of length one; zero if that fails.
  Eigen::VectorXcd findLeftVector(const Eigenpair& pair);

  int factorizations() const { return factorizations_; }

 private:
  bool factorize(std::complex<double> s);
  bool factorizeBeside(std::complex<double> s);
  void keepApart(const Eigen::VectorXcd& before, Eigenpair& pair) const;
  std::complex<double> step(Eigenpair& pair);

  const QuadraticPencil& pencil_;
  DelayTerms delays_;
  std::vector<int> groups_;
  std::unique_ptr<ComplexSparseSolver> solver_;
  int factorizations_ = 0;
};

// How far the root may be moved by the rounding of each entry of K, C and M:
//
//     ε |w|ᵀ (|K| + |s||C| + |s|²|M|) |z| / |wᵀ P'(s) z|                                        (18.11)
//
// and for a double root, where the denominator vanishes, by the root of the same with ½ wᵀ P''(s) z.
// A root of a chain of m vectors at zero is moved from it by m times as much, at most.
double calcUncertainty(const QuadraticPencil& pencil, const DelayTerms& delays,
                       const Eigenpair& pair, const Eigen::VectorXcd& left);

// Whether rounding alone may have moved the root from zero.
bool mayBeZero(const Eigenpair& pair);

}  // namespace flexloop::linalg
