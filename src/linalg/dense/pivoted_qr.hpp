// A P = Q R of a dense matrix, with columns chosen so that |R_ii| fall: it shows the rank of A.
#pragma once

#include <complex>
#include <memory>

#include <Eigen/Core>

#include "linalg/dense/dense_lu.hpp"

namespace flexloop::linalg {

template <class Scalar>
class PivotedQr {
 public:
  explicit PivotedQr(const Dense<Scalar>& A);

  // How many |R_ii| exceed this share of the largest; without a share, what rounding leaves.
  Eigen::Index rank(double share) const;
  Eigen::Index rank() const;
  // How many exceed a size.
  Eigen::Index countAbove(double size) const;
  double largest() const;

  // Which column of A is column i of A P.
  int column(Eigen::Index i) const;
  Dense<Scalar> Q() const;  // square
  // The first rows of Qᴴ A = R Pᵀ.
  Dense<Scalar> rows(Eigen::Index count) const;

  // A least-squares solution; columns of A beyond its rank get zero.
  Dense<Scalar> solve(const Dense<Scalar>& b) const;
  // Of an A with independent columns: the smallest y with Aᵀ y = b.
  Dense<Scalar> solveTransposed(const Dense<Scalar>& b) const;

 private:
  struct Factors;
  std::shared_ptr<const Factors> factors_;
};

extern template class PivotedQr<double>;
extern template class PivotedQr<std::complex<double>>;

}  // namespace flexloop::linalg
