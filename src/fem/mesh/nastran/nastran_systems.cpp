#include "fem/mesh/nastran/nastran_systems.hpp"

#include <cmath>

#include <Eigen/Geometry>

namespace flexloop::fem {
namespace {

constexpr double kDegree = 3.14159265358979323846 / 180.0;

Eigen::Vector3d toRectangular(char kind, const Eigen::Vector3d& q) {
  if (kind == 'R') return q;
  const double theta = q[1] * kDegree;
  if (kind == 'C') return {q[0] * std::cos(theta), q[0] * std::sin(theta), q[2]};
  const double phi = q[2] * kDegree;
  return {q[0] * std::sin(theta) * std::cos(phi), q[0] * std::sin(theta) * std::sin(phi),
          q[0] * std::cos(theta)};
}

}  // namespace

bool NastranSystems::add(std::int64_t id, const System& system) {
  if (id <= 0)
    return builder_.fail(system.place, "the number of a coordinate system must be positive");
  if (systems_.emplace(id, system).second) return true;
  return builder_.fail(system.place,
                       "the coordinate system " + std::to_string(id) + " is given twice");
}

void NastranSystems::addNode(std::int64_t id, std::int64_t system,
                             const Eigen::Vector3d& coordinates, FilePlace place) {
  nodes_.emplace(id, Placed{system, coordinates, place});
}

NastranSystems::System* NastranSystems::require(std::int64_t id, FilePlace place) {
  const auto found = systems_.find(id);
  if (found == systems_.end()) {
    builder_.fail(place, "there is no coordinate system " + std::to_string(id));
    return nullptr;
  }
  return resolve(found->second, id) ? &found->second : nullptr;
}

bool NastranSystems::resolve(System& system, std::int64_t id) {
  if (system.state == System::State::kDone) return true;
  constexpr int kDeepest = 1000;  // systems in systems
  if (system.state == System::State::kOpen || depth_ > kDeepest) {
    return builder_.fail(system.place,
                         "the coordinate system " + std::to_string(id) + " depends on itself");
  }
  system.state = System::State::kOpen;
  ++depth_;
  Eigen::Matrix3d points;
  for (int i = 0; i < 3; ++i) {
    const auto point = system.nodes[i] != 0
                           ? findNode(system.nodes[i], system.place)
                           : toBasic(system.reference, system.points.col(i), system.place);
    if (!point) return false;
    points.col(i) = *point;
  }
  --depth_;
  const Eigen::Vector3d z = points.col(1) - points.col(0), inPlane = points.col(2) - points.col(0);
  const Eigen::Vector3d y = z.cross(inPlane);
  if (!(y.norm() > 1e-9 * z.norm() * inPlane.norm())) {
    return builder_.fail(system.place, "the three points of the coordinate system " +
                                           std::to_string(id) + " lie on a line");
  }
  system.origin = points.col(0);
  system.axes.col(2) = z.normalized();
  system.axes.col(1) = y.normalized();
  system.axes.col(0) = system.axes.col(1).cross(system.axes.col(2));
  system.state = System::State::kDone;
  return true;
}

std::optional<Eigen::Vector3d> NastranSystems::toBasic(std::int64_t system,
                                                       const Eigen::Vector3d& coordinates,
                                                       FilePlace place) {
  if (system == 0) return coordinates;
  const System* found = require(system, place);
  if (found == nullptr) return {};
  return found->origin + found->axes * toRectangular(found->kind, coordinates);
}

std::optional<Eigen::Matrix3d> NastranSystems::axesAt(std::int64_t system,
                                                      const Eigen::Vector3d& point,
                                                      FilePlace place) {
  if (system == 0) return Eigen::Matrix3d(Eigen::Matrix3d::Identity());
  const System* found = require(system, place);
  if (found == nullptr) return {};
  if (found->kind == 'R') return found->axes;
  const Eigen::Vector3d q =
      found->axes.transpose() * (point / builder_.units().length - found->origin);
  const double phi = std::atan2(q[1], q[0]), theta = std::atan2(std::hypot(q[0], q[1]), q[2]);
  const Eigen::Vector3d around(-std::sin(phi), std::cos(phi), 0.0);
  Eigen::Matrix3d local;
  if (found->kind == 'C') {
    local.col(0) = Eigen::Vector3d(std::cos(phi), std::sin(phi), 0.0);
    local.col(1) = around;
    local.col(2) = Eigen::Vector3d::UnitZ();
  } else {
    local.col(0) = toRectangular('S', {1.0, theta / kDegree, phi / kDegree});
    local.col(1) = toRectangular('S', {1.0, theta / kDegree + 90.0, phi / kDegree});
    local.col(2) = around;
  }
  return Eigen::Matrix3d(found->axes * local);
}

std::optional<Eigen::Vector3d> NastranSystems::findNode(std::int64_t id, FilePlace place) {
  const int node = builder_.requireNode(id, "a coordinate system", place);
  if (node < 0) return {};
  const auto placed = nodes_.find(id);
  if (placed != nodes_.end() && !placeNode(id, placed->second)) return {};
  return Eigen::Vector3d(builder_.mesh().points[node] / builder_.units().length);
}

bool NastranSystems::placeNode(std::int64_t id, Placed& node) {
  if (node.isDone) return true;
  if (node.isOpen)
    return builder_.fail(node.place,
                         "the place of node " + std::to_string(id) + " depends on itself");
  node.isOpen = true;
  const auto point = toBasic(node.system, node.coordinates, node.place);
  const int index = builder_.requireNode(id, "a coordinate system", node.place);
  if (!point || index < 0) return false;
  builder_.mesh().points[index] = builder_.units().length * *point;
  node.isDone = true;
  return true;
}

bool NastranSystems::placeNodes() {
  for (auto& [id, node] : nodes_) {
    if (!placeNode(id, node)) return false;
  }
  return true;
}

}  // namespace flexloop::fem
