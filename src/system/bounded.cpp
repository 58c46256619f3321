#include "system/bounded.hpp"

namespace flexloop::system {

BoundedSets findBounded(const System& system) {
  BoundedSets bounded;
  for (const auto& set : system.sets()) {
    if (const auto* found = dynamic_cast<const Bounded*>(set.get())) bounded.push_back(found);
  }
  return bounded;
}

std::optional<base::Failure> findFault(const BoundedSets& sets, const State& state) {
  for (const Bounded* set : sets) {
    if (auto fault = set->findFault(state)) return fault;
  }
  return std::nullopt;
}

}  // namespace flexloop::system
