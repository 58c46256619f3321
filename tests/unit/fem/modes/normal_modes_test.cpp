// Components that have no modes, or more motions without stiffness than a rigid body: what is said about them.
#include "fem/modes/normal_modes.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace flexloop::fem {
namespace {

struct Chain {
  linalg::SparseMatrix K, M;
  Component component;
};

// Ten unit masses with unit springs between them, but for those that are cut.
void makeChain(const std::vector<int>& cuts, Chain& chain) {
  const int n = 10;
  std::vector<Eigen::Triplet<double>> K, M;
  for (int i = 0; i < n; ++i) M.emplace_back(i, i, 1.0);
  for (int i = 0; i + 1 < n; ++i) {
    const double k = std::find(cuts.begin(), cuts.end(), i) == cuts.end() ? 1.0 : 0.0;
    K.emplace_back(i, i, k);
    K.emplace_back(i + 1, i + 1, k);
    K.emplace_back(i + 1, i, -k);
  }
  chain.K.resize(n, n);
  chain.M.resize(n, n);
  chain.K.setFromTriplets(K.begin(), K.end());
  chain.M.setFromTriplets(M.begin(), M.end());
  chain.component.K = &chain.K;
  chain.component.M = &chain.M;
  chain.component.rigid = Eigen::MatrixXd::Ones(n, 1);
  chain.component.name = [](int unknown) { return "mass " + std::to_string(unknown); };
}

TEST(NormalModes, OfAFreeChainComeWithoutItsRigidMotion) {
  Chain chain;
  makeChain({}, chain);
  linalg::ModeRequest request;
  request.count = 3;
  const auto modes = findNormalModes(chain.component, {}, request);
  ASSERT_TRUE(modes.hasValue());
  EXPECT_EQ(modes.value().rigid, 1);
  EXPECT_EQ(modes.value().rigidVectors.cols(), 1);
  ASSERT_EQ(modes.value().omega2.size(), 3);
  // 4 sin²(π/20)
  EXPECT_NEAR(modes.value().omega2[0], 0.09788696740969285, 1e-12);
}

// The spring before the last mass is missing.
TEST(NormalModes, OfAMechanismNameWhatMoves) {
  Chain chain;
  makeChain({8}, chain);
  linalg::ModeRequest request;
  request.count = 3;
  const auto modes = findNormalModes(chain.component, {}, request);
  ASSERT_FALSE(modes.hasValue());
  EXPECT_NE(modes.failure().message.find("2 motions without stiffness instead of 1"),
            std::string::npos)
      << modes.failure().message;
  EXPECT_NE(modes.failure().message.find("mass 9 moves freely"), std::string::npos)
      << modes.failure().message;
  EXPECT_FALSE(modes.failure().hint.empty());
}

TEST(NormalModes, OfANegativeStiffnessNameIt) {
  Chain chain;
  makeChain({}, chain);
  chain.K.coeffRef(4, 4) = -3.0;
  const auto modes = findNormalModes(chain.component, {}, {});
  ASSERT_FALSE(modes.hasValue());
  EXPECT_NE(modes.failure().message.find("mass 4"), std::string::npos) << modes.failure().message;
}

}  // namespace
}  // namespace flexloop::fem
