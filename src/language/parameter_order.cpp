#include "language/parameter_order.hpp"

#include <algorithm>

namespace flexloop::language {
namespace {

// Every blocked thing needs another blocked thing, so a walk from one to the next ends in a cycle.
std::vector<std::vector<int>> findCycles(const std::vector<std::vector<int>>& needs,
                                         const std::vector<int>& blocked,
                                         const std::vector<int>& missing) {
  std::vector<std::vector<int>> cycles;
  std::vector<int> walkOf(needs.size(), -1);
  for (const int start : blocked) {
    std::vector<int> walk;
    int at = start;
    while (walkOf[at] == -1) {
      walkOf[at] = start;
      walk.push_back(at);
      at = *std::find_if(needs[at].begin(), needs[at].end(), [&](int i) { return missing[i] > 0; });
    }
    if (walkOf[at] == start)
      cycles.emplace_back(std::find(walk.begin(), walk.end(), at), walk.end());
  }
  return cycles;
}

}  // namespace

DependencyOrder calcDependencyOrder(const std::vector<std::vector<int>>& needs) {
  const int count = static_cast<int>(needs.size());
  std::vector<int> missing(needs.size());  // how many of its needs are not computed yet
  std::vector<std::vector<int>> users(needs.size());
  DependencyOrder result;
  for (int i = 0; i < count; ++i) {
    missing[i] = static_cast<int>(needs[i].size());
    for (const int need : needs[i]) users[need].push_back(i);
    if (missing[i] == 0) result.order.push_back(i);
  }
  for (std::size_t k = 0; k < result.order.size(); ++k) {
    for (const int user : users[result.order[k]]) {
      if (--missing[user] == 0) result.order.push_back(user);
    }
  }
  for (int i = 0; i < count; ++i) {
    if (missing[i] > 0) result.blocked.push_back(i);
  }
  result.cycles = findCycles(needs, result.blocked, missing);
  return result;
}

}  // namespace flexloop::language
