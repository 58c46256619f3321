// A role of elements, beside those of element_roles.hpp: their stiffness is constant in the axes of their first node, however far
// their other nodes turn relative to it. Time steps measure translations of these nodes in those axes where they use tangents
// of an earlier step (docs/theory/31_reduced_bodies.md, section 31.4).
#pragma once

namespace flexloop::system {

class CommonAxes {
 public:
  virtual ~CommonAxes() = default;
};

}  // namespace flexloop::system
