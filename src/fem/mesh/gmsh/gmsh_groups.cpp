#include "fem/mesh/gmsh/gmsh_groups.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace flexloop::fem {
namespace {

constexpr const char* kDimensions[] = {"point", "curve", "surface", "volume"};

std::string nameOf(const GmshGroups::Key& key, const GmshGroups& groups) {
  const auto named = groups.names.find(key);
  if (named != groups.names.end()) return named->second;
  // A number may identify one group of each dimension.
  const auto isSame = [&](const auto& other) {
    return other.first.second == key.second && !groups.names.contains(other.first);
  };
  const std::string number = std::to_string(key.second);
  if (std::count_if(groups.members.begin(), groups.members.end(), isSame) == 1) return number;
  return std::string(kDimensions[key.first]) + " " + number;
}

}  // namespace

void mergeRepeatedElements(GmshGroups& groups, Mesh& mesh) {
  std::array<int, 4> groupsIn{};  // by dimension; elements of a single group are not repeated
  for (const auto& group : groups.members) ++groupsIn[group.first.first];
  if (*std::max_element(groupsIn.begin() + 1, groupsIn.end()) < 2) return;
  const auto nodesOf = [&](int element) {
    const MeshElement& e = mesh.elements[element];
    return std::span<const int>(mesh.nodesOf(e), nodeCount(e.shape));
  };
  std::vector<int> order, firstOf(mesh.elements.size());  // firstOf: of those with the same nodes
  std::iota(firstOf.begin(), firstOf.end(), 0);
  for (const int element : firstOf) {
    const ElementShape shape = mesh.elements[element].shape;
    if (groupsIn[isSolid(shape) ? 3 : isShell(shape) ? 2 : 1] > 1) order.push_back(element);
  }
  const auto compare = [&](int first, int second) {
    const std::span<const int> a = nodesOf(first), b = nodesOf(second);
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    if (mesh.elements[first].shape != mesh.elements[second].shape) {
      return mesh.elements[first].shape < mesh.elements[second].shape ? -1 : 1;
    }
    const auto different = std::mismatch(a.begin(), a.end(), b.begin());
    return different.first == a.end() ? 0 : *different.first < *different.second ? -1 : 1;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int first, int second) { return compare(first, second) < 0; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (compare(order[i - 1], order[i]) == 0) firstOf[order[i]] = firstOf[order[i - 1]];
  }
  std::vector<int> indexOf(mesh.elements.size());
  int count = 0;
  for (std::size_t i = 0; i < mesh.elements.size(); ++i) {
    const bool isFirst = firstOf[i] == static_cast<int>(i);
    indexOf[i] = isFirst ? count : indexOf[firstOf[i]];
    if (isFirst) mesh.elements[count++] = mesh.elements[i];
  }
  mesh.elements.resize(count);
  for (auto& [key, group] : groups.members) {
    for (int& element : group.elements) element = indexOf[element];
    std::sort(group.elements.begin(), group.elements.end());
    group.elements.erase(std::unique(group.elements.begin(), group.elements.end()),
                         group.elements.end());
  }
}

void makeGmshSets(const GmshGroups& groups, MeshBuilder& builder) {
  Mesh& mesh = builder.mesh();
  for (const auto& [key, group] : groups.members) {
    const std::string name = nameOf(key, groups);
    IdSet others{name, {}};
    for (const std::int64_t id : group.nodes) others.ranges.push_back({id, id, 1, {}});
    std::optional<std::vector<int>> nodes = builder.resolveNodes(others);
    if (!nodes) return;
    const std::vector<int> inside = collectNodes(mesh, group.elements);
    std::vector<int>& set = mesh.nodeSets[name];  // groups of several dimensions may share a name
    for (const std::vector<int>& added : {*nodes, inside}) {
      std::vector<int> joined;
      std::set_union(set.begin(), set.end(), added.begin(), added.end(),
                     std::back_inserter(joined));
      set = std::move(joined);
    }
    if (group.elements.empty()) continue;
    Property property;
    property.name = name;
    const int index = static_cast<int>(mesh.properties.size());
    mesh.properties.push_back(property);
    std::vector<int>& elements = mesh.elementSets[name];
    elements.insert(elements.end(), group.elements.begin(), group.elements.end());
    std::sort(elements.begin(), elements.end());
    for (const int element : group.elements) {
      if (mesh.elements[element].property < 0) mesh.elements[element].property = index;
    }
  }
}

}  // namespace flexloop::fem
