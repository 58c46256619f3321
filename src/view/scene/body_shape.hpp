// What a body looks like: as its model says, as what it touches others with, or as a box of equal inertia.
#pragma once

#include <string>

#include "view/scene/mesh_file.hpp"
#include "view/scene/scene_parts.hpp"

namespace flexloop::view {

struct BodyShape {
  std::string type;                                          // box, sphere, cylinder or mesh
  math::Vec3<double> size = math::Vec3<double>::Zero();      // of a box
  double radius = 0.0, length = 0.0;                         // of the round ones
  math::Vec3<double> axis = math::Vec3<double>::UnitZ();     // of a cylinder
  Mesh mesh;                                                 // of a mesh
  math::Vec3<double> position = math::Vec3<double>::Zero();  // in the node's axes
  math::Mat3<double> rotation = math::Mat3<double>::Identity();
  bool isGiven = false;  // by the model
};

// A mesh that cannot be read is listed in `source.problems`, and a box is drawn instead.
BodyShape findBodyShape(const SceneSource& source, const system::Item& body);

// Its surface in the node's axes.
Mesh makeBodyMesh(const BodyShape& shape);

}  // namespace flexloop::view
