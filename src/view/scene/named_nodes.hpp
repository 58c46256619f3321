// The nodes of a finished model by the names that its file uses: A, link1.3, link1@0.5, ground.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "mechanics/beams/beam_layout.hpp"
#include "system/system.hpp"

namespace flexloop::view {

class NamedNodes {
 public:
  // The beams must outlive it.
  NamedNodes(const system::System& system, const std::vector<mechanics::BeamLayout>& beams);

  // The index in System::nodes(), or -1.
  int find(const std::string& name) const;
  // The node of a beam that is nearest to a fraction of its length, or -1.
  int findOnBeam(const std::string& beam, double fraction) const;

 private:
  std::unordered_map<std::string, int> byName_;
  const std::vector<mechanics::BeamLayout>& beams_;
};

}  // namespace flexloop::view
