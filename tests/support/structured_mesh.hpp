// Small meshes of bricks, cut into elements of any solid shape and bent into any form.
#pragma once

#include <functional>
#include <vector>

#include "fem/mesh/mesh.hpp"

namespace flexloop::test {

using PointMap = std::function<Eigen::Vector3d(const Eigen::Vector3d&)>;

// nx × ny × nz cells of the unit cube, each of which is one hexahedron, two wedges, six tetrahedra or six pyramids. Nodes
// between corners are mapped as well, so that edges may be curved. One material and one property.
fem::Mesh makeBox(fem::ElementShape shape, int nx, int ny, int nz,
                  const fem::MeshMaterial& material, const PointMap& map = {});

// Puts nodes between corners in the middle of them.
void straightenEdges(fem::Mesh& mesh);

// A chain of beams through the points.
fem::Mesh makeBeams(const std::vector<Eigen::Vector3d>& points, const fem::MeshMaterial& material,
                    const fem::BeamSection& section);

fem::BeamSection makeRectangle(double y, double z, double shearFactor = 5.0 / 6.0);

// Nodes whose point satisfies the condition, ascending.
std::vector<int> findNodes(const fem::Mesh& mesh,
                           const std::function<bool(const Eigen::Vector3d&)>& condition);

}  // namespace flexloop::test
