// Poles of filters against closed forms.
#include "control/dynamics/filters.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace flexloop::control {
namespace {

// s² + 2ζω s + ω² with a large ζ has the roots −2ζω and −ω/2ζ up to 1/4ζ² of them. The small one is the difference of two large
// numbers, of which nothing would be left.
TEST(Filters, StronglyDampedNotchKeepsItsSlowPole) {
  for (const double damping : {1e3, 1e7, 1e10}) {
    const double omega = 3.0;
    const ZeroPoleGain notch = makeNotch(omega, damping, 0.5);
    std::vector<double> poles;
    for (const auto& pole : notch.poles) {
      EXPECT_EQ(pole.imag(), 0.0);
      poles.push_back(-pole.real());
    }
    ASSERT_EQ(poles.size(), 2U);
    std::sort(poles.begin(), poles.end());
    const double error = 1.0 / (4.0 * damping * damping) + 1e-15;
    EXPECT_NEAR(poles[0], omega / (2.0 * damping), 2.0 * error * poles[0]) << damping;
    EXPECT_NEAR(poles[1], omega * 2.0 * damping, 2.0 * error * poles[1]) << damping;
  }
}

}  // namespace
}  // namespace flexloop::control
