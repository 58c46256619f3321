// Small vectors and frames as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "io/quaternion.hpp"
#include "math/se3.hpp"

namespace flexloop::view {

using Json = nlohmann::ordered_json;

inline Json toJson(const math::Vec3<double>& v) {
  return Json::array({v[0] + 0.0, v[1] + 0.0, v[2] + 0.0});  // no minus before a zero
}

inline Json toJson(const math::Mat3<double>& R) {
  return Json(io::calcQuaternion(R));
}

}  // namespace flexloop::view
