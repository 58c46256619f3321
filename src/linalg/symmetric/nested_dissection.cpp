#include "linalg/symmetric/nested_dissection.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <numeric>

#include <metis.h>

#include "linalg/solvers/lazy_library.hpp"

namespace flexloop::linalg {
namespace {

constexpr int kSmallGraph = 20;  // vertices; any order will do
constexpr int kSeed = 1;         // of METIS: the same order on every run

std::uint64_t mix(std::uint64_t x) {  // the finaliser of splitmix64
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

struct Grouping {
  std::vector<int> leader;  // by unknown, the first of its group; -1: goes last
  std::vector<int> vertex;  // by leader, from 0; -1 for others
  std::vector<idx_t> weights;
};

// Sums of hashes of the neighbours, the unknown itself included, and whether the diagonal is zero. Two unknowns of different
// neighbourhoods with one hash would cost fill and nothing else.
Grouping groupUnknowns(const SparseMatrix& lower) {
  const int n = static_cast<int>(lower.cols());
  std::vector<std::uint64_t> hashes(n, 0);
  std::vector<char> hasDiagonal(n, 0);
  for (int column = 0; column < n; ++column) {
    hashes[column] += mix(column);
    for (SparseMatrix::InnerIterator it(lower, column); it; ++it) {
      const int row = static_cast<int>(it.row());
      if (row == column) hasDiagonal[column] = it.value() != 0.0;
      if (row <= column) continue;
      hashes[row] += mix(column);
      hashes[column] += mix(row);
    }
  }
  std::vector<int> sorted(n);
  std::iota(sorted.begin(), sorted.end(), 0);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](int a, int b) { return hashes[a] < hashes[b]; });
  Grouping groups{std::vector<int>(n, -1), std::vector<int>(n, -1), {}};
  int leader = -1;
  std::vector<int> sizes(n, 0);
  for (const int unknown : sorted) {
    if (!hasDiagonal[unknown]) continue;
    if (leader < 0 || hashes[leader] != hashes[unknown]) leader = unknown;
    groups.leader[unknown] = leader;
    ++sizes[leader];
  }
  for (int unknown = 0; unknown < n; ++unknown) {
    if (groups.leader[unknown] != unknown) continue;
    groups.vertex[unknown] = static_cast<int>(groups.weights.size());
    groups.weights.push_back(sizes[unknown]);
  }
  return groups;
}

struct Graph {
  std::vector<idx_t> starts, neighbours;
};

Graph makeGraph(const SparseMatrix& lower, const Grouping& groups) {
  Graph graph;
  graph.starts.assign(groups.weights.size() + 1, 0);
  const auto eachEdge = [&](auto&& visit) {
    for (int column = 0; column < lower.outerSize(); ++column) {
      if (groups.vertex[column] < 0) continue;
      for (SparseMatrix::InnerIterator it(lower, column); it; ++it) {
        if (it.row() <= column || groups.vertex[it.row()] < 0) continue;
        visit(groups.vertex[column], groups.vertex[it.row()]);
      }
    }
  };
  eachEdge([&](int a, int b) { ++graph.starts[a + 1], ++graph.starts[b + 1]; });
  std::partial_sum(graph.starts.begin(), graph.starts.end(), graph.starts.begin());
  graph.neighbours.resize(graph.starts.back());
  std::vector<idx_t> places(graph.starts.begin(), graph.starts.end() - 1);
  eachEdge([&](int a, int b) {
    graph.neighbours[places[a]++] = b;
    graph.neighbours[places[b]++] = a;
  });
  return graph;
}

// By position, the vertex.
std::vector<idx_t> dissect(Graph& graph, std::vector<idx_t>& weights) {
  idx_t vertices = static_cast<idx_t>(weights.size());
  std::vector<idx_t> order(vertices), positions(vertices);
  std::iota(order.begin(), order.end(), 0);
  if (vertices < kSmallGraph) return order;
  static std::mutex inside;
  const std::lock_guard lock(inside);
  static LazyLibrary library(FLEXLOOP_METIS_FILE);
  static auto* const setDefaults =
      reinterpret_cast<decltype(&METIS_SetDefaultOptions)>(library.find("METIS_SetDefaultOptions"));
  static auto* const nodeND =
      reinterpret_cast<decltype(&METIS_NodeND)>(library.find("METIS_NodeND"));
  idx_t options[METIS_NOPTIONS];
  setDefaults(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = kSeed;
  const int status = nodeND(&vertices, graph.starts.data(), graph.neighbours.data(), weights.data(),
                            options, order.data(), positions.data());
  if (status != METIS_OK) std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

std::vector<int> makeNestedDissection(const SparseMatrix& lower) {
  const int n = static_cast<int>(lower.cols());
  Grouping groups = groupUnknowns(lower);
  Graph graph = makeGraph(lower, groups);
  const std::vector<idx_t> order = dissect(graph, groups.weights);
  std::vector<int> first(order.size());  // positions, by vertex
  int next = 0;
  for (const idx_t vertex : order) {
    first[vertex] = next;
    next += static_cast<int>(groups.weights[vertex]);
  }
  std::vector<int> positions(n);
  for (int unknown = 0; unknown < n; ++unknown) {
    const int leader = groups.leader[unknown];
    positions[unknown] = leader < 0 ? next++ : first[groups.vertex[leader]]++;
  }
  return positions;
}

}  // namespace flexloop::linalg
