#include "fem/assembly/element_scatter.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "fem/elements/element_matrices.hpp"

namespace flexloop::fem {
namespace {

void sortUnique(std::vector<int>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

// The order that sorts the groups of an element's nodes; false if two are the same or one is missing.
bool sortGroups(const int* groups, int count, std::array<int, 20>& order) {
  std::iota(order.begin(), order.begin() + count, 0);
  std::sort(order.begin(), order.begin() + count,
            [&](int a, int b) { return groups[a] < groups[b]; });
  if (groups[order[0]] < 0) return false;
  for (int i = 1; i < count; ++i) {
    if (groups[order[i]] == groups[order[i - 1]]) return false;
  }
  return true;
}

void addGroups(const FreedomMap& map, const int* nodes, int count, int perNode,
               std::vector<int>& groups) {
  for (int i = 0; i < count; ++i) {
    if (map.isDirect[nodes[i]] != 0) {
      groups.push_back(map.groupOf[nodes[i]]);
      continue;
    }
    for (int k = 0; k < perNode; ++k) {
      const int freedom = 6 * nodes[i] + k;
      if (map.dependence.isIndependent(freedom)) {
        if (map.unknownOf[freedom] >= 0) groups.push_back(map.groupOf[nodes[i]]);
        continue;
      }
      for (const FreedomTerm& term : map.dependence.rows[map.dependence.rowOf[freedom]]) {
        if (map.unknownOf[term.freedom] >= 0) groups.push_back(map.groupOf[term.freedom / 6]);
      }
    }
  }
  std::erase(groups, -1);
  sortUnique(groups);
}

// Rows of T for the freedoms of an element; columns are all unknowns of its groups.
void makeLocalT(const FreedomMap& map, const int* nodes, int count, int perNode,
                ElementPlaces& places) {
  places.members.clear();
  addGroups(map, nodes, count, perNode, places.members);
  places.indices.assign(6 * places.members.size(), -1);
  int columns = 0;
  for (std::size_t j = 0; j < places.members.size(); ++j) {
    for (int i = 0; i < map.groups.size[places.members[j]]; ++i) {
      places.indices[6 * j + i] = columns++;
    }
  }
  places.T.setZero(count * perNode, columns);
  const auto set = [&](int row, int freedom, double factor) {
    const int unknown = map.unknownOf[freedom];
    if (unknown < 0) return;
    const int group = map.groupOf[freedom / 6];
    const auto j = std::lower_bound(places.members.begin(), places.members.end(), group) -
                   places.members.begin();
    places.T(row, places.indices[6 * j + unknown - map.groups.first[group]]) += factor;
  };
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < perNode; ++k) {
      const int freedom = 6 * nodes[i] + k;
      if (map.dependence.isIndependent(freedom)) {
        set(i * perNode + k, freedom, 1.0);
        continue;
      }
      for (const FreedomTerm& term : map.dependence.rows[map.dependence.rowOf[freedom]]) {
        set(i * perNode + k, term.freedom, term.factor);
      }
    }
  }
}

}  // namespace

const Eigen::MatrixXd& ElementPlaces::project(const Eigen::MatrixXd& A,
                                              Eigen::MatrixXd& buffer) const {
  if (T.rows() == 0) return A;
  buffer.noalias() = T.transpose() * (A * T);
  return buffer;
}

void findUnknownPlaces(const FreedomMap& map, const int* nodes, int count, int perNode,
                       ElementPlaces& places) {
  std::array<int, 20> groups, order;
  bool isDirect = true;
  for (int i = 0; i < count; ++i) {
    groups[i] = map.groupOf[nodes[i]];
    isDirect = isDirect && map.isDirect[nodes[i]] != 0;
  }
  if (!isDirect || !sortGroups(groups.data(), count, order)) {
    makeLocalT(map, nodes, count, perNode, places);
    return;
  }
  places.T.resize(0, 0);
  places.members.resize(count);
  places.indices.assign(6 * static_cast<std::size_t>(count), -1);
  for (int j = 0; j < count; ++j) {
    const int node = order[j], group = groups[node];
    places.members[j] = group;
    for (int k = 0; k < perNode; ++k) {
      const int unknown = map.unknownOf[6 * nodes[node] + k];
      if (unknown < 0) continue;
      places.indices[6 * j + unknown - map.groups.first[group]] = perNode * node + k;
    }
  }
}

void findNodalPlaces(const RowGroups& groups, const int* nodes, int count, int perNode,
                     ElementPlaces& places) {
  std::array<int, 20> order;
  if (sortGroups(nodes, count, order)) {
    places.T.resize(0, 0);
    places.members.resize(count);
    places.indices.assign(6 * static_cast<std::size_t>(count), -1);
    for (int j = 0; j < count; ++j) {
      places.members[j] = nodes[order[j]];
      for (int k = 0; k < perNode; ++k) places.indices[6 * j + k] = perNode * order[j] + k;
    }
    return;
  }
  places.members.assign(nodes, nodes + count);
  sortUnique(places.members);
  const auto members = static_cast<int>(places.members.size());
  places.indices.assign(6 * places.members.size(), -1);
  places.T.setZero(count * perNode, members * perNode);
  for (int j = 0; j < members; ++j) {
    for (int k = 0; k < std::min(perNode, groups.size[places.members[j]]); ++k) {
      places.indices[6 * j + k] = perNode * j + k;
    }
  }
  for (int i = 0; i < count; ++i) {
    const auto j = std::lower_bound(places.members.begin(), places.members.end(), nodes[i]) -
                   places.members.begin();
    for (int k = 0; k < perNode; ++k) places.T(perNode * i + k, perNode * j + k) = 1.0;
  }
}

Lists findElementGroups(const Mesh& mesh, const FreedomMap& map) {
  Lists result;
  result.first.reserve(mesh.elements.size() + 1);
  result.items.reserve(mesh.elementNodes.size());
  std::vector<int> groups;
  for (const MeshElement& element : mesh.elements) {
    groups.clear();
    addGroups(map, mesh.nodesOf(element), nodeCount(element.shape), freedomsPerNode(element.shape),
              groups);
    result.items.insert(result.items.end(), groups.begin(), groups.end());
    result.close();
  }
  for (const PointMass& mass : mesh.masses) {
    groups.clear();
    addGroups(map, &mass.node, 1, 6, groups);
    result.items.insert(result.items.end(), groups.begin(), groups.end());
    result.close();
  }
  return result;
}

}  // namespace flexloop::fem
