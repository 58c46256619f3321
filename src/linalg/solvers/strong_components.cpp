#include "linalg/solvers/strong_components.hpp"

#include <algorithm>
#include <cstddef>

namespace flexloop::linalg {
namespace {

// Tarjan's method (1972) with a path of its own: chains of blocks may be longer than the stack of calls.
class ComponentSearch {
 public:
  explicit ComponentSearch(const std::vector<std::vector<int>>& next)
      : next_(next), number_(next.size(), -1), lowest_(next.size()), isOpen_(next.size(), false) {}

  std::vector<std::vector<int>> run() {
    for (std::size_t i = 0; i < next_.size(); ++i) {
      if (number_[i] < 0) follow(static_cast<int>(i));
    }
    return std::move(groups_);
  }

 private:
  struct Step {
    int node;
    std::size_t edge = 0;
  };

  void enter(int node) {
    number_[node] = lowest_[node] = count_++;
    isOpen_[node] = true;
    open_.push_back(node);
    path_.push_back({node});
  }

  void follow(int root) {
    enter(root);
    while (!path_.empty()) {
      Step& step = path_.back();
      const int node = step.node;
      if (step.edge < next_[node].size()) {
        const int target = next_[node][step.edge++];
        if (number_[target] < 0) {
          enter(target);
        } else if (isOpen_[target]) {
          lowest_[node] = std::min(lowest_[node], number_[target]);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) {
        const int before = path_.back().node;
        lowest_[before] = std::min(lowest_[before], lowest_[node]);
      }
      if (lowest_[node] == number_[node]) close(node);
    }
  }

  void close(int first) {
    std::vector<int> group;
    int node = -1;
    while (node != first) {
      node = open_.back();
      open_.pop_back();
      isOpen_[node] = false;
      group.push_back(node);
    }
    std::sort(group.begin(), group.end());
    groups_.push_back(std::move(group));
  }

  const std::vector<std::vector<int>>& next_;
  std::vector<int> number_, lowest_;  // by the order in which nodes are entered
  std::vector<bool> isOpen_;
  std::vector<int> open_;
  std::vector<Step> path_;
  std::vector<std::vector<int>> groups_;
  int count_ = 0;
};

}  // namespace

std::vector<std::vector<int>> findStrongComponents(const std::vector<std::vector<int>>& next) {
  return ComponentSearch(next).run();
}

}  // namespace flexloop::linalg
