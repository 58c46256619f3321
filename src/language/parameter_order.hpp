// The order in which things that depend on each other can be computed. A part of
// parameter_table.hpp.
#pragma once

#include <vector>

namespace flexloop::language {

struct DependencyOrder {
  std::vector<int> order;                // each after those that it needs
  std::vector<std::vector<int>> cycles;  // each thing needs the next, the last needs the first
  std::vector<int> blocked;              // in a cycle, or in need of something that is
};

// needs[i]: what thing i needs. Linear in the size of all lists, without recursion.
DependencyOrder calcDependencyOrder(const std::vector<std::vector<int>>& needs);

}  // namespace flexloop::language
