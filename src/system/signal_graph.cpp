#include "system/signal_graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace flexloop::system {
namespace {

constexpr std::size_t kMostNames = 8;

// Everything that can be reached from `start`, in the order in which it is found.
std::vector<int> reach(int start, const std::vector<std::vector<int>>& edges) {
  std::vector<bool> seen(edges.size(), false);
  std::vector<int> found{start};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const int next : edges[found[i]]) {
      if (seen[next]) continue;
      seen[next] = true;
      if (next != start) found.push_back(next);
    }
  }
  if (!seen[start]) found.erase(found.begin());
  return found;
}

}  // namespace

SignalGraph::SignalGraph(const System& system) : uses_(system.unknowns()) {
  for (const auto& set : system.sets()) {
    for (int e = 0; e < set->size(); ++e) {
      const int nodes = 6 * set->nodes(e), scalars = set->scalars(e);
      for (int row = 0; row < scalars; ++row) {
        const UnknownIndex user = set->scalar(e, row);
        if (system.kind(user) != Kind::kSignal) continue;
        for (int column = 0; column < scalars; ++column) {
          const UnknownIndex used = set->scalar(e, column);
          if (row == column || system.kind(used) != Kind::kSignal) continue;
          if (set->fills(e, nodes + row, nodes + column, false))
            uses_[user.value].push_back(used.value);
        }
      }
    }
  }
}

std::vector<int> SignalGraph::findLoop(int signal) const {
  std::vector<std::vector<int>> backwards(uses_.size());
  for (std::size_t user = 0; user < uses_.size(); ++user) {
    for (const int used : uses_[user]) backwards[used].push_back(static_cast<int>(user));
  }
  const std::vector<int> before = reach(signal, uses_), after = reach(signal, backwards);
  std::vector<int> loop;
  for (const int u : before) {
    if (std::find(after.begin(), after.end(), u) != after.end()) loop.push_back(u);
  }
  return loop;
}

std::string describeLoop(const System& system, UnknownIndex signal) {
  const std::vector<int> loop = SignalGraph(system).findLoop(signal.value);
  std::string text;
  for (std::size_t i = 0; i < loop.size() && i < kMostNames; ++i) {
    if (i > 0) text += i + 1 == loop.size() ? " and " : ", ";
    text += "'" + system.equationName(UnknownIndex{loop[i]}) + "'";
  }
  if (loop.size() > kMostNames)
    text += " and " + std::to_string(loop.size() - kMostNames) + " more";
  return text;
}

namespace {

constexpr std::size_t kMostInputs = 4;

// The signals and states that an equation is made of, with their values.
std::string describeGiven(const System& system, int equation, const State& state) {
  std::vector<int> given;
  for (const auto& set : system.sets()) {
    for (int e = 0; e < set->size(); ++e) {
      const int nodes = 6 * set->nodes(e), scalars = set->scalars(e);
      for (int row = 0; row < scalars; ++row) {
        if (set->scalar(e, row).value != equation) continue;
        for (int column = 0; column < scalars; ++column) {
          const int used = set->scalar(e, column).value;
          const Kind kind = system.kind(UnknownIndex{used});
          const bool isGiven = used != equation &&
                               (kind == Kind::kSignal || kind == Kind::kState) &&
                               set->fills(e, nodes + row, nodes + column, false);
          if (isGiven && std::find(given.begin(), given.end(), used) == given.end()) {
            given.push_back(used);
          }
        }
      }
    }
  }
  std::string text;
  for (std::size_t i = 0; i < given.size() && i < kMostInputs; ++i) {
    char value[32];
    std::snprintf(value, sizeof value, " = %.10g", state.value[given[i]]);
    text += (i > 0 ? ", '" : "'") + system.equationName(UnknownIndex{given[i]}) + "'" + value;
  }
  return text;
}

}  // namespace

std::optional<base::Failure> describeUndefined(const System& system,
                                               const Eigen::VectorXd& residual,
                                               const State* state) {
  int first = -1;
  for (int u = 0; u < residual.size(); ++u) {
    if (std::isfinite(residual[u])) continue;
    const Kind kind = system.kind(UnknownIndex{u});
    if (kind != Kind::kSignal && kind != Kind::kState) return {};
    if (first < 0) first = u;
  }
  if (first < 0) return {};
  const std::string name = "'" + system.equationName(UnknownIndex{first}) + "'";
  const std::string given = state != nullptr ? describeGiven(system, first, *state) : std::string();
  return base::numericalFailure(
      "the equation of " + name + " has no value" + (given.empty() ? "" : " with " + given) +
          ": a division by zero, or a root or logarithm of a negative number",
      "record the inputs of " + name +
          " to see their values; a 'saturation' keeps a signal within bounds");
}

}  // namespace flexloop::system
