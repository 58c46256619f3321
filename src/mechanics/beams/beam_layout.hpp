// The beams of a finished system, for those who look at them from outside: viewers and exports.
#pragma once

#include <string>
#include <vector>

#include "math/se3.hpp"
#include "system/system.hpp"

namespace flexloop::mechanics {

// A beam with its nodes in order. A segment is the piece between two of them.
struct BeamLayout {
  std::string name;
  std::vector<system::NodeIndex> nodes;
  std::vector<math::Mat3<double>> axes;  // by node: section axes in node axes
  std::vector<double> fractions;         // by node: of the length, from 0 to 1
  double length = 0.0;                   // m, unloaded
  int order = 1;
  const system::ElementSet* set = nullptr;
  int firstElement = 0;  // of the set; the others follow

  int segments() const { return static_cast<int>(nodes.size()) - 1; }
  system::NodeIndex nodeNear(double fraction) const;  // of the length
};

// Whether the elements are pieces of beams.
bool isBeam(const system::ElementSet& set);

// In the order of their element sets; beams of one set as in the file.
std::vector<BeamLayout> findBeams(const system::System& system);

// Six forces and six strains as in section.hpp, of the elastic part: without damping.
struct SectionState {
  math::Vec6<double> force, strain;
};

// In the middle of a segment, from the frames of all nodes.
SectionState calcSectionState(const BeamLayout& beam, int segment,
                              const std::vector<math::Frame<double>>& frames);

}  // namespace flexloop::mechanics
