// Modes of a model text about a state of it.
#pragma once

#include <algorithm>
#include <complex>
#include <string>

#include <gtest/gtest.h>

#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {

inline analysis::ModeResult modesOf(const std::string& text, analysis::ModeOptions options = {},
                                    model::OperatingPoint about = {}) {
  const model::Model model = buildModel(text);
  const analysis::OperatingState point = analysis::findOperatingPoint(model, about);
  EXPECT_TRUE(point.ok()) << messageOf(point.failure);
  return analysis::findModes(model, point.state, options);
}

inline double distanceTo(const analysis::ModeResult& result, std::complex<double> root) {
  double nearest = 1e300;
  for (const analysis::Mode& mode : result.modes) {
    nearest = std::min(nearest, std::abs(mode.eigenvalue - root));
  }
  return nearest;
}

}  // namespace flexloop::test
