#include "fem/mesh/mesh.hpp"

#include <algorithm>
#include <cctype>

#include "base/nearest_word.hpp"

namespace flexloop::fem {
namespace {

struct ShapeFacts {
  const char* name;
  int nodes, corners, dimension;
};

constexpr ShapeFacts kFacts[kElementShapes] = {
    {"beam2", 2, 2, 1},  {"tri3", 3, 3, 2},     {"tri6", 6, 3, 2},   {"quad4", 4, 4, 2},
    {"quad8", 8, 4, 2},  {"tet4", 4, 4, 3},     {"tet10", 10, 4, 3}, {"pyramid5", 5, 5, 3},
    {"wedge6", 6, 6, 3}, {"wedge15", 15, 6, 3}, {"hex8", 8, 8, 3},   {"hex20", 20, 8, 3},
};

const ShapeFacts& factsOf(ElementShape shape) {
  return kFacts[static_cast<int>(shape)];
}

bool isSameWord(const std::string& first, const std::string& second) {
  return std::equal(first.begin(), first.end(), second.begin(), second.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  });
}

template <class Sets>
typename Sets::const_iterator findSet(const Sets& sets, const std::string& name, bool exactly) {
  if (exactly) return sets.find(name);
  return std::find_if(sets.begin(), sets.end(),
                      [&](const auto& set) { return isSameWord(set.first, name); });
}

}  // namespace

int nodeCount(ElementShape shape) {
  return factsOf(shape).nodes;
}
int cornerCount(ElementShape shape) {
  return factsOf(shape).corners;
}
std::string nameOf(ElementShape shape) {
  return factsOf(shape).name;
}
bool isSolid(ElementShape shape) {
  return factsOf(shape).dimension == 3;
}
bool isShell(ElementShape shape) {
  return factsOf(shape).dimension == 2;
}

std::vector<int> collectNodes(const Mesh& mesh, const std::vector<int>& elements) {
  std::vector<int> nodes;
  for (const int element : elements) {
    const int* first = mesh.nodesOf(mesh.elements[element]);
    nodes.insert(nodes.end(), first, first + nodeCount(mesh.elements[element].shape));
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

base::Result<std::vector<int>> findSetNodes(const Mesh& mesh, const std::string& name) {
  for (const bool exactly : {true, false}) {
    const auto nodes = findSet(mesh.nodeSets, name, exactly);
    if (nodes != mesh.nodeSets.end()) return nodes->second;
    const auto elements = findSet(mesh.elementSets, name, exactly);
    if (elements != mesh.elementSets.end()) return collectNodes(mesh, elements->second);
  }
  std::vector<std::string> names;
  for (const auto& set : mesh.nodeSets) names.push_back(set.first);
  for (const auto& set : mesh.elementSets) names.push_back(set.first);
  std::string hint = "the mesh has no sets";
  if (const auto nearest = base::findNearestWord(name, names)) {
    hint = "did you mean '" + *nearest + "'?";
  } else if (!names.empty()) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    hint = "its sets are";
    constexpr std::size_t kMost = 12;
    for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
      hint += (i == 0 ? " '" : ", '") + names[i] + "'";
    }
    if (names.size() > kMost) hint += " and " + std::to_string(names.size() - kMost) + " more";
  }
  return base::Failure{mesh.file + ": there is no set or group '" + name + "'", hint};
}

Eigen::Vector3d calcExtent(const Mesh& mesh) {
  if (mesh.elementNodes.empty()) return Eigen::Vector3d::Zero();
  Eigen::Vector3d low = mesh.points[mesh.elementNodes.front()], high = low;
  for (const int node : mesh.elementNodes) {
    low = low.cwiseMin(mesh.points[node]);
    high = high.cwiseMax(mesh.points[node]);
  }
  return high - low;
}

}  // namespace flexloop::fem
