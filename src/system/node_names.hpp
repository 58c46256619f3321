// How a model names nodes: `ground`, a node `A` by its own name, the inner node `link1.3` of a beam, the point `link1@0.5`
// of one, a node `wheel.rim` of a thing that owns nodes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "system/unknowns.hpp"

namespace flexloop::system {

inline constexpr const char* kGroundName = "ground";

// The parts of a name with '@' or '.' in it. The beam, or whatever else is named first, need not exist.
struct NodeName {
  std::string owner;               // before the sign
  std::string part;                // behind it
  bool isPoint = false;            // the sign is '@'
  std::optional<long long> index;  // of an inner node, where the part is a whole number
  std::optional<double> fraction;  // of the length, of a point, where the part is a number
};

// Nothing for a name without a sign.
std::optional<NodeName> parseNodeName(std::string_view name);
// `beam@fraction` with the shortest digits.
std::string pointName(const std::string& beam, double fraction);

// The nodes of a system by their names.
class NodeNames {
 public:
  // A further name of a node; the first node of a name keeps it.
  void add(const std::string& name, NodeIndex node) { nodes_.emplace(name, node); }
  // The names owner.1 … owner.count for consecutive nodes.
  void addRange(const std::string& owner, NodeIndex first, int count) {
    ranges_[owner] = {first, count};
  }

  // Takes any digits of a fraction. The index is negative if there is no such node.
  NodeIndex find(const std::string& name) const;
  // What was most likely meant by a name that is not there, as a hint; empty if nothing is near.
  std::string suggest(const std::string& name) const;

 private:
  struct Range {
    NodeIndex first;
    int count = 0;
  };
  std::unordered_map<std::string, NodeIndex> nodes_;
  std::unordered_map<std::string, Range> ranges_;
};

}  // namespace flexloop::system
