// The pattern of the matrices and the maps that scatter local ones into it: a part of Assembler.
#include <algorithm>
#include <utility>

#include "system/assembler.hpp"

namespace flexloop::system {
namespace {

int findPosition(const linalg::SparseMatrix& pattern, int row, int column) {
  const int* first = pattern.innerIndexPtr() + pattern.outerIndexPtr()[column];
  const int* last = pattern.innerIndexPtr() + pattern.outerIndexPtr()[column + 1];
  return static_cast<int>(std::lower_bound(first, last, row) - pattern.innerIndexPtr());
}

}  // namespace

// The finer answer of an element is about body axes, so it holds for nodes whose unknowns are those.
bool Assembler::mayFill(const ElementSet& set, int element, int row, int column,
                        bool augmented) const {
  const auto isInBodyAxes = [&](int freedom) {
    return freedom >= 6 * set.nodes(element) ||
           system_.node(set.node(element, freedom / 6)).map == NodeMap::kBody;
  };
  if (isInBodyAxes(row) && isInBodyAxes(column)) return set.fills(element, row, column, augmented);
  return set.ElementSet::fills(element, row, column, augmented);
}

void Assembler::buildPattern() {
  const bool augmented = environment_.constraintPenalty != 0.0;
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int u = 0; u < system_.unknowns(); ++u) entries.emplace_back(u, u, 0.0);
  for (const int i : mixedNodes_) {
    const Node& node = system_.nodes()[i];
    for (int r = 0; r < node.count; ++r) {
      for (int c = 0; c < node.count; ++c) {
        entries.emplace_back(node.firstUnknown + r, node.firstUnknown + c, 0.0);
      }
    }
  }
  maps_.resize(sets_.size());
  const std::size_t lasting = system_.sets().size();
  for (std::size_t s = 0; s < maps_.size(); ++s) {
    const ElementSet& set = *sets_[s];
    SetMap& map = maps_[s];
    placeUnknowns(set, map);
    if (s >= lasting) continue;
    for (int e = 0; e < set.size(); ++e) {
      const int n = map.freedoms(e);
      const int* local = map.unknowns.data() + map.firstUnknown[e];
      for (int c = 0; c < n; ++c) {
        for (int r = 0; r < n; ++r) {
          if (local[r] < 0 || local[c] < 0 || !mayFill(set, e, r, c, augmented)) continue;
          entries.emplace_back(local[r], local[c], 0.0);
        }
      }
    }
  }
  const auto make = [&](linalg::SparseMatrix& pattern) {
    pattern.resize(system_.unknowns(), system_.unknowns());
    pattern.setFromTriplets(entries.begin(), entries.end());
    pattern.makeCompressed();
  };
  if (!gatherings_.empty()) make(lastingPattern_);
  addPairEntries(entries);
  make(pattern_);
  ++patternCount_;
  fillSlots(augmented);
  fillPairSlots();
}

void Assembler::placeUnknowns(const ElementSet& set, SetMap& map) const {
  map.placeElements(set);
  for (int e = 0; e < set.size(); ++e) {
    int* local = map.unknowns.data() + map.firstUnknown[e];
    for (int k = 0; k < set.nodes(e); ++k) {
      const Node& node = system_.node(set.node(e, k));
      for (int i = 0; i < node.count; ++i) local[6 * k + i] = node.firstUnknown + i;
    }
    for (int k = 0; k < set.scalars(e); ++k) {
      local[6 * set.nodes(e) + k] = set.scalar(e, k).value;
    }
  }
}

// What comes and goes fills the blocks of its two nodes. Each is named once, because lists are long and made often.
void Assembler::addPairEntries(std::vector<Eigen::Triplet<double, int>>& entries) const {
  std::vector<std::pair<int, int>> blocks;
  for (std::size_t s = system_.sets().size(); s < sets_.size(); ++s) {
    for (int e = 0; e < sets_[s]->size(); ++e) {
      const int a = sets_[s]->node(e, 0).value, b = sets_[s]->node(e, 1).value;
      blocks.insert(blocks.end(), {{a, a}, {a, b}, {b, a}, {b, b}});
    }
  }
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  for (const auto& [a, b] : blocks) {
    const Node &row = system_.nodes()[a], &column = system_.nodes()[b];
    for (int c = 0; c < column.count; ++c) {
      for (int r = 0; r < row.count; ++r) {
        entries.emplace_back(row.firstUnknown + r, column.firstUnknown + c, 0.0);
      }
    }
  }
}

void Assembler::fillPairSlots() {
  for (std::size_t s = system_.sets().size(); s < sets_.size(); ++s) {
    SetMap& map = maps_[s];
    map.slots.assign(map.firstSlot.back(), -1);
    for (int e = 0; e < sets_[s]->size(); ++e) fillPairSlots(map, e, map.slots);
  }
}

// The rows of a node follow each other in every column.
void Assembler::fillPairSlots(const SetMap& map, int element, std::vector<int>& slots) const {
  constexpr int kFreedoms = 12;
  const int* local = map.unknowns.data() + map.firstUnknown[element];
  int* to = slots.data() + map.firstSlot[element];
  for (int c = 0; c < kFreedoms; ++c) {
    if (local[c] < 0) continue;
    for (int node = 0; node < kFreedoms; node += 6) {
      if (local[node] < 0) continue;
      const int first = findPosition(pattern_, local[node], local[c]);
      for (int i = 0; i < 6 && local[node + i] >= 0; ++i) {
        to[kFreedoms * c + node + i] = first + i;
      }
    }
  }
}

// The elements of the state, unless they are those at hand.
void Assembler::gather(const State& state) {
  newList_.clear();
  for (const Gathering* gathering : gatherings_) gathering->addList(state.records, newList_);
  if (newList_ == list_) return;
  std::swap(list_, newList_);
  gathered_.clear();
  for (const Gathering* gathering : gatherings_) {
    for (auto& set : gathering->gather(state.records)) gathered_.push_back(std::move(set));
  }
  addGathered();
  buildPattern();
}

void Assembler::addGathered() {
  sets_.clear();
  gatheredMemories_.clear();
  gatheredIdlers_.clear();
  for (const auto& set : system_.sets()) sets_.push_back(set.get());
  for (const auto& set : gathered_) {
    sets_.push_back(set.get());
    const auto* memory = dynamic_cast<const Remembering*>(set.get());
    if (memory != nullptr) gatheredMemories_.push_back(memory);
    gatheredIdlers_.push_back(dynamic_cast<const Idling*>(set.get()));
  }
}

void Assembler::fillSlots(bool augmented) {
  mixedSlots_.clear();
  for (const int i : mixedNodes_) {
    const Node& node = system_.nodes()[i];
    for (int c = 0; c < 6; ++c) {
      for (int r = 0; r < 6; ++r) {
        const bool used = r < node.count && c < node.count;
        mixedSlots_.push_back(
            used ? findPosition(pattern_, node.firstUnknown + r, node.firstUnknown + c) : -1);
      }
    }
  }
  for (std::size_t s = 0; s < system_.sets().size(); ++s) {
    const ElementSet& set = *system_.sets()[s];
    maps_[s].slots.clear();
    maps_[s].slots.reserve(maps_[s].firstSlot.back());
    for (int e = 0; e < set.size(); ++e) {
      const int n = maps_[s].freedoms(e);
      const int* local = maps_[s].unknowns.data() + maps_[s].firstUnknown[e];
      for (int c = 0; c < n; ++c) {
        for (int r = 0; r < n; ++r) {
          const bool used = local[r] >= 0 && local[c] >= 0 && mayFill(set, e, r, c, augmented);
          maps_[s].slots.push_back(used ? findPosition(pattern_, local[r], local[c]) : -1);
        }
      }
    }
  }
}

void Assembler::groupUnknowns() {
  groups_.assign(system_.unknowns(), -1);
  int count = 0;
  std::vector<int> groupOfNode(system_.nodes().size(), -1);
  for (std::size_t i = 0; i < groupOfNode.size(); ++i) {
    const Node& node = system_.nodes()[i];
    if (node.count == 0) continue;
    groupOfNode[i] = count++;
    for (int f = 0; f < node.count; ++f) groups_[node.firstUnknown + f] = groupOfNode[i];
  }
  for (const auto& set : system_.sets()) {
    for (int e = 0; e < set->size(); ++e) {
      const int nodes = set->nodes(e);
      for (int k = 0; k < set->scalars(e); ++k) {
        const UnknownIndex u = set->scalar(e, k);
        if (system_.kind(u) != Kind::kMultiplier) continue;
        // A sensor that reads the multiplier couples it with no node.
        for (int n = 0; n < nodes; ++n) {
          if (!set->couples(e, n, nodes + k)) continue;
          groups_[u.value] = std::max(groups_[u.value], groupOfNode[set->node(e, n).value]);
        }
      }
    }
  }
  for (int& group : groups_) {
    if (group < 0) group = count++;
  }
}

// Sensors of forces read multipliers, but have no equations of theirs.
void Assembler::findConstraintSets() {
  const auto constrains = [&](const ElementSet& set, int e) {
    const int nodes = set.nodes(e), scalars = set.scalars(e);
    for (int k = 0; k < scalars; ++k) {
      if (system_.kind(set.scalar(e, k)) != Kind::kMultiplier) continue;
      for (int slot = 0; slot < nodes + scalars; ++slot) {
        if (set.couples(e, nodes + k, slot)) return true;
      }
    }
    return false;
  };
  for (const auto& set : system_.sets()) {
    bool any = false;
    for (int e = 0; e < set->size() && !any; ++e) any = constrains(*set, e);
    if (!any) continue;
    if (const auto* rates = dynamic_cast<const ConstraintRates*>(set.get())) {
      rateSets_.push_back(rates);
    } else {
      otherRateSets_.push_back(set.get());
    }
  }
}

void Assembler::findSignalSets() {
  const auto isSignal = [&](const ElementSet& set, int e, int k) {
    return system_.kind(set.scalar(e, k)) == Kind::kSignal;
  };
  for (std::size_t s = 0; s < system_.sets().size(); ++s) {
    const ElementSet& set = *system_.sets()[s];
    bool owns = false;
    for (int e = 0; e < set.size() && !owns; ++e) {
      const int first = 6 * set.nodes(e);
      for (int k = 0; k < set.scalars(e) && !owns; ++k) {
        owns = isSignal(set, e, k) && set.fills(e, first + k, first + k, false);
      }
    }
    if (!owns) continue;
    signalSets_.push_back(static_cast<int>(s));
    for (int e = 0; e < set.size(); ++e) {
      for (int k = 0; k < set.nodes(e); ++k) {
        signalNodes_.push_back(set.node(e, k).value);
      }
    }
  }
  std::sort(signalNodes_.begin(), signalNodes_.end());
  signalNodes_.erase(std::unique(signalNodes_.begin(), signalNodes_.end()), signalNodes_.end());
  const int n = system_.unknowns();
  for (Eigen::VectorXd* w : {&signalWeights_.value, &signalWeights_.rate,
                             &signalWeights_.acceleration, &signalWeights_.row}) {
    w->setZero(n);
  }
  for (int u = 0; u < n; ++u) {
    if (system_.kinds()[u] != Kind::kSignal) continue;
    signalWeights_.value[u] = 1.0;
    signalWeights_.row[u] = 1.0;
  }
}

void Assembler::SetMap::placeElements(const ElementSet& set) {
  firstUnknown.assign(1, 0);
  firstSlot.assign(1, 0);
  for (int e = 0; e < set.size(); ++e) {
    const std::size_t n = set.freedoms(e);
    firstUnknown.push_back(firstUnknown.back() + n);
    firstSlot.push_back(firstSlot.back() + n * n);
  }
  unknowns.assign(firstUnknown.back(), -1);
}

}  // namespace flexloop::system
