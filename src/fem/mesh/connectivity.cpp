#include "fem/mesh/connectivity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "base/disjoint_sets.hpp"

namespace flexloop::fem {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15U + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccdU;
  return hash ^ (hash >> 32);
}

std::vector<char> markElementNodes(const Mesh& mesh) {
  std::vector<char> isUsed(mesh.points.size(), 0);
  for (const MeshElement& element : mesh.elements) {
    const int* nodes = mesh.nodesOf(element);
    for (int i = 0; i < nodeCount(element.shape); ++i) isUsed[nodes[i]] = 1;
  }
  return isUsed;
}

template <class Visit>
void visitConstrained(const Mesh& mesh, const Visit& visit) {
  for (const Spider& spider : mesh.spiders) {
    visit(spider.reference);
    for (const int node : spider.nodes) visit(node);
  }
  for (const Equation& equation : mesh.equations) {
    for (const Equation::Term& term : equation.terms) visit(term.node);
  }
}

}  // namespace

std::vector<int> findPieces(const Mesh& mesh) {
  base::DisjointSets sets(static_cast<int>(mesh.points.size()));
  for (const MeshElement& element : mesh.elements) {
    const int* nodes = mesh.nodesOf(element);
    for (int i = 1; i < nodeCount(element.shape); ++i) sets.join(nodes[0], nodes[i]);
  }
  for (const Spider& spider : mesh.spiders) {
    for (const int node : spider.nodes) sets.join(spider.reference, node);
  }
  for (const Equation& equation : mesh.equations) {
    for (const Equation::Term& term : equation.terms)
      sets.join(equation.terms.front().node, term.node);
  }
  std::vector<int> pieceOf(mesh.elements.size()), numberOf(mesh.points.size(), -1);
  int count = 0;
  for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
    int& number = numberOf[sets.findRoot(mesh.nodesOf(mesh.elements[e])[0])];
    if (number < 0) number = count++;
    pieceOf[e] = number;
  }
  return pieceOf;
}

std::vector<int> findUnusedNodes(const Mesh& mesh) {
  std::vector<char> isUsed = markElementNodes(mesh);
  visitConstrained(mesh, [&](int node) { isUsed[node] = 1; });
  for (const PointMass& mass : mesh.masses) isUsed[mass.node] = 1;
  std::vector<int> unused;
  for (std::size_t i = 0; i < isUsed.size(); ++i) {
    if (isUsed[i] == 0) unused.push_back(static_cast<int>(i));
  }
  return unused;
}

std::vector<std::pair<int, int>> findRepeatedElements(const Mesh& mesh) {
  const auto sortedNodes = [&](int e, std::array<int, 20>& nodes) {
    const MeshElement& element = mesh.elements[e];
    const int count = nodeCount(element.shape);
    std::copy_n(mesh.nodesOf(element), count, nodes.begin());
    std::sort(nodes.begin(), nodes.begin() + count);
    return count;
  };
  std::vector<std::pair<std::uint64_t, int>> hashes(mesh.elements.size());
  std::array<int, 20> nodes{}, others{};
  for (std::size_t e = 0; e < hashes.size(); ++e) {
    const int count = sortedNodes(static_cast<int>(e), nodes);
    std::uint64_t hash = static_cast<std::uint64_t>(mesh.elements[e].shape);
    for (int i = 0; i < count; ++i) hash = mix(hash, static_cast<std::uint64_t>(nodes[i]));
    hashes[e] = {hash, static_cast<int>(e)};
  }
  std::sort(hashes.begin(), hashes.end());
  std::vector<std::pair<int, int>> repeated;
  for (std::size_t i = 0, first = 0; i < hashes.size(); ++i) {
    if (hashes[i].first != hashes[first].first) first = i;
    if (i == first) continue;
    const int a = hashes[first].second, b = hashes[i].second;
    if (mesh.elements[a].shape != mesh.elements[b].shape) continue;
    const int count = sortedNodes(a, nodes);
    sortedNodes(b, others);
    if (std::equal(nodes.begin(), nodes.begin() + count, others.begin()))
      repeated.emplace_back(a, b);
  }
  std::sort(repeated.begin(), repeated.end(),
            [](const auto& x, const auto& y) { return x.second < y.second; });
  return repeated;
}

// Nodes are put into cells a thousand times as wide as the tolerance, so that almost always one cell is looked at.
std::vector<std::pair<int, int>> findCoincidentNodes(const Mesh& mesh) {
  std::vector<char> isUsed = markElementNodes(mesh);
  visitConstrained(mesh, [&](int node) { isUsed[node] = 0; });
  const double extent = calcExtent(mesh).maxCoeff();
  std::vector<std::pair<int, int>> pairs;
  if (!(extent > 0.0)) return pairs;
  const double tolerance = 1e-6 * extent, cell = 1e3 * tolerance;
  // Not at round numbers, where the nodes of a regular mesh are.
  const Eigen::Vector3d shift(0.1234567, 0.3141593, 0.2718282);
  const auto cellOf = [&](const Eigen::Vector3d& point) -> std::array<std::int64_t, 3> {
    const Eigen::Vector3d at = (point / cell + shift).array().floor();
    return {static_cast<std::int64_t>(at[0]), static_cast<std::int64_t>(at[1]),
            static_cast<std::int64_t>(at[2])};
  };
  const auto hashOf = [](const std::array<std::int64_t, 3>& at) {
    std::uint64_t hash = 0;
    for (const std::int64_t index : at) hash = mix(hash, static_cast<std::uint64_t>(index));
    return hash;
  };
  std::vector<int> nextInCell(mesh.points.size(), -1);
  std::unordered_map<std::uint64_t, int> lastInCell;
  lastInCell.reserve(mesh.points.size());
  for (int node = 0; node < static_cast<int>(mesh.points.size()); ++node) {
    if (isUsed[node] == 0) continue;
    const Eigen::Vector3d& point = mesh.points[node];
    const auto low = cellOf(point.array() - tolerance), high = cellOf(point.array() + tolerance);
    bool isFound = false;
    for (std::int64_t x = low[0]; x <= high[0] && !isFound; ++x) {
      for (std::int64_t y = low[1]; y <= high[1] && !isFound; ++y) {
        for (std::int64_t z = low[2]; z <= high[2] && !isFound; ++z) {
          const auto last = lastInCell.find(hashOf({x, y, z}));
          int other = last == lastInCell.end() ? -1 : last->second;
          constexpr int kMostInCell =
              64;  // of a mesh that is finer than the tolerance, only some are compared
          for (int k = 0; other >= 0 && k < kMostInCell; other = nextInCell[other], ++k) {
            if ((mesh.points[other] - point).norm() > tolerance) continue;
            pairs.emplace_back(other, node);
            isFound = true;
            break;
          }
        }
      }
    }
    int& last = lastInCell.try_emplace(hashOf(cellOf(point)), -1).first->second;
    nextInCell[node] = last;
    last = node;
  }
  return pairs;
}

}  // namespace flexloop::fem
