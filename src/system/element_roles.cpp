#include "system/element_roles.hpp"

namespace flexloop::system {
namespace {

template <class Role>
void collect(const ElementSet& set, std::vector<const Role*>& found) {
  if (const auto* role = dynamic_cast<const Role*>(&set)) found.push_back(role);
}

}  // namespace

SetRoles findRoles(const std::vector<std::unique_ptr<ElementSet>>& sets) {
  SetRoles roles;
  for (const auto& set : sets) {
    collect(*set, roles.remembering);
    collect(*set, roles.branching);
    collect(*set, roles.sampling);
    collect(*set, roles.foreign);
    if (const auto* energy = dynamic_cast<const StoredEnergy*>(set.get())) {
      roles.energetic.push_back({energy, set->size()});
    }
  }
  return roles;
}

}  // namespace flexloop::system
