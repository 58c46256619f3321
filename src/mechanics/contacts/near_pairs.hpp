// Balls that are near each other (docs/theory/34_contact.md, section 34.7), by a grid of cells that are as wide as the largest pair with
// its margin: what is near lies in the same cell or in one beside it.
#pragma once

#include <array>
#include <vector>

#include "math/se3.hpp"

namespace flexloop::mechanics {

struct Ball {
  math::Vec3<double> centre;
  double radius = 0.0;
};

// All pairs with gaps below the margin, the smaller index first, in ascending order. The cost grows with the number of balls and pairs.
std::vector<std::array<int, 2>> findNearPairs(const std::vector<Ball>& balls, double margin);

}  // namespace flexloop::mechanics
