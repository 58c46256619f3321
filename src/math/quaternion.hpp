// Rotations as files hold them.
#pragma once

#include <array>

#include "math/se3.hpp"

namespace flexloop::math {

// Quaternion w x y z with w >= 0, by the largest of its four entries (Shepperd), so that nothing
// small is divided by.
std::array<double, 4> calcQuaternion(const math::Mat3<double>& R);

// The rotation of a quaternion of length one.
math::Mat3<double> calcRotation(const std::array<double, 4>& q);

}  // namespace flexloop::math
