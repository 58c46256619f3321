#include "math/definiteness.hpp"

#include <cmath>

namespace flexloop::math {

bool isPositiveDefinite(const Eigen::Ref<const Eigen::MatrixXd>& A, double slack) {
  Eigen::MatrixXd L = A;
  for (Eigen::Index j = 0; j < L.cols(); ++j) {
    double pivot = (1.0 + slack) * L(j, j);
    for (Eigen::Index k = 0; k < j; ++k) pivot -= L(j, k) * L(j, k);
    if (!(pivot > 0.0)) return false;
    L(j, j) = std::sqrt(pivot);
    for (Eigen::Index i = j + 1; i < L.rows(); ++i) {
      for (Eigen::Index k = 0; k < j; ++k) L(i, j) -= L(i, k) * L(j, k);
      L(i, j) /= L(j, j);
    }
  }
  return true;
}

}  // namespace flexloop::math
