#include "fem/mesh/surface.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>

namespace flexloop::fem {
namespace {

// A face by its corners, anticlockwise seen from outside; -1 fills up triangles.
using Face = std::array<int, 4>;

constexpr std::array<Face, 4> kTetFaces{
    {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}}};
constexpr std::array<Face, 5> kPyramidFaces{
    {{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}}};
constexpr std::array<Face, 5> kWedgeFaces{
    {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}};
constexpr std::array<Face, 6> kHexFaces{
    {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};
constexpr std::array<Face, 1> kTriangle{{{0, 1, 2, -1}}};
constexpr std::array<Face, 1> kQuadrilateral{{{0, 1, 2, 3}}};

std::span<const Face> facesOf(ElementShape shape) {
  switch (shape) {
    case ElementShape::kTet4:
    case ElementShape::kTet10:
      return kTetFaces;
    case ElementShape::kPyramid5:
      return kPyramidFaces;
    case ElementShape::kWedge6:
    case ElementShape::kWedge15:
      return kWedgeFaces;
    case ElementShape::kHex8:
    case ElementShape::kHex20:
      return kHexFaces;
    case ElementShape::kTri3:
    case ElementShape::kTri6:
      return kTriangle;
    case ElementShape::kQuad4:
    case ElementShape::kQuad8:
      return kQuadrilateral;
    case ElementShape::kBeam2:
      return {};
  }
  return {};
}

struct SolidFace {
  Face sorted;
  Face nodes;

  bool operator<(const SolidFace& other) const { return sorted < other.sorted; }
};

void addFace(const Face& face, SurfaceMesh& surface) {
  const int corners = face[3] < 0 ? 3 : 4;
  surface.triangles.push_back({face[0], face[1], face[2]});
  if (corners == 4) surface.triangles.push_back({face[0], face[2], face[3]});
  for (int i = 0; i < corners; ++i) {
    const int a = face[i], b = face[(i + 1) % corners];
    surface.edges.push_back({std::min(a, b), std::max(a, b)});
  }
}

template <class T>
void sortOnce(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// Nodes by cell of a grid.
using Cell = std::array<std::int64_t, 3>;
using Cells = std::map<Cell, std::vector<int>>;

Cells sortIntoCells(const std::vector<int>& nodes, const Mesh& mesh, double size) {
  Cells cells;
  for (const int node : nodes) {
    Cell cell;
    for (int a = 0; a < 3; ++a) {
      cell[a] = static_cast<std::int64_t>(std::floor(mesh.points[node][a] / size));
    }
    cells[cell].push_back(node);
  }
  return cells;
}

int findMiddle(const std::vector<int>& nodes, const Mesh& mesh) {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const int node : nodes) mean += mesh.points[node] / static_cast<double>(nodes.size());
  return *std::min_element(nodes.begin(), nodes.end(), [&](int a, int b) {
    return (mesh.points[a] - mean).squaredNorm() < (mesh.points[b] - mean).squaredNorm();
  });
}

}  // namespace

SurfaceMesh thinOut(SurfaceMesh surface, const Mesh& mesh, std::size_t most) {
  if (surface.nodes.size() <= most) return surface;
  Eigen::Vector3d low = mesh.points[surface.nodes.front()], high = low;
  for (const int node : surface.nodes) {
    low = low.cwiseMin(mesh.points[node]);
    high = high.cwiseMax(mesh.points[node]);
  }
  // Cells of a surface are about as many as its area over theirs.
  constexpr double kGrowth = 1.1;
  const double diagonal = (high - low).norm();
  double size = diagonal / std::sqrt(static_cast<double>(std::max<std::size_t>(1, most)));
  Cells cells = sortIntoCells(surface.nodes, mesh, size);
  while (cells.size() > std::max<std::size_t>(8, most) && size < 2.0 * diagonal) {
    size *= kGrowth;
    cells = sortIntoCells(surface.nodes, mesh, size);
  }
  SurfaceMesh thin;
  std::vector<int> drawnAs(mesh.points.size(), -1);
  for (const auto& [cell, nodes] : cells) {
    const int middle = findMiddle(nodes, mesh);
    for (const int node : nodes) drawnAs[node] = middle;
  }
  for (std::array<int, 3> t : surface.triangles) {
    for (int& node : t) node = drawnAs[node];
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
    thin.triangles.push_back(t);
    thin.nodes.insert(thin.nodes.end(), t.begin(), t.end());
  }
  sortOnce(thin.triangles);
  sortOnce(thin.nodes);
  return thin;
}

SurfaceMesh makeSurface(const Mesh& mesh) {
  SurfaceMesh surface;
  std::vector<SolidFace> faces;
  for (const MeshElement& element : mesh.elements) {
    const int* nodes = mesh.nodesOf(element);
    if (element.shape == ElementShape::kBeam2) {
      surface.edges.push_back({std::min(nodes[0], nodes[1]), std::max(nodes[0], nodes[1])});
    }
    for (const Face& local : facesOf(element.shape)) {
      Face face;
      for (int i = 0; i < 4; ++i) face[i] = local[i] < 0 ? -1 : nodes[local[i]];
      if (isShell(element.shape)) {
        addFace(face, surface);
      } else {
        SolidFace solid{face, face};
        std::sort(solid.sorted.begin(), solid.sorted.end());
        faces.push_back(solid);
      }
    }
  }
  std::sort(faces.begin(), faces.end());
  for (std::size_t i = 0; i < faces.size();) {
    std::size_t next = i + 1;
    while (next < faces.size() && faces[next].sorted == faces[i].sorted) ++next;
    if (next == i + 1) addFace(faces[i].nodes, surface);
    i = next;
  }
  sortOnce(surface.edges);
  for (const auto& triangle : surface.triangles) {
    surface.nodes.insert(surface.nodes.end(), triangle.begin(), triangle.end());
  }
  for (const auto& edge : surface.edges) {
    surface.nodes.insert(surface.nodes.end(), edge.begin(), edge.end());
  }
  sortOnce(surface.nodes);
  return surface;
}

}  // namespace flexloop::fem
