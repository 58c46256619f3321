#include "solve/constraint_loops.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace flexloop::solve {

using system::Kind;
using system::UnknownIndex;

namespace {

constexpr int kFreedoms = 6;  // of a node that nothing holds
constexpr int kGroundVertex = 0;

// Nodes and joints are vertices; edges join a joint with its nodes. All parts of a joint have its name.
struct JointGraph {
  std::vector<std::pair<int, int>> edges;
  std::vector<int> vertexOf;                              // by node
  std::vector<std::vector<int>> edgesOf;                  // by vertex
  std::vector<std::pair<int, UnknownIndex>> multipliers;  // with their joints

  int addVertex() {
    edgesOf.emplace_back();
    return static_cast<int>(edgesOf.size()) - 1;
  }
  void addEdge(int a, int b) {
    edgesOf[a].push_back(static_cast<int>(edges.size()));
    edgesOf[b].push_back(static_cast<int>(edges.size()));
    edges.emplace_back(a, b);
  }
  int otherEnd(int edge, int vertex) const {
    return edges[edge].first == vertex ? edges[edge].second : edges[edge].first;
  }
};

bool hasMultiplier(const system::System& system, const system::ElementSet& set, int element) {
  for (int k = 0; k < set.scalars(element); ++k) {
    if (system.kind(set.scalar(element, k)) == Kind::kMultiplier) return true;
  }
  return false;
}

JointGraph makeGraph(const system::System& system) {
  JointGraph graph;
  for (const system::Node& node : system.nodes()) {
    const bool isHeld = node.count == 0 && !graph.vertexOf.empty();
    graph.vertexOf.push_back(isHeld ? kGroundVertex : graph.addVertex());
    if (node.count > 0 && node.count < kFreedoms) {
      graph.addEdge(kGroundVertex, graph.vertexOf.back());
    }
  }
  std::unordered_map<std::string, int> joints;
  for (const auto& set : system.sets()) {
    for (int e = 0; e < set->size(); ++e) {
      if (!hasMultiplier(system, *set, e)) continue;
      const auto [found, isNew] = joints.try_emplace(set->name(e), -1);
      if (isNew) found->second = graph.addVertex();
      const int joint = found->second;
      for (int k = 0; k < set->nodesPerElement(); ++k) {
        const int node = graph.vertexOf[set->node(e, k).value];
        const std::vector<int>& known = graph.edgesOf[joint];
        const bool isKnown = std::any_of(known.begin(), known.end(), [&](int edge) {
          return graph.otherEnd(edge, joint) == node;
        });
        if (!isKnown) graph.addEdge(joint, node);
      }
      for (int k = 0; k < set->scalars(e); ++k) {
        const UnknownIndex u = set->scalar(e, k);
        if (system.kind(u) == Kind::kMultiplier) graph.multipliers.emplace_back(joint, u);
      }
    }
  }
  return graph;
}

// Edges that are in no loop: nothing behind them leads back to before them. Depth first, with a stack of its own,
// since chains are long.
class BridgeSearch {
 public:
  explicit BridgeSearch(const JointGraph& graph)
      : graph_(graph),
        order_(graph.edgesOf.size(), -1),
        earliest_(graph.edgesOf.size(), -1),
        isBridge_(graph.edges.size(), false) {
    for (std::size_t v = 0; v < graph.edgesOf.size(); ++v) {
      if (order_[v] < 0) search(static_cast<int>(v));
    }
  }

  bool isBridge(int edge) const { return isBridge_[edge]; }

 private:
  struct Visit {
    int vertex = 0;
    int arrival = -1;  // edge
    std::size_t next = 0;
  };

  void enter(int vertex, int arrival) {
    order_[vertex] = earliest_[vertex] = count_++;
    stack_.push_back({vertex, arrival, 0});
  }

  void search(int root) {
    enter(root, -1);
    while (!stack_.empty()) {
      Visit& visit = stack_.back();
      const int vertex = visit.vertex;
      if (visit.next < graph_.edgesOf[vertex].size()) {
        const int edge = graph_.edgesOf[vertex][visit.next++];
        if (edge == visit.arrival) continue;
        const int other = graph_.otherEnd(edge, vertex);
        if (order_[other] < 0) {
          enter(other, edge);
        } else {
          earliest_[vertex] = std::min(earliest_[vertex], order_[other]);
        }
      } else {
        leave(visit.arrival);
      }
    }
  }

  void leave(int arrival) {
    const int vertex = stack_.back().vertex;
    stack_.pop_back();
    if (stack_.empty()) return;
    const int before = stack_.back().vertex;
    earliest_[before] = std::min(earliest_[before], earliest_[vertex]);
    isBridge_[arrival] = earliest_[vertex] > order_[before];
  }

  const JointGraph& graph_;
  std::vector<int> order_, earliest_;  // by vertex
  std::vector<bool> isBridge_;
  std::vector<Visit> stack_;
  int count_ = 0;
};

// By vertex, the group of loops that it is in; -1: none, or ground.
std::vector<int> findGroups(const JointGraph& graph, const BridgeSearch& bridges, int& count) {
  std::vector<int> groups(graph.edgesOf.size(), -1);
  const auto isInLoop = [&](int vertex) {
    const std::vector<int>& edges = graph.edgesOf[vertex];
    return std::any_of(edges.begin(), edges.end(),
                       [&](int edge) { return !bridges.isBridge(edge); });
  };
  std::vector<int> waiting;
  const auto enter = [&](int vertex) {
    if (vertex == kGroundVertex || groups[vertex] >= 0) return;
    groups[vertex] = count;
    waiting.push_back(vertex);
  };
  for (std::size_t v = 0; v < groups.size(); ++v) {
    const int root = static_cast<int>(v);
    if (root == kGroundVertex || groups[v] >= 0 || !isInLoop(root)) continue;
    enter(root);
    while (!waiting.empty()) {
      const int vertex = waiting.back();
      waiting.pop_back();
      for (const int edge : graph.edgesOf[vertex]) {
        if (!bridges.isBridge(edge)) enter(graph.otherEnd(edge, vertex));
      }
    }
    ++count;
  }
  return groups;
}

}  // namespace

ConstraintLoops findConstraintLoops(const system::System& system) {
  const JointGraph graph = makeGraph(system);
  const BridgeSearch bridges(graph);
  ConstraintLoops loops;
  const std::vector<int> groups = findGroups(graph, bridges, loops.groups);
  loops.groupOfUnknown.assign(system.unknowns(), -1);
  for (const auto& [joint, u] : graph.multipliers) loops.groupOfUnknown[u.value] = groups[joint];
  for (const int vertex : graph.vertexOf) loops.groupOfNode.push_back(groups[vertex]);
  return loops;
}

}  // namespace flexloop::solve
