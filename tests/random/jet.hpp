// Values with their first and second time derivatives, for what is fixed to a moving node.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace flexloop::random {

struct Jet {
  double value = 0.0, rate = 0.0, acceleration = 0.0;
};

struct VectorJet {
  Eigen::Vector3d value, rate, acceleration;

  friend VectorJet operator-(const VectorJet& a, const VectorJet& b) {
    return {a.value - b.value, a.rate - b.rate, a.acceleration - b.acceleration};
  }
};

inline Jet dot(const VectorJet& a, const VectorJet& b) {
  return {a.value.dot(b.value), a.rate.dot(b.value) + a.value.dot(b.rate),
          a.acceleration.dot(b.value) + 2.0 * a.rate.dot(b.rate) + a.value.dot(b.acceleration)};
}

// All in ground axes but R, which turns body axes into ground axes.
struct NodeMotion {
  Eigen::Matrix3d R;
  Eigen::Vector3d x, v, a, omega, alpha;

  // Of a vector fixed to the node, given in its axes.
  VectorJet vector(const Eigen::Vector3d& fixed) const {
    const Eigen::Vector3d u = R * fixed;
    return {u, omega.cross(u), alpha.cross(u) + omega.cross(omega.cross(u))};
  }
  VectorJet point(const Eigen::Vector3d& fixed) const {
    const VectorJet u = vector(fixed);
    return {x + u.value, v + u.rate, a + u.acceleration};
  }
};

}  // namespace flexloop::random
