#include "view/scene/named_nodes.hpp"

#include <charconv>
#include <cmath>

namespace flexloop::view {

NamedNodes::NamedNodes(const system::System& system,
                       const std::vector<mechanics::BeamLayout>& beams)
    : beams_(beams) {
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    byName_.emplace(system.nodes()[i].name, static_cast<int>(i));
  }
  byName_["ground"] = system::kGround.value;
}

int NamedNodes::find(const std::string& name) const {
  const auto found = byName_.find(name);
  if (found != byName_.end()) return found->second;
  // A point that is a node of the mesh goes by that node's name.
  const std::size_t at = name.find('@');
  if (at == std::string::npos) return -1;
  double fraction = 0.0;
  std::from_chars(name.data() + at + 1, name.data() + name.size(), fraction);
  return findOnBeam(name.substr(0, at), fraction);
}

int NamedNodes::findOnBeam(const std::string& name, double fraction) const {
  for (const mechanics::BeamLayout& beam : beams_) {
    if (beam.name != name) continue;
    std::size_t best = 0;
    for (std::size_t i = 1; i < beam.nodes.size(); ++i) {
      const bool isNearer =
          std::abs(beam.fractions[i] - fraction) < std::abs(beam.fractions[best] - fraction);
      if (isNearer) best = i;
    }
    return beam.nodes[best].value;
  }
  return -1;
}

}  // namespace flexloop::view
