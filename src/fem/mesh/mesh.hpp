// A finite-element mesh as it was read, whatever the format of its file. Lengths, masses and moduli are in SI units: the
// readers convert them. Nodes and elements are numbered from 0 in the order of the file; `id` is the number that the file
// gives them, for messages.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "base/result.hpp"

namespace flexloop::fem {

// The order of the nodes of each shape is that of Abaqus and CalculiX: corners first, then the middles of the edges.
//   hex20:   corners 1-4 below and 5-8 above; edges of the lower face, of the upper face, then the upright ones
//   wedge15: corners 1-3 below and 4-6 above; edges in the same order
//   tet10:   edges 12 23 31 14 24 34
//   tri6, quad8: edges in the order of the corners
enum class ElementShape : std::uint8_t {
  kBeam2,
  kTri3,
  kTri6,
  kQuad4,
  kQuad8,
  kTet4,
  kTet10,
  kPyramid5,
  kWedge6,
  kWedge15,
  kHex8,
  kHex20,
};

inline constexpr int kElementShapes = 12;

int nodeCount(ElementShape shape);
int cornerCount(ElementShape shape);
std::string nameOf(ElementShape shape);  // as in messages and reports: hex20
bool isSolid(ElementShape shape);
bool isShell(ElementShape shape);

struct MeshMaterial {
  std::string name;
  double E = 0.0;  // Pa
  double nu = 0.0;
  double rho = 0.0;        // kg/m³
  double expansion = 0.0;  // 1/K
  int line = 0;            // of the file; 0: not from the file
};

// Cross-section of a 2-node beam in its own axes: x along the beam, y and z as `yAxis` says.
struct BeamSection {
  double A = 0.0, Iy = 0.0, Iz = 0.0, Iyz = 0.0, J = 0.0;  // m², m⁴; Iy = ∫z² dA
  double shearY = 0.0, shearZ = 0.0;                       // shear factors; 0: no shear strain
};

// What elements are made of; each element refers to one. Several may share a name: elements of one group with different
// offsets or thickness.
struct Property {
  std::string name;          // of the set, group or number that it was given for
  int material = -1;         // index into Mesh::materials; -1: not given
  double thickness = 0.0;    // of shells, m; 0: not given
  double offset = 0.0;       // of the middle surface from the nodes along the normal, m
  double massPerArea = 0.0;  // beside that of the material, kg/m²
  std::optional<BeamSection> beam;
  int line = 0;
};

struct MeshElement {
  ElementShape shape = ElementShape::kTet4;
  int firstNode = 0;  // index into Mesh::elementNodes
  int property = -1;  // index into Mesh::properties; -1: none
  std::int64_t id = 0;
  int line = 0;  // of the file; 0 in binary files
  std::array<float, 3>
      yAxis{};  // of beams: any vector in the plane of x and +y, mesh axes; zero: not given
};

// A mass at a node, with an offset where the file gives one. The tensor is about its centre of mass, mesh axes.
struct PointMass {
  int node = 0;
  double mass = 0.0;
  Eigen::Vector3d offset = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
};

// Connects a reference node with others (RBE2, RBE3, *RIGID BODY, *COUPLING).
//   rigid:    the listed components (bits 0-5: x y z rx ry rz) of `nodes` follow the reference node as one rigid body
//   averaging: the reference node follows the weighted mean of the others, which stay free to deform
struct Spider {
  enum class Kind { kRigid, kAveraging };
  Kind kind = Kind::kRigid;
  int reference = 0;
  std::vector<int> nodes;
  std::vector<double> weights;  // of an averaging spider; one per node
  unsigned components = 0x3f;   // of `nodes`
  unsigned referenceComponents = 0x3f;
  int line = 0;
};

// Σ factor · u(node, component) = 0; the first term is the one that is eliminated.
struct Equation {
  struct Term {
    int node = 0;
    int component = 0;  // 0-5: x y z rx ry rz
    double factor = 0.0;
  };
  std::vector<Term> terms;
  int line = 0;
};

struct Mesh {
  std::string file;
  std::vector<Eigen::Vector3d> points;  // by node, mesh axes, m
  std::vector<std::int64_t> nodeIds;
  std::vector<MeshElement> elements;
  std::vector<int> elementNodes;
  std::vector<MeshMaterial> materials;
  std::vector<Property> properties;
  // Names as in the file; readers of formats without names use the number.
  std::map<std::string, std::vector<int>> nodeSets;     // sorted, each node once
  std::map<std::string, std::vector<int>> elementSets;  // likewise
  std::vector<PointMass> masses;
  std::vector<Spider> spiders;
  std::vector<Equation> equations;

  const int* nodesOf(const MeshElement& element) const {
    return elementNodes.data() + element.firstNode;
  }
};

// The nodes of the node set with this name or else of all elements of the element set, sorted; a name that differs in
// upper and lower case only counts where nothing else matches. Fails if there is none and suggests the nearest name.
base::Result<std::vector<int>> findSetNodes(const Mesh& mesh, const std::string& name);

// The nodes of these elements, sorted, each once.
std::vector<int> collectNodes(const Mesh& mesh, const std::vector<int>& elements);

// Extent of all nodes that elements use along x, y and z, m; zero without elements.
Eigen::Vector3d calcExtent(const Mesh& mesh);

}  // namespace flexloop::fem
