// Small vectors and frames as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "math/se3.hpp"

namespace flexloop::view {

using Json = nlohmann::ordered_json;

Json toJson(const math::Vec3<double>& v);
Json toJson(const math::Mat3<double>& R);  // as quaternion w x y z

}  // namespace flexloop::view
