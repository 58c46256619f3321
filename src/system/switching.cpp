#include "system/switching.hpp"

#include <algorithm>

namespace flexloop::system {

std::vector<Switch> findSwitches(const System& system) {
  std::vector<Switch> switches;
  for (const auto& set : system.sets()) {
    const auto* switching = dynamic_cast<const Switching*>(set.get());
    if (switching == nullptr) continue;
    for (int k = 0; k < switching->switches(); ++k) switches.push_back({switching, k});
  }
  for (Switch& s : switches) {
    const UnknownIndex support = s.set->support(s.index);
    if (support.value < 0) continue;
    const auto stop = std::find_if(switches.begin(), switches.end(), [&](const Switch& other) {
      return other.isStop() && other.set->multiplier(other.index).value == support.value;
    });
    s.support = static_cast<int>(stop - switches.begin());
  }
  return switches;
}

}  // namespace flexloop::system
