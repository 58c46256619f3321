#include "linalg/dense/pivoted_qr.hpp"

#include <algorithm>
#include <limits>

#include <Eigen/QR>

namespace flexloop::linalg {

template <class Scalar>
struct PivotedQr<Scalar>::Factors {
  Eigen::ColPivHouseholderQR<Dense<Scalar>> qr;
};

template <class Scalar>
PivotedQr<Scalar>::PivotedQr(const Dense<Scalar>& A)
    : factors_(std::make_shared<Factors>(Factors{Eigen::ColPivHouseholderQR<Dense<Scalar>>(A)})) {}

template <class Scalar>
double PivotedQr<Scalar>::largest() const {
  return factors_->qr.maxPivot();
}

template <class Scalar>
Eigen::Index PivotedQr<Scalar>::countAbove(double size) const {
  const Dense<Scalar>& R = factors_->qr.matrixQR();
  const Eigen::Index most = std::min(R.rows(), R.cols());
  Eigen::Index count = 0;
  while (count < most && std::abs(R(count, count)) > size) ++count;
  return count;
}

template <class Scalar>
Eigen::Index PivotedQr<Scalar>::rank(double share) const {
  return countAbove(share * largest());
}

template <class Scalar>
Eigen::Index PivotedQr<Scalar>::rank() const {
  const Eigen::Index most = std::min(factors_->qr.rows(), factors_->qr.cols());
  return rank(static_cast<double>(most) * std::numeric_limits<double>::epsilon());
}

template <class Scalar>
int PivotedQr<Scalar>::column(Eigen::Index i) const {
  return factors_->qr.colsPermutation().indices()[i];
}

template <class Scalar>
Dense<Scalar> PivotedQr<Scalar>::Q() const {
  return factors_->qr.householderQ();
}

template <class Scalar>
Dense<Scalar> PivotedQr<Scalar>::rows(Eigen::Index count) const {
  const Dense<Scalar> upper =
      factors_->qr.matrixQR().topRows(count).template triangularView<Eigen::Upper>();
  return upper * factors_->qr.colsPermutation().transpose();
}

template <class Scalar>
Dense<Scalar> PivotedQr<Scalar>::solve(const Dense<Scalar>& b) const {
  return factors_->qr.solve(b);
}

template <class Scalar>
Dense<Scalar> PivotedQr<Scalar>::solveTransposed(const Dense<Scalar>& b) const {
  const auto& qr = factors_->qr;
  const Eigen::Index n = qr.cols();
  Dense<Scalar> y = Dense<Scalar>::Zero(qr.rows(), b.cols());
  y.topRows(n) =
      qr.matrixQR().topLeftCorner(n, n).template triangularView<Eigen::Upper>().transpose().solve(
          qr.colsPermutation().transpose() * b);
  y.applyOnTheLeft(qr.householderQ().conjugate());
  return y;
}

template class PivotedQr<double>;
// Nothing is solved with complex ones yet.
using Complex = std::complex<double>;
template PivotedQr<Complex>::PivotedQr(const Dense<Complex>& A);
template Eigen::Index PivotedQr<Complex>::rank(double share) const;
template Eigen::Index PivotedQr<Complex>::countAbove(double size) const;
template double PivotedQr<Complex>::largest() const;
template int PivotedQr<Complex>::column(Eigen::Index i) const;
template Dense<Complex> PivotedQr<Complex>::Q() const;

}  // namespace flexloop::linalg
