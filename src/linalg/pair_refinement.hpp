// Newton's method for one eigenpair of a quadratic pencil, by a factorisation of P at the root itself.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "linalg/complex_solver.hpp"
#include "linalg/quadratic_pencil.hpp"

namespace flexloop::linalg {

class PairRefinement {
 public:
  PairRefinement(const QuadraticPencil& pencil, std::vector<int> groups)
      : pencil_(pencil), groups_(std::move(groups)) {}

  // One step (18.24) if it makes the residual smaller.
  bool improve(Eigenpair& pair);
  // Newton's method to its end; whether that is near the pair. Roundings turn infinite roots into huge
  // ones, whose residual is small too, because the pencil grows with s²; but there the steps do not end.
  // `distance` is the measure of what is near.
  [[nodiscard]] bool settle(Eigenpair& pair, double distance);

  int solves() const { return solves_; }

 private:
  // The step of the root; the vector becomes that of the new root. Zero if P(s) is singular to the last
  // digit: there is no better root.
  std::complex<double> step(Eigenpair& pair);

  const QuadraticPencil& pencil_;
  std::vector<int> groups_;
  std::unique_ptr<ComplexSparseSolver> solver_;
  int solves_ = 0;
};

}  // namespace flexloop::linalg
