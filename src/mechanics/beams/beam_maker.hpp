// From a plan to the nodes and elements of a beam.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mechanics/beams/beam_reader.hpp"

namespace flexloop::mechanics {

// Where the inertia of a beam is attached, under its name followed by this, if it has elements of
// its own.
inline constexpr std::string_view kInertiaPart = "/inertia";

void makeBeam(const system::Item& item, system::Builder& builder);

// One node of a beam.
struct BeamNode {
  system::NodeIndex index;
  math::Mat3<double> D = math::Mat3<double>::Identity();  // section axes in node axes
  math::Frame<double> section;                            // at the start, ground axes
};

// The elements of order 2 and 3 and their consistent inertia, parts of makeBeam.
void addHighOrderElements(const std::string& beam, const BeamPlan& plan,
                          const std::vector<BeamNode>& nodes, system::Builder& builder);
void addHighOrderInertia(const std::string& beam, const BeamPlan& plan,
                         const std::vector<BeamNode>& nodes, system::Builder& builder);

}  // namespace flexloop::mechanics
