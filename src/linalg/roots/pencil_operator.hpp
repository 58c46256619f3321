// The inverse of a pencil at a shift σ as an operator whose eigenvalues of largest modulus θ belong to the
// roots t nearest to it (docs/theory/18_eigenproblem.md, (18.14) and (18.15)):
//
//   P(s):      [x; w] → [u; (σ u + x)/ρ],   u = -P(σ)⁻¹ ((C + σ M) x + ρ M w),   w = s x/ρ,   t = s,
//   K + t M:   x → u,                       u = -(K + σ M)⁻¹ M x,                             t = s²,
//
// with t = σ + 1/θ. Of x and w only those entries are kept that the matrices act on: multipliers and
// signals are no part of the operator, and come back with calcVector.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include <Eigen/Core>

#include "linalg/roots/quadratic_pencil.hpp"

namespace flexloop::linalg {

// P itself in t = s; without C also K + t M in t = s², of half the size.
enum class PencilForm { kQuadratic, kSquared };

template <typename Scalar>
class PencilOperator {
 public:
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  PencilOperator(const QuadraticPencil& pencil, PencilForm form, const std::vector<int>& groups);
  ~PencilOperator();

  // False if the matrix is singular there. `error` estimates the relative error of a product before its solutions are
  // refined, as they are where that is needed and helps.
  struct ShiftReport {
    bool ok = false;
    double error = 0.0;
  };
  [[nodiscard]] ShiftReport setShift(Scalar shift);
  // Of a product, refined as it is.
  double calcProductError() const;
  // Balances x and w for roots of this modulus.
  void setRootScale(double scale) { rootScale_ = scale; }
  // |w|/|x| of a vector: the modulus of the roots that dominate it; 0 without w.
  double calcRootScale(const Vector& y) const;

  PencilForm form() const { return form_; }
  Scalar shift() const { return shift_; }
  int size() const { return static_cast<int>(kept_.size() + moving_.size()); }
  int solves() const { return solves_; }
  int factorizations() const { return factorizations_; }

  void apply(const Vector& in, Vector& out);
  // The vector z of the pencil that belongs to an eigenvector of the operator, of length one.
  Eigen::VectorXcd calcVector(const Eigen::VectorXcd& y);
  // Whether z is the vector of a finite root s: products with the operator, calculated from exact residuals, leave it as
  // it is. Those of an infinite root, which rounding has moved to s, take it apart (section 18.5). False may also mean
  // that the products are not exact enough.
  bool isFiniteRoot(std::complex<double> s, const Eigen::VectorXcd& z);

 private:
  struct Solver;
  using Sparse = Eigen::SparseMatrix<Scalar, Eigen::ColMajor, int>;

  double calcError();
  Eigen::VectorXcd solveComplex(const Eigen::VectorXcd& right);
  Vector applyMatrix(const Vector& u) const;
  // u for [x; w]
  const Vector& solveFull(const Vector& in);

  const QuadraticPencil& pencil_;
  PencilForm form_;
  Scalar shift_{};
  double rootScale_ = 1.0;
  std::vector<int> kept_;        // unknowns of x
  std::vector<int> moving_;      // unknowns of w
  std::vector<int> movingKept_;  // their places in x
  Sparse G_;                     // C + σ M, or M
  SparseMatrix M_;
  std::unique_ptr<Solver> solver_;
  Vector x_, w_, u_, right_;
  double error_ = 0.0;  // of solutions that are not refined
  int refinements_ = 0;
  int solves_ = 0, factorizations_ = 0;
};

extern template class PencilOperator<double>;
extern template class PencilOperator<std::complex<double>>;

}  // namespace flexloop::linalg
