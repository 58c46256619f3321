// Slopes of the piecewise cubic through points that is monotone wherever they are (Fritsch & Butland; (13.10)).
#pragma once

#include <vector>

namespace flexloop::math {

// At least two points, x increasing.
std::vector<double> calcMonotoneSlopes(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace flexloop::math
