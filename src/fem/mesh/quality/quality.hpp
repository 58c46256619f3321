// Whether a mesh can be computed with, and how good its elements are. Call it behind selectStructuralElements.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.hpp"
#include "base/result.hpp"
#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

struct ShapeQuality {
  int count = 0;
  // Smallest over largest Jacobian within an element (corners and integration points): 1 for a parallelepiped, negative
  // where an element is turned inside out.
  double worstJacobian = 1.0;
  // Longest edge over the smallest height (triangles, tetrahedra; 1 if all edges are equal) or over the shortest edge.
  double worstAspect = 1.0;
  // Distance of the corners of a quadrilateral from their plane, over the root of its area.
  double worstWarp = 0.0;
  int worstJacobianElement = -1, worstAspectElement = -1, worstWarpElement = -1;  // indices
};

// Elements that are connected with each other, also through spiders and equations, and with no others.
struct MeshPiece {
  int elements = 0;
  int firstElement = 0;           // index
  std::vector<std::string> sets;  // those of its elements
};

struct QualityReport {
  std::map<ElementShape, ShapeQuality> shapes;
  std::vector<MeshPiece> pieces;                     // largest first
  Eigen::Vector3d extent = Eigen::Vector3d::Zero();  // m
  base::Diagnostics messages;
};

// Errors: inverted, flat and tangled elements, elements that use a node twice.
// Warnings: corners turned inside out, distorted, slender and warped elements, several pieces, nodes without element,
// repeated elements, coincident nodes that are not merged, a size that suggests a wrong unit.
QualityReport checkQuality(const Mesh& mesh);

// The failure for a part that must be one piece; none if it is.
std::optional<base::Failure> findFloatingPieces(const Mesh& mesh, const QualityReport& report);

// "element 12 (tet4, set 'STEEL')"
std::string describeElement(const Mesh& mesh, int element);

}  // namespace flexloop::fem
