#include "math/quaternion.hpp"

#include <cmath>

namespace flexloop::math {

std::array<double, 4> calcQuaternion(const math::Mat3<double>& R) {
  const double trace = R(0, 0) + R(1, 1) + R(2, 2);
  int largest = 0;
  double best = trace;
  for (int i = 0; i < 3; ++i) {
    if (R(i, i) > best) {
      best = R(i, i);
      largest = i + 1;
    }
  }
  std::array<double, 4> q;
  if (largest == 0) {
    q = {1.0 + trace, R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
  } else {
    const int i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    q[0] = R(k, j) - R(j, k);
    q[1 + i] = 1.0 + 2.0 * R(i, i) - trace;
    q[1 + j] = R(j, i) + R(i, j);
    q[1 + k] = R(k, i) + R(i, k);
  }
  const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double scale = (q[0] < 0.0 ? -1.0 : 1.0) / norm;
  for (double& entry : q) entry *= scale;
  return q;
}

math::Mat3<double> calcRotation(const std::array<double, 4>& q) {
  const auto [w, x, y, z] = q;
  math::Mat3<double> R;
  R << 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
      2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
      2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y);
  return R;
}

}  // namespace flexloop::math
