// The outline of a beam's section as it is drawn, and the largest stress on it.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "math/se3.hpp"
#include "system/item.hpp"

namespace flexloop::view {

using OutlinePoint = std::array<double, 2>;  // y, z

struct SectionOutline {
  std::vector<std::vector<OutlinePoint>> outlines;  // the first is outside, others are holes
  // Of stress; nothing where only stiffnesses are given, which tell no modulus.
  struct Stress {
    double area = 0.0, secondY = 0.0, secondZ = 0.0;  // A, I_y, I_z
    double y = 0.0, z = 0.0;                          // of the outermost point
    bool isRound = false;
  };
  std::optional<Stress> stress;
};

SectionOutline makeOutline(const system::Item& section);

// Largest size of the normal stress [Pa] over the outline from the six forces of section.hpp:
//
//     σ(y, z) = N/A + M_y z/I_y − M_z y/I_z
double calcLargestStress(const SectionOutline::Stress& section, const math::Vec6<double>& force);

}  // namespace flexloop::view
