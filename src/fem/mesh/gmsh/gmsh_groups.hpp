// The physical groups of a Gmsh file, and the sets that they become.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fem/mesh/mesh_builder.hpp"

namespace flexloop::fem {

struct GmshGroups {
  using Key = std::pair<int, std::int64_t>;  // dimension, number
  struct Members {
    std::vector<int> elements;
    std::vector<std::int64_t> nodes;  // of what is no element here
  };
  std::map<Key, std::string> names;
  std::map<Key, Members> members;
};

// Version 2.2 writes an element once for each of its groups, under different numbers; here it is one element.
void mergeRepeatedElements(GmshGroups& groups, Mesh& mesh);

// Node sets, element sets and properties; the first group of an element is its property.
void makeGmshSets(const GmshGroups& groups, MeshBuilder& builder);

}  // namespace flexloop::fem
