#include "support/structured_mesh.hpp"

#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

namespace flexloop::test {
namespace {

using Eigen::Vector3d;
using fem::ElementShape;
using fem::Mesh;
using Lattice = std::array<int, 3>;  // in half cells

constexpr Lattice kCorners[8] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0},
                                 {0, 0, 2}, {2, 0, 2}, {2, 2, 2}, {0, 2, 2}};
constexpr Lattice kCentre = {1, 1, 1};

// Elements of a cell, by their corners.
std::vector<std::vector<Lattice>> cutCell(ElementShape shape) {
  const auto pick = [](std::initializer_list<int> numbers) {
    std::vector<Lattice> corners;
    for (const int i : numbers) corners.push_back(i < 8 ? kCorners[i] : kCentre);
    return corners;
  };
  switch (shape) {
    case ElementShape::kHex8:
    case ElementShape::kHex20:
      return {pick({0, 1, 2, 3, 4, 5, 6, 7})};
    case ElementShape::kWedge6:
    case ElementShape::kWedge15:
      return {pick({0, 1, 2, 4, 5, 6}), pick({0, 2, 3, 4, 6, 7})};
    case ElementShape::kTet4:
    case ElementShape::kTet10:  // about the diagonal 0-6, the same in every cell
      return {pick({0, 1, 2, 6}), pick({0, 2, 3, 6}), pick({0, 3, 7, 6}),
              pick({0, 7, 4, 6}), pick({0, 4, 5, 6}), pick({0, 5, 1, 6})};
    case ElementShape::kPyramid5:
      return {pick({0, 1, 2, 3, 8}), pick({4, 7, 6, 5, 8}), pick({0, 4, 5, 1, 8}),
              pick({1, 5, 6, 2, 8}), pick({2, 6, 7, 3, 8}), pick({3, 7, 4, 0, 8})};
    default:
      throw std::invalid_argument("not a solid");
  }
}

// Corners at the ends of the edges that have a node.
std::vector<std::array<int, 2>> edgesOf(ElementShape shape) {
  switch (shape) {
    case ElementShape::kHex20:
      return {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
              {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    case ElementShape::kWedge15:
      return {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}};
    case ElementShape::kTet10:
      return {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    default:
      return {};
  }
}

class BoxMaker {
 public:
  BoxMaker(ElementShape shape, Lattice cells, const PointMap& map)
      : shape_(shape), cells_(cells), map_(map) {}

  void addCell(Lattice cell) {
    for (std::vector<Lattice> nodes : cutCell(shape_)) {
      for (const auto& [a, b] : edgesOf(shape_)) {
        Lattice middle;
        for (int k = 0; k < 3; ++k) middle[k] = (nodes[a][k] + nodes[b][k]) / 2;
        nodes.push_back(middle);
      }
      fem::MeshElement element;
      element.shape = shape_;
      element.firstNode = static_cast<int>(mesh.elementNodes.size());
      element.property = 0;
      element.id = static_cast<std::int64_t>(mesh.elements.size()) + 1;
      mesh.elements.push_back(element);
      for (const Lattice& node : nodes) {
        mesh.elementNodes.push_back(
            findNode({2 * cell[0] + node[0], 2 * cell[1] + node[1], 2 * cell[2] + node[2]}));
      }
    }
  }

  Mesh mesh;

 private:
  int findNode(Lattice place) {
    const auto [entry, isNew] = nodes_.try_emplace(place, static_cast<int>(mesh.points.size()));
    if (isNew) {
      Vector3d point;
      for (int k = 0; k < 3; ++k) point[k] = place[k] / (2.0 * cells_[k]);
      mesh.points.push_back(map_ ? map_(point) : point);
      mesh.nodeIds.push_back(static_cast<std::int64_t>(mesh.points.size()));
    }
    return entry->second;
  }

  ElementShape shape_;
  Lattice cells_;
  const PointMap& map_;
  std::map<Lattice, int> nodes_;
};

void addProperty(Mesh& mesh, const fem::MeshMaterial& material) {
  mesh.file = "made.inp";
  mesh.materials.push_back(material);
  fem::Property property;
  property.name = "all";
  property.material = 0;
  mesh.properties.push_back(property);
}

}  // namespace

Mesh makeBox(ElementShape shape, int nx, int ny, int nz, const fem::MeshMaterial& material,
             const PointMap& map) {
  BoxMaker maker(shape, {nx, ny, nz}, map);
  addProperty(maker.mesh, material);
  for (int i = 0; i < nx; ++i) {
    for (int j = 0; j < ny; ++j) {
      for (int k = 0; k < nz; ++k) maker.addCell({i, j, k});
    }
  }
  return std::move(maker.mesh);
}

void straightenEdges(Mesh& mesh) {
  for (const fem::MeshElement& element : mesh.elements) {
    const int* nodes = mesh.nodesOf(element);
    const auto edges = edgesOf(element.shape);
    const int corners = fem::nodeCount(element.shape) - static_cast<int>(edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i) {
      mesh.points[nodes[corners + i]] =
          0.5 * (mesh.points[nodes[edges[i][0]]] + mesh.points[nodes[edges[i][1]]]);
    }
  }
}

Mesh makeBeams(const std::vector<Vector3d>& points, const fem::MeshMaterial& material,
               const fem::BeamSection& section) {
  Mesh mesh;
  addProperty(mesh, material);
  mesh.properties[0].beam = section;
  mesh.points = points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    mesh.nodeIds.push_back(static_cast<std::int64_t>(i) + 1);
    if (i == 0) continue;
    fem::MeshElement element;
    element.shape = ElementShape::kBeam2;
    element.firstNode = static_cast<int>(mesh.elementNodes.size());
    element.property = 0;
    element.id = static_cast<std::int64_t>(i);
    mesh.elements.push_back(element);
    mesh.elementNodes.push_back(static_cast<int>(i) - 1);
    mesh.elementNodes.push_back(static_cast<int>(i));
  }
  return mesh;
}

fem::BeamSection makeRectangle(double y, double z, double shearFactor) {
  fem::BeamSection section;
  section.A = y * z;
  section.Iy = y * z * z * z / 12.0;
  section.Iz = z * y * y * y / 12.0;
  // Saint-Venant's series for the longer and the shorter side.
  const double a = std::max(y, z), b = std::min(y, z);
  double sum = 0.0;
  for (int n = 1; n < 40; n += 2) {
    sum += std::tanh(n * M_PI * a / (2.0 * b)) / std::pow(n, 5);
  }
  section.J = a * b * b * b / 3.0 * (1.0 - 192.0 * b / (std::pow(M_PI, 5) * a) * sum);
  section.shearY = section.shearZ = shearFactor;
  return section;
}

std::vector<int> findNodes(const Mesh& mesh,
                           const std::function<bool(const Vector3d&)>& condition) {
  std::vector<int> nodes;
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    if (condition(mesh.points[i])) nodes.push_back(static_cast<int>(i));
  }
  return nodes;
}

}  // namespace flexloop::test
