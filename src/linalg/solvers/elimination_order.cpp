#include "linalg/solvers/elimination_order.hpp"

#include <algorithm>
#include <numeric>

#include <amd.h>

namespace flexloop::linalg {
namespace {

// The neighbours of every group, symmetric and without loops.
struct GroupGraph {
  std::vector<std::vector<int>> members;  // unknowns by group
  std::vector<int> starts, neighbours;

  int size() const { return static_cast<int>(members.size()); }
  int weight(int group) const { return static_cast<int>(members[group].size()); }
};

GroupGraph makeGraph(const SparseMatrix& pattern, const std::vector<int>& groups) {
  GroupGraph graph;
  graph.members.resize(1 + *std::max_element(groups.begin(), groups.end()));
  for (std::size_t u = 0; u < groups.size(); ++u) {
    graph.members[groups[u]].push_back(static_cast<int>(u));
  }
  std::vector<std::vector<int>> adjacent(graph.size());
  for (int u = 0; u < pattern.cols(); ++u) {
    for (SparseMatrix::InnerIterator it(pattern, u); it; ++it) {
      const int row = groups[it.row()], column = groups[u];
      if (row == column) continue;
      adjacent[row].push_back(column);
      adjacent[column].push_back(row);
    }
  }
  graph.starts.push_back(0);
  for (std::vector<int>& list : adjacent) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    graph.neighbours.insert(graph.neighbours.end(), list.begin(), list.end());
    graph.starts.push_back(static_cast<int>(graph.neighbours.size()));
  }
  return graph;
}

// The graph in which every group is a clique whose members have the same neighbours: minimum degree
// sees how wide a group is, and eliminates it as one.
struct WideGraph {
  std::vector<int> groups;  // by vertex
  std::vector<int> starts{0}, neighbours;
};

WideGraph widen(const GroupGraph& graph) {
  std::vector<int> first(graph.size() + 1, 0);
  for (int g = 0; g < graph.size(); ++g) first[g + 1] = first[g] + graph.weight(g);
  WideGraph wide;
  wide.neighbours.reserve(1);  // never null: AMD refuses a null list
  const auto connect = [&](int vertex, int group) {
    for (int v = first[group]; v < first[group + 1]; ++v) {
      if (v != vertex) wide.neighbours.push_back(v);
    }
  };
  for (int g = 0; g < graph.size(); ++g) {
    for (int v = first[g]; v < first[g + 1]; ++v) {
      wide.groups.push_back(g);
      connect(v, g);
      for (int i = graph.starts[g]; i < graph.starts[g + 1]; ++i) connect(v, graph.neighbours[i]);
      wide.starts.push_back(static_cast<int>(wide.neighbours.size()));
    }
  }
  return wide;
}

// Groups in the order of their first vertices.
std::vector<int> orderByDegree(const GroupGraph& graph) {
  const WideGraph wide = widen(graph);
  const int n = static_cast<int>(wide.groups.size());
  std::vector<int> order(n);
  const int status =
      amd_order(n, wide.starts.data(), wide.neighbours.data(), order.data(), nullptr, nullptr);
  if (status < AMD_OK) std::iota(order.begin(), order.end(), 0);
  std::vector<int> groups;
  std::vector<bool> seen(graph.size(), false);
  for (const int v : order) {
    if (!seen[wide.groups[v]]) groups.push_back(wide.groups[v]);
    seen[wide.groups[v]] = true;
  }
  return groups;
}

}  // namespace

std::vector<int> makeEliminationOrder(const SparseMatrix& pattern, const std::vector<int>& groups) {
  const GroupGraph graph = makeGraph(pattern, groups);
  std::vector<int> order;
  order.reserve(groups.size());
  for (const int g : orderByDegree(graph)) {
    order.insert(order.end(), graph.members[g].begin(), graph.members[g].end());
  }
  return order;
}

}  // namespace flexloop::linalg
