#include "mechanics/joints/joint.hpp"

namespace flexloop::mechanics {

using math::Mat3;
using math::Mat6;
using math::Vec3;

Eigen::Matrix<double, 6, 12> calcRelativeMap(const JointFrames<double>& frames,
                                             const math::Frame<double>& relative) {
  const math::Frame<double> toFirst = math::compose(frames.D_A, relative);
  Eigen::Matrix<double, 6, 12> E;
  E.leftCols<6>() = -math::adjoint(math::inverse(toFirst));
  E.rightCols<6>() = math::adjoint(math::inverse(frames.D_B));
  return E;
}

void WrenchStiffness::addForce(const Vec3<double>& force) {
  W_.head<3>() += force;
  W_eta_.topRightCorner<3, 3>() += math::skew<double>(force);
}

void WrenchStiffness::addTorque(const Mat3<double>& R, int i, int j, double magnitude) {
  const Vec3<double> a = R.row(i).transpose();
  const Mat3<double> e_j = math::skew<double>(Vec3<double>::Unit(j));
  W_.tail<3>() += magnitude * (e_j * a);
  W_eta_.bottomRightCorner<3, 3>() += magnitude * e_j * math::skew<double>(a);
}

Eigen::Matrix<double, 12, 12> WrenchStiffness::calc(const Eigen::Matrix<double, 6, 12>& E) const {
  Mat6<double> first = W_eta_;
  const Mat3<double> force = math::skew<double>(Vec3<double>(W_.head<3>()));
  first.topRightCorner<3, 3>() -= force;
  first.bottomLeftCorner<3, 3>() -= force;
  first.bottomRightCorner<3, 3>() -= math::skew<double>(Vec3<double>(W_.tail<3>()));
  Eigen::Matrix<double, 12, 6> left;
  // Fixed small sizes: the lazy product is unrolled where the default calls a general kernel.
  left.topRows<6>() = E.leftCols<6>().transpose().lazyProduct(first);
  left.bottomRows<6>() = E.rightCols<6>().transpose().lazyProduct(W_eta_);
  return left.lazyProduct(E);
}

}  // namespace flexloop::mechanics
