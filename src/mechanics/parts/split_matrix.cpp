#include "mechanics/parts/split_matrix.hpp"

#include <utility>

namespace flexloop::mechanics {

SplitMatrix::SplitMatrix(Eigen::MatrixXd X, int interfaceFreedoms)
    : X_(std::move(X)), interface_(interfaceFreedoms) {
  const Eigen::Index modes = X_.rows() - interface_;
  const auto qq = X_.bottomRightCorner(modes, modes);
  diagonal_ = qq.diagonal();
  isDiagonal_ = true;
  for (Eigen::Index j = 0; j < modes && isDiagonal_; ++j) {
    isDiagonal_ = qq.col(j).head(j).isZero(0.0) && qq.col(j).tail(modes - j - 1).isZero(0.0);
  }
  isCoupled_ = !X_.topRightCorner(interface_, modes).isZero(0.0) ||
               !X_.bottomLeftCorner(modes, interface_).isZero(0.0);
}

void SplitMatrix::addProduct(const Eigen::VectorXd& x, Eigen::VectorXd& y) const {
  const Eigen::Index modes = X_.rows() - interface_;
  const auto xb = x.head(interface_), xq = x.tail(modes);
  y.head(interface_).noalias() += X_.topLeftCorner(interface_, interface_) * xb;
  if (isCoupled_) {
    y.head(interface_).noalias() += X_.topRightCorner(interface_, modes) * xq;
    y.tail(modes).noalias() += X_.bottomLeftCorner(modes, interface_) * xb;
  }
  if (isDiagonal_) {
    y.tail(modes) += diagonal_.cwiseProduct(xq);
  } else {
    y.tail(modes).noalias() += X_.bottomRightCorner(modes, modes) * xq;
  }
}

}  // namespace flexloop::mechanics
