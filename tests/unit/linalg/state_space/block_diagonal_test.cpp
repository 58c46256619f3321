#include "linalg/state_space/block_diagonal.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace flexloop::linalg {
namespace {

using Eigen::MatrixXd;

MatrixXd makeOscillator(double w, double damping) {
  return MatrixXd{{0.0, 1.0}, {-w * w, -2.0 * damping * w}};
}

// Whatever the unit of time, and so however oblique the vectors of the pair are.
TEST(RootBlocks, ALightlyDampedPairIsAPairInAnyUnits) {
  for (const double w : {1e-6, 1e-4, 4e-4, 1.0, 3e3, 1e5}) {
    const MatrixXd A = makeOscillator(w, 1e-3);
    const auto blocks = findRootBlocks(A, 0.0);
    ASSERT_EQ(blocks.size(), 1u) << w;
    const RootBlock& block = blocks[0];
    ASSERT_FALSE(block.isReal) << w;
    ASSERT_EQ(block.A.rows(), 1) << w;
    const double inclination = std::max(w, 1.0 / w);
    EXPECT_NEAR(std::abs(block.A(0, 0)) / w, 1.0, 1e-15 * inclination * inclination + 1e-14) << w;
    const MatrixXd again = 2.0 * (block.X * block.A * block.Y).real();
    EXPECT_LT((again - A).norm(), 1e-14 * inclination * A.norm()) << w;
  }
}

// Rounding makes a pair of the double root of a free mass, or of two equal time constants: that is no motion.
TEST(RootBlocks, APairThatRoundingMadeIsReal) {
  for (const double entry : {1e-16, 1e-17, 1e-20, 1e-30}) {
    for (const double root : {0.0, -1.0}) {
      const auto blocks = findRootBlocks(MatrixXd{{root, 1.0}, {-entry, root}}, 0.0);
      ASSERT_EQ(blocks.size(), 1u) << entry;
      EXPECT_TRUE(blocks[0].isReal) << entry;
      EXPECT_EQ(blocks[0].A.rows(), 2) << entry;
    }
  }
}

}  // namespace
}  // namespace flexloop::linalg
