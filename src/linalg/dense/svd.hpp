// A = U diag(values) Vᴴ of a dense matrix, by Jacobi's rotations: small values keep their own digits.
#pragma once

#include <complex>

#include <Eigen/Core>

#include "linalg/dense/dense_lu.hpp"

namespace flexloop::linalg {

template <class Scalar>
struct Svd {
  Dense<Scalar> U, V;
  Eigen::VectorXd values;  // falling
};

// Square U and V, or only the columns that belong to a value.
enum class SvdForm { kSquare, kThin };

Svd<double> findSvd(const Eigen::MatrixXd& A, SvdForm form = SvdForm::kSquare);
Svd<std::complex<double>> findSvd(const Eigen::MatrixXcd& A, SvdForm form = SvdForm::kSquare);

}  // namespace flexloop::linalg
