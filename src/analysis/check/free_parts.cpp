#include "analysis/check/free_parts.hpp"

#include <map>

#include "base/disjoint_sets.hpp"

namespace flexloop::analysis {
namespace {

constexpr int kGround = 0;

// Whether the element acts on its node k; sensors only look at theirs.
bool actsOn(const system::ElementSet& set, int element, int k) {
  const int slots = set.nodes(element) + set.scalars(element);
  for (int slot = 0; slot < slots; ++slot) {
    if (set.couples(element, k, slot)) return true;
  }
  return false;
}

}  // namespace

FreeParts findFreeParts(const system::System& system) {
  const int count = static_cast<int>(system.nodes().size());
  base::DisjointSets sets(count);
  for (int n = 1; n < count; ++n) {
    if (system.nodes()[n].count < 6) sets.join(n, kGround);
  }
  for (const auto& set : system.sets()) {
    for (int e = 0; e < set->size(); ++e) {
      int first = -1;
      for (int k = 0; k < set->nodes(e); ++k) {
        if (!actsOn(*set, e, k)) continue;
        if (first >= 0) sets.join(first, set->node(e, k).value);
        first = set->node(e, k).value;
      }
    }
  }
  FreeParts result;
  std::map<int, std::vector<int>> parts;
  for (int n = 1; n < count; ++n) {
    if (sets.findRoot(n) == sets.findRoot(kGround)) {
      result.hasGrounded = result.hasGrounded || system.nodes()[n].count > 0;
    } else {
      parts[sets.findRoot(n)].push_back(n);
    }
  }
  for (auto& [root, nodes] : parts) result.parts.push_back(std::move(nodes));
  return result;
}

}  // namespace flexloop::analysis
