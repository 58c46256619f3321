// Numbers from 0 on, of which some belong together: each set has one of its members for a root.
#pragma once

#include <numeric>
#include <vector>

namespace flexloop::base {

class DisjointSets {
 public:
  explicit DisjointSets(int count) : above_(count) { std::iota(above_.begin(), above_.end(), 0); }

  int findRoot(int i) {
    while (above_[i] != i) i = above_[i] = above_[above_[i]];
    return i;
  }
  // False if both were in one set before.
  bool join(int i, int j) {
    const int first = findRoot(i), second = findRoot(j);
    above_[first] = second;
    return first != second;
  }

 private:
  std::vector<int> above_;
};

}  // namespace flexloop::base
