#include <Eigen/SVD>

#include "linalg/dense/svd.hpp"

namespace flexloop::linalg {

Svd<std::complex<double>> findSvd(const Eigen::MatrixXcd& A, SvdForm form) {
  const bool isThin = form == SvdForm::kThin;
  const Eigen::JacobiSVD<Eigen::MatrixXcd> svd(A, isThin
                                                      ? Eigen::ComputeThinU | Eigen::ComputeThinV
                                                      : Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.matrixU(), svd.matrixV(), svd.singularValues()};
}

}  // namespace flexloop::linalg
