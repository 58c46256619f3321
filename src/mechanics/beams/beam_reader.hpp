// What an item of `beams` means: its ends, its unloaded shape, its mesh and its section.
#pragma once

#include <array>
#include <optional>

#include "mechanics/beams/beam_curve.hpp"
#include "mechanics/beams/beam_mesh.hpp"
#include "mechanics/sections/section.hpp"
#include "system/item.hpp"
#include "system/unknowns.hpp"

namespace flexloop::system {
class Builder;
}

namespace flexloop::mechanics {

struct BeamPlan {
  std::array<system::NodeIndex, 2> ends;
  BeamCurve curve;
  BeamMesh mesh;
  SectionMatrices section;
  double damping = 0.0;     // s
  bool consistent = false;  // inertia inside the elements, or lumped at the nodes

  double lengthOf(int element) const {
    return curve.length * (mesh.endOf(element) - mesh.startOf(element));
  }
};

// Reports what cannot be right; then there is no plan.
std::optional<BeamPlan> readBeam(const system::Item& item, system::Builder& builder);

BeamMesh readMesh(const system::Item& item, const system::Builder& builder);
bool hasConsistentInertia(const system::Item& item);

}  // namespace flexloop::mechanics
