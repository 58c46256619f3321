// Coordinate systems of Nastran: CORD1R, CORD1C, CORD1S by three nodes, CORD2R, CORD2C, CORD2S by three points A, B, C of
// another system. A is the origin, z points from A to B, and C lies in the plane of x and +z.
//
//   rectangular  (x, y, z)
//   cylindrical  (r, θ, z):  x = r cos θ, y = r sin θ
//   spherical    (r, θ, φ):  x = r sin θ cos φ, y = r sin θ sin φ, z = r cos θ           angles in degrees
#pragma once

#include <map>
#include <optional>

#include "fem/mesh/mesh_builder.hpp"

namespace flexloop::fem {

class NastranSystems {
 public:
  explicit NastranSystems(MeshBuilder& builder) : builder_(builder) {}

  struct System {
    char kind = 'R';             // R, C or S
    std::int64_t reference = 0;  // system of the points
    Eigen::Matrix3d points =
        Eigen::Matrix3d::Zero();          // A, B, C as columns, in the unit of the file
    std::array<std::int64_t, 3> nodes{};  // in place of points, if not zero
    FilePlace place;
    // Found on demand, in basic axes and the unit of the file.
    enum class State { kNew, kOpen, kDone } state = State::kNew;
    Eigen::Vector3d origin = Eigen::Vector3d::Zero();
    Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
  };
  bool add(std::int64_t id, const System& system);

  // A node whose place is given in a system; the builder has it with the raw numbers.
  void addNode(std::int64_t id, std::int64_t system, const Eigen::Vector3d& coordinates,
               FilePlace place);
  // Moves the nodes to where they are. False after a failure.
  bool placeNodes();

  // From coordinates of a system to basic axes, unit of the file; nothing after a failure.
  std::optional<Eigen::Vector3d> toBasic(std::int64_t system, const Eigen::Vector3d& coordinates,
                                         FilePlace place);
  // The directions of the system at a point (basic axes, m) as columns.
  std::optional<Eigen::Matrix3d> axesAt(std::int64_t system, const Eigen::Vector3d& point,
                                        FilePlace place);

 private:
  struct Placed {
    std::int64_t system;
    Eigen::Vector3d coordinates;
    FilePlace place;
    bool isDone = false, isOpen = false;
  };
  System* require(std::int64_t id, FilePlace place);
  bool resolve(System& system, std::int64_t id);
  std::optional<Eigen::Vector3d> findNode(std::int64_t id, FilePlace place);
  bool placeNode(std::int64_t id, Placed& node);

  MeshBuilder& builder_;
  std::map<std::int64_t, System> systems_;
  std::map<std::int64_t, Placed> nodes_;
  int depth_ = 0;
};

}  // namespace flexloop::fem
