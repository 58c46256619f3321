// Modes about a start at which a machine accelerates (docs/theory/18_eigenproblem.md, section 18.1): a jump of the reference
// by 0.1 mrad gives the light shoulder of the controlled arm 75000 rad/s² and its modes hardly another place.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "api/load.hpp"
#include "support/places.hpp"

namespace flexloop::test {
namespace {

std::vector<analysis::Mode> modesOfArm(const std::string& reference,
                                       const std::string& formulation) {
  const std::string file = inProject("models/controlled_arm/model.yaml");
  const model::Model model = api::loadModel(
      {file, {{}, {"blocks.ref1.value=" + reference, "formulation=" + formulation}}});
  const analysis::OperatingState start = analysis::findOperatingPoint(model, {});
  EXPECT_TRUE(start.ok()) << messageOf(start.failure);
  analysis::ModeOptions options;
  options.count = 12;
  return analysis::findModes(model, start.state, options).modes;
}

// The largest distance between modes of the same place in the lists, relative to their size.
double compare(const std::vector<analysis::Mode>& a, const std::vector<analysis::Mode>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double size = std::abs(b[i].eigenvalue);
    if (size > 0.0) {
      largest = std::max(largest, std::abs(a[i].eigenvalue - b[i].eigenvalue) / size);
    }
  }
  return largest;
}

TEST(AcceleratingStart, MovesModesByItsPoseOnly) {
  EXPECT_LT(compare(modesOfArm("1e-4", "se3"), modesOfArm("0", "se3")), 0.01);
}

TEST(AcceleratingStart, HasTheSameModesInBothFormulations) {
  EXPECT_LT(compare(modesOfArm("1e-4", "se3"), modesOfArm("1e-4", "r3xso3")), 1e-6);
  EXPECT_LT(compare(modesOfArm("0", "se3"), modesOfArm("0", "r3xso3")), 1e-6);
}

}  // namespace
}  // namespace flexloop::test
