// The periodic cubic spline through the points of a cam, whose slope and curvature are continuous everywhere.
#pragma once

#include <vector>

#include "mechanics/gears/cam.hpp"

namespace flexloop::mechanics {

// Slopes at the points of a periodic function with these angles, which increase and stay within a turn, and these values.
std::vector<double> calcPeriodicSlopes(const std::vector<double>& angles,
                                       const std::vector<double>& values);

CamProfile<double> makeCamProfile(const std::vector<double>& angles,
                                  const std::vector<double>& values);

}  // namespace flexloop::mechanics
