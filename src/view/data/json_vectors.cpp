#include "view/data/json_vectors.hpp"

#include "base/json.hpp"
#include "math/quaternion.hpp"

namespace flexloop::view {

Json toJson(const math::Vec3<double>& v) {
  return Json::array({v[0] + 0.0, v[1] + 0.0, v[2] + 0.0});  // no minus before a zero
}

Json toJson(const math::Mat3<double>& R) {
  return Json(math::calcQuaternion(R));
}

}  // namespace flexloop::view
