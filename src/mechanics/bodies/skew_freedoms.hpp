// Freedoms of a node along and about axes that are turned away from those of ground, as in an instance of an assembly.
//
// A node has freedoms along and about ground axes only. Where others are asked for, all that are concerned are free, and the node is
// guided against ground by the rows of a joint that leaves the right ones (docs/theory/06_joints.md):
//
//     one free translation: point_on_line     two: point_on_plane
//     one free rotation, about a: hinge; with the translation along a: cylindrical; with both across a: planar
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "math/se3.hpp"
#include "system/builder.hpp"
#include "system/node.hpp"

namespace flexloop::mechanics {

enum class Guide : std::uint8_t { kNone, kLine, kPlane, kHinge, kCylinder, kPlanar };

struct GuidedFreedoms {
  system::FreeSet free;  // of the node, ground axes
  Guide guide = Guide::kNone;
  math::Vec3<double> axis = math::Vec3<double>::UnitZ();  // of the guide, ground axes
};

// For freedoms along and about the columns of Q. Nothing where no guide leaves just these.
std::optional<GuidedFreedoms> findGuidedFreedoms(const system::FreeSet& given,
                                                 const math::Mat3<double>& Q);

// Between ground and the node, which is where it starts.
void addGuide(const std::string& name, system::NodeIndex node, const GuidedFreedoms& freedoms,
              const math::Vec3<double>& position, system::Builder& builder);

}  // namespace flexloop::mechanics
