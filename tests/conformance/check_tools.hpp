// Shared by the checks: residuals of one element, differences and messages.
#pragma once

#include <functional>
#include <string>

#include "conformance/motion_sample.hpp"
#include "system/element_set.hpp"
#include "system/system.hpp"

namespace flexloop::test {

// Central differences with h and h/2 and one extrapolation leave an error near h⁴/80 times a fifth
// derivative, which is large where random motions bring two nodes close together, and the rounding of the
// residual over h: see differenceNoise.
inline constexpr double kStep = 5e-4;
// For the second try where a random state comes close to a kink, and a residual is strongly curved.
inline constexpr double kFineStep = kStep / 16.0;
inline constexpr double kDifferences = 2e-9;
// Second differences lose 1e-16/h² to rounding.
inline constexpr double kSecondDifferences = 1e-7;
// What rounding leaves of quantities that cancel.
inline constexpr double kRounding = 1e-12;
// Four at once may round differently by fused products.
inline constexpr double kPack = 1e-13;

Eigen::VectorXd calcLocal(const system::ElementSet& set, const MotionSample& sample,
                          const system::Environment& environment, int element);

// (4 fine − coarse)/3: removes the error of the second order from results with h/2 and h.
Eigen::VectorXd extrapolated(const Eigen::VectorXd& coarse, const Eigen::VectorXd& fine);

// The derivative of the element's residual along a path of samples, at zero.
Eigen::VectorXd calcDerivative(const system::ElementSet& set,
                               const system::Environment& environment, int element,
                               const std::function<MotionSample(double)>& path,
                               double step = kStep);

// What the rounding of numbers as large as `size` leaves in such a derivative.
double differenceNoise(double size, double step = kStep);

system::ResidualSums makeSums(const system::System& system);

std::string describe(const char* what, int row, int column, double is, double expected);
bool isNear(double a, double b, double tolerance);
double sizeOf(const Eigen::VectorXd& v);

}  // namespace flexloop::test
