// A = U diag(values) V^H of a dense matrix. The small ones of the values are right to their own size, as Jacobi's
// rotations find them.
#pragma once

#include <complex>

#include <Eigen/Core>

#include "linalg/dense/dense_lu.hpp"

namespace flexloop::linalg {

template <class Scalar>
struct Svd {
  Dense<Scalar> U,
      V;  // square, or as many columns as there are values where A was asked for thin ones
  Eigen::VectorXd values;  // falling
};

enum class SvdForm { kSquare, kThin };

Svd<double> findSvd(const Eigen::MatrixXd& A, SvdForm form = SvdForm::kSquare);
Svd<std::complex<double>> findSvd(const Eigen::MatrixXcd& A, SvdForm form = SvdForm::kSquare);

}  // namespace flexloop::linalg
