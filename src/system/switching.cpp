#include "system/switching.hpp"

namespace flexloop::system {

std::vector<Switch> findSwitches(const System& system) {
  std::vector<Switch> switches;
  for (const auto& set : system.sets()) {
    const auto* switching = dynamic_cast<const Switching*>(set.get());
    if (switching == nullptr) continue;
    for (int k = 0; k < switching->switches(); ++k) switches.push_back({switching, k});
  }
  return switches;
}

}  // namespace flexloop::system
