#include "system/step_increment.hpp"

#include "math/so3.hpp"

namespace flexloop::system {

Mat6<double> calcStepTangent(const Node& node, int index, const StepIncrement& dq) {
  Mat6<double> T = calcStepTangent(node, dq.expected.data() + node.firstUnknown,
                                   dq.total.data() + node.firstUnknown);
  const Vec3<double> centre = dq.centre(index);
  if (node.map != NodeMap::kBody || centre.isZero(0.0)) return T;
  T.topRightCorner<3, 3>() =
      math::skew<double>(centre) * (T.bottomRightCorner<3, 3>() - math::Mat3<double>::Identity());
  return T;
}

void addCentre(const Vec3<double>& centre, const Vec6<double>& twist, const Vec6<double>& twistRate,
               TwistDerivatives& derivatives) {
  const Vec3<double> omega = twist.tail<3>();
  const Vec3<double> u = math::cross<double>(omega, centre);
  const Vec3<double> y = math::cross<double>(Vec3<double>(twistRate.tail<3>()), centre) +
                         math::cross<double>(omega, u);
  const math::Mat3<double> omegaHat = math::skew<double>(omega), uHat = math::skew<double>(u);
  const Eigen::Matrix<double, 3, 6> A_r = derivatives.A.bottomRows<3>();
  derivatives.twistByValue.topRows<3>() += uHat * A_r;
  derivatives.rateByRate.topRows<3>() += (uHat + omegaHat * math::skew<double>(centre)) * A_r;
  derivatives.rateByValue.topRows<3>() += (math::skew<double>(y) - omegaHat * uHat) * A_r;
}

}  // namespace flexloop::system
