#include <Eigen/SVD>

#include "linalg/dense/svd.hpp"

namespace flexloop::linalg {

Svd<double> findSvd(const Eigen::MatrixXd& A, SvdForm form) {
  const bool isThin = form == SvdForm::kThin;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, isThin
                                                     ? Eigen::ComputeThinU | Eigen::ComputeThinV
                                                     : Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.matrixU(), svd.matrixV(), svd.singularValues()};
}

}  // namespace flexloop::linalg
