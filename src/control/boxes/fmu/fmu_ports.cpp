#include "control/boxes/fmu/fmu_ports.hpp"

#include <algorithm>

namespace flexloop::control {

FmuPorts::FmuPorts(const std::vector<FmuPort>& ports) : ports_(ports) {
  int place = 0;
  for (std::size_t k = 0; k < ports.size(); ++k) {
    auto group = std::find_if(groups_.begin(), groups_.end(),
                              [&](const Group& g) { return g.type == ports[k].type; });
    if (group == groups_.end()) group = groups_.insert(group, {ports[k].type, {}, {}, {}, {}});
    group->references.push_back(ports[k].reference);
    for (int i = 0; i < ports[k].count; ++i) {
      group->ports.push_back(static_cast<int>(k));
      group->places.push_back(place++);
      group->values.push_back(0.0);
    }
  }
}

void FmuPorts::set(FmuInstance& instance, const double* values) {
  for (Group& group : groups_) {
    for (std::size_t k = 0; k < group.ports.size(); ++k) {
      group.values[k] = ports_[group.ports[k]].fromSi(values[group.places[k]]);
    }
    instance.setNumbers(group.type, group.references, group.values);
  }
}

void FmuPorts::get(FmuInstance& instance, double* values) {
  for (Group& group : groups_) {
    instance.getNumbers(group.type, group.references, group.values);
    for (std::size_t k = 0; k < group.ports.size(); ++k) {
      values[group.places[k]] = ports_[group.ports[k]].toSi(group.values[k]);
    }
  }
}

}  // namespace flexloop::control
